/* The dataflow analyser: counts, traffic by hand, search against brute
 * force. */
#include "workloads.h"

#include <criterion/criterion.h>
#include <string.h>

static const rf_device *h100(void)
{
    return rf_device_find("sm_90");
}

static rf_gemm_shape shape_of(int64_t m, int64_t n, int64_t k, int64_t l)
{
    return (rf_gemm_shape){ .size = { m, n, k, l },
                            .batch = 1,
                            .firsts = 1,
                            .bytes = 2,
                            .tensor = true };
}

Test(gemm, devices)
{
    cr_assert_str_eq(rf_device_find("sm_90a")->arch, "sm_90");
    cr_assert_str_eq(rf_device_find(NULL)->arch, "sm_90");
    cr_assert_str_eq(rf_device_find("compute_87")->arch, "sm_86");
    cr_assert_str_eq(rf_device_find("sm_120")->arch, "sm_100");
    for (unsigned i = 0; rf_device_at(i); i++) {
        const rf_device *d = rf_device_at(i);
        cr_assert_gt(d->l2, d->dram);
        cr_assert_gt(d->shared, d->l2);
        cr_assert_geq(d->shared_sm, d->shared_block);
        if (d->max_cluster > 1)
            cr_assert_gt(rf_device_dsm(d, 16), 0);
    }
    cr_assert_gt(rf_device_dsm(h100(), 2), rf_device_dsm(h100(), 16));
}

Test(gemm, schedules)
{
    rf_gemm_schedule s[RF_GEMM_SCHEDULES];
    int active = 0;
    cr_assert_eq(rf_gemm_schedules(s), 41);
    for (int i = 0; i < 41; i++) {
        cr_assert_neq(s[i].spatial, 0);
        active += rf_gemm_is_active(&s[i]);
    }
    cr_assert_eq(active, 13);
}

/* 625 tuples, 70 consistent; each block owns one part of E. */
Test(gemm, tuples)
{
    int found = 0;
    for (int i = 0; i < 625; i++) {
        rf_gemm_cluster c = { { 1 << i / 125, 1 << i / 25 % 5, 1 << i / 5 % 5,
                                1 << i % 5 } };
        found += rf_gemm_is_consistent(&c);
    }
    cr_assert_eq(found, 70);
    rf_gemm_cluster all[RF_GEMM_TUPLES];
    cr_assert_eq(rf_gemm_clusters(all), 70);
    for (int i = 0; i < 70; i++) {
        int shuffle = rf_gemm_shuffle(&all[i]),
            reduce = rf_gemm_reduce(&all[i]);
        cr_assert_eq(shuffle * reduce, all[i].size[RF_DIM_N]);
        /* il = ik * shuffle + in mod shuffle, slot in / shuffle: a bijection */
        bool seen[16][16] = { { false } };
        for (int in = 0; in < all[i].size[RF_DIM_N]; in++)
            for (int ik = 0; ik < all[i].size[RF_DIM_K]; ik++) {
                int il = ik * shuffle + in % shuffle, slot = in / shuffle;
                cr_assert_lt(il, all[i].size[RF_DIM_L]);
                cr_assert_lt(slot, reduce);
                cr_assert_not(seen[il][slot]);
                seen[il][slot] = true;
            }
    }
}

/* The published example: 2.75e13 candidates, 1.14e8 with tiles that divide. */
Test(gemm, published_counts)
{
    rf_gemm_shape s = shape_of(256, 16384, 4096, 4096);
    rf_gemm_plan p = rf_gemm_search(h100(), &s, true);
    cr_assert_float_eq(p.left[0], 41.0 * 625 * 1073741824.0, 1);
    cr_assert_float_eq(p.left[1], 41.0 * 625 * 5 * 11 * 9 * 9, 1);
    for (int i = 1; i < 6; i++)
        cr_assert_lt(p.left[i], p.left[i - 1]);
    cr_assert_gt(p.left[5], 0);
}

Test(gemm, rules_multiply)
{
    /* Without divisibility of clusters the second rule leaves 70 / 625. */
    rf_gemm_shape s = shape_of(16 * 16, 16 * 16, 16 * 16, 16 * 16);
    rf_gemm_plan p = rf_gemm_search(h100(), &s, true);
    cr_assert_float_eq(p.left[1], 41.0 * 625 * 5 * 5 * 5 * 5, 1);
    cr_assert_leq(p.left[2], 41.0 * 70 * 5 * 5 * 5 * 5);
    cr_assert_float_eq(p.left[3] * 41, p.left[2] * 13, 1);
}

static rf_gemm_candidate plain(unsigned spatial, int n, const char *order)
{
    rf_gemm_candidate c = { .schedule = { .spatial = spatial, .n_loops = n },
                            .cluster = { { 1, 1, 1, 1 } } };
    for (int i = 0; i < n; i++)
        for (int d = 0; d < RF_DIMS; d++)
            if ("mnkl"[d] == order[i])
                c.schedule.order[i] = (rf_dim)d;
    return c;
}

/* m of the grid, n outside l: A is read once a trip of n, B and D by every
 * cluster, E once; partial E stays in registers. */
Test(gemm, traffic_by_hand)
{
    rf_gemm_shape s = shape_of(128, 512, 256, 192);
    rf_gemm_candidate c = plain(1u << RF_DIM_M, 3, "nkl");
    int64_t tile[] = { 64, 128, 64, 64 };
    for (int d = 0; d < RF_DIMS; d++)
        c.tile[d] = tile[d];
    rf_gemm_cost cost;
    cr_assert(rf_gemm_cost_of(h100(), &s, &c, &cost));
    cr_assert_float_eq(cost.a, 2.0 * 128 * 256 * 4, 0.5);
    cr_assert_float_eq(cost.b, 2.0 * 256 * 512 * 2, 0.5);
    cr_assert_float_eq(cost.d, 2.0 * 512 * 192 * 2, 0.5);
    cr_assert_float_eq(cost.e, 2.0 * 128 * 192, 0.5);
    cr_assert_float_eq(cost.dsm, 0, 0);
    cr_assert_float_eq(cost.strip[RF_AT_REGISTERS], 4.0 * 64 * 192, 0.5);
    cr_assert_eq(cost.blocks, 2);
}

/* l outside n: P is kept instead, A and B are read once for all l. */
Test(gemm, traffic_keeps_p)
{
    rf_gemm_shape s = shape_of(128, 512, 256, 192);
    rf_gemm_candidate c = plain(1u << RF_DIM_M, 3, "lnk");
    int64_t tile[] = { 64, 128, 64, 64 };
    for (int d = 0; d < RF_DIMS; d++)
        c.tile[d] = tile[d];
    rf_gemm_cost cost;
    cr_assert(rf_gemm_cost_of(h100(), &s, &c, &cost));
    cr_assert_float_eq(cost.a, 2.0 * 128 * 256 * 4, 0.5);
    cr_assert_float_eq(cost.b, 2.0 * 256 * 512 * 2, 0.5);
    cr_assert_float_eq(cost.d, 2.0 * 512 * 192 * 2, 0.5);
    cr_assert_float_eq(cost.strip[RF_AT_SHARED], 2.0 * 64 * 512, 0.5);
}

/* Section 9's formulas at cls = (1, 4, 2, 4): shuffle 2, reduce 2. */
Test(gemm, cluster_traffic)
{
    rf_gemm_shape s = shape_of(64, 512, 256, 256);
    rf_gemm_candidate c = plain(1u << RF_DIM_M | 1u << RF_DIM_N, 2, "kl");
    c.cluster = (rf_gemm_cluster){ { 1, 4, 2, 4 } };
    int64_t tile[] = { 64, 128, 128, 64 };
    for (int d = 0; d < RF_DIMS; d++)
        c.tile[d] = tile[d];
    rf_gemm_cost cost;
    cr_assert(rf_gemm_cost_of(h100(), &s, &c, &cost));
    cr_assert_eq(cost.blocks, 8);
    cr_assert_float_eq(cost.exchange, 8.0 * 1 * 64 * 128 * 4, 0.5);
    cr_assert_float_eq(cost.shuffle, 8.0 * 1 * 64 * 128 * 2, 0.5);
    cr_assert_float_eq(cost.scatter, 8.0 * 1 / 2 * 64 * 64 * 4, 0.5);
}

Test(gemm, refuses_early_act)
{
    rf_gemm_shape s = shape_of(64, 64, 64, 64);
    rf_gemm_candidate c = plain(1u << RF_DIM_M, 3, "knl");
    for (int d = 0; d < RF_DIMS; d++)
        c.tile[d] = 16;
    rf_gemm_cost cost;
    cr_assert_not(rf_gemm_cost_of(h100(), &s, &c, &cost));
}

Test(gemm, unfused_and_compulsory)
{
    rf_gemm_shape s = shape_of(128, 512, 32, 256);
    double least = 2.0 * (128 * 32 + 32 * 512 + 512 * 256 + 128 * 256);
    cr_assert_float_eq(rf_gemm_compulsory(&s), least, 0.5);
    cr_assert_float_eq(rf_gemm_unfused(&s), least + 2 * 2.0 * 128 * 512, 0.5);
}

/* ---- the search ---- */

/* Branch and bound finds what brute force finds, on every device. */
Test(gemm, same_optimum_as_brute_force)
{
    static const int64_t sizes[][RF_DIMS] = {
        { 32, 64, 32, 64 },  { 16, 128, 48, 32 }, { 64, 32, 64, 16 },
        { 16, 16, 16, 16 },  { 48, 80, 16, 96 },  { 128, 64, 16, 32 },
        { 16, 256, 32, 128 }
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned d = 0; rf_device_at(d); d++) {
            rf_gemm_shape s =
                shape_of(sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3]);
            s.firsts = 1 + (int)i % 2;
            rf_gemm_plan a = rf_gemm_search(rf_device_at(d), &s, false);
            rf_gemm_plan b = rf_gemm_brute_force(rf_device_at(d), &s);
            cr_assert(a.found && b.found);
            cr_assert_float_eq(a.cost.time, b.cost.time, 0);
            cr_assert_lt(a.evaluated, b.evaluated);
        }
}

/* The bounded search agrees with the full walk; no plan moves less than the
 * compulsory bytes, and none more than two kernels do. */
Test(gemm, workloads, .timeout = 120)
{
    for (size_t i = 0; i < RF_WORKLOADS; i++) {
        const workload *w = &workloads[i];
        rf_gemm_shape s = shape_of(w->m, w->n, w->k, w->l);
        s.firsts = w->firsts;
        rf_gemm_plan a = rf_gemm_search(h100(), &s, false);
        rf_gemm_plan b = rf_gemm_search(h100(), &s, true);
        cr_assert(a.found, "%s", w->name);
        cr_assert_float_eq(a.cost.time, b.cost.time, 0, "%s", w->name);
        cr_assert_geq(a.cost.global, 0.999 * rf_gemm_compulsory(&s), "%s",
                      w->name);
        cr_assert_leq(a.cost.dram, rf_gemm_unfused(&s), "%s", w->name);
        cr_assert_leq(a.cost.time, rf_gemm_unfused_time(h100(), &s), "%s",
                      w->name);
    }
}

Test(gemm, explains)
{
    rf_gemm_shape s = shape_of(128, 3072, 768, 768);
    rf_gemm_plan p = rf_gemm_search(h100(), &s, true);
    rf_buf out = { 0 };
    rf_gemm_explain(&out, h100(), &s, &p);
    const char *text = rf_buf_text(&out);
    cr_assert(strstr(text, "memory, two kernels        11.4"));
    cr_assert(strstr(text, "memory, at least           9830 KB"), "%s", text);
    cr_assert(strstr(text, "exchange") || strstr(text, "scatter"));
    rf_buf_free(&out);
}
