/* The mutation campaign: single changes of generated code, each of which the
 * proof must reject. A few changes mean the same; they are listed by kind.
 *
 * RF_MUTANTS=all runs every mutant and prints the survivors; otherwise one in
 * a few is run (scripts/mutate.sh). RF_MUTANTS_OUT=DIR gets the programs that
 * are left to execution, the second net: all survivors, and the mutants of
 * samples that are not proven in full. Its list.txt says what each is. */
#include "file.h"
#include "mutate.h"
#include "subject.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Their teams are not proven in this form; chains are in chain.c. */
static const char *const executed[] = {
    "41_softmax_warp_cub",
    "52_softmax_cluster_a_row",
    "55_log_sum_exp_sixteen_blocks",
    "57_mean_deviation_read_once",
};

static const char *const files[] = {
    "samples/01_softmax_rows.cu",
    "samples/02_softmax_in_place.cu",
    "samples/03_softmax_first_element.cu",
    "samples/04_softmax_strided_temperature.cu",
    "samples/05_softmax_literal_sizes.cu",
    "samples/06_softmax_one_thread_blocks.cu",
    "samples/07_cross_entropy.cu",
    "samples/08_layernorm_forward.cu",
    "samples/09_layernorm_one_accumulator.cu",
    "samples/10_rmsnorm_matvec.cu",
    "samples/11_variance.cu",
    "samples/12_mean_deviation.cu",
    "samples/13_log_softmax.cu",
    "samples/14_attention.cu",
    "samples/15_attention_causal.cu",
    "samples/16_attention_window.cu",
    "samples/17_attention_grouped_query.cu",
    "samples/18_attention_half.cu",
    "samples/19_attention_weight_helper.cu",
    "samples/20_attention_thread_zero.cu",
    "samples/22_sum_plus_sum.cu",
    "samples/23_column_statistics.cu",
    "samples/24_moment_of_inertia.cu",
    "samples/25_attention_causal_rows.cu",
    "samples/26_attention_window_rows.cu",
    "samples/40_softmax_warp_groups.cu",
    "samples/42_softmax_block_tree.cu",
    "samples/43_softmax_block_slots.cu",
    "samples/44_softmax_whole_vector.cu",
    "samples/45_cross_entropy_block.cu",
    "samples/46_softmax_rows_in_place.cu",
    "samples/50_softmax_warp_a_row.cu",
    "samples/51_cross_entropy_block_a_row.cu",
    "samples/53_log_softmax_rows_in_turn.cu",
    "samples/54_rms_norm_blocks_of_one.cu",
    "samples/56_layer_norm_read_once.cu",
};

/* Changes that mean the same: "path" and "what" are parts of the file's name
 * and of what the mutant says. */
#define MAP                                                                    \
    "the map divides exp(-inf - -inf) = NaN by the sum, whatever that is"
#define OLD    "the maximum has not moved yet: old and new are one"
#define FINITE "the maximum begins finite: a factor exp(0) = 1 more"
#define OTHER  "where the other state moves, the maximum stays"
#define UNUSED "it only says that the value is not used"
/* these do not mean the same: no run of the proof has such values */
#define LEFT "left to execution"
#define DEAD "the array is not read after the region"
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
    { "18_attention", "s == -INFINITY ? 1.f", LEFT },
    { "19_attention", "if (len >= 0 && max_score", "there is a key" },
    { "12_mean_dev", "mean_so_far = 1", LEFT },
    { "04_softmax_strided", "in_k == INFINITY", LEFT },
    { "04_softmax_strided", "in_k >= hi", LEFT },
    { "43_softmax_block", "== -INFINITY ? 1.0f", LEFT },
    { "44_softmax_whole", "== -INFINITY ? 1.0f", LEFT },
    { "44_softmax_whole", "_warp[1 + 2];", "one element too many" },
    { "14_attention.", "(void)p;  ->  ;", UNUSED },
    { "15_attention", "score_2 >= biggest", FINITE },
    { "15_attention", "float out_acc[1 + HS]", "one element too many" },
    { "16_attention", "float acc[1 + D]", "one element too many" },
    { "16_attention", "fmaxf(row_max_old, ", OLD },
    { "16_attention", "if (row_max != row_max_old) {", FINITE },
    { "23_column", "st.mean = 0.0f;  ->  ;", "{ 0, 0 } has set it" },
    { "23_column", "st.dev = 0.0f;  ->  ;", "{ 0, 0 } has set it" },
    { "23_column", "mean_so_far = 1.0f;", "the first step sets it anew" },
    { "25_attention", "== INFINITY) {", "acc / l is 0 / 0 without it" },
    { "25_attention", "if (false) {", "acc / l is 0 / 0 without it" },
    { "25_attention", "l = 0;", "acc / l is 0 / 0 without it" },
    { "25_attention", "l = NAN;  ->  ;", "acc / l is 0 / 0 without it" },
    { "25_attention", "acc[d] = NAN;", "acc / l is 0 / 0 without it" },
    { "25_attention", "acc[1 + HEAD_DIM]", "one element too many" },
    { "25_attention", "fmaxf(m_old, ", OLD },
    { "25_attention", "(void)p;  ->  ;", UNUSED },
    { "25_attention", "if (qi >= 0) {  ->  {", "no row has a number below 0" },
    { "26_attention", "float acc[1 + D]", "one element too many" },
    { "26_attention", "fmaxf(top_old, ", OLD },
    { "26_attention", "if (top != top_old) {", FINITE },
    { "26_attention", "(void)w;  ->  ;", UNUSED },
    { "40_softmax", "__syncwarp();  ->  ;", "nothing follows it" },
    { "45_cross", "row_v >= m", FINITE },
    { "45_cross", "fmaxf(m_old, m_other)", OTHER },
    { "45_cross", "(void)&top;", UNUSED },
    { "45_cross", "s = s_warp[0];  ->  ;", "thread 0 alone uses it: its own" },
    { "45_cross", "__syncthreads();  ->  ;", "the last one: nothing follows" },
    { "06_softmax_one", "if (row_p >= m)", FINITE },
    { "samples/4", "fmaxf(top_old, ", OLD },
    { "samples/4", "== -INFINITY)", MAP },
    { "samples/4", "total = NAN;", MAP },
    { "samples/4", "% 32 == 0) {", "the lanes of a warp hold one state" },
    { "samples/4", "_warp[1 + 4];", "one element too many" },
    { "samples/4", "_warp[1 + 8];", "one element too many" },
    { "samples/4", "if (top_old != top_other)", OTHER },
    { "samples/4", "expf(top_other - top_old)", OTHER },
    { "46_softmax_rows", "if (top != top_old)  ->  ", FINITE },
    { "50_softmax_warp", "m == -INFINITY)", MAP },
    { "50_softmax_warp", "sum = NAN;", MAP },
    { "50_softmax_warp", "fmaxf(m_old, ", OLD },
    { "50_softmax_warp", "if (m_old != m_other)", OTHER },
    { "50_softmax_warp", "expf(m_other - m_old)", OTHER },
    { "51_cross_entropy", "if (top_old != top_other)", OTHER },
    { "51_cross_entropy", "expf(top_other - top_old)", OTHER },
    { "51_cross_entropy", "fmaxf(top_old, ", OLD },
    { "51_cross_entropy", "% 32 == 0) {", "a warp holds one state" },
    { "51_cross_entropy", "_warp[1 + 4];", "one element too many" },
    { "53_log_softmax", "m == -INFINITY)", MAP },
    { "53_log_softmax", "&& m == INFINITY)", MAP },
    { "53_log_softmax", "sum = NAN;", MAP },
    { "53_log_softmax", "fmaxf(m_old, ", OLD },
    { "53_log_softmax", "if (m_old != m_other)", OTHER },
    { "53_log_softmax", "expf(m_other - m_old)", OTHER },
    { "56_layer_norm", "[1 + ", "one element too many" },
    { "56_layer_norm", "if (channels >= 2048)", "2048 was not assumed" },
    { "56_layer_norm", "if (threadIdx.x % ", "a warp holds one state" },
};

static const char *reason_for(const char *path, const mutant *m)
{
    for (size_t i = 0; i < RF_COUNTOF(equivalent); i++)
        if (strstr(path, equivalent[i].path) &&
            strstr(m->what, equivalent[i].what))
            return equivalent[i].reason;
    return NULL;
}

typedef struct {
    unsigned run, killed, survived;
} score;

/* Leave the program "text" to execution. */
static void keep(rf_arena *arena, const char *path, const mutant *m,
                 const char *reason, const char *text)
{
    const char *folder = getenv("RF_MUTANTS_OUT");
    static unsigned n;
    if (!folder)
        return;
    const char *slash = strrchr(path, '/');
    const char *name =
        rf_arena_printf(arena, "%.2s_%u", slash ? slash + 1 : path, n++);
    FILE *f = fopen(rf_arena_printf(arena, "%s/%s.cu", folder, name), "w");
    FILE *list = fopen(rf_arena_printf(arena, "%s/list.txt", folder), "a");
    cr_assert(f && list);
    fputs(text, f);
    fprintf(list, "%s\t%s\t%s\t%s\n", name, m->kind, reason ? reason : "-",
            m->what);
    fclose(f);
    fclose(list);
}

static void keep_survivor(const subject *s, rf_arena *arena, const char *path,
                          const mutant *m)
{
    rf_buf file = { 0 };
    subject_file(s, m->text, &file);
    keep(arena, path, m, reason_for(path, m), rf_buf_text(&file));
    rf_buf_free(&file);
}

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
    } else {
        keep_survivor(s, arena, path, m);
        sum->survived++;
        if (!reason_for(path, m)) {
            fprintf(stderr, "survived  %s: %s: %s\n", path, m->kind, m->what);
            cr_expect(getenv("RF_MUTANTS_OUT"), "%s survives: %s", path,
                      m->what);
        }
    }
    rf_proof_free(&proof);
    rf_arena_free(arena);
}

static void run_file(const char *path, unsigned every, bool all, score *sum)
{
    subject s;
    mutants list = { 0 };
    subject_open(&s, path);
    cr_expect(s.is_fused, "%s is not fused", path);
    if (s.is_fused)
        mutate(s.arena, s.part.text, &list);
    for (size_t i = sum->run % every; i < list.list.len; i += every)
        run_mutant(&s, path, &list.list.data[i], all, sum);
    RF_CLEAR(list.list);
    subject_close(&s);
}

/* Keep the mutants of all generated code in the golden file "name". */
static void keep_golden(const char *name)
{
    static const char head[] = "\n#else  // rf: ", tail[] = "\n#endif // rf";
    rf_arena *arena = rf_arena_new();
    mutants list = { 0 };
    const char *path = rf_arena_printf(arena, "%s/tests/golden/%s.fused.cu",
                                       RF_SOURCE_DIR, name);
    const char *text = read_file(arena, path);
    for (const char *at = text; (at = strstr(at, head)); at++) {
        const char *begin = strchr(at + 1, '\n'), *end = strstr(begin, tail);
        size_t first = list.list.len, n = (size_t)(begin - text);
        mutate(arena, rf_arena_strndup(arena, begin, (size_t)(end - begin)),
               &list);
        for (size_t i = first; i < list.list.len; i++)
            keep(arena, path, &list.list.data[i], NULL,
                 rf_arena_printf(arena, "%.*s%s%s", (int)n, text,
                                 list.list.data[i].text, end));
    }
    cr_expect(list.list.len, "%s has no generated code", path);
    RF_CLEAR(list.list);
    rf_arena_free(arena);
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
                     : is_team(files[i]) ? 79
                                         : 23,
                     all || wish, &sum);
    for (size_t i = 0; i < RF_COUNTOF(executed); i++)
        if (getenv("RF_MUTANTS_OUT"))
            keep_golden(executed[i]);
    fprintf(stderr, "%u mutants: %u rejected by the proof, %u not\n", sum.run,
            sum.killed, sum.survived);
    cr_expect(sum.run > 0);
}
