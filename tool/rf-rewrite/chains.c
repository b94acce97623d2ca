/* One chain of products: find it, write its kernel, adapt its launches. */
#include "chains.h"

#include "chain_proof.h"
#include "devices.h"
#include "emit/chain.h"
#include "plan/chain.h"
#include "region.h"
#include "support/word.h"

#include <string.h>

typedef struct {
    const rf_options *options;
    const rf_unit *unit;
    const rf_region *region;
    const rf_front_options *front;
    rf_outcomes *out;
    rf_outcome *o;
    rf_diags *diags;
    rf_arena *arena;
    rf_chain *chain;
    rf_chain_tiles tiles;
    rf_launches launches;
    RF_ARRAY(rf_edit_part) parts;
    const char *functions, *earlier; /* of the device: new, or there already */
    rf_chain_verdict proof;
} chain_run;

static bool refuse(chain_run *r, rf_diag_name name, rf_place at,
                   const char *why)
{
    return rf_region_refuse(r->o, r->diags, name, at, why);
}

/* ---- tiles ---- */

static int blocks_of(const chain_run *r)
{
    return rf_chain_blocks(&r->tiles);
}

enum { SHARED = 48 * 1024 }; /* bytes that need no attribute */
enum { LARGE = 8 };          /* a cluster of more blocks needs consent */

/* Does the mark ask for a cluster that there is none of? */
static bool is_no_cluster(const rf_mark *m)
{
    rf_gemm_cluster c;
    memcpy(c.size, m->cluster_of, sizeof c.size);
    if (m->cluster_of[0])
        return !rf_gemm_is_consistent(&c);
    return m->cluster && m->cluster != 2 && m->cluster != 4 && m->cluster != 8;
}

/* More than one block, where there are none or they change the result. */
static bool refuse_cluster(chain_run *r)
{
    const rf_mark *m = &r->region->mark;
    int most =
        rf_devices_find(r->options->devices, r->options->arch)->max_cluster;
    if (is_no_cluster(m))
        return refuse(r, RF_DIAG_CAPACITY, m->place,
                      m->cluster_of[0]
                          ? "no cluster has these blocks: powers of two, "
                            "m * n * k of them at most 16, l a multiple of k "
                            "that divides n * k"
                          : "a cluster of this chain has 2, 4 or 8 blocks");
    if (r->chain->rows == RF_ROWS_THREAD)
        return refuse(r, RF_DIAG_UNSUPPORTED, m->place,
                      "rows that belong to threads are not shared by the "
                      "blocks of a cluster yet");
    if (most < m->cluster || most < 2)
        return refuse(r, RF_DIAG_CAPACITY, m->place,
                      "this device has no clusters (they begin with sm_90)");
    if (m->strict || r->options->strict)
        return refuse(r, RF_DIAG_STRICT, m->place,
                      "strict, and a cluster adds the sums of its blocks in "
                      "another order");
    return true;
}

/* The numbers of blocks that a cluster may have, or-ed: as the mark says, any
 * if it only asks for one. 0: refused. */
static unsigned allowed_clusters(chain_run *r)
{
    const rf_mark *m = &r->region->mark;
    const char *option = r->options->level;
    bool wanted =
        m->level == RF_LEVEL_CLUSTER ||
        (m->level == RF_LEVEL_AUTO && option && !strcmp(option, "cluster"));
    unsigned allowed = m->cluster ? (unsigned)m->cluster
                       : wanted   ? 2 | 4 | 8
                                  : 1;
    bool plain = allowed == 1 && !m->cluster_of[0];
    return plain || refuse_cluster(r) ? allowed : 0;
}

/* Columns of E that a block can hold the sums of, at most: those of four rows
 * beside a tile of P. */
static bool refuse_tiles(chain_run *r)
{
    const rf_mark *m = &r->region->mark;
    rf_chain_extent l = rf_chain_extent_of(r->chain, r->chain->l);
    rf_chain_tiles t = { .m = RF_CHAIN_MICRO,
                         .n = RF_CHAIN_MICRO,
                         .l = RF_CHAIN_MICRO,
                         .threads = 128,
                         .cls_m = 1,
                         .cls_n = 1,
                         .cls_k = 1,
                         .cls_l = 1 };
    while (rf_chain_shared_bytes(r->chain, &t) <= SHARED / 2)
        t.l *= 2;
    if (m->n_tiles || l.from != RF_FROM_CODE || l.n <= t.l)
        return refuse(r, RF_DIAG_CAPACITY, m->place,
                      "these tiles need more than 48 KB of shared memory");
    return refuse(
        r, RF_DIAG_UNPROFITABLE, m->place,
        rf_arena_printf(r->arena,
                        "the first product would be computed %lld times, once "
                        "for every %d columns of the result",
                        (long long)((l.n + t.l - 1) / t.l), t.l));
}

static bool set_tiles(chain_run *r)
{
    rf_chain_limits limits = {
        .device = rf_devices_find(r->options->devices, r->options->arch),
        .clusters = allowed_clusters(r),
        .threads = r->region->mark.threads,
        .shared = SHARED,
        .in_order = r->region->mark.strict || r->options->strict
    };
    if (!limits.clusters)
        return false;
    return rf_chain_choose(r->chain, &limits, &r->tiles) || refuse_tiles(r);
}

/* ---- launches ---- */

/* The launch's argument for parameter "var", or NULL. */
static const char *argument(chain_run *r, const rf_launch *l, const rf_var *var)
{
    const rf_func *f = r->chain->func;
    for (unsigned i = 0; i < f->n_params && i < l->args.len; i++)
        if (f->params[i] == var)
            return rf_region_copy(r->arena, r->unit, l->args.data[i]);
    return NULL;
}

/* True if evaluating "text" twice is the same as once. */
static bool is_pure(const char *text)
{
    return !strpbrk(text, "=({") && !strstr(text, "++") && !strstr(text, "--");
}

/* "v" as the host writes it at launch "l", or NULL. */
static const char *on_host(chain_run *r, const rf_launch *l, const rf_val *v)
{
    int64_t n;
    if (rf_val_is_int(v, &n))
        return rf_arena_printf(r->arena, "%lld", (long long)n);
    if (v->kind == RF_VAL_CAST)
        return on_host(r, l, v->arg[0]);
    if (v->kind != RF_VAL_ENTRY)
        return NULL;
    const char *text = argument(r, l, v->var);
    if (!text || !is_pure(text))
        return NULL;
    return rf_region_factor(r->arena, text);
}

/* The number of rows: "M", or "1ll * B * H * W". */
static const char *rows_on_host(chain_run *r, const rf_launch *l)
{
    const rf_chain *ch = r->chain;
    const char *rows = on_host(r, l, ch->m->upper);
    for (size_t i = ch->folded.len; i-- > 0 && rows;) {
        const char *n = on_host(r, l, ch->folded.data[i]->upper);
        rows = n ? rf_arena_printf(r->arena, "%s * %s", n, rows) : NULL;
    }
    if (rows && ch->folded.len)
        rows = rf_arena_printf(r->arena, "1ll * %s", rows);
    return rows;
}

/* What is launched, as written: before <<<. */
static const char *kernel_of(chain_run *r, const rf_launch *l)
{
    const char *end = r->unit->bytes + l->grid.begin, *begin;
    while (strncmp(end, "<<<", 3))
        end--;
    while (end > r->unit->bytes && strchr(" \t\r\n", end[-1]))
        end--;
    for (begin = end; begin > r->unit->bytes && rf_is_word_byte(begin[-1]);
         begin--)
        ;
    return rf_arena_strndup(r->arena, begin, (size_t)(end - begin));
}

static const char *grid_of(chain_run *r, const rf_launch *l)
{
    const rf_chain *ch = r->chain;
    const char *rows = rows_on_host(r, l);
    if (!rows)
        return NULL;
    const char *x = rf_arena_printf(r->arena, "%s / %d + 1", rows,
                                    r->tiles.m * r->tiles.cls_m);
    if (blocks_of(r) > 1)
        x = rf_arena_printf(r->arena, "(%s) * %d", x, blocks_of(r));
    if (blocks_of(r) > LARGE)
        x = rf_arena_printf(r->arena, "rf_large_grid(%s, %s)", kernel_of(r, l),
                            x);
    if (!ch->batch.len)
        return x;
    const char *y = on_host(r, l, ch->batch.data[0]->upper);
    return y ? rf_arena_printf(r->arena, "dim3(%s, %s)", x, y) : NULL;
}

static bool add_launch(chain_run *r, const rf_launch *l)
{
    rf_place at = rf_unit_place(r->unit, (uint32_t)l->grid.begin);
    if (strcmp(rf_region_copy(r->arena, r->unit, l->grid), "1") ||
        strcmp(rf_region_copy(r->arena, r->unit, l->block), "1"))
        return refuse(r, RF_DIAG_LAUNCH, at,
                      "the nest is launched as more than one thread, and "
                      "each of them would run all of it");
    if (blocks_of(r) > LARGE &&
        (l->grid.begin < r->chain->func->at.begin || !*kernel_of(r, l)))
        return refuse(r, RF_DIAG_LAUNCH, at,
                      "more than 8 blocks need the kernel's consent, which "
                      "cannot be asked for here");
    const char *grid = grid_of(r, l);
    if (!grid)
        return refuse(r, RF_DIAG_LAUNCH, at,
                      "the number of rows is not an argument of this launch");
    rf_edit_part part = {
        .begin = l->grid.begin,
        .end = l->block.end,
        .text = rf_arena_printf(r->arena, "%s, %d", grid, r->tiles.threads),
        .words = "a block for each tile of rows",
    };
    RF_PUSH(r->parts, part);
    return true;
}

static bool add_launches(chain_run *r)
{
    if (r->chain->rows == RF_ROWS_THREAD)
        return true; /* right for the launch as it is */
    if (!rf_region_launches(r->arena, r->unit, r->chain->func, &r->launches,
                            r->o, r->diags))
        return false;
    for (size_t i = 0; i < r->launches.list.len; i++)
        if (!add_launch(r, &r->launches.list.data[i]))
            return false;
    return true;
}

/* ---- the kernel ---- */

/* To those that this region brings, or to those that an earlier one does. */
static void add_function(chain_run *r, const char *text)
{
    bool is_new = *rf_region_needs(r->out, r->chain->func, text);
    const char **to = is_new ? &r->functions : &r->earlier;
    *to = rf_arena_printf(r->arena, "%s%s", *to, text);
}

/* What "kernel" and its head call. */
static void add_functions(chain_run *r, const char *kernel)
{
    r->functions = r->earlier = "";
    if (blocks_of(r) > LARGE)
        add_function(r, rf_emit_chain_consent());
    for (unsigned i = 0; rf_emit_chain_function(i); i++)
        if (rf_emit_chain_calls(kernel, i))
            add_function(r, rf_emit_chain_function(i));
}

static const char *cluster_of(chain_run *r)
{
    int blocks = blocks_of(r);
    if (blocks == 1)
        return "";
    return rf_arena_printf(r->arena,
                           blocks > LARGE ? " RF_LARGE_CLUSTER(%d)"
                                          : " __cluster_dims__(%d, 1, 1)",
                           blocks);
}

/* `__global__ __cluster_dims__(4, 1, 1)`, after the functions. */
static bool add_head(chain_run *r, rf_edit_part *kernel)
{
    static const char word[] = "__global__";
    const rf_func *f = r->chain->func;
    add_functions(r, kernel->text);
    const char *functions = r->functions;
    if (blocks_of(r) == 1 && !*functions)
        return true;
    if (!rf_region_admits(r->arena, r->unit, functions, r->o, r->diags))
        return false;
    const char *head = r->unit->bytes + f->at.begin;
    const char *global = strstr(head, word);
    if (!global || global > r->unit->bytes + f->body->at.begin)
        return refuse(r, RF_DIAG_MACRO, rf_unit_place(r->unit, f->at.begin),
                      "the head of this kernel comes from a macro");
    int before = (int)(global - head) + (int)strlen(word);
    bool whole = r->region->whole_function;
    const char *dims = cluster_of(r);
    const char *text =
        rf_arena_printf(r->arena, "%s%.*s%s%s", functions, before, head, dims,
                        whole ? kernel->text + before : "");
    if (whole) {
        kernel->text = text;
        return true;
    }
    rf_edit_part part = { .begin = f->at.begin,
                          .end = f->at.begin + (size_t)before,
                          .text = text,
                          .words = blocks_of(r) == 1 ? "functions"
                                                     : "clusters of blocks" };
    RF_PUSH(r->parts, part);
    return true;
}

static bool add_kernel(chain_run *r)
{
    rf_emitted text;
    rf_refusal why;
    if (rf_emit_chain(r->arena, r->unit, r->chain, &r->tiles, &text, &why) < 0)
        return refuse(r, why.name, rf_unit_place(r->unit, why.at.begin),
                      why.text);
    const rf_region *g = r->region;
    rf_range whole = rf_region_range(g);
    rf_edit_part part = {
        .begin = whole.begin,
        .end = whole.end,
        .text = rf_emit_region(r->arena, r->unit, g, &text, 1),
    };
    if (!add_head(r, &part))
        return false;
    RF_PUSH(r->parts, part);
    return true;
}

static bool is_exact(const chain_run *r)
{
    return !r->proof.why && r->proof.exact;
}

/* What is not proven is not written. */
static bool prove(chain_run *r)
{
    rf_chain_certificate c = { .unit = r->unit,
                               .chain = r->chain,
                               .tiles = &r->tiles,
                               .parts = r->parts.data,
                               .n_parts = r->parts.len,
                               .functions = r->earlier,
                               .front = r->front };
    r->proof = rf_chain_certify(r->arena, &c);
    if (r->options->dump && !strcmp(r->options->dump, "proof"))
        rf_buf_printf(&r->out->dump, "chain: %d sizes%s%s\n", r->proof.sizes,
                      r->proof.why ? ", then " : "",
                      r->proof.why ? r->proof.why : "");
    bool strict = r->region->mark.strict || r->options->strict;
    if (strict && !r->proof.refuted && !is_exact(r))
        return refuse(r, RF_DIAG_STRICT, r->region->mark.place,
                      "strict, and the sums are added in another order");
    if (!r->proof.why)
        return true;
    if (!r->proof.refuted)
        return refuse(r, RF_DIAG_UNSUPPORTED, r->region->mark.place,
                      rf_arena_printf(r->arena,
                                      "the form is not supported: no proof of "
                                      "the emitted code was found: %s",
                                      r->proof.why));
    return refuse(r, RF_DIAG_UNSUPPORTED, r->region->mark.place,
                  rf_arena_printf(r->arena,
                                  "internal: the emitted code could not be "
                                  "proven: %s",
                                  r->proof.why));
}

static const char *words(chain_run *r)
{
    const char *class = is_exact(r) ? "exact" : "reassociated";
    const char *proof =
        r->proof.sizes
            ? rf_arena_printf(r->arena, ", proven at %d %s", r->proof.sizes,
                              r->proof.sizes == 1 ? "size" : "sizes")
            : "";
    return rf_arena_printf(r->arena, "fused, 2 products -> 1 pass, %s%s", class,
                           proof);
}

static const char *explain(chain_run *r)
{
    rf_buf out = { 0 };
    rf_buf_printf(&out, "## `%s`, line %u: chain %s\n\n```\n",
                  r->region->func->name, r->region->mark.place.line,
                  r->chain->formula);
    rf_chain_explain(&out, r->chain, &r->tiles,
                     rf_devices_find(r->options->devices, r->options->arch));
    rf_buf_puts(&out, "```\n");
    const char *text = rf_arena_strdup(r->arena, rf_buf_text(&out));
    rf_buf_free(&out);
    return text;
}

static void finish(chain_run *r)
{
    rf_outcome *o = r->o;
    if (r->options->explain)
        o->explain = explain(r);
    o->status = RF_REGION_FUSED;
    o->reason = RF_DIAG_GEMM_CHAIN;
    o->finding = (ptrdiff_t)r->diags->list.len;
    o->passes_before = 2;
    o->passes_after = 1;
    o->bytes_before = rf_chain_bytes_before(r->chain);
    o->bytes_after = rf_chain_bytes_after(r->chain);
    o->edit.keep = !r->region->mark.replace && !r->options->replace;
    o->edit.hash_input = r->region->mark.text;
    o->edit.words = words(r);
    o->edit.n_parts = r->parts.len;
    o->edit.parts = RF_NEW_ARRAY(r->arena, r->parts.len, rf_edit_part);
    memcpy(o->edit.parts, r->parts.data, r->parts.len * sizeof(rf_edit_part));
    rf_diag_add(r->diags, RF_WARNING, RF_DIAG_GEMM_CHAIN, o->at,
                "%s goes through memory between its products; fusing keeps "
                "the intermediate on the chip",
                o->title);
}

static void run(chain_run *r)
{
    rf_place at = r->region->mark.place;
    rf_level level = r->region->mark.level;
    if (level != RF_LEVEL_AUTO && level != RF_LEVEL_BLOCK &&
        level != RF_LEVEL_CLUSTER) {
        refuse(r, RF_DIAG_UNSUPPORTED, at,
               "chains are written for level(block) and level(cluster)");
        return;
    }
    size_t before = r->diags->list.len;
    r->chain = rf_chain_find(r->arena, r->unit, r->region, r->diags);
    if (!r->chain) {
        r->o->finding = (ptrdiff_t)before;
        r->o->reason = r->diags->list.data[before].name;
        return;
    }
    const char *stage = r->options->dump;
    if (stage && (!strcmp(stage, "trace") || !strcmp(stage, "ir")))
        rf_trace_dump(&r->out->dump, r->chain->trace);
    if (stage && !strcmp(stage, "plan"))
        rf_chain_dump(&r->out->dump, r->chain);
    r->o->title = rf_arena_printf(r->arena, "chain %s", r->chain->formula);
    if (set_tiles(r) && add_kernel(r) && add_launches(r) && prove(r))
        finish(r);
    rf_chain_clear(r->chain);
}

void rf_chain_region(const rf_options *options, const rf_unit *unit,
                     const rf_region *region, const rf_front_options *front,
                     rf_outcomes *out, rf_outcome *outcome, rf_diags *diags)
{
    chain_run r = { .options = options,
                    .unit = unit,
                    .region = region,
                    .front = front,
                    .out = out,
                    .o = outcome,
                    .diags = diags,
                    .arena = out->arena };
    run(&r);
    rf_launches_free(&r.launches);
    RF_CLEAR(r.parts);
}
