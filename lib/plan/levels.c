/* A model of the time that a team takes for its rows.
 *
 *     memory     first reads and stores at the speed of the memory, further
 *                reads at that of the L2 if the rows in flight fit into it
 *     latency    a team waits for its loads, then for its combines:
 *                reads * ceil(slots / loads in flight) * latency
 *     waves      rows / teams that the device holds
 *     time       launch + max(memory, waves * latency)
 *
 * It ranks schedules; it does not predict a clock. */
#include "plan/levels.h"
#include "plan/resident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARP = 32,
    SM_THREADS = 2048,
    SM_REGISTERS = 65536,
    OTHERS = 32,     /* registers of a thread beside its row */
    MOST_WORDS = 64, /* of a row in a thread */
    IN_FLIGHT = 4,   /* loads of a streaming loop */
    USUAL_ROWS = 4096,
    USUAL_LENGTH = 4096,
    SHOWN = 5
};

static const double memory_latency = 6e-7; /* seconds */
static const double step_cycles = 30;      /* a shuffle, a shared load */

/* ---- one schedule ---- */

static double ceil_of(double a, double b)
{
    return ceil(a / b);
}

static double lanes_of(const rf_level_choice *c)
{
    return c->level == RF_LEVEL_THREAD ? 1
           : c->level == RF_LEVEL_WARP ? WARP
                                       : (double)c->blocks * c->threads;
}

static unsigned reads_of(const rf_row_work *w, const rf_level_choice *c)
{
    return c->is_kept ? 1 : w->fused_reads;
}

/* Registers that the elements of a thread take. */
static double words_of(const rf_row_work *w, const rf_level_choice *c)
{
    double slots = ceil_of((double)w->length, lanes_of(c));
    return c->is_kept ? slots * w->words : 0;
}

static bool fits(const rf_device *d, const rf_row_work *w,
                 const rf_level_choice *c)
{
    double most = ((double)SM_REGISTERS / c->threads - OTHERS) / 2;
    most = most < MOST_WORDS ? most : MOST_WORDS;
    return (int)c->blocks <= d->max_cluster && words_of(w, c) <= most;
}

/* Teams that the device holds at a time. */
static double teams_of(const rf_device *d, const rf_row_work *w,
                       const rf_level_choice *c)
{
    double registers = 2 * words_of(w, c) + OTHERS;
    double threads = floor(SM_REGISTERS / registers);
    threads = threads < SM_THREADS ? threads : SM_THREADS;
    double blocks = d->sms * floor(threads / c->threads);
    double lanes = lanes_of(c);
    return lanes < c->threads ? blocks * c->threads / lanes
                              : floor(blocks / c->blocks);
}

static double combine_time(const rf_device *d, const rf_level_choice *c)
{
    double steps = c->level == RF_LEVEL_THREAD ? 0 : 5, wait = 0;
    if (c->level >= RF_LEVEL_BLOCK) {
        steps += c->threads / WARP;
        wait += d->barrier;
    }
    if (c->level >= RF_LEVEL_CLUSTER) {
        steps += c->blocks;
        wait += 2 * d->cluster_barrier;
    }
    return wait + steps * step_cycles / d->clock;
}

static double team_time(const rf_device *d, const rf_row_work *w,
                        const rf_level_choice *c)
{
    double slots = ceil_of((double)w->length, lanes_of(c));
    double combines = c->is_kept ? w->source_reads : w->fused_reads;
    double loads = c->is_kept ? 1 : ceil_of(slots, IN_FLIGHT);
    return reads_of(w, c) * loads * memory_latency +
           combines * combine_time(d, c);
}

static double bytes_of(const rf_row_work *w, const rf_level_choice *c)
{
    return (double)w->length * (c->is_kept ? w->least : w->streamed);
}

static double memory_time(const rf_device *d, const rf_row_work *w,
                          const rf_level_choice *c)
{
    double least = (double)w->length * w->least, rows = (double)w->rows;
    double flying = teams_of(d, w, c) < rows ? teams_of(d, w, c) : rows;
    bool in_l2 = flying * least < (double)d->l2_bytes / 2;
    double again = bytes_of(w, c) - least;
    return rows * (least / d->dram + again / (in_l2 ? d->l2 : d->dram));
}

static bool evaluate(const rf_device *d, const rf_row_work *w,
                     rf_level_choice *c)
{
    if (!fits(d, w, c) || teams_of(d, w, c) < 1)
        return false;
    double memory = memory_time(d, w, c);
    double waves = ceil_of((double)w->rows, teams_of(d, w, c));
    double latency = waves * team_time(d, w, c);
    c->row_bytes = bytes_of(w, c);
    c->limit = memory >= latency ? "memory" : "latency";
    c->seconds = d->launch + (memory >= latency ? memory : latency);
    return true;
}

/* ---- the search ---- */

static int compare(const void *a, const void *b)
{
    const rf_level_choice *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return (int)x->level - (int)y->level;
}

/* The best size of block for this team, if one fits. */
static unsigned add(const rf_device *d, const rf_row_work *w,
                    rf_level_choice like, rf_level_choice *out, unsigned n)
{
    bool found = false;
    unsigned most = like.level >= RF_LEVEL_BLOCK ? 1024 : 128;
    for (unsigned threads = 128; threads <= most; threads *= 2) {
        rf_level_choice c = like;
        c.threads = threads;
        if (!evaluate(d, w, &c) || (found && c.seconds >= out[n].seconds))
            continue;
        out[n] = c;
        found = true;
    }
    return n + found;
}

unsigned rf_levels_rank(const rf_device *d, const rf_row_work *w,
                        rf_level_choice *out)
{
    unsigned n = 0;
    for (unsigned kept = 0; kept < 2; kept++)
        for (rf_level l = RF_LEVEL_THREAD; l <= RF_LEVEL_CLUSTER; l++)
            for (unsigned blocks = l == RF_LEVEL_CLUSTER ? 2 : 1; blocks <= 16;
                 blocks *= 2) {
                if ((l != RF_LEVEL_CLUSTER && blocks > 1) ||
                    (kept && (l == RF_LEVEL_THREAD || !w->may_keep)) ||
                    (!kept && !w->fused_reads))
                    continue;
                n = add(d, w,
                        (rf_level_choice){
                            .level = l, .blocks = blocks, .is_kept = kept },
                        out, n);
            }
    qsort(out, n, sizeof *out, compare);
    return n;
}

/* ---- what a plan has to do ---- */

/* The threads of the largest launch of "f"; 0: none is known. */
static int64_t rows_launched(const rf_unit *unit, const rf_func *f)
{
    int64_t most = 0;
    for (size_t i = 0; f && i < unit->launches.len; i++) {
        const rf_kernel_launch *l = &unit->launches.data[i];
        double n = 1;
        for (int k = 0; k < 3; k++)
            n = l->grid[k] > 0 && l->block[k] > 0
                    ? n * (double)l->grid[k] * (double)l->block[k]
                    : 0;
        if (!strcmp(l->kernel, f->name) && n > (double)most && n < 1e15)
            most = (int64_t)n;
    }
    return most;
}

rf_row_work rf_levels_work(const rf_unit *unit, const rf_plan *streamed,
                           const rf_plan *kept)
{
    const rf_plan *plan = streamed ? streamed : kept;
    const int64_t extent = kept ? kept->extent : plan->extent;
    const int64_t rows = rows_launched(unit, plan->func);
    return (rf_row_work){ .rows = rows ? rows : USUAL_ROWS,
                          .has_rows = rows,
                          .length = extent ? extent : USUAL_LENGTH,
                          .streamed = plan->bytes_after,
                          .least = plan->bytes_least,
                          .words = kept ? kept->resident->words : 0,
                          .source_reads = plan->reads_before,
                          .fused_reads = streamed ? streamed->reads_after : 0,
                          .may_keep = kept != NULL };
}

/* ---- for people ---- */

static void put_name(rf_buf *out, const rf_level_choice *c)
{
    if (c->level == RF_LEVEL_THREAD)
        rf_buf_puts(out, "a thread");
    else if (c->level == RF_LEVEL_WARP)
        rf_buf_puts(out, "a warp");
    else if (c->level == RF_LEVEL_BLOCK)
        rf_buf_printf(out, "a block of %u", c->threads);
    else
        rf_buf_printf(out, "a cluster of %u blocks of %u", c->blocks,
                      c->threads);
    rf_buf_puts(out, c->is_kept ? ", the row kept" : ", streaming");
}

static const char *why(const rf_level_choice *c, const rf_level_choice *best)
{
    if (c == best)
        return "fastest";
    if (c->level < best->level && strcmp(c->limit, "memory"))
        return "too few loads in flight";
    if (c->row_bytes > best->row_bytes)
        return "moves more bytes";
    if (c->seconds > best->seconds && !strcmp(c->limit, "memory"))
        return "rows in flight are larger than the L2";
    return c->seconds == best->seconds ? "as fast, with a wider team"
                                       : "waits longer for combines";
}

void rf_levels_explain(rf_buf *out, const rf_device *d, const rf_row_work *w)
{
    rf_level_choice all[RF_LEVEL_CHOICES];
    unsigned n = rf_levels_rank(d, w, all);
    rf_buf_printf(out,
                  "%lld rows%s of %s%lld elements on %s (%s), by the model:\n\n"
                  "| a row for | bytes a row | time | |\n|---|---|---|---|\n",
                  (long long)w->rows, w->has_rows ? " (launched)" : "",
                  w->may_keep ? "at most " : "", (long long)w->length, d->arch,
                  d->name);
    for (unsigned i = 0; i < n && i < SHOWN; i++) {
        rf_buf_puts(out, "| ");
        put_name(out, &all[i]);
        rf_buf_printf(out, " | %.0f | %.3g us | %s |\n", all[i].row_bytes,
                      all[i].seconds * 1e6, why(&all[i], all));
    }
    if (!w->may_keep)
        rf_buf_puts(out, "\nNo bound on the row is known: with assume(n <= N) "
                         "a team may keep it.\n");
    rf_buf_puts(out, "\n");
}
