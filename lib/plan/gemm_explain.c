/* A plan in words: the loops as a picture, then bytes at every level beside
 * those of two kernels and of the least that any kernel moves. */
#include "plan/gemm.h"

static const char names[] = "mnkl";

static void put_bytes(rf_buf *out, double bytes)
{
    static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
    int i = 0;
    for (; bytes >= 1e4 && i < 4; i++)
        bytes /= 1e3;
    rf_buf_printf(out, "%.4g %s", bytes, units[i]);
}

static void put_row(rf_buf *out, const char *what, double bytes)
{
    rf_buf_printf(out, "  %-26s ", what);
    put_bytes(out, bytes);
    rf_buf_puts(out, "\n");
}

/* ---- the picture ---- */

static void put_grid(rf_buf *out, const rf_gemm_shape *shape,
                     const rf_gemm_candidate *c)
{
    rf_buf_puts(out, "  grid:");
    if (shape->batch > 1)
        rf_buf_printf(out, " %lld chains,", (long long)shape->batch);
    for (int d = 0; d < RF_DIMS; d++)
        if (c->schedule.spatial & 1u << d &&
            rf_gemm_trips(shape, c, (rf_dim)d) > 1)
            rf_buf_printf(out, " %c in %lld", names[d],
                          (long long)rf_gemm_trips(shape, c, (rf_dim)d));
    const int *s = c->cluster.size;
    rf_buf_printf(out,
                  "\n  cluster: %d blocks, m %d x n %d x k %d, then l %d\n",
                  rf_gemm_cluster_blocks(&c->cluster), s[0], s[1], s[2], s[3]);
}

static void put_loops(rf_buf *out, const rf_gemm_shape *shape,
                      const rf_gemm_candidate *c)
{
    int depth = 1;
    for (int i = 0; i < c->schedule.n_loops; i++) {
        rf_dim d = c->schedule.order[i];
        long long trips = rf_gemm_trips(shape, c, d);
        if (trips == 1)
            continue;
        rf_buf_fill(out, ' ', (size_t)(2 * depth++));
        rf_buf_printf(out, "for %c in %lld tiles of %lld\n", names[d], trips,
                      (long long)(c->cluster.size[d] * c->tile[d]));
    }
    const int64_t *t = c->tile;
    rf_buf_fill(out, ' ', (size_t)(2 * depth));
    rf_buf_printf(out, "A[%lld,%lld] x B[%lld,%lld] -> C[%lld,%lld]",
                  (long long)t[0], (long long)t[2], (long long)t[2],
                  (long long)t[1], (long long)t[0], (long long)t[1]);
    if (c->cluster.size[RF_DIM_K] > 1)
        rf_buf_printf(out, " -> exchange x %d", c->cluster.size[RF_DIM_K]);
    rf_buf_puts(out, " -> act -> P");
    if (rf_gemm_shuffle(&c->cluster) > 1)
        rf_buf_printf(out, " -> shuffle x %d", rf_gemm_shuffle(&c->cluster));
    rf_buf_printf(out, "\n%*sP x D[%lld,%lld] -> E[%lld,%lld]", 2 * depth, "",
                  (long long)t[1], (long long)t[3], (long long)t[0],
                  (long long)t[3]);
    if (rf_gemm_reduce(&c->cluster) > 1)
        rf_buf_printf(out, " -> scatter x %d", rf_gemm_reduce(&c->cluster));
    rf_buf_puts(out, "\n");
}

static void put_strip(rf_buf *out, const rf_gemm_cost *cost)
{
    static const char *const places[RF_PLACES] = { "registers", "shared memory",
                                                   "distributed shared memory",
                                                   "memory" };
    for (int i = 0; i < RF_PLACES; i++) {
        if (cost->strip[i] <= 0)
            continue;
        rf_buf_printf(out, "  kept in %s: ", places[i]);
        put_bytes(out, cost->strip[i]);
        rf_buf_puts(out, " a block\n");
    }
}

/* ---- the search ---- */

static void put_counts(rf_buf *out, const rf_gemm_plan *plan)
{
    static const char *const rules[] = {
        "candidates",      "tiles divide",      "clusters are consistent",
        "sums before act", "no loop runs once", "fits the block"
    };
    for (int i = 0; i < 6; i++)
        rf_buf_printf(out, "  %-26s %.3g\n", rules[i], plan->left[i]);
}

void rf_gemm_explain(rf_buf *out, const rf_device *device,
                     const rf_gemm_shape *shape, const rf_gemm_plan *plan)
{
    const rf_gemm_cost *cost = &plan->cost;
    rf_buf_printf(out, "m %lld, n %lld, k %lld, l %lld on %s (%s)\n",
                  (long long)shape->size[0], (long long)shape->size[1],
                  (long long)shape->size[2], (long long)shape->size[3],
                  device->arch, device->name);
    if (!plan->found) {
        rf_buf_puts(out, "  no dataflow fits\n");
        return;
    }
    put_grid(out, shape, &plan->best);
    put_loops(out, shape, &plan->best);
    put_strip(out, cost);
    put_row(out, "memory, two kernels", rf_gemm_unfused(shape));
    put_row(out, "memory, fused", cost->dram);
    put_row(out, "memory, at least", rf_gemm_compulsory(shape));
    put_row(out, "L2, fused", cost->global);
    put_row(out, "between blocks", cost->dsm);
    put_row(out, "shared memory", cost->shared);
    rf_buf_printf(out, "  %-26s %.3g us, by %s; two kernels %.3g us\n",
                  "time by the model", cost->time * 1e6, cost->limit,
                  rf_gemm_unfused_time(device, shape) * 1e6);
    if (plan->left[0] > 0)
        put_counts(out, plan);
}
