/* What a mark marks: the statement, loop or function that comes next, with
 * only comments and preprocessor lines in between. */
#include "front/reader.h"
#include "support/word.h"

#include <ctype.h>
#include <string.h>

static bool contains(rf_range outer, rf_range inner)
{
    return outer.begin != UINT32_MAX && outer.begin <= inner.begin &&
           inner.end <= outer.end;
}

/* ---- the statement after a mark ---- */

typedef struct {
    rf_range mark;
    rf_stmt *next;   /* the first that begins after the mark */
    rf_stmt *opaque; /* the innermost unread statement that holds the mark */
    rf_stmt *hinted; /* a loop whose `#pragma unroll` stands before the mark */
} search;

static void visit(search *s, rf_stmt *stmt);

/* True if the mark stands between a loop's `#pragma unroll` and the loop. */
static bool splits_hint(const search *s, const rf_stmt *stmt)
{
    if (!stmt->attribute)
        return false;
    uint32_t head = stmt->init   ? stmt->init->at.begin
                    : stmt->expr ? stmt->expr->at.begin
                                 : stmt->body->at.begin;
    return s->mark.end <= head;
}

static void visit_parts(search *s, rf_stmt *stmt)
{
    visit(s, stmt->init);
    visit(s, stmt->body);
    visit(s, stmt->orelse);
    for (unsigned i = 0; i < stmt->n; i++)
        visit(s, stmt->list[i]);
}

static void visit(search *s, rf_stmt *stmt)
{
    if (!stmt || stmt->at.begin == UINT32_MAX)
        return;
    if (contains(stmt->at, s->mark)) {
        s->next = NULL;
        s->hinted = splits_hint(s, stmt) ? stmt : NULL;
        if (stmt->kind == RF_STMT_OPAQUE)
            s->opaque = stmt;
        visit_parts(s, stmt);
    } else if (stmt->at.begin >= s->mark.end && !s->next) {
        s->next = stmt;
    }
}

/* True if only comments and preprocessor lines stand in [begin, end). */
static bool is_adjacent(const rf_source *s, uint32_t begin, uint32_t end)
{
    size_t i = rf_token_from(s, begin);
    if (i < s->tokens.len &&
        (s->tokens.data[i].is_directive || s->tokens.data[i].is_skipped ||
         s->tokens.data[i].kind == CXToken_Comment))
        i = rf_cx_token_next(s, i);
    return i >= s->tokens.len || s->tokens.data[i].begin >= end;
}

/* ---- preprocessor lines inside a region ---- */

static bool changes_text(const rf_source *s, size_t hash)
{
    return rf_token_is(s, hash, "#") && s->tokens.data[hash].is_directive &&
           !rf_token_is(s, hash + 1, "pragma");
}

static void find_directive(rf_reader *r, rf_region *region)
{
    rf_range at = rf_region_range(region);
    const rf_source *s = r->source;
    if (at.begin == UINT32_MAX)
        return;
    for (size_t i = rf_token_from(s, at.begin); i < s->tokens.len; i++) {
        if (s->tokens.data[i].begin >= at.end)
            return;
        if (!changes_text(s, i))
            continue;
        region->has_directive = true;
        region->directive = rf_unit_place(r->unit, s->tokens.data[i].begin);
        return;
    }
}

/* ---- binding ---- */

static void misplaced(rf_reader *r, const rf_mark *mark, const char *why)
{
    rf_diag_add(r->diags, RF_ERROR, RF_DIAG_PRAGMA, mark->place, "%s", why);
}

/* True of what every kernel has: blockDim, gridDim. */
static bool is_of_launch(const char *w, size_t n)
{
    static const char *const names[] = { "blockDim", "gridDim" };
    for (size_t i = 0; i < RF_COUNTOF(names); i++)
        if (strlen(names[i]) == n && !strncmp(w, names[i], n))
            return true;
    return false;
}

/* True if the text of "func" has the word [w, w + n). */
static bool has_word(const rf_reader *r, const rf_func *func, const char *w,
                     size_t n)
{
    return rf_find_word(r->unit->bytes + func->at.begin,
                        func->at.end - func->at.begin, w, n);
}

/* An assumption about a name that the function does not have is a mistake. */
static bool knows_names(rf_reader *r, const rf_mark *mark, const rf_func *func)
{
    for (unsigned i = 0; i < mark->n_predicates; i++) {
        const char *text = mark->predicates[i];
        size_t n = 0;
        while (rf_is_word_byte(text[n]))
            n++;
        bool is_name = n && !isdigit((unsigned char)text[0]) && text[n] != '(';
        if (!is_name || is_of_launch(text, n) || has_word(r, func, text, n))
            continue;
        rf_diag_add(r->diags, RF_ERROR, RF_DIAG_PRAGMA,
                    rf_unit_place(r->unit, mark->predicate_at[i]),
                    "'%.*s' is no name of '%s'", (int)n, text, func->name);
        return false;
    }
    return true;
}

static void add_region(rf_reader *r, const rf_mark *mark, rf_func *func,
                       rf_stmt *stmt, bool whole)
{
    rf_region region = {
        .mark = *mark, .func = func, .stmt = stmt, .whole_function = whole
    };
    if (!knows_names(r, mark, func))
        return;
    find_directive(r, &region);
    RF_PUSH(r->regions, region);
}

static void bind_inside(rf_reader *r, const rf_mark *mark, rf_func *func)
{
    search s = { .mark = mark->at };
    if (func->has_error && rf_report_errors(r, func->at))
        return;
    visit(&s, func->body);
    if (s.opaque) {
        rf_diag_add(r->diags, RF_WARNING, RF_DIAG_UNSUPPORTED, mark->place,
                    "not fused: the mark stands inside '%s', which is not read",
                    s.opaque->text);
        return;
    }
    if (s.hinted) {
        misplaced(r, mark,
                  "the mark must stand before the `#pragma` that "
                  "belongs to the loop");
        return;
    }
    if (!s.next || !is_adjacent(r->source, mark->at.end, s.next->at.begin))
        misplaced(r, mark, "the mark is not followed by a statement");
    else
        add_region(r, mark, func, s.next, false);
}

static rf_func *function_after(rf_reader *r, const rf_mark *mark)
{
    rf_func *best = NULL;
    for (size_t i = 0; i < r->funcs_found.len; i++) {
        rf_func *f = r->funcs_found.data[i];
        if (f->body && f->at.begin != UINT32_MAX &&
            f->at.begin >= mark->at.end &&
            (!best || f->at.begin < best->at.begin))
            best = f;
    }
    if (best && !is_adjacent(r->source, mark->at.end, best->at.begin))
        best = NULL;
    return best;
}

/* Where the first token at or after "at" begins that the compiler sees: behind
 * the directive of a guard. */
static uint32_t next_token(const rf_source *s, uint32_t at)
{
    size_t i = rf_token_from(s, at);
    if (i < s->tokens.len &&
        (s->tokens.data[i].is_directive || s->tokens.data[i].is_skipped ||
         s->tokens.data[i].kind == CXToken_Comment))
        i = rf_cx_token_next(s, i);
    return i < s->tokens.len ? s->tokens.data[i].begin : at;
}

/* `_Pragma("rf ...") __global__ void k() ...`: the head begins behind it. */
static rf_func *function_headed_by(rf_reader *r, const rf_mark *mark)
{
    for (size_t i = 0; i < r->funcs_found.len; i++) {
        rf_func *f = r->funcs_found.data[i];
        if (!f->body || f->at.begin == UINT32_MAX ||
            f->at.begin > mark->at.begin || f->body->at.begin < mark->at.end)
            continue;
        f->at.begin = next_token(r->source, mark->at.end);
        return f;
    }
    return NULL;
}

static rf_func *function_around(rf_reader *r, const rf_mark *mark)
{
    for (size_t i = 0; i < r->funcs_found.len; i++) {
        rf_func *f = r->funcs_found.data[i];
        if (f->body && contains(f->body->at, mark->at))
            return f;
    }
    return NULL;
}

static void bind(rf_reader *r, const rf_mark *mark)
{
    rf_func *func = function_around(r, mark);
    if (func) {
        bind_inside(r, mark, func);
        return;
    }
    func = function_headed_by(r, mark);
    if (!func)
        func = function_after(r, mark);
    if (func)
        add_region(r, mark, func, func->body, true);
    else
        misplaced(r, mark,
                  "the mark is not followed by a statement or a "
                  "function with a body");
}

void rf_bind_mark(rf_reader *r, const rf_mark *mark)
{
    size_t regions = r->regions.len, said = r->diags->list.len;
    bind(r, mark);
    if (r->regions.len > regions)
        return;
    rf_lost_mark lost = { *mark, mark->at.end, RF_DIAG_ERROR, true };
    if (r->diags->list.len > said) {
        lost.reason = r->diags->list.data[said].name;
        lost.is_error = r->diags->list.data[said].severity == RF_ERROR;
    }
    RF_PUSH(r->lost, lost);
}
