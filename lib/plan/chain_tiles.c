/* The tiles of the emitted kernel: the fastest of those that it can have
 * (THEORY 9, by the slowest level), at the sizes to plan with.
 *
 *     arithmetic   2 * 16 * micro tiles * (K, N) / (peak * share of the threads
 *                  that have a micro tile * share of the SMs in the last wave)
 *     shared       bytes of all threads, from shared memory or the L1, which
 *                  are one memory
 *     L2           bytes of the blocks, each element of a tile once
 *     DRAM         the least that any kernel moves
 *     DSM          exchange (C - 1) m n s, scatter (C - 1) / C m l s a block
 *
 * The space: m, n, l powers of two; one block, or a cluster along n or k; the
 * sums of E in shared memory or in the result. A few thousand plans, each
 * evaluated. */
#include "plan/chain.h"

#include <math.h>
#include <string.h>

/* Elements of the tiles of P and E: larger ones take too long to be proven. */
enum { MOST_ROWS = 64, MOST_N = 128, MOST_L = 1024 };
enum { MOST_P = 2048, MOST_E = 4096 };
/* A warp's load of a row is one access, of columns four apart it is four; from
 * aligned shared memory it takes four columns at once. */
static const double WAVEFRONTS = 2.5;
enum { MOST_SUMS = 96 }; /* registers of a thread */
enum { STAGED_THREADS = 128, STAGED_STEP = 16, TENSOR_STEP = 32 };

/* ---- cost ---- */

typedef struct {
    const rf_chain *ch;
    const rf_chain_tiles *t;
    const rf_chain_limits *limits;
    double batch, rows, n, k, l;
    double tiles_m, tiles_n, tiles_l; /* l: turns of a cluster along k */
    double firsts;                    /* tiles of P that are computed */
    double seconds;                   /* tiles of P times tiles of E */
} sizing;

static double trips(const rf_chain *ch, const rf_loop *loop)
{
    return (double)rf_chain_extent_of(ch, loop).n;
}

static sizing size_up(const rf_chain *ch, const rf_chain_tiles *t,
                      const rf_chain_limits *limits)
{
    sizing s = { .ch = ch, .t = t, .limits = limits, .batch = 1, .k = 0 };
    for (size_t i = 0; i < ch->batch.len; i++)
        s.batch *= trips(ch, ch->batch.data[i]);
    for (size_t i = 0; i < ch->firsts.len; i++) {
        double k = 1;
        for (const rf_red *r = ch->firsts.data[i]; r; r = rf_chain_inner(r))
            k *= trips(ch, r->axis);
        s.k += k;
    }
    s.rows = (double)rf_chain_rows_of(ch).n;
    s.n = trips(ch, ch->n);
    s.l = trips(ch, ch->l);
    s.tiles_m = ceil(s.rows / t->m / t->cls_m) * t->cls_m;
    s.tiles_n = ceil(s.n / t->n);
    s.tiles_l = ceil(s.l / ((double)t->l * t->cls_l));
    double again = t->sums_in_memory ? 1 : s.tiles_l;
    s.firsts = s.batch * s.tiles_m * s.tiles_n * again;
    s.seconds = s.batch * s.tiles_m * s.tiles_l * t->cls_k;
    return s;
}

/* The share of the threads that work when "pieces" are dealt to them. */
static double share(double pieces, double threads)
{
    return pieces / (ceil(pieces / threads) * threads);
}

static double micro_tiles(int a, int b)
{
    return (double)a * b / RF_CHAIN_MICRO / RF_CHAIN_MICRO;
}

/* What tensor cores compute: whole steps of a sum. Half of the peak is what
 * mma.sync reaches here. */
static double on_tensor_cores(const sizing *s, double elements, double steps)
{
    double padded = ceil(steps / s->t->k) * s->t->k;
    return 2 * elements * padded / (s->limits->device->tensor16 / 2);
}

static double of_product(const sizing *s, bool tensor, int columns,
                         double times, double steps)
{
    const rf_device *dev = s->limits->device;
    bool wide = rf_chain_type_bytes(s->ch->second->type) > 4;
    double micro = micro_tiles(s->t->m, columns);
    double each = 2.0 * RF_CHAIN_MICRO * RF_CHAIN_MICRO;
    if (tensor)
        return on_tensor_cores(s, times * s->t->m * columns, steps);
    return each * times * micro * steps / share(micro, s->t->threads) /
           (wide ? dev->fma64 : dev->fma32);
}

static double arithmetic(const sizing *s)
{
    const rf_chain_tiles *t = s->t;
    return of_product(s, t->tensor_first, t->n, s->firsts, s->k) +
           of_product(s, t->tensor_second, t->l, s->seconds, s->n);
}

/* Operands in shared memory: written once, read by every micro tile, or by
 * every piece of a warp. */
static double operand_bytes(const sizing *s, bool second)
{
    const rf_chain_tiles *t = s->t;
    bool tensor = second ? t->tensor_second : t->tensor_first;
    int columns = second ? t->l : t->n;
    double steps = second ? s->n : s->k,
           times = second ? s->seconds : s->firsts;
    double micro = tensor
                       ? (double)t->m * columns / RF_MMA_ROWS / RF_MMA_COLUMNS
                       : micro_tiles(t->m, columns);
    double bytes = 0;
    rf_chain_operands ops;
    rf_chain_operands_of(s->ch, second, &ops);
    for (unsigned i = 0; t->k && i < ops.n; i++) {
        const rf_chain_operand *op = &ops.list[i];
        double written = op->of_rows ? t->m : columns;
        double read = micro * (!tensor       ? RF_CHAIN_MICRO
                               : op->of_rows ? RF_MMA_ROWS
                                             : RF_MMA_COLUMNS);
        bytes +=
            (written + read) * (double)rf_chain_type_bytes(op->value->type);
    }
    return bytes * steps * times;
}

/* P is written once, read by every micro tile of E; the sums are read and
 * written for every tile of P. */
static double shared_bytes(const sizing *s)
{
    const rf_chain_tiles *t = s->t;
    double p = 0, e = (double)rf_chain_type_bytes(s->ch->second->type);
    for (size_t i = 0; i < s->ch->kept.len; i++)
        p += (double)rf_chain_type_bytes(rf_chain_kept_as(s->ch, t, i)->type);
    double reads = micro_tiles(t->m, t->l) * RF_CHAIN_MICRO * s->n;
    if (t->tensor_second)
        reads = (double)t->m * t->l / RF_MMA_COLUMNS * s->n;
    double sums =
        t->sums_in_memory || t->k ? 0 : 2.0 * t->m * t->l * s->tiles_n;
    return s->firsts * t->m * t->n * p + s->seconds * (reads * p + sums * e);
}

/* Turns of the clusters along n. */
static double turns(const sizing *s)
{
    return ceil(s->tiles_n / s->t->cls_n);
}

static double dsm_bytes(const sizing *s)
{
    rf_chain_passed passed = rf_chain_pass(s->ch, s->t);
    double clusters = s->batch * s->tiles_m / s->t->cls_m * s->tiles_l;
    return clusters *
           (turns(s) * (passed.exchange + passed.ring) + passed.scatter);
}

static double least_bytes(const sizing *s)
{
    double size = (double)rf_chain_type_bytes(s->ch->second->type);
    return s->batch * size *
           (s->rows * s->k / (double)s->ch->firsts.len + s->k * s->n +
            s->n * s->l + s->rows * s->l);
}

static void take(rf_chain_cost *c, double seconds, const char *what)
{
    if (seconds <= c->time)
        return;
    c->time = seconds;
    c->limit = what;
}

/* Every barrier of the loop that takes longest for a block. */
static double barriers(const sizing *s, double waves)
{
    const rf_device *dev = s->limits->device;
    const rf_chain_tiles *t = s->t;
    double again = t->sums_in_memory ? 1 : s->tiles_l;
    double inside = turns(s) * again;
    double meetings = 2 * inside * ((t->cls_k > 1) + (rf_chain_ring(t) - 1)) +
                      2 * again * (rf_chain_reduce(t) > 1);
    return waves *
           (2 * inside * dev->barrier + meetings * dev->cluster_barrier);
}

rf_chain_cost rf_chain_cost_of(const rf_chain *ch, const rf_chain_tiles *tiles,
                               const rf_chain_limits *limits)
{
    const rf_device *dev = limits->device;
    sizing s = size_up(ch, tiles, limits);
    rf_chain_traffic moved = rf_chain_count(ch, tiles);
    rf_chain_cost c = { .limit = "nothing" };
    int cluster = rf_chain_blocks(tiles);
    double blocks = fmax(s.batch * s.tiles_m / tiles->cls_m, 1) * cluster;
    double waves = ceil(blocks / dev->sms), busy = blocks / (waves * dev->sms);
    double port = dev->sm_port * dev->sms * busy;
    double threads = rf_chain_bytes(ch, &moved, false, false) +
                     rf_chain_bytes(ch, &moved, true, false);
    double once = rf_chain_bytes(ch, &moved, false, true) +
                  rf_chain_bytes(ch, &moved, true, true);
    rf_chain_traffic_clear(&moved);
    c.blocks = (int64_t)blocks;
    c.arithmetic = arithmetic(&s) / busy;
    c.shared = (threads * (tiles->k ? 1 : WAVEFRONTS) + shared_bytes(&s) +
                operand_bytes(&s, false) + operand_bytes(&s, true)) /
               (dev->shared * busy);
    c.l2 = once / fmin(dev->l2, port);
    c.dram = least_bytes(&s) / fmin(dev->dram, port);
    if (cluster > 1)
        c.dsm = dsm_bytes(&s) / (rf_device_dsm(dev, cluster) * busy);
    take(&c, c.arithmetic, "arithmetic");
    take(&c, c.shared, "shared memory and L1");
    take(&c, c.l2, "L2");
    take(&c, c.dram, "DRAM");
    take(&c, c.dsm, "distributed shared memory");
    c.time += dev->launch + barriers(&s, waves);
    return c;
}

/* ---- the space ---- */

typedef struct {
    const rf_chain *ch;
    const rf_chain_limits *limits;
    rf_chain_tiles best;
    double time;
    bool found, fits_result;
    bool may_stage, fits_tensor[2]; /* the first products, the second */
} chooser;

/* The tile that the mark asks for, or 0. */
static int pinned(const rf_mark *m, const rf_loop *l)
{
    for (unsigned i = 0; l && i < m->n_tiles; i++)
        if (!strcmp(m->tiles[i].name, l->name) && m->tiles[i].size > 0 &&
            m->tiles[i].size <= 4096)
            return (int)(m->tiles[i].size + RF_CHAIN_MICRO - 1) /
                   RF_CHAIN_MICRO * RF_CHAIN_MICRO;
    return 0;
}

/* Sizes to try for a tile of "n" elements: one that holds all is enough. */
static int list_sizes(int out[16], int pin, double n, int most)
{
    int count = 0;
    if (pin) {
        out[0] = pin;
        return 1;
    }
    for (int size = RF_CHAIN_MICRO; size <= most; size *= 2) {
        out[count++] = size;
        if (size >= n)
            break;
    }
    return count;
}

/* Can blocks take every such step of the sums? */
static bool can_share_k(const rf_chain *ch)
{
    for (size_t i = 0; i < ch->firsts.len; i++)
        if (!rf_chain_counts_up(ch->firsts.data[i]->axis))
            return false;
    return true;
}

/* Sums of a thread: those of E are live while P is computed, if they are not in
 * memory. */
static bool fits_registers(const chooser *c, const rf_chain_tiles *t)
{
    int of_p = (t->m * t->n + t->threads - 1) / t->threads;
    int of_e = (t->m * t->l + t->threads - 1) / t->threads;
    of_p = (of_p + 15) / 16 * 16 * (int)c->ch->firsts.len;
    of_e = (of_e + 15) / 16 * 16;
    int live = t->sums_in_memory ? (of_p > of_e ? of_p : of_e) : of_p + of_e;
    return live <= MOST_SUMS;
}

/* What is stored beside P is stored without columns of E, too: a tile without
 * elements is run for that, and has no sums. */
static bool runs_empty_tiles(const chooser *c, const rf_chain_tiles *t)
{
    rf_chain_extent l = rf_chain_extent_of(c->ch, c->ch->l);
    return c->ch->early.len && !t->sums_in_memory &&
           !(l.from == RF_FROM_CODE && l.n > 0);
}

/* A tile of E must not need P again where the sizes are known; where they are
 * not, it may. */
static bool is_possible(const chooser *c, const rf_chain_tiles *t)
{
    rf_chain_extent l = rf_chain_extent_of(c->ch, c->ch->l);
    if (rf_chain_shared_bytes(c->ch, t) > c->limits->shared)
        return false;
    bool is_pinned = c->ch->mark->n_tiles > 0;
    int more = t->k ? 2 : 1;
    if (!is_pinned &&
        (t->m * t->n > MOST_P * more || t->m * t->l > MOST_E * more))
        return false;
    if (t->k && (!fits_registers(c, t) || runs_empty_tiles(c, t)))
        return false;
    if (t->sums_in_memory)
        return true;
    return l.from != RF_FROM_CODE || l.n <= (int64_t)t->l * t->cls_l;
}

static void try_one(chooser *c, const rf_chain_tiles *t)
{
    if (!is_possible(c, t))
        return;
    rf_chain_cost cost = rf_chain_cost_of(c->ch, t, c->limits);
    if (c->found && cost.time >= c->time)
        return;
    c->found = true;
    c->time = cost.time;
    c->best = *t;
}

static void try_sums(chooser *c, rf_chain_tiles *t)
{
    t->sums_in_memory = false;
    try_one(c, t);
    t->sums_in_memory = t->cls_n == 1 && t->cls_m == 1 && c->fits_result;
    if (t->sums_in_memory)
        try_one(c, t);
}

/* Operands by way of shared memory: by plain arithmetic or on tensor cores. */
static void try_staged(chooser *c, rf_chain_tiles *t)
{
    bool rows = t->m % RF_MMA_ROWS == 0;
    int threads = c->limits->threads ? c->limits->threads : STAGED_THREADS;
    if (!c->may_stage || threads % 32 || threads > STAGED_THREADS)
        return;
    t->threads = threads;
    t->tensor_first = c->fits_tensor[0] && rows && t->n % RF_MMA_COLUMNS == 0;
    t->tensor_second = c->fits_tensor[1] && rows && t->l % RF_MMA_COLUMNS == 0;
    t->k = t->tensor_first || t->tensor_second ? TENSOR_STEP : STAGED_STEP;
    if (t->n % t->k == 0)
        try_sums(c, t);
    t->k = 0;
    t->tensor_first = t->tensor_second = false;
}

static void try_blocks(chooser *c, rf_chain_tiles *t)
{
    static const int blocks[] = { 256, 128 };
    for (size_t i = 0; i < 2; i++) {
        t->threads = c->limits->threads ? c->limits->threads : blocks[i];
        try_sums(c, t);
        if (c->limits->threads)
            break;
    }
    if (rf_chain_blocks(t) == 1)
        try_staged(c, t);
}

static void try_tiles(chooser *c, rf_chain_tiles *t)
{
    const rf_chain *ch = c->ch;
    int m[16], n[16], l[16];
    bool of_threads = ch->rows == RF_ROWS_THREAD;
    int most_m = of_threads ? MOST_ROWS / 2 : MOST_ROWS;
    int n_m = list_sizes(m, pinned(ch->mark, ch->m),
                         (double)rf_chain_rows_of(ch).n / t->cls_m, most_m);
    int n_n = list_sizes(n, pinned(ch->mark, ch->n),
                         trips(ch, ch->n) / t->cls_n, MOST_N);
    int n_l =
        list_sizes(l, pinned(ch->mark, ch->l), trips(ch, ch->l) / t->cls_l,
                   rf_chain_inner(ch->firsts.data[0]) ? MOST_L / 4 : MOST_L);
    for (int i = n_m; i-- > 0;)
        for (int j = n_n; j-- > 0;)
            for (int k = n_l; k-- > 0;) {
                t->m = m[i];
                t->n = n[j];
                t->l = l[k];
                try_blocks(c, t);
            }
}

static bool may_stage(const rf_chain *ch)
{
    rf_chain_operands ops;
    return rf_chain_operands_of(ch, false, &ops) &&
           rf_chain_operands_of(ch, true, &ops);
}

static void try_cluster(chooser *c, int m, int n, int k, int l)
{
    rf_chain_tiles t = { .cls_m = m, .cls_n = n, .cls_k = k, .cls_l = l };
    if (k == 1 || can_share_k(c->ch) || rf_chain_has_branches(c->ch, &t))
        try_tiles(c, &t);
}

/* Blocks along k exchange whole tiles of P: where it is narrow, or where each
 * of them has one of the products. */
static bool may_exchange(const rf_chain *ch, int blocks)
{
    rf_chain_tiles t = { .cls_k = blocks };
    return rf_chain_extent_of(ch, ch->n).from == RF_FROM_CODE ||
           rf_chain_has_branches(ch, &t);
}

/* The cluster that the mark asks for; else one along n or along k. */
static void try_clusters(chooser *c)
{
    const int *of = c->ch->mark->cluster_of;
    if (of[0]) {
        try_cluster(c, of[0], of[1], of[2], of[3]);
        return;
    }
    for (int blocks = 1; blocks <= 8; blocks *= 2) {
        if (!(c->limits->clusters & (unsigned)blocks))
            continue;
        try_cluster(c, 1, blocks, 1, 1);
        if (blocks > 1 && may_exchange(c->ch, blocks))
            try_cluster(c, 1, 1, blocks, blocks);
    }
}

bool rf_chain_choose(const rf_chain *ch, const rf_chain_limits *limits,
                     rf_chain_tiles *out)
{
    chooser c = { .ch = ch,
                  .limits = limits,
                  .fits_result = rf_chain_sums_fit_result(ch),
                  .may_stage = may_stage(ch) };
    for (int second = 0; second < 2; second++)
        c.fits_tensor[second] =
            !limits->in_order && rf_chain_fits_tensor(ch, second);
    try_clusters(&c);
    *out = c.best;
    return c.found;
}
