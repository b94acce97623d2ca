/* The ranking of schedules for rows: what fits, what it moves, what wins. */
#include "plan/levels.h"

#include <criterion/criterion.h>

static rf_level_choice all[RF_LEVEL_CHOICES];

static unsigned rank(const char *arch, int64_t rows, int64_t length)
{
    const rf_row_work softmax = { .rows = rows,
                                  .length = length,
                                  .streamed = 12,
                                  .least = 8,
                                  .words = 1,
                                  .source_reads = 3,
                                  .fused_reads = 2,
                                  .may_keep = true };
    return rf_levels_rank(rf_device_find(arch), &softmax, all);
}

static bool has(unsigned n, rf_level level, bool kept)
{
    for (unsigned i = 0; i < n; i++)
        if (all[i].level == level && all[i].is_kept == kept)
            return true;
    return false;
}

Test(levels, a_kept_row_moves_the_compulsory_bytes)
{
    cr_assert(rank("sm_90", 4096, 4096) > 5);
    cr_assert(all[0].is_kept);
    cr_assert_float_eq(all[0].row_bytes, 2 * 4 * 4096, 0);
}

Test(levels, long_rows_need_more_registers)
{
    unsigned n = rank("sm_90", 64, 4096);
    cr_assert(!has(n, RF_LEVEL_WARP, true));
    cr_assert(has(n, RF_LEVEL_BLOCK, true));
    n = rank("sm_90", 64, 65536);
    cr_assert(!has(n, RF_LEVEL_BLOCK, true));
    cr_assert(has(n, RF_LEVEL_CLUSTER, true));
    n = rank("sm_90", 64, 1 << 22);
    cr_assert(!has(n, RF_LEVEL_CLUSTER, true));
    cr_assert(has(n, RF_LEVEL_CLUSTER, false));
}

Test(levels, no_clusters_before_sm_90)
{
    unsigned n = rank("sm_80", 64, 65536);
    cr_assert(!has(n, RF_LEVEL_CLUSTER, false));
    cr_assert(!has(n, RF_LEVEL_CLUSTER, true));
}

Test(levels, few_rows_take_wide_teams_and_many_short_ones_narrow)
{
    rank("sm_90", 8, 65536);
    cr_assert(all[0].level == RF_LEVEL_CLUSTER);
    rank("sm_90", 1 << 20, 128);
    cr_assert(all[0].level <= RF_LEVEL_WARP);
}

Test(levels, the_best_comes_first)
{
    unsigned n = rank("sm_90", 1000, 1000);
    for (unsigned i = 1; i < n; i++)
        cr_assert(all[i - 1].seconds <= all[i].seconds);
}

Test(levels, explains_five)
{
    const rf_row_work w = { 4096, 1024, 4, 4, 1, 2, 1, true, false };
    rf_buf out = { 0 };
    rf_levels_explain(&out, rf_device_find("sm_90"), &w);
    unsigned lines = 0;
    for (const char *c = rf_buf_text(&out); *c; c++)
        lines += *c == '\n';
    cr_assert(lines == 2 + 2 + 5 + 1, "%s", rf_buf_text(&out));
    rf_buf_free(&out);
}

Test(levels, what_has_no_bound_is_not_kept_and_what_has_no_merge_not_streamed)
{
    rf_row_work w = { 64, 1024, 4, 4, 0, 2, 1, false, false };
    unsigned n = rf_levels_rank(rf_device_find("sm_90"), &w, all);
    cr_assert(n && !has(n, RF_LEVEL_BLOCK, true));
    w.may_keep = true;
    w.fused_reads = 0;
    n = rf_levels_rank(rf_device_find("sm_90"), &w, all);
    cr_assert(n && !has(n, RF_LEVEL_BLOCK, false));
    cr_assert(!has(n, RF_LEVEL_THREAD, false));
}
