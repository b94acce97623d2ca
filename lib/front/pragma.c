/* Marks: `#pragma rf ...`, `_Pragma("rf ...")`, and macros that hold one.
 *
 *     mark   = cascade clause* | gemm_chain clause* | off
 *     clause = level(WORD) | cluster(N) | cluster(N, N, N, N) | blocks(N)
 *            | threads(N)
 *            | tile(NAME:N, ...)
 *            | axis(NAME) | rows(NAME) | assume(FACT, ...) | strict
 *            | masked(WORD) | scale(WORD) | keep | replace
 *     FACT   = noalias | finite | rounding | atomics | a comparison
 *
 * Blanks, comments and continued lines separate words. A mark with an error is
 * diagnosed at the exact column and left out. */
#include "front/reader.h"
#include "support/word.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    rf_reader *r;
    const char *bytes;
    uint32_t at, end; /* what is left to read */
    rf_mark *mark;
    unsigned seen; /* one bit a clause */
    bool failed;
} parser;

/* ---- words ---- */

static void skip_blanks(parser *p)
{
    while (p->at < p->end) {
        const char *c = p->bytes + p->at;
        uint32_t left = p->end - p->at;
        if (isspace((unsigned char)*c) || *c == '\\') {
            p->at++;
        } else if (left > 1 && c[0] == '/' && c[1] == '/') {
            p->at = p->end;
        } else if (left > 1 && c[0] == '/' && c[1] == '*') {
            for (p->at += 2; p->at < p->end; p->at++)
                if (p->bytes[p->at - 1] == '*' && p->bytes[p->at] == '/')
                    break;
            p->at += p->at < p->end;
        } else {
            break;
        }
    }
}

/* Read a word or a number; an empty range if something else stands there. */
static rf_range next_word(parser *p)
{
    skip_blanks(p);
    rf_range w = { p->at, p->at };
    while (w.end < p->end && rf_is_word_byte(p->bytes[w.end]))
        w.end++;
    p->at = w.end;
    return w;
}

static bool accept(parser *p, char c)
{
    skip_blanks(p);
    if (p->at >= p->end || p->bytes[p->at] != c)
        return false;
    p->at++;
    return true;
}

static char *text_of(parser *p, rf_range w)
{
    return rf_arena_strndup(p->r->arena, p->bytes + w.begin, w.end - w.begin);
}

/* ---- errors ---- */

static void fail(parser *p, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fail(parser *p, uint32_t at, const char *format, ...)
{
    if (p->failed)
        return;
    p->failed = true;
    va_list args;
    va_start(args, format);
    char *text = rf_arena_vprintf(p->r->arena, format, args);
    va_end(args);
    rf_diag_add(p->r->diags, RF_ERROR, RF_DIAG_PRAGMA,
                rf_unit_place(p->r->unit, at), "%s", text);
}

/* Edit distance, for short words. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[32];
    if (n >= RF_COUNTOF(row) || strlen(a) >= RF_COUNTOF(row))
        return RF_COUNTOF(row);
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t insert = row[j - 1] + 1, drop = row[j] + 1;
            row[j] = change < insert ? change : insert;
            row[j] = drop < row[j] ? drop : row[j];
        }
    }
    return row[n];
}

/* Report that "word" is none of "valid" (NULL-terminated). */
static void fail_word(parser *p, rf_range w, const char *what,
                      const char *const *valid)
{
    const char *word = text_of(p, w), *best = NULL;
    size_t least = 0;
    rf_buf all = { 0 };
    for (size_t i = 0; valid[i]; i++) {
        size_t d = distance(word, valid[i]);
        if (!best || d < least)
            best = valid[i], least = d;
        rf_buf_printf(&all, "%s%s", i ? ", " : "", valid[i]);
    }
    if (!*word)
        fail(p, w.begin, "expected %s: one of %s", what, all.data);
    else if (least <= strlen(word) / 2 + 1)
        fail(p, w.begin, "unknown %s '%s'; did you mean '%s'?", what, word,
             best);
    else
        fail(p, w.begin, "unknown %s '%s'; it is one of %s", what, word,
             all.data);
    rf_buf_free(&all);
}

static bool expect(parser *p, char c, const char *after)
{
    if (accept(p, c))
        return true;
    fail(p, p->at, "expected '%c' after '%s'", c, after);
    return false;
}

/* Read one word of "valid"; returns its index or -1. */
static int one_of(parser *p, const char *what, const char *const *valid)
{
    rf_range w = next_word(p);
    const char *word = text_of(p, w);
    for (int i = 0; valid[i]; i++)
        if (!strcmp(word, valid[i]))
            return i;
    fail_word(p, w, what, valid);
    return -1;
}

/* ---- clauses ---- */

static int64_t number(parser *p, const char *clause, int64_t most)
{
    rf_range w = next_word(p);
    char *text = text_of(p, w), *rest;
    long long value = strtoll(text, &rest, 10);
    if (*rest || !*text || value < 1 || value > most)
        fail(p, w.begin, "'%s' takes a number from 1 to %lld", clause,
             (long long)most);
    return value;
}

static const char *name(parser *p, const char *clause)
{
    rf_range w = next_word(p);
    if (w.begin == w.end || isdigit((unsigned char)p->bytes[w.begin]))
        fail(p, w.begin, "'%s' takes a name", clause);
    return text_of(p, w);
}

static void read_level(parser *p)
{
    static const char *const levels[] = { "auto",    "thread", "warp", "block",
                                          "cluster", "grid",   NULL };
    int i = one_of(p, "level", levels);
    if (i >= 0)
        p->mark->level = (rf_level)i;
    p->mark->picks_level = i == RF_LEVEL_AUTO;
}

/* cluster(8), or of a chain cluster(m, n, k, l): m * n * k blocks. */
static void read_cluster(parser *p)
{
    int *of = p->mark->cluster_of;
    p->mark->cluster = (int)number(p, "cluster", 16);
    if (p->failed || p->mark->kind != RF_MARK_GEMM_CHAIN || !accept(p, ','))
        return;
    of[0] = p->mark->cluster;
    for (int i = 1; i < 4 && !p->failed; i++) {
        if (i > 1 && !expect(p, ',', "cluster"))
            return;
        of[i] = (int)number(p, "cluster", 16);
    }
    p->mark->cluster = of[0] * of[1] * of[2];
}

static void read_blocks(parser *p)
{
    p->mark->blocks = (int)number(p, "blocks", 1024);
}

static void read_threads(parser *p)
{
    p->mark->threads = (int)number(p, "threads", 1024);
}

static void read_tile(parser *p)
{
    RF_ARRAY(rf_tile) tiles = { 0 };
    do {
        rf_tile tile = { .name = name(p, "tile") };
        if (!p->failed && expect(p, ':', tile.name))
            tile.size = number(p, "tile", INT32_MAX);
        RF_PUSH(tiles, tile);
    } while (!p->failed && accept(p, ','));
    p->mark->n_tiles = (unsigned)tiles.len;
    p->mark->tiles = RF_NEW_ARRAY(p->r->arena, tiles.len, rf_tile);
    memcpy(p->mark->tiles, tiles.data, tiles.len * sizeof *tiles.data);
    RF_CLEAR(tiles);
}

static void read_axis(parser *p)
{
    p->mark->axis = name(p, "axis");
}

static void read_rows(parser *p)
{
    p->mark->rows = name(p, "rows");
}

static void read_masked(parser *p)
{
    static const char *const words[] = { "preserve", "zero", NULL };
    p->mark->masked_zero = one_of(p, "word of 'masked'", words) == 1;
}

static void read_scale(parser *p)
{
    static const char *const words[] = { "exact", "running", NULL };
    p->mark->scale_running = one_of(p, "word of 'scale'", words) == 1;
}

/* Find the end of one fact: a ',' or ')' outside of brackets. */
static rf_range next_fact(parser *p)
{
    skip_blanks(p);
    rf_range w = { p->at, p->at };
    int depth = 0;
    for (; p->at < p->end; p->at++) {
        char c = p->bytes[p->at];
        if (depth == 0 && (c == ',' || c == ')'))
            break;
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    }
    for (w.end = p->at; w.end > w.begin; w.end--)
        if (!isspace((unsigned char)p->bytes[w.end - 1]))
            break;
    return w;
}

static bool is_comparison(const char *text)
{
    return strpbrk(text, "<>") || strstr(text, "==") || strstr(text, "!=") ||
           strchr(text, '%');
}

static bool read_fact_word(rf_mark *m, const char *text)
{
    const struct {
        const char *word;
        bool *flag;
    } facts[] = { { "noalias", &m->noalias },
                  { "finite", &m->finite },
                  { "rounding", &m->rounding },
                  { "atomics", &m->atomics } };
    for (size_t i = 0; i < RF_COUNTOF(facts); i++)
        if (!strcmp(text, facts[i].word))
            return *facts[i].flag = true;
    return false;
}

static void add_predicate(parser *p, const char *text, uint32_t at)
{
    rf_mark *mark = p->mark;
    unsigned n = mark->n_predicates++;
    const char **texts = RF_NEW_ARRAY(p->r->arena, n + 1, const char *);
    uint32_t *places = RF_NEW_ARRAY(p->r->arena, n + 1, uint32_t);
    for (unsigned i = 0; i < n; i++) {
        texts[i] = mark->predicates[i];
        places[i] = mark->predicate_at[i];
    }
    texts[n] = text;
    places[n] = at;
    mark->predicates = texts;
    mark->predicate_at = places;
}

static void read_assume(parser *p)
{
    static const char *const words[] = { "noalias", "finite", "rounding",
                                         "atomics", NULL };
    do {
        rf_range w = next_fact(p);
        const char *text = text_of(p, w);
        if (read_fact_word(p->mark, text))
            continue;
        if (is_comparison(text))
            add_predicate(p, text, w.begin);
        else
            fail_word(p, w, "assumption", words);
    } while (!p->failed && accept(p, ','));
}

static void read_strict(parser *p)
{
    p->mark->strict = true;
}

static void read_keep(parser *p)
{
    p->mark->replace = false;
}

static void read_replace(parser *p)
{
    p->mark->replace = true;
}

static const struct {
    const char *name;
    bool has_value;
    void (*read)(parser *p);
} clauses[] = {
    { "level", true, read_level },      { "cluster", true, read_cluster },
    { "blocks", true, read_blocks },    { "threads", true, read_threads },
    { "tile", true, read_tile },        { "axis", true, read_axis },
    { "rows", true, read_rows },        { "assume", true, read_assume },
    { "strict", false, read_strict },   { "masked", true, read_masked },
    { "scale", true, read_scale },      { "keep", false, read_keep },
    { "replace", false, read_replace },
};

static int find_clause(parser *p, rf_range w)
{
    const char *words[RF_COUNTOF(clauses) + 1] = { 0 };
    const char *word = text_of(p, w);
    for (size_t i = 0; i < RF_COUNTOF(clauses); i++) {
        words[i] = clauses[i].name;
        if (!strcmp(word, words[i]))
            return (int)i;
    }
    fail_word(p, w, "clause", words);
    return -1;
}

static bool has_seen(const parser *p, void (*read)(parser *))
{
    for (size_t i = 0; i < RF_COUNTOF(clauses); i++)
        if (clauses[i].read == read)
            return p->seen & 1u << i;
    return false;
}

static void read_clause(parser *p)
{
    rf_range w = next_word(p);
    int i = find_clause(p, w);
    if (i < 0)
        return;
    if (p->seen & 1u << i && clauses[i].read != read_assume)
        fail(p, w.begin, "'%s' is given twice", clauses[i].name);
    p->seen |= 1u << i;
    if ((clauses[i].read == read_keep && has_seen(p, read_replace)) ||
        (clauses[i].read == read_replace && has_seen(p, read_keep)))
        fail(p, w.begin, "'keep' and 'replace' exclude each other");
    if (clauses[i].has_value && !expect(p, '(', clauses[i].name))
        return;
    clauses[i].read(p);
    if (clauses[i].has_value && !p->failed && !accept(p, ')'))
        fail(p, p->at, "expected ')' to end '%s'", clauses[i].name);
}

/* ---- a whole mark ---- */

/* Copy "text" with every run of blanks and continued lines as one blank. */
static const char *normalise(rf_arena *arena, const char *text, size_t n)
{
    char *out = rf_arena_strndup(arena, text, n);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        bool blank = isspace((unsigned char)text[i]) || text[i] == '\\';
        if (!blank)
            out[m++] = text[i];
        else if (m && out[m - 1] != ' ')
            out[m++] = ' ';
    }
    while (m && out[m - 1] == ' ')
        m--;
    out[m] = 0;
    return out;
}

/* Read the words [begin, end) behind `rf` into "mark". */
static bool read_words(rf_reader *r, rf_mark *mark, uint32_t begin,
                       uint32_t end)
{
    static const char *const kinds[] = { "cascade", "gemm_chain", "off", NULL };
    parser p = {
        .r = r, .bytes = r->unit->bytes, .at = begin, .end = end, .mark = mark
    };
    int kind = one_of(&p, "mark", kinds);
    if (kind < 0)
        return false;
    mark->kind = (rf_mark_kind)kind;
    skip_blanks(&p);
    mark->text = normalise(r->arena, p.bytes + p.at, p.end - p.at);
    if (kind == RF_MARK_OFF && p.at < p.end)
        fail(&p, p.at, "'off' takes no clauses");
    while (!p.failed && p.at < p.end) {
        read_clause(&p);
        skip_blanks(&p);
    }
    return !p.failed;
}

typedef struct {
    RF_ARRAY(rf_mark) list;
} mark_list;

static void add_mark(rf_reader *r, mark_list *marks, rf_range at,
                     uint32_t begin, uint32_t end)
{
    rf_mark mark = { .place = rf_unit_place(r->unit, at.begin), .at = at };
    if (read_words(r, &mark, begin, end))
        RF_PUSH(marks->list, mark);
    else
        RF_PUSH(r->lost, (rf_lost_mark){ mark, at.end, RF_DIAG_PRAGMA, true });
}

static void note_skipped(rf_reader *r, uint32_t at)
{
    rf_diag_add(r->diags, RF_NOTE, RF_DIAG_PRAGMA, rf_unit_place(r->unit, at),
                "mark ignored: it stands in a branch of an #if that is not "
                "taken");
}

/* ---- where marks stand ---- */

/* The last token of the preprocessor line that begins at token "i". */
static size_t line_end(const rf_source *s, size_t i)
{
    while (i + 1 < s->tokens.len && s->tokens.data[i + 1].is_directive &&
           !rf_token_is(s, i + 1, "#"))
        i++;
    return i;
}

/* Token index of the n-th word after "i" that is no comment. */
static size_t word_after(const rf_source *s, size_t i)
{
    do
        i++;
    while (i < s->tokens.len && s->tokens.data[i].kind == CXToken_Comment);
    return i;
}

static bool is_pragma_rf(const rf_source *s, size_t hash)
{
    size_t pragma = word_after(s, hash), rf = word_after(s, pragma);
    return s->tokens.data[hash].is_directive && rf_token_is(s, hash, "#") &&
           rf_token_is(s, pragma, "pragma") && rf_token_is(s, rf, "rf");
}

static void read_directive(rf_reader *r, mark_list *marks, size_t hash)
{
    const rf_source *s = r->source;
    const rf_token *t = s->tokens.data;
    size_t rf = word_after(s, word_after(s, hash)), last = line_end(s, hash);
    while (last > rf && t[last].kind == CXToken_Comment)
        last--;
    rf_range at = { t[hash].begin, t[last].end };
    if (t[hash].is_skipped)
        note_skipped(r, at.begin);
    else
        add_mark(r, marks, at, t[rf].end, at.end);
}

/* If token "i" begins `_Pragma("rf ...")`, give the words' range. */
static bool is_operator(const rf_source *s, size_t i, rf_range *words)
{
    size_t open = word_after(s, i), text = word_after(s, open);
    if (!rf_token_is(s, i, "_Pragma") || !rf_token_is(s, open, "(") ||
        text >= s->tokens.len)
        return false;
    const rf_token *t = &s->tokens.data[text];
    const char *b = s->bytes + t->begin;
    if (t->end - t->begin < 5 || strncmp(b, "\"rf", 3) || rf_is_word_byte(b[3]))
        return false;
    *words = (rf_range){ t->begin + 3, t->end - 1 };
    return true;
}

/* A `_Pragma` in the definition of a macro marks each of its expansions. */
static void read_in_macro(rf_reader *r, mark_list *marks, size_t i,
                          rf_range words)
{
    const rf_source *s = r->source;
    size_t hash = i;
    while (hash > 0 && !rf_token_is(s, hash, "#"))
        hash--;
    size_t define = word_after(s, hash), named = word_after(s, define);
    if (!rf_token_is(s, define, "define"))
        return;
    rf_token t = s->tokens.data[named];
    for (size_t k = 0; k < s->expansions.len; k++) {
        rf_range at = s->expansions.data[k].at;
        uint32_t n = t.end - t.begin;
        if (at.end - at.begin >= n &&
            !memcmp(s->bytes + at.begin, s->bytes + t.begin, n) &&
            !rf_is_word_byte(s->bytes[at.begin + n]))
            add_mark(r, marks, at, words.begin, words.end);
    }
}

static void read_operator(rf_reader *r, mark_list *marks, size_t i,
                          rf_range words)
{
    const rf_source *s = r->source;
    const rf_token *t = &s->tokens.data[i];
    size_t close = word_after(s, word_after(s, word_after(s, i)));
    rf_range at = { t->begin, rf_token_is(s, close, ")")
                                  ? s->tokens.data[close].end
                                  : words.end + 1 };
    if (t->is_skipped)
        note_skipped(r, at.begin);
    else if (t->is_directive)
        read_in_macro(r, marks, i, words);
    else
        add_mark(r, marks, at, words.begin, words.end);
}

static int by_begin(const void *a, const void *b)
{
    const rf_mark *x = a, *y = b;
    return (x->at.begin > y->at.begin) - (x->at.begin < y->at.begin);
}

void rf_read_marks(rf_reader *r, rf_mark **marks, size_t *n)
{
    mark_list found = { 0 };
    const rf_source *s = r->source;
    for (size_t i = 0; i < s->tokens.len; i++) {
        rf_range words;
        if (is_pragma_rf(s, i))
            read_directive(r, &found, i);
        else if (is_operator(s, i, &words))
            read_operator(r, &found, i, words);
    }
    *n = found.list.len;
    *marks = RF_NEW_ARRAY(r->arena, *n, rf_mark);
    if (*n)
        memcpy(*marks, found.list.data, *n * sizeof **marks);
    qsort(*marks, *n, sizeof **marks, by_begin);
    RF_CLEAR(found.list);
}
