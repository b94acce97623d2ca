/* Launches are read token by token: name <<< grid, block, ... >>> ( args ).
 * A declaration of the kernel is no use of it; anything else that names it
 * (its address, a macro) hides launches from us. Generated code of an earlier
 * run is passed over. */
#include "launches.h"

#include "edit/edit.h"

#include <string.h>

typedef struct {
    const char *bytes;
    size_t len;
    rf_token token; /* the present one, never a blank or a comment */
    const rf_guards *guards;
} reader;

static bool is_trivia(const rf_token *t)
{
    return t->kind == RF_TOK_BLANK || t->kind == RF_TOK_NEWLINE ||
           t->kind == RF_TOK_COMMENT;
}

/* Past what the tool itself wrote, from the #else to the end of its guard. */
static size_t skip_generated(const reader *r, size_t at)
{
    for (size_t i = 0; i < r->guards->list.len; i++) {
        const rf_guard *g = &r->guards->list.data[i];
        if (!g->damaged && at >= g->reference_end && at < g->end)
            return g->end;
    }
    return at;
}

static void step_to(reader *r, size_t at)
{
    do {
        at = skip_generated(r, at);
        r->token = rf_token_next(r->bytes, r->len, at);
        at = r->token.end;
    } while (is_trivia(&r->token));
}

static void step(reader *r)
{
    step_to(r, r->token.end);
}

static bool is_punct(const reader *r, char c)
{
    return r->token.kind == RF_TOK_PUNCT && r->bytes[r->token.begin] == c;
}

static bool is_word(const reader *r, const char *word)
{
    size_t n = strlen(word);
    return r->token.kind == RF_TOK_WORD && r->token.end - r->token.begin == n &&
           !memcmp(r->bytes + r->token.begin, word, n);
}

static bool is_triple(const reader *r, char c)
{
    size_t at = r->token.begin;
    return is_punct(r, c) && at + 2 < r->len && r->bytes[at + 1] == c &&
           r->bytes[at + 2] == c;
}

static void skip_triple(reader *r)
{
    for (int i = 0; i < 3; i++)
        step(r);
}

/* Read one argument: up to a comma or the closing sign at depth 0. */
static rf_piece read_piece(reader *r, bool angle)
{
    rf_piece p = { r->token.begin, r->token.begin };
    for (int depth = 0; r->token.kind != RF_TOK_END; step(r)) {
        if (!depth && (is_punct(r, ',') ||
                       (angle ? is_triple(r, '>') : is_punct(r, ')'))))
            break;
        depth += is_punct(r, '(') || is_punct(r, '[') || is_punct(r, '{');
        depth -= is_punct(r, ')') || is_punct(r, ']') || is_punct(r, '}');
        p.end = r->token.end;
    }
    return p;
}

/* After the name: template arguments, if any. */
static void skip_template(reader *r)
{
    if (!is_punct(r, '<') || is_triple(r, '<'))
        return;
    for (int depth = 0; r->token.kind != RF_TOK_END; step(r)) {
        depth += is_punct(r, '<');
        depth -= is_punct(r, '>');
        if (!depth) {
            step(r);
            return;
        }
    }
}

static bool read_launch(reader *r, rf_launch *out)
{
    *out = (rf_launch){ 0 };
    skip_template(r);
    if (!is_triple(r, '<'))
        return false;
    skip_triple(r);
    out->grid = read_piece(r, true);
    if (!is_punct(r, ','))
        return false;
    step(r);
    out->block = read_piece(r, true);
    if (is_punct(r, ',')) {
        step(r);
        out->shared = read_piece(r, true);
    }
    if (is_punct(r, ',')) {
        step(r);
        out->stream = read_piece(r, true);
    }
    if (!is_triple(r, '>'))
        return false;
    skip_triple(r);
    if (!is_punct(r, '('))
        return false;
    do {
        step(r);
        RF_PUSH(out->args, read_piece(r, false));
    } while (is_punct(r, ','));
    return is_punct(r, ')');
}

/* name(...);  after `__global__ void` */
static bool is_declaration(reader *r, bool after_void)
{
    if (!after_void || !is_punct(r, '('))
        return false;
    do {
        step(r);
        read_piece(r, false);
    } while (is_punct(r, ','));
    step(r);
    return is_punct(r, ';');
}

rf_launches rf_launches_find(rf_arena *arena, const char *bytes, size_t len,
                             const char *name, rf_piece own)
{
    rf_launches out = { 0 };
    rf_guards guards = rf_guards_find(arena, bytes, len);
    reader r = { .bytes = bytes, .len = len, .guards = &guards };
    bool after_void = false;
    for (step_to(&r, 0); r.token.kind != RF_TOK_END;) {
        size_t at = r.token.begin;
        bool named = is_word(&r, name) && (at < own.begin || at >= own.end);
        bool is_void = is_word(&r, "void");
        step(&r);
        if (named) {
            reader again = r;
            rf_launch launch;
            if (read_launch(&r, &launch)) {
                RF_PUSH(out.list, launch);
            } else {
                RF_CLEAR(launch.args);
                r = again;
                if (!is_declaration(&r, after_void) && !out.hidden) {
                    out.hidden = true;
                    out.hidden_at = at;
                }
                r = again;
            }
        }
        after_void = is_void;
    }
    RF_CLEAR(guards.list);
    return out;
}

const char *rf_launches_incomplete(const rf_launches *launches)
{
    if (launches->hidden)
        return "the kernel may be launched through this use of its name";
    if (!launches->list.len)
        return "no launch of this kernel can be seen in this file";
    return NULL;
}

void rf_launches_free(rf_launches *launches)
{
    for (size_t i = 0; i < launches->list.len; i++)
        RF_CLEAR(launches->list.data[i].args);
    RF_CLEAR(launches->list);
}
