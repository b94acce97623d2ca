/* Search by branch and bound. The tree: cluster, schedule, tile of m, n, l,
 * then of k. A branch is cut when what is known of it already takes longer
 * than the best plan so far: arithmetic on the SMs that its grid can fill, the
 * compulsory bytes through their ports, and what shared memory moves whatever
 * the tile of k. */
#include "plan/gemm.h"

#include <math.h>

enum { ROOM = 256 };

typedef struct {
    const rf_device *device;
    const rf_gemm_shape *shape;
    rf_gemm_plan plan;
    int n_tiles[RF_DIMS];
    int64_t tiles[RF_DIMS][ROOM];
    rf_gemm_schedule schedules[RF_GEMM_SCHEDULES];
    rf_gemm_cluster clusters[RF_GEMM_TUPLES];
    int n_schedules, n_clusters;
    bool bound; /* cut branches */
    bool count; /* count what rules 4 and 5 leave */
    double compulsory;
} search;

static int list_tiles(int64_t size, int64_t out[ROOM])
{
    int n = rf_gemm_tiles(size, out, ROOM);
    return n < ROOM ? n : ROOM;
}

static void search_begin(search *s)
{
    for (int d = 0; d < RF_DIMS; d++)
        s->n_tiles[d] = list_tiles(s->shape->size[d], s->tiles[d]);
    s->n_schedules = rf_gemm_schedules(s->schedules);
    s->n_clusters = rf_gemm_clusters(s->clusters);
    s->compulsory = rf_gemm_compulsory(s->shape);
}

/* ---- pruning rules 1 to 3, counted without enumeration ---- */

static double fitting_tiles(const search *s, const rf_gemm_cluster *c)
{
    double n = 1;
    for (int d = 0; d < RF_DIMS; d++) {
        int fit = 0;
        for (int i = 0; i < s->n_tiles[d]; i++)
            fit += rf_gemm_padded(s->shape->size[d]) %
                       (c->size[d] * s->tiles[d][i]) ==
                   0;
        n *= fit;
    }
    return n;
}

static void count_rules(search *s)
{
    double units = 1, dividing = 1, fitting = 0, active = 0;
    for (int d = 0; d < RF_DIMS; d++) {
        units *= (double)(rf_gemm_padded(s->shape->size[d]) / RF_GEMM_UNIT);
        dividing *= s->n_tiles[d];
    }
    for (int i = 0; i < s->n_clusters; i++)
        fitting += fitting_tiles(s, &s->clusters[i]);
    for (int i = 0; i < s->n_schedules; i++)
        active += rf_gemm_is_active(&s->schedules[i]);
    double all = 5.0 * 5 * 5 * 5;
    s->plan.left[0] = s->n_schedules * all * units;
    s->plan.left[1] = s->n_schedules * all * dividing;
    s->plan.left[2] = s->n_schedules * fitting;
    s->plan.left[3] = active * fitting;
}

/* ---- the tree ---- */

static bool is_better(const search *s, const rf_gemm_cost *cost)
{
    return !s->plan.found || cost->time < s->plan.cost.time;
}

static void try_candidate(search *s, const rf_gemm_candidate *c)
{
    rf_gemm_cost cost;
    s->plan.evaluated++;
    if (!rf_gemm_cost_of(s->device, s->shape, c, &cost))
        return;
    s->plan.left[5]++;
    if (!is_better(s, &cost))
        return;
    s->plan.found = true;
    s->plan.best = *c;
    s->plan.cost = cost;
}

/* Bytes that shared memory moves at least: operands of the second product and
 * of the first, whose slices together are a tile's whole k. */
static double least_shared(const search *s, const rf_gemm_candidate *c,
                           double blocks)
{
    const rf_gemm_shape *sh = s->shape;
    const int64_t *t = c->tile;
    double inside = 1, tiles = 1;
    for (int d = 0; d < RF_DIMS; d++) {
        if (c->schedule.spatial & 1u << d || d == RF_DIM_K)
            continue;
        double trips = (double)rf_gemm_trips(sh, c, (rf_dim)d);
        inside *= trips;
        tiles *= d == RF_DIM_L ? 1 : trips;
    }
    double k = (double)(rf_gemm_padded(sh->size[RF_DIM_K]) /
                        c->cluster.size[RF_DIM_K]);
    double first = (double)(t[RF_DIM_M] + sh->firsts * t[RF_DIM_N]) * k;
    double second =
        (double)(t[RF_DIM_M] * t[RF_DIM_N] + t[RF_DIM_N] * t[RF_DIM_L]);
    return 2 * sh->bytes * blocks * (tiles * first + inside * second);
}

/* Seconds that no tile of k can go below. */
static double lower_bound(const search *s, const rf_gemm_candidate *c)
{
    const rf_device *dev = s->device;
    const rf_gemm_shape *sh = s->shape;
    double clusters = (double)sh->batch, again = 1;
    for (int d = 0; d < RF_DIMS; d++)
        if (c->schedule.spatial & 1u << d)
            clusters *= (double)rf_gemm_trips(sh, c, (rf_dim)d);
    if (c->schedule.spatial & 1u << RF_DIM_L)
        again = (double)rf_gemm_trips(sh, c, RF_DIM_L);
    double blocks = clusters * rf_gemm_cluster_blocks(&c->cluster);
    double waves = ceil(blocks / dev->sms);
    double busy = blocks / (waves * dev->sms);
    double flops = 2.0 * (double)sh->size[RF_DIM_M] *
                   (double)sh->size[RF_DIM_N] *
                   ((double)sh->size[RF_DIM_K] * sh->firsts * again +
                    (double)sh->size[RF_DIM_L]) *
                   (double)sh->batch;
    double rate = sh->tensor      ? dev->tensor16
                  : sh->bytes > 4 ? dev->fma64
                                  : dev->fma32;
    double port = fmin(dev->dram, dev->sm_port * dev->sms * busy);
    double time = fmax(flops / (rate * busy), s->compulsory / port);
    double shared = least_shared(s, c, blocks) / (dev->shared * busy);
    return fmax(time, shared) + dev->launch;
}

static bool fits(const search *s, rf_gemm_candidate *c, rf_dim d, int i)
{
    c->tile[d] = s->tiles[d][i];
    return rf_gemm_padded(s->shape->size[d]) %
               (c->cluster.size[d] * c->tile[d]) ==
           0;
}

/* Accumulators alone: larger tiles only need more. */
static bool is_too_large(const search *s, const rf_gemm_candidate *c)
{
    double c_tile = 4.0 * (double)(c->tile[RF_DIM_M] * c->tile[RF_DIM_N]) *
                    s->shape->firsts;
    return c_tile > 0.75 * (double)s->device->register_bytes;
}

static void try_k(search *s, rf_gemm_candidate *c)
{
    for (int k = 0; k < s->n_tiles[RF_DIM_K]; k++) {
        if (!fits(s, c, RF_DIM_K, k))
            continue;
        if (!rf_gemm_is_canonical(s->shape, c))
            continue;
        s->plan.left[4]++;
        try_candidate(s, c);
    }
}

static void try_tiles(search *s, rf_gemm_candidate *c)
{
    for (int m = 0; m < s->n_tiles[RF_DIM_M]; m++) {
        if (!fits(s, c, RF_DIM_M, m))
            continue;
        for (int n = 0; n < s->n_tiles[RF_DIM_N]; n++) {
            if (!fits(s, c, RF_DIM_N, n))
                continue;
            if (s->bound && is_too_large(s, c))
                continue;
            for (int l = 0; l < s->n_tiles[RF_DIM_L]; l++) {
                if (!fits(s, c, RF_DIM_L, l))
                    continue;
                c->tile[RF_DIM_K] = s->tiles[RF_DIM_K][0];
                if (s->bound && s->plan.found &&
                    lower_bound(s, c) >= s->plan.cost.time)
                    continue;
                try_k(s, c);
            }
        }
    }
}

/* Large clusters and grids first: a good plan found early cuts the rest. */
static void try_all(search *s)
{
    for (int i = s->n_clusters; i-- > 0;) {
        rf_gemm_candidate c = { .cluster = s->clusters[i] };
        if (rf_gemm_cluster_blocks(&c.cluster) > s->device->max_cluster)
            continue;
        for (int k = s->n_schedules; k-- > 0;) {
            c.schedule = s->schedules[k];
            if (rf_gemm_is_active(&c.schedule))
                try_tiles(s, &c);
        }
    }
}

rf_gemm_plan rf_gemm_search(const rf_device *device, const rf_gemm_shape *shape,
                            bool counts)
{
    search s = { .device = device, .shape = shape, .bound = !counts };
    search_begin(&s);
    count_rules(&s);
    try_all(&s);
    return s.plan;
}

rf_gemm_plan rf_gemm_brute_force(const rf_device *device,
                                 const rf_gemm_shape *shape)
{
    search s = { .device = device, .shape = shape };
    search_begin(&s);
    for (int i = 0; i < 5 * 5 * 5 * 5; i++)
        for (int k = 0; k < s.n_schedules; k++) {
            rf_gemm_candidate c = { .schedule = s.schedules[k],
                                    .cluster = {
                                        { 1 << i / 125, 1 << i / 25 % 5,
                                          1 << i / 5 % 5, 1 << i % 5 } } };
            int total = 1;
            for (int d = 0; d < RF_DIMS; d++)
                total *= s.n_tiles[d];
            for (int t = 0; t < total; t++) {
                for (int d = 0, rest = t; d < RF_DIMS; d++) {
                    c.tile[d] = s.tiles[d][rest % s.n_tiles[d]];
                    rest /= s.n_tiles[d];
                }
                try_candidate(&s, &c);
            }
        }
    return s.plan;
}
