/* The mutation campaign: single changes of generated code, each of which the
 * proof must reject. A few changes mean the same; they are listed by kind.
 *
 * RF_MUTANTS=all runs every mutant and prints the survivors; otherwise one in
 * a few is run (scripts/mutate.sh). */
#include "mutate.h"
#include "subject.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const files[] = {
    "samples/01_softmax_rows.cu",
    "samples/02_softmax_in_place.cu",
    "samples/03_softmax_first_element.cu",
    "samples/04_softmax_strided_temperature.cu",
    "samples/05_softmax_literal_sizes.cu",
    "samples/06_softmax_one_thread_blocks.cu",
    "samples/07_cross_entropy.cu",
    "samples/08_layernorm_forward.cu",
    "samples/10_rmsnorm_matvec.cu",
    "samples/11_variance.cu",
    "samples/13_log_softmax.cu",
    "samples/14_attention.cu",
    "samples/17_attention_grouped_query.cu",
    "samples/18_attention_half.cu",
    "samples/19_attention_weight_helper.cu",
    "samples/20_attention_thread_zero.cu",
    "samples/24_moment_of_inertia.cu",
    "samples/40_softmax_warp_groups.cu",
    "samples/42_softmax_block_tree.cu",
    "samples/43_softmax_block_slots.cu",
    "samples/46_softmax_rows_in_place.cu",
    "samples/50_softmax_warp_a_row.cu",
    "samples/51_cross_entropy_block_a_row.cu",
};

/* Changes that mean the same: "path" and "what" are parts of the file's name
 * and of what the mutant says. */
#define MAP                                                                    \
    "the map divides exp(-inf - -inf) = NaN by the sum, whatever that is"
#define OLD    "the maximum has not moved yet: old and new are one"
#define FINITE "the maximum begins finite: a factor exp(0) = 1 more"
#define OTHER  "where the other state moves, the maximum stays"
#define DEAD   "the array is not read after the region"
static const struct {
    const char *path, *what, *reason;
} equivalent[] = {
    { "01_softmax_rows", "top == -INFINITY)", MAP },
    { "01_softmax_rows", "total = NAN;", MAP },
    { "03_softmax_first", "max_val == -INFINITY)", MAP },
    { "03_softmax_first", "sum = NAN;", MAP },
    { "04_softmax_strided", "hi == -INFINITY)", MAP },
    { "04_softmax_strided", "z = NAN;", MAP },
    { "05_softmax_literal", "if (mx == -INFINITY)", MAP },
    { "05_softmax_literal", "total = NAN;", MAP },
    { "20_attention_thread", "max_val == -INFINITY)", MAP },
    { "20_attention_thread", "sum = NAN;", MAP },
    { "02_softmax_in_place", "fmaxf(max_val_old, ", OLD },
    { "05_softmax_literal", "max(mx_old, ", OLD },
    { "07_cross_entropy", "fmaxf(peak_old, ", OLD },
    { "13_log_softmax", "max(t_old, ", OLD },
    { "14_attention", "fmaxf(m_old, ", OLD },
    { "17_attention", "fmaxf(best_old, ", OLD },
    { "02_softmax_in_place", "if (max_val != max_val_old)  ->  ", FINITE },
    { "13_log_softmax", "if (t != t_old)  ->  ", FINITE },
    { "14_attention", "dot", DEAD },
    { "14_attention", "float acc[1 + HEAD_DIM]", "one element too many" },
    { "14_attention", "m == -INFINITY)", "acc / l is 0 / 0 without it" },
    { "14_attention", "l = NAN;", "acc / l is 0 / 0 without it" },
    { "17_attention", "float context_acc[1 + kHeadDim]", "one too many" },
    { "17_attention", "best == -INFINITY)", "0 / 0 without it" },
    { "17_attention", "= NAN;", "0 / 0 without it" },
    { "18_attention", "mx == -INFINITY)", "0 / 0 without it" },
    { "18_attention", "= NAN;", "0 / 0 without it" },
    { "14_attention", "acc[d] = NAN;", "0 / 0 without it" },
    { "19_attention", "s += q[d] * K[t * DIM + d];", DEAD },
    { "19_attention", "float s = 0;", DEAD },
    { "11_variance", "mean_so_far = 1;", "the first step sets it anew" },
    { "08_layernorm", "avg_so_far = 1.0f;", "the first step sets it anew" },
    { "24_moment", "so_far = 1.0f;", "the first step sets it anew" },
    { "24_moment", "so_far_2 = 1.0f;", "the first step sets it anew" },
    { "24_moment", "so_far_3 = 1.0f;", "the first step sets it anew" },
    { "24_moment", "c.x = 0.0f;", "make_float3(0, 0, 0) has set it" },
    { "24_moment", "c.y = 0.0f;", "make_float3(0, 0, 0) has set it" },
    { "24_moment", "c.z = 0.0f;", "make_float3(0, 0, 0) has set it" },
    /* these two do not mean the same: no run holds such values, execution is
     * the net for them */
    { "18_attention", "s == -INFINITY ? 1.f", "left to execution" },
    { "19_attention", "if (len >= 0 && max_score", "left to execution" },
    { "06_softmax_one", "if (row_p >= m)", FINITE },
    { "samples/4", "fmaxf(top_old, ", OLD },
    { "samples/4", "== -INFINITY)", MAP },
    { "samples/4", "total = NAN;", MAP },
    { "samples/4", "% 32 == 0) {", "the lanes of a warp hold one state" },
    { "samples/4", "_warp[1 + 4];", "one element too many" },
    { "samples/4", "_warp[1 + 8];", "one element too many" },
    { "46_softmax_rows", "if (top != top_old)  ->  ", FINITE },
    { "50_softmax_warp", "m == -INFINITY)", MAP },
    { "50_softmax_warp", "sum = NAN;", MAP },
    { "50_softmax_warp", "fmaxf(m_old, ", OLD },
    { "50_softmax_warp", "if (m_old != m_other)", OTHER },
    { "50_softmax_warp", "expf(m_other - m_old)", OTHER },
    { "51_cross_entropy", "fmaxf(top_old, ", OLD },
    { "51_cross_entropy", "% 32 == 0) {", "a warp holds one state" },
    { "51_cross_entropy", "_warp[1 + 4];", "one element too many" },
};

static bool is_equivalent(const char *path, const mutant *m)
{
    for (size_t i = 0; i < RF_COUNTOF(equivalent); i++)
        if (strstr(path, equivalent[i].path) &&
            strstr(m->what, equivalent[i].what))
            return true;
    return false;
}

typedef struct {
    unsigned run, killed, survived;
} score;

static void run_mutant(const subject *s, const char *path, const mutant *m,
                       bool all, score *sum)
{
    rf_arena *arena = rf_arena_new();
    rf_proof proof;
    subject_prove(s, arena, m->text, &proof);
    sum->run++;
    if (proof.failed) {
        sum->killed++;
        if (all)
            fprintf(stderr, "killed    %-5s %s: %s\n", proof.failed->equation,
                    path, m->what);
    } else if (is_equivalent(path, m)) {
        sum->survived++;
    } else {
        fprintf(stderr, "survived  %s: %s: %s\n", path, m->kind, m->what);
        cr_expect_fail("%s survives: %s", path, m->what);
    }
    rf_proof_free(&proof);
    rf_arena_free(arena);
}

static void run_file(const char *path, unsigned every, bool all, score *sum)
{
    subject s;
    mutants list = { 0 };
    subject_open(&s, path);
    if (s.is_fused)
        mutate(s.arena, s.part.text, &list);
    for (size_t i = sum->run % every; i < list.list.len; i += every)
        run_mutant(&s, path, &list.list.data[i], all, sum);
    RF_CLEAR(list.list);
    subject_close(&s);
}

/* Lanes take longer: fewer of these in the quick run. */
static bool is_team(const char *path)
{
    return !strncmp(path, "samples/4", 9) || !strncmp(path, "samples/5", 9);
}

Test(mutants, are_rejected)
{
    const char *wish = getenv("RF_MUTANTS");
    bool all = wish && !strcmp(wish, "all");
    score sum = { 0 };
    for (size_t i = 0; i < RF_COUNTOF(files); i++)
        if (all || !wish || strstr(files[i], wish))
            run_file(files[i],
                     all || wish         ? 1
                     : is_team(files[i]) ? 61
                                         : 17,
                     all || wish, &sum);
    fprintf(stderr, "%u mutants: %u rejected, %u mean the same\n", sum.run,
            sum.killed, sum.survived);
    cr_expect(sum.run > 0);
}
