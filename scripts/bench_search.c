/* For every chain of products that the tests know: the time of the search, the
 * dataflow it finds for an H100, and bytes of two kernels, fused, at least. */
#include "../tests/plan/workloads.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put_plan(const rf_gemm_candidate *c)
{
    const int *s = c->cluster.size;
    printf(" %2d,%2d,%2d,%2d  %4lld,%4lld,%4lld,%4lld  ", s[0], s[1], s[2],
           s[3], (long long)c->tile[0], (long long)c->tile[1],
           (long long)c->tile[2], (long long)c->tile[3]);
    for (int d = 0; d < RF_DIMS; d++)
        putchar(c->schedule.spatial & 1u << d ? "MNKL"[d] : '.');
    putchar(' ');
    for (int i = 0; i < c->schedule.n_loops; i++)
        putchar("mnkl"[c->schedule.order[i]]);
}

int main(void)
{
    const rf_device *device = rf_device_find("sm_90");
    printf("%-4s %9s %10s  %-11s  %-19s  %-10s %9s %9s %9s %8s\n", "", "search",
           "looked at", "cluster", "tile mnkl", "grid, loops", "two MB",
           "fused MB", "least MB", "us");
    for (int i = 0; i < RF_WORKLOADS; i++) {
        const workload *w = &workloads[i];
        rf_gemm_shape s = { .size = { w->m, w->n, w->k, w->l },
                            .batch = 1,
                            .firsts = w->firsts,
                            .bytes = 2,
                            .tensor = true };
        double start = now();
        rf_gemm_plan p = rf_gemm_search(device, &s, false);
        double spent = now() - start;
        printf("%-4s %6.1f ms %10llu ", w->name, 1e3 * spent,
               (unsigned long long)p.evaluated);
        put_plan(&p.best);
        printf(" %11.2f %9.2f %9.2f %8.2f\n", rf_gemm_unfused(&s) / 1e6,
               p.cost.dram / 1e6, rf_gemm_compulsory(&s) / 1e6,
               p.cost.time * 1e6);
    }
    return 0;
}
