/* Mutations of the emitted kernels of chains: each must be refuted, or mean
 * the same. RF_MUTANTS=all runs every one. */
#include "emit/chain.h"
#include "file.h"
#include "mutate.h"
#include "plan/chain.h"
#include "proof/chain.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define ALONE .cls_m = 1, .cls_n = 1, .cls_k = 1, .cls_l = 1

static const struct {
    const char *path;
    rf_chain_tiles tiles;
} cases[] = {
    { "../../samples/31_ffn_relu", { .m = 8, .n = 8, .l = 8, ALONE } },
    { "../../samples/33_gated_ffn", { .m = 8, .n = 8, .l = 8, ALONE } },
    { "../../samples/34_lora", { .m = 8, .n = 8, .l = 8, ALONE } },
    { "01_textbook",
      { .m = 8, .n = 8, .l = 8, ALONE, .sums_in_memory = true } },
    { "01_textbook",
      { .m = 8,
        .n = 8,
        .l = 8,
        .k = 8,
        .threads = 32,
        ALONE,
        .sums_in_memory = true } },
    { "18_gated", { .m = 8, .n = 8, .l = 16, ALONE } },
    { "30_row_scale", { .m = 16, .n = 8, .l = 8, ALONE } },
    { "24_thread_returns",
      { .m = 8, .n = 16, .l = 8, ALONE, .sums_in_memory = true } },
    { "32_cluster_of_2",
      { .m = 8,
        .n = 8,
        .l = 8,
        .cls_m = 1,
        .cls_n = 2,
        .cls_k = 1,
        .cls_l = 1 } },
    { "41_cluster_along_k",
      { .m = 8,
        .n = 8,
        .l = 8,
        .cls_m = 1,
        .cls_n = 1,
        .cls_k = 2,
        .cls_l = 2 } },
    { "45_cluster_ring",
      { .m = 8,
        .n = 8,
        .l = 8,
        .cls_m = 1,
        .cls_n = 2,
        .cls_k = 1,
        .cls_l = 2 } },
    { "46_cluster_gated_branches",
      { .m = 8,
        .n = 8,
        .l = 8,
        .cls_m = 1,
        .cls_n = 1,
        .cls_k = 2,
        .cls_l = 2 } },
};

/* Changes that mean the same: parts of what the mutant says. */
static const char *const equivalent[] = {
    "m0 <= M",
    "n0 <= N",
    "l0 <= L", /* a tile without elements */
    "h_tile[1 + ",
    "h_tile[8][1 + ",
    "p_tile[1 + ",
    "p_tile[8][1 + ",
    "acc[1 + ",
    "acc[4][1 + ",
    "tile[1 + ",
    "tile[8][1 + ", /* too large */
    "tile[2][1 + ",
    "tile[2][8][1 + ",
    "sums[1 + ",
    "sums[4][1 + ",
    "acc_2[1 + ",
    "acc_2[4][1 + ",
    "tile[16][1 + ",
    "if (rank == 0) {  ->  {", /* the block does its own product behind it */
    /* operands are 0 where there are none, and nothing adds those */
    "k0 <= K",
    "n_at <= ",
    "k <= K",
    "n <= N",
    "% 8] = 0;",
    "if (k0 < K) {",
    "if (n_at < n0 + 8) {",
};

typedef struct {
    rf_arena *arena;
    rf_diags *diags;
    rf_unit *unit;
    rf_chain *chain;
    rf_emitted part;
    rf_chain_size sizes[8];
    rf_chain_claim claim;
} subject;

static const rf_front_options front = { .use_cache = true, .reference = true };

/* The kernel alone: no headers and no driver, which take long to read. */
static const char *kernel_of(rf_arena *arena, const char *path)
{
    char *text = rf_arena_strdup(arena, read_file(arena, path));
    char *drive = strstr(text, "\nDRIVE"), *main = strstr(text, "\nint main");
    char *end = drive ? drive : main;
    cr_assert(end, "%s has no end", path);
    *end = 0;
    for (char *at = text; (at = strstr(at, "#include"));)
        memset(at, ' ', strcspn(at, "\n"));
    return text;
}

static void add_size(subject *s, const rf_var *var, rf_size_role role, int tile)
{
    if (var->storage == RF_VAR_PARAM)
        s->sizes[s->claim.n_sizes++] =
            (rf_chain_size){ .var = var, .role = role, .tile = tile };
}

static void add_loop(subject *s, const rf_loop *l, rf_size_role role, int tile)
{
    if (l && l->upper->kind == RF_VAL_ENTRY)
        add_size(s, l->upper->var, role, tile);
}

static void open_subject(subject *s, const char *name, const rf_chain_tiles *t)
{
    *s = (subject){ .arena = rf_arena_new(), .diags = rf_diags_new() };
    const char *path =
        rf_arena_printf(s->arena, "%s/tests/chains/%s.cu", RF_SOURCE_DIR, name);
    const char *bytes = kernel_of(s->arena, path);
    rf_refusal why;
    cr_assert(!rf_front_parse(&s->unit, s->arena, path, bytes, strlen(bytes),
                              &front, s->diags));
    s->chain =
        rf_chain_find(s->arena, s->unit, &s->unit->regions.data[0], s->diags);
    cr_assert(s->chain);
    cr_assert(!rf_emit_chain(s->arena, s->unit, s->chain, t, &s->part, &why));
    const rf_chain *ch = s->chain;
    add_loop(s, ch->m, RF_SIZE_M, t->m * t->cls_m);
    if (ch->limit && ch->limit->op == RF_OP_VAR)
        add_size(s, ch->limit->var, RF_SIZE_M, t->m);
    add_loop(s, ch->n, RF_SIZE_N, t->n * t->cls_n);
    add_loop(s, ch->k, RF_SIZE_K, t->k);
    add_loop(s, ch->l, RF_SIZE_L, t->l * t->cls_l);
    s->claim.source = s->unit;
    s->claim.func = ch->func;
    s->claim.front = &front;
    s->claim.sizes = s->sizes;
    s->claim.most_steps = 10000000;
    s->claim.own_grid = ch->rows == RF_ROWS_LOOP;
    s->claim.cluster = rf_chain_blocks(t);
    s->claim.ring = rf_chain_ring(t) > 1;
    s->claim.reordered = rf_chain_reorders(ch, t);
    s->claim.threads = t->k ? t->threads : 0;
}

static void close_subject(subject *s)
{
    rf_chain_clear(s->chain);
    rf_diags_free(s->diags);
    rf_arena_free(s->arena);
}

static rf_chain_verdict verdict(subject *s, const char *functions,
                                const char *text)
{
    rf_arena *arena = rf_arena_new();
    rf_buf file = { 0 };
    rf_chain_verdict out;
    rf_buf_puts(&file, functions);
    rf_buf_add(&file, s->unit->bytes, s->part.begin);
    rf_buf_puts(&file, text);
    rf_buf_puts(&file, s->unit->bytes + s->part.end);
    rf_chain_claim claim = s->claim;
    claim.bytes = rf_buf_text(&file);
    claim.size = file.len;
    rf_prove_chain(arena, &claim, &out);
    rf_buf_free(&file);
    rf_arena_free(arena);
    return out;
}

static bool is_equivalent(const char *what)
{
    for (size_t i = 0; i < sizeof equivalent / sizeof *equivalent; i++)
        if (strstr(what, equivalent[i]))
            return true;
    return false;
}

/* As -DRF_PLAIN builds it, which is what the proof reads: assembly is executed
 * by tests/traffic instead. */
static void put_plain(rf_buf *out, const char *text)
{
    const char *at, *end, *plain;
    while ((at = strstr(text, "#if __CUDA_ARCH__"))) {
        end = strstr(at, "#endif");
        plain = strstr(at, "#else\n");
        rf_buf_add(out, text, (size_t)(at - text));
        if (plain && plain < end)
            rf_buf_add(out, plain + 6, (size_t)(end - plain - 6));
        text = end + 7;
    }
    rf_buf_puts(out, text);
}

/* The functions that the kernel calls. */
static const char *functions_of(subject *s)
{
    rf_buf text = { 0 };
    for (unsigned i = 0; rf_emit_chain_function(i); i++)
        if (rf_emit_chain_calls(s->part.text, i))
            put_plain(&text, rf_emit_chain_function(i));
    const char *copy = rf_arena_strdup(s->arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}

static struct {
    unsigned run, survived;
} score;

static void run(subject *s, const char *name, const mutant *m, bool functions)
{
    rf_chain_verdict v = verdict(s, functions ? m->text : functions_of(s),
                                 functions ? s->part.text : m->text);
    bool killed = v.refuted || v.why;
    score.run++;
    score.survived += !killed;
    if (getenv("RF_MUTANTS"))
        fprintf(stderr, "%s %s: %s\n", killed ? "killed  " : "survived", name,
                m->what);
    cr_expect(killed || is_equivalent(m->what), "%s survives: %s: %s", name,
              m->kind, m->what);
}

static void run_all(subject *s, const char *name, const char *text,
                    unsigned every, bool functions)
{
    mutants list = { 0 };
    mutate(s->arena, text, &list);
    for (size_t i = every / 2; i < list.list.len; i += every)
        run(s, name, &list.list.data[i], functions);
    RF_CLEAR(list.list);
}

Test(chain_mutants, are_refuted)
{
    unsigned every = getenv("RF_MUTANTS") ? 1 : 61;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        subject s;
        const char *name = cases[i].path;
        open_subject(&s, name, &cases[i].tiles);
        rf_chain_verdict v = verdict(&s, functions_of(&s), s.part.text);
        cr_expect(!v.why && v.sizes == 6, "%s: %d sizes, then %s", name,
                  v.sizes, v.why ? v.why : "none");
        cr_expect_eq(v.exact, !s.claim.reordered);
        run_all(&s, name, s.part.text, every, false);
        if (s.claim.cluster > 1)
            run_all(&s, name, functions_of(&s), every, true);
        close_subject(&s);
    }
    fprintf(stderr, "%u mutants of chains: %u rejected, %u mean the same\n",
            score.run, score.run - score.survived, score.survived);
}
