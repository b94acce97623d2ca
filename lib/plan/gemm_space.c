/* The space of dataflows and what can be said of a candidate before its cost.
 *
 *     schedules   a set of grid loops, the rest in any order: the number of
 *                 ordered rests of 4 loops with a non-empty set is 41
 *     clusters    {1,2,4,8,16}^4: 625, of which 70 are consistent
 *     tiles       multiples of 16 in each dimension
 *
 * For M = 256, N = 16384, K = L = 4096 that is 41 * 625 * 2^30 = 2.75e13; with
 * tiles that divide, 41 * 625 * 5 * 11 * 9 * 9 = 1.14e8. */
#include "plan/gemm.h"

#include <string.h>

/* ---- schedules ---- */

static void add_orders(rf_gemm_schedule *out, int *n, rf_gemm_schedule s,
                       unsigned left)
{
    if (!left) {
        out[(*n)++] = s;
        return;
    }
    for (int d = 0; d < RF_DIMS; d++) {
        if (!(left & 1u << d))
            continue;
        rf_gemm_schedule next = s;
        next.order[next.n_loops++] = (rf_dim)d;
        add_orders(out, n, next, left & ~(1u << d));
    }
}

int rf_gemm_schedules(rf_gemm_schedule out[RF_GEMM_SCHEDULES])
{
    int n = 0;
    for (unsigned spatial = 1; spatial < 1u << RF_DIMS; spatial++)
        add_orders(out, &n, (rf_gemm_schedule){ .spatial = spatial },
                   ~spatial & ((1u << RF_DIMS) - 1));
    return n;
}

static int position(const rf_gemm_schedule *s, rf_dim d)
{
    for (int i = 0; i < s->n_loops; i++)
        if (s->order[i] == d)
            return i;
    return -1; /* of the grid: outside all others */
}

bool rf_gemm_is_active(const rf_gemm_schedule *s)
{
    int k = position(s, RF_DIM_K);
    return k >= 0 && k > position(s, RF_DIM_M) && k > position(s, RF_DIM_N);
}

/* ---- clusters ---- */

int rf_gemm_cluster_blocks(const rf_gemm_cluster *c)
{
    return c->size[RF_DIM_M] * c->size[RF_DIM_N] * c->size[RF_DIM_K];
}

int rf_gemm_shuffle(const rf_gemm_cluster *c)
{
    return c->size[RF_DIM_L] / c->size[RF_DIM_K];
}

int rf_gemm_reduce(const rf_gemm_cluster *c)
{
    return c->size[RF_DIM_N] * c->size[RF_DIM_K] / c->size[RF_DIM_L];
}

bool rf_gemm_is_consistent(const rf_gemm_cluster *c)
{
    int n = c->size[RF_DIM_N], k = c->size[RF_DIM_K], l = c->size[RF_DIM_L];
    return rf_gemm_cluster_blocks(c) <= 16 && l % k == 0 && n * k % l == 0;
}

int rf_gemm_clusters(rf_gemm_cluster out[RF_GEMM_TUPLES])
{
    int n = 0;
    for (int i = 0; i < 5 * 5 * 5 * 5; i++) {
        rf_gemm_cluster c = { { 1 << i / 125, 1 << i / 25 % 5, 1 << i / 5 % 5,
                                1 << i % 5 } };
        if (rf_gemm_is_consistent(&c) && n < RF_GEMM_TUPLES)
            out[n++] = c;
    }
    return n;
}

/* ---- tiles ---- */

int64_t rf_gemm_padded(int64_t size)
{
    return (size + RF_GEMM_UNIT - 1) / RF_GEMM_UNIT * RF_GEMM_UNIT;
}

int rf_gemm_tiles(int64_t size, int64_t *out, int room)
{
    int64_t units = rf_gemm_padded(size) / RF_GEMM_UNIT;
    int n = 0;
    for (int64_t u = 1; u <= units; u++) {
        if (units % u)
            continue;
        if (n < room)
            out[n] = u * RF_GEMM_UNIT;
        n++;
    }
    return n;
}

int64_t rf_gemm_trips(const rf_gemm_shape *shape, const rf_gemm_candidate *c,
                      rf_dim d)
{
    return rf_gemm_padded(shape->size[d]) / (c->cluster.size[d] * c->tile[d]);
}

bool rf_gemm_divides(const rf_gemm_shape *shape, const rf_gemm_candidate *c)
{
    for (int d = 0; d < RF_DIMS; d++)
        if (rf_gemm_padded(shape->size[d]) % (c->cluster.size[d] * c->tile[d]))
            return false;
    return true;
}

/* Of the candidates that differ only in loops that run once, one is kept: such
 * loops belong to the grid where they may, k stands innermost. */
bool rf_gemm_is_canonical(const rf_gemm_shape *shape,
                          const rf_gemm_candidate *c)
{
    for (int i = 0; i < c->schedule.n_loops; i++) {
        rf_dim d = c->schedule.order[i];
        bool once = rf_gemm_trips(shape, c, d) == 1;
        if (once && d != RF_DIM_K)
            return false;
        if (once && i + 1 != c->schedule.n_loops)
            return false;
    }
    return true;
}
