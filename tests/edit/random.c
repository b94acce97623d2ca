/* Properties of edits on random files. */
#include "edit/edit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    uint64_t state;
} dice;

static uint32_t roll(dice *d, uint32_t n)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(d->state >> 33) % n;
}

enum { MAX_REGIONS = 12, MAX_PARTS = 24 };

/* A file, its regions, and the eol it uses. */
typedef struct {
    rf_arena *arena;
    rf_buf text;
    rf_edit_part parts[MAX_PARTS];
    rf_edit_region regions[MAX_REGIONS];
    size_t n_parts, n_regions;
} sample;

static const char *const fillers[] = {
    "int a = 1'000;",
    "/* a comment",
    "over lines */",
    "// single \\",
    "#if X",
    "#endif",
    "const char *s = R\"(",
    "#else // rf: no",
    ")\";",
    "",
    "\t\tindented();",
    "char c = '\"';",
    "#define M(x) \\",
    "  x + 1",
};

static void put_line(sample *s, dice *d, const char *text, const char *eol)
{
    rf_buf_fill(&s->text, ' ', roll(d, 5));
    rf_buf_puts(&s->text, text);
    rf_buf_puts(&s->text, eol);
}

/* A balanced piece of text between regions. */
static void put_filler(sample *s, dice *d, const char *eol)
{
    static const struct {
        int first, n;
    } pieces[] = { { 0, 1 }, { 1, 2 },  { 4, 2 },  { 6, 3 },
                   { 9, 1 }, { 10, 1 }, { 11, 1 }, { 12, 2 } };
    for (uint32_t n = roll(d, 4); n; n--) {
        int p = (int)roll(d, RF_COUNTOF(pieces));
        for (int i = 0; i < pieces[p].n; i++)
            put_line(s, d, fillers[pieces[p].first + i], eol);
    }
}

static const char *random_text(sample *s, dice *d)
{
    rf_buf b = { 0 };
    for (uint32_t i = roll(d, 4) + 1; i; i--)
        rf_buf_printf(&b, "%sgen%u(x);%s", roll(d, 2) ? "    " : "",
                      roll(d, 1000), i > 1 || roll(d, 2) ? "\n" : "");
    const char *text = rf_arena_strdup(s->arena, b.data);
    rf_buf_free(&b);
    return text;
}

static void put_part(sample *s, dice *d, const char *eol)
{
    rf_edit_part *part = &s->parts[s->n_parts++];
    rf_buf_puts(&s->text, roll(d, 4) ? "    " : "before(); ");
    part->begin = s->text.len;
    rf_buf_printf(&s->text, "for (;;) {%s", eol);
    if (roll(d, 2))
        rf_buf_printf(&s->text, "#if Y%sa();%s#else%sb();%s#endif%s", eol, eol,
                      eol, eol, eol);
    rf_buf_printf(&s->text, "  use(%u); }", roll(d, 100));
    part->end = s->text.len;
    part->text = random_text(s, d);
    if (!roll(d, 4))
        rf_buf_puts(&s->text, roll(d, 2) ? " after();" : " // after");
}

static void put_region(sample *s, dice *d, const char *eol)
{
    rf_edit_region *r = &s->regions[s->n_regions++];
    r->parts = &s->parts[s->n_parts];
    r->n_parts = 1 + roll(d, 2);
    r->words = "fused";
    r->keep = true;
    for (size_t i = 0; i < r->n_parts; i++) {
        if (i)
            rf_buf_puts(&s->text, roll(d, 2) ? eol : " ");
        put_part(s, d, eol);
    }
}

static void random_sample(sample *s, uint64_t seed)
{
    *s = (sample){ .arena = rf_arena_new() };
    dice d = { seed * 77 + 5 };
    const char *eol = roll(&d, 2) ? "\n" : "\r\n";
    if (!roll(&d, 4))
        rf_buf_puts(&s->text, "\xef\xbb\xbf");
    for (uint32_t n = roll(&d, MAX_REGIONS) + 1; n; n--) {
        put_filler(s, &d, eol);
        put_region(s, &d, eol);
        if (n > 1 || roll(&d, 2))
            rf_buf_puts(&s->text, eol);
    }
}

static void sample_free(sample *s)
{
    rf_buf_free(&s->text);
    rf_arena_free(s->arena);
}

/* Move the parts to where they lie after "edits". */
static void move_parts(sample *s, const rf_edits *edits)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        size_t shift = 0;
        for (size_t k = 0; k < edits->list.len; k++)
            if (edits->list.data[k].end <= s->parts[i].begin)
                shift += edits->list.data[k].len -
                         (edits->list.data[k].end - edits->list.data[k].begin);
        s->parts[i].begin += shift;
        s->parts[i].end += shift;
    }
}

static void plan(sample *s, const rf_buf *text, rf_edits *edits)
{
    *edits = (rf_edits){ 0 };
    rf_edit_plan(s->arena, text->data, text->len, s->regions, s->n_regions,
                 (rf_edit_rules){ 0 }, edits, NULL);
}

static void check_sorted(const rf_edits *edits, size_t len)
{
    size_t at = 0;
    for (size_t i = 0; i < edits->list.len; i++) {
        cr_assert_leq(at, edits->list.data[i].begin);
        cr_assert_leq(edits->list.data[i].begin, edits->list.data[i].end);
        at = edits->list.data[i].end;
    }
    cr_assert_leq(at, len);
}

static bool same(const rf_buf *a, const rf_buf *b)
{
    return a->len == b->len && !memcmp(a->data, b->data, a->len);
}

/* rewrite; revert gives the bytes; rewrite again changes nothing. */
static void check_sample(uint64_t seed)
{
    sample s;
    random_sample(&s, seed);
    rf_edits edits, again = { 0 }, back = { 0 };
    rf_buf once = { 0 }, reverted = { 0 };
    plan(&s, &s.text, &edits);
    check_sorted(&edits, s.text.len);
    for (size_t i = 0; i < s.n_regions; i++)
        cr_assert_eq(s.regions[i].state, RF_EDIT_NEW, "seed %lu: %s", seed,
                     s.regions[i].problem);
    rf_edits_apply(&edits, s.text.data, s.text.len, &once);
    cr_assert_eq(rf_revert_plan(s.arena, once.data, once.len, &back), 0);
    check_sorted(&back, once.len);
    rf_edits_apply(&back, once.data, once.len, &reverted);
    cr_assert(same(&s.text, &reverted), "seed %lu", seed);
    move_parts(&s, &edits);
    plan(&s, &once, &again);
    cr_assert_eq(again.list.len, 0, "seed %lu", seed);
    for (size_t i = 0; i < s.n_regions; i++)
        cr_assert_eq(s.regions[i].state, RF_EDIT_CURRENT, "seed %lu", seed);
    RF_CLEAR(edits.list);
    RF_CLEAR(again.list);
    RF_CLEAR(back.list);
    rf_buf_free(&once);
    rf_buf_free(&reverted);
    sample_free(&s);
}

Test(random_files, revert_gives_back_every_byte)
{
    for (uint64_t seed = 0; seed < 3000; seed++)
        check_sample(seed);
}

/* Any bytes at all: no guard, no crash. */
Test(random_files, noise_is_read)
{
    static const char alphabet[] = "#ifdef RF_REFERENCE\n\\\"'R(*/)else // rf:";
    dice d = { 99 };
    rf_arena *arena = rf_arena_new();
    for (int round = 0; round < 3000; round++) {
        char noise[200];
        size_t n = roll(&d, sizeof noise);
        for (size_t i = 0; i < n; i++)
            noise[i] = alphabet[roll(&d, sizeof alphabet)];
        rf_edits edits = { 0 };
        rf_revert_plan(arena, noise, n, &edits);
        check_sorted(&edits, n);
        rf_text_hash(noise, n);
        RF_CLEAR(edits.list);
    }
    rf_arena_free(arena);
}

/* ---- Patches -------------------------------------------------------- */

static void put_file(const char *folder, const char *name, const rf_buf *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    fwrite(rf_buf_text(text), 1, text->len, f);
    fclose(f);
}

static rf_buf random_lines(dice *d)
{
    rf_buf b = { 0 };
    const char *eol = roll(d, 2) ? "\n" : "\r\n";
    for (uint32_t n = roll(d, 30); n; n--)
        rf_buf_printf(&b, "line %u%s", roll(d, 5),
                      n > 1 || roll(d, 2) ? eol : "");
    return b;
}

static rf_edits random_edits(rf_arena *arena, dice *d, size_t len)
{
    static const char *const texts[] = { "", "x", "x\ny\n", "\n", "line 1\n" };
    rf_edits edits = { 0 };
    for (size_t at = 0; at <= len && edits.list.len < 6;) {
        size_t begin = at + roll(d, 40), end = begin + roll(d, 20);
        if (end > len)
            break;
        const char *text = texts[roll(d, RF_COUNTOF(texts))];
        rf_edit e = { begin, end, rf_arena_strdup(arena, text), strlen(text) };
        RF_PUSH(edits.list, e);
        at = end + 1;
    }
    return edits;
}

/* git apply must turn the old file into the new one. */
static void check_patch(const char *folder, dice *d, int round)
{
    rf_arena *arena = rf_arena_new();
    rf_buf old = random_lines(d), new = { 0 }, patch = { 0 };
    rf_edits edits = random_edits(arena, d, old.len);
    rf_edits_apply(&edits, rf_buf_text(&old), old.len, &new);
    rf_edits_diff(&edits, rf_buf_text(&old), old.len, "f 1.cu", &patch);
    put_file(folder, "f 1.cu", &old);
    put_file(folder, "want", &new);
    put_file(folder, "p", &patch);
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && { test ! -s p || git apply p; } && cmp 'f 1.cu' want",
             folder);
    cr_assert_eq(system(command), 0, "round %d:\n%s", round,
                 rf_buf_text(&patch));
    RF_CLEAR(edits.list);
    rf_buf_free(&old);
    rf_buf_free(&new);
    rf_buf_free(&patch);
    rf_arena_free(arena);
}

Test(random_files, git_takes_the_patch)
{
    char folder[] = "/tmp/rf-patch-XXXXXX", command[64];
    dice d = { 4711 };
    cr_assert(mkdtemp(folder));
    for (int round = 0; round < 150; round++)
        check_patch(folder, &d, round);
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}
