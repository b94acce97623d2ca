/* Traffic and time of one dataflow (THEORY 9).
 *
 * Global memory, by Chimera's rule: walk the loops from the innermost
 * outwards; those before the first one that indexes the tensor cost nothing,
 * that one and all further out multiply the cluster's tile:
 *
 *     bytes(T) = tile(T) * PRODUCT trips of the loops from there outwards
 *
 * The first product does not see the loop over l (P is kept), unless l is of
 * the grid: then every cluster computes P for itself. The second does not see
 * k. A loop outside another one's tensor keeps a strip on the chip:
 *
 *     l outside n     P for the n inside                 read once a trip of l
 *     n outside l     partial sums of E for the l inside read and written once
 *                                                        a trip of n
 *
 * Between the blocks of a cluster, P = cls_m cls_n cls_k of them:
 *
 *     exchange   P (cls_k - 1) blk_m blk_n s            a tile of C
 *     shuffle    P (cls_shuffle - 1) blk_m blk_n s      a tile of C and pass of
 * l scatter    P (cls_reduce - 1) / cls_reduce blk_m blk_l s   a tile of E
 */
#include "plan/gemm.h"

#include <math.h>

enum { ACC = 4 }; /* bytes of an accumulator */

typedef struct {
    const rf_device *device;
    const rf_gemm_shape *shape;
    const rf_gemm_candidate *c;
    int64_t trips[RF_DIMS];
    double in_grid, in_cluster; /* trips of grid loops; of the others */
} walk;

#define HAS(set, d) ((set)&1u << (d))
#define BIT(d)      (1u << (d))

static bool is_spatial(const walk *w, rf_dim d)
{
    return HAS(w->c->schedule.spatial, d);
}

static void walk_begin(walk *w)
{
    w->in_grid = (double)w->shape->batch;
    w->in_cluster = 1;
    for (int d = 0; d < RF_DIMS; d++) {
        w->trips[d] = rf_gemm_trips(w->shape, w->c, (rf_dim)d);
        if (is_spatial(w, (rf_dim)d))
            w->in_grid *= (double)w->trips[d];
        else
            w->in_cluster *= (double)w->trips[d];
    }
}

/* Times that a tensor indexed by "dims" is fetched, over the loops "seen". */
static double fetches(const walk *w, unsigned dims, unsigned seen)
{
    const rf_gemm_schedule *s = &w->c->schedule;
    double n = 1;
    bool indexed = false;
    for (int i = s->n_loops; i-- > 0;) {
        rf_dim d = s->order[i];
        if (!HAS(seen, d) || w->trips[d] == 1)
            continue;
        indexed |= HAS(dims, d) != 0;
        if (indexed)
            n *= (double)w->trips[d];
    }
    for (int d = 0; d < RF_DIMS; d++)
        if (is_spatial(w, (rf_dim)d) && HAS(seen, d))
            n *= (double)w->trips[d];
    return n * (double)w->shape->batch;
}

static double cluster_tile(const walk *w, rf_dim a, rf_dim b)
{
    const int *cls = w->c->cluster.size;
    return (double)(cls[a] * w->c->tile[a]) * (double)(cls[b] * w->c->tile[b]);
}

static int position(const walk *w, rf_dim d)
{
    const rf_gemm_schedule *s = &w->c->schedule;
    for (int i = 0; i < s->n_loops; i++)
        if (s->order[i] == d && w->trips[d] > 1)
            return i;
    return -1;
}

/* Trips of "d" if it is a loop of the cluster inside position "at". */
static double trips_inside(const walk *w, rf_dim d, int at)
{
    return position(w, d) > at ? (double)w->trips[d] : 1;
}

/* ---- the strip ---- */

typedef struct {
    bool is_p;      /* else partial sums of E */
    double bytes;   /* of one block */
    double touches; /* times it is read, or read and written */
} strip;

static strip strip_of(const walk *w)
{
    int l = position(w, RF_DIM_L), n = position(w, RF_DIM_N);
    const int64_t *tile = w->c->tile;
    strip s = { .touches = 0 };
    if (l >= 0 && (n > l || n < 0) && n >= 0) {
        s.is_p = true;
        s.bytes = (double)(tile[RF_DIM_M] * tile[RF_DIM_N] * w->shape->bytes) *
                  trips_inside(w, RF_DIM_M, l) * trips_inside(w, RF_DIM_N, l);
        s.touches = (double)w->trips[RF_DIM_L];
    } else if (n >= 0) {
        s.bytes = (double)(tile[RF_DIM_M] * tile[RF_DIM_L] * ACC) *
                  trips_inside(w, RF_DIM_M, n) * trips_inside(w, RF_DIM_L, n);
        s.touches = 2.0 * (double)w->trips[RF_DIM_N];
    }
    return s;
}

/* ---- what a block holds ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Two stages of the operands, the tile of P for the second product. */
static int64_t shared_needed(const walk *w)
{
    const int64_t *t = w->c->tile;
    int64_t s = w->shape->bytes;
    int64_t step = least(t[RF_DIM_K], 64); /* a stage is a slice of the tile */
    int64_t first =
        2 * s * step * (t[RF_DIM_M] + w->shape->firsts * t[RF_DIM_N]);
    int64_t second = 2 * s * least(t[RF_DIM_N], 64) * t[RF_DIM_L];
    int64_t p = s * t[RF_DIM_M] * t[RF_DIM_N];
    return p + (first > second ? first : second);
}

/* Accumulators of the first product, then of the second. */
static int64_t registers_needed(const walk *w, const strip *s)
{
    const int64_t *t = w->c->tile;
    int64_t c = ACC * t[RF_DIM_M] * t[RF_DIM_N] * w->shape->firsts;
    int64_t e = ACC * t[RF_DIM_M] * t[RF_DIM_L];
    return s->is_p || !s->bytes ? (c > e ? c : e) : c;
}

/* Greedy: registers, shared memory, then memory; what is held in shared
 * memory for other blocks too counts as distributed (THEORY 9). */
static bool place_strip(const walk *w, const strip *s, rf_gemm_cost *out)
{
    const rf_device *dev = w->device;
    double registers =
        0.75 * (double)dev->register_bytes - (double)out->register_bytes;
    double shared = (double)(dev->shared_block - out->shared_bytes);
    if (registers < 0 || shared < 0)
        return false;
    double rest = s->bytes;
    double part = s->is_p ? 0 : fmin(rest, registers);
    out->strip[RF_AT_REGISTERS] = part;
    rest -= part;
    bool remote = s->is_p ? rf_gemm_shuffle(&w->c->cluster) > 1
                          : rf_gemm_reduce(&w->c->cluster) > 1;
    part = fmin(rest, shared);
    out->strip[remote ? RF_AT_DSM : RF_AT_SHARED] = part;
    out->strip[RF_AT_GLOBAL] = rest - part;
    return true;
}

/* ---- traffic ---- */

static void global_traffic(const walk *w, const strip *s, rf_gemm_cost *out)
{
    const rf_gemm_shape *sh = w->shape;
    double size = sh->bytes;
    unsigned m = BIT(RF_DIM_M), n = BIT(RF_DIM_N), k = BIT(RF_DIM_K),
             l = BIT(RF_DIM_L);
    unsigned first = m | n | k | (is_spatial(w, RF_DIM_L) ? l : 0);
    unsigned second = m | n | l;
    out->a =
        size * cluster_tile(w, RF_DIM_M, RF_DIM_K) * fetches(w, m | k, first);
    out->b = size * cluster_tile(w, RF_DIM_K, RF_DIM_N) *
             fetches(w, k | n, first) * sh->firsts;
    out->d =
        size * cluster_tile(w, RF_DIM_N, RF_DIM_L) * fetches(w, n | l, second);
    double parts = is_spatial(w, RF_DIM_N) ? (double)w->trips[RF_DIM_N] : 1;
    double e = (double)rf_gemm_padded(sh->size[RF_DIM_M]) *
               (double)rf_gemm_padded(sh->size[RF_DIM_L]) * (double)sh->batch;
    out->e = e * (parts > 1 ? ACC * (2 * parts - 1) : size);
    out->p = sh->stores_p ? size * (double)sh->size[RF_DIM_M] *
                                (double)sh->size[RF_DIM_N] * (double)sh->batch
                          : 0;
    double blocks = rf_gemm_cluster_blocks(&w->c->cluster) * w->in_grid;
    double spilled = out->strip[RF_AT_GLOBAL] * blocks;
    out->p += s->is_p ? spilled * (s->touches + 1) : 0;
    out->e += s->is_p ? 0 : spilled * s->touches;
    out->global = out->a + out->b + out->d + out->e + out->p;
}

/* What of "bytes" comes from DRAM: all of it only if the tensor cannot stay
 * in the L2. */
static double missing(const walk *w, double bytes, double distinct)
{
    return distinct < 0.5 * (double)w->device->l2_bytes ? fmin(bytes, distinct)
                                                        : bytes;
}

static void dram_traffic(const walk *w, rf_gemm_cost *out)
{
    const rf_gemm_shape *sh = w->shape;
    double m = (double)sh->size[RF_DIM_M], n = (double)sh->size[RF_DIM_N];
    double k = (double)sh->size[RF_DIM_K], l = (double)sh->size[RF_DIM_L];
    double each = (double)sh->bytes * (double)sh->batch;
    out->dram = missing(w, out->a, m * k * each) +
                missing(w, out->b, k * n * each * sh->firsts) +
                missing(w, out->d, n * l * each) +
                missing(w, out->e, m * l * each) +
                missing(w, out->p, sh->stores_p ? m * n * each : out->p);
}

static void cluster_traffic(const walk *w, const strip *s, rf_gemm_cost *out)
{
    const rf_gemm_cluster *c = &w->c->cluster;
    const int64_t *t = w->c->tile;
    double size = w->shape->bytes, blocks = rf_gemm_cluster_blocks(c);
    double first = (double)(t[RF_DIM_M] * t[RF_DIM_N]);
    double second = (double)(t[RF_DIM_M] * t[RF_DIM_L]) * ACC;
    double once = w->in_grid; /* tiles of C, of E, of P times passes of l */
    double tiles_c = once, tiles_e = once, passes = once;
    for (int d = 0; d < RF_DIMS; d++) {
        if (is_spatial(w, (rf_dim)d))
            continue;
        double trips = (double)w->trips[d];
        tiles_c *= d == RF_DIM_M || d == RF_DIM_N ? trips : 1;
        tiles_e *= d == RF_DIM_M || d == RF_DIM_L ? trips : 1;
        passes *= d != RF_DIM_K ? trips : 1;
    }
    int reduce = rf_gemm_reduce(c);
    out->exchange = tiles_c * blocks * (c->size[RF_DIM_K] - 1) * first * ACC *
                    w->shape->firsts;
    out->shuffle = passes * blocks * (rf_gemm_shuffle(c) - 1) * first * size;
    out->scatter = tiles_e * blocks * (reduce - 1) / reduce * second;
    out->dsm = out->exchange + out->shuffle + out->scatter;
    /* The own shared memory: operands in and out, P, the strip. */
    double steps =
        tiles_c * (double)(is_spatial(w, RF_DIM_K) ? 1 : w->trips[RF_DIM_K]);
    double k = (double)t[RF_DIM_K];
    out->shared =
        2 * size * blocks *
            (steps * k *
                 (double)(t[RF_DIM_M] + w->shape->firsts * t[RF_DIM_N]) +
             passes * (first + (double)(t[RF_DIM_N] * t[RF_DIM_L]))) +
        (out->strip[RF_AT_SHARED] + out->strip[RF_AT_DSM]) * s->touches *
            blocks * w->in_grid;
}

/* ---- time ---- */

static void take_longest(rf_gemm_cost *out, double seconds, const char *what)
{
    if (seconds <= out->time)
        return;
    out->time = seconds;
    out->limit = what;
}

static double peak(const rf_device *device, const rf_gemm_shape *shape)
{
    return shape->tensor      ? device->tensor16
           : shape->bytes > 4 ? device->fma64
                              : device->fma32;
}

static void take_time(const walk *w, rf_gemm_cost *out)
{
    const rf_device *dev = w->device;
    const rf_gemm_shape *sh = w->shape;
    double m = (double)sh->size[RF_DIM_M], n = (double)sh->size[RF_DIM_N];
    double k = (double)sh->size[RF_DIM_K], l = (double)sh->size[RF_DIM_L];
    double again = is_spatial(w, RF_DIM_L) ? (double)w->trips[RF_DIM_L] : 1;
    out->flops = 2 * m * n * (k * sh->firsts * again + l) * (double)sh->batch;
    int cluster = rf_gemm_cluster_blocks(&w->c->cluster);
    out->blocks = (int64_t)w->in_grid * cluster;
    out->waves = (out->blocks + dev->sms - 1) / dev->sms;
    double busy = (double)out->blocks / (double)(out->waves * dev->sms);
    double port = dev->sm_port * dev->sms * busy;
    take_longest(out, out->dram / fmin(dev->dram, port), "DRAM");
    take_longest(out, out->global / fmin(dev->l2, port), "L2");
    if (cluster > 1 && out->dsm > 0)
        take_longest(out, out->dsm / (rf_device_dsm(dev, cluster) * busy),
                     "distributed shared memory");
    take_longest(out, out->shared / (dev->shared * busy), "shared memory");
    take_longest(out, out->flops / (peak(dev, sh) * busy), "arithmetic");
    double barriers = 2 * w->in_cluster * (double)out->waves;
    out->time += dev->launch +
                 barriers * (cluster > 1 ? dev->cluster_barrier : dev->barrier);
    if (is_spatial(w, RF_DIM_N) && w->trips[RF_DIM_N] > 1)
        out->time += dev->launch; /* the sums of several clusters are added */
}

bool rf_gemm_cost_of(const rf_device *device, const rf_gemm_shape *shape,
                     const rf_gemm_candidate *c, rf_gemm_cost *out)
{
    *out = (rf_gemm_cost){ .limit = "nothing" };
    if (!rf_gemm_is_consistent(&c->cluster) || !rf_gemm_divides(shape, c) ||
        !rf_gemm_is_active(&c->schedule) ||
        rf_gemm_cluster_blocks(&c->cluster) > device->max_cluster)
        return false;
    walk w = { .device = device, .shape = shape, .c = c };
    walk_begin(&w);
    strip s = strip_of(&w);
    out->shared_bytes = shared_needed(&w);
    out->register_bytes = registers_needed(&w, &s);
    if (!place_strip(&w, &s, out))
        return false;
    global_traffic(&w, &s, out);
    dram_traffic(&w, out);
    cluster_traffic(&w, &s, out);
    take_time(&w, out);
    return true;
}

/* ---- the pair and the minimum ---- */

double rf_gemm_compulsory(const rf_gemm_shape *sh)
{
    double m = (double)sh->size[RF_DIM_M], n = (double)sh->size[RF_DIM_N];
    double k = (double)sh->size[RF_DIM_K], l = (double)sh->size[RF_DIM_L];
    double p = sh->stores_p ? m * n : 0;
    return (m * k + k * n * sh->firsts + n * l + m * l + p) *
           (double)sh->bytes * (double)sh->batch;
}

double rf_gemm_unfused(const rf_gemm_shape *sh)
{
    double p = (double)sh->size[RF_DIM_M] * (double)sh->size[RF_DIM_N] *
               (double)sh->bytes * (double)sh->batch;
    return rf_gemm_compulsory(sh) + (sh->stores_p ? 1 : 2) * p;
}

double rf_gemm_unfused_time(const rf_device *dev, const rf_gemm_shape *sh)
{
    double m = (double)sh->size[RF_DIM_M], n = (double)sh->size[RF_DIM_N];
    double k = (double)sh->size[RF_DIM_K], l = (double)sh->size[RF_DIM_L];
    double flops = 2 * m * n * (k * sh->firsts + l) * (double)sh->batch;
    return fmax(rf_gemm_unfused(sh) / dev->dram, flops / peak(dev, sh)) +
           2 * dev->launch;
}
