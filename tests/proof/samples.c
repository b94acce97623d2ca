/* What the tool emits for the samples is proven; single changes by hand, one
 * for each obligation, are not. */
#include "subject.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const fusible[] = {
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
    "samples/17_attention_grouped_query.cu",
    "samples/18_attention_half.cu",
    "samples/19_attention_weight_helper.cu",
    "samples/20_attention_thread_zero.cu",
    "samples/24_moment_of_inertia.cu",
    "samples/40_softmax_warp_groups.cu",
    "samples/42_softmax_block_tree.cu",
    "samples/43_softmax_block_slots.cu",
    "samples/44_softmax_whole_vector.cu",
    "samples/45_cross_entropy_block.cu",
    "samples/46_softmax_rows_in_place.cu",
};

Test(samples, are_proven)
{
    for (size_t i = 0; i < RF_COUNTOF(fusible); i++) {
        subject s;
        subject_open(&s, fusible[i]);
        cr_expect(s.is_fused, "%s is not fused: %s", fusible[i],
                  s.diags->list.len ? s.diags->list.data[0].text : "");
        if (s.is_fused) {
            rf_proof proof;
            subject_prove(&s, s.arena, s.part.text, &proof);
            cr_expect(!proof.failed, "%s: %s in\n%s", fusible[i],
                      proof.failed ? proof.failed->text : "", s.part.text);
            cr_expect(proof.n_proven > 0);
            rf_proof_free(&proof);
        }
        subject_close(&s);
    }
}

static const char *replace(rf_arena *arena, const char *text, const char *from,
                           const char *to)
{
    const char *at = strstr(text, from);
    return at ? rf_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to,
                                at + strlen(from))
              : NULL;
}

static const struct {
    const char *path, *from, *to, *equation;
} changes[] = {
    /* the rescale is lost */
    { "samples/13_log_softmax.cu", "s *= expf(t_old - t);", ";", "T-9" },
    /* it goes the wrong way */
    { "samples/13_log_softmax.cu", "expf(t_old - t)", "expf(t - t_old)",
      "T-9" },
    /* terms are relative to the old maximum */
    { "samples/13_log_softmax.cu", "expf(a_j - t)", "expf(a_j - t_old)",
      "T-9" },
    /* the sum begins with 1 */
    { "samples/13_log_softmax.cu", "float s = 0;", "float s = 1;", "T-4" },
    /* the loop ends one early */
    { "samples/13_log_softmax.cu", "j < n; j++) {", "j < n - 1; j++) {",
      "T-4" },
    /* another element is stored */
    { "samples/13_log_softmax.cu",
      "b[i * n + j] =", "b[i * n + j + 1] =", "D3" },
    { "samples/13_log_softmax.cu", "logf(s) + t", "logf(s) - t", "T-4" },
    /* teams: the state of the other lanes is not brought to the maximum */
    { "samples/42_softmax_block_tree.cu",
      "total_other *= expf(top_other - top);", ";", "T-6" },
    { "samples/42_softmax_block_tree.cu",
      "total *= expf(top_old - top);\n"
      "        if (top != top_other)",
      ";\n        if (top != top_other)", "T-6" },
    /* lanes 16 to 31 are not asked */
    { "samples/42_softmax_block_tree.cu", "offset = 16", "offset = 8", "team" },
    /* the mask leaves lanes out */
    { "samples/42_softmax_block_tree.cu", "0xffffffff", "0x0000ffff", "text" },
    /* slots are read before they are written */
    { "samples/42_softmax_block_tree.cu", "__syncthreads();", ";", "text" },
    { "samples/42_softmax_block_tree.cu", "warp = 1", "warp = 2", "team" },
    { "samples/42_softmax_block_tree.cu", "warp = 1", "warp = 0", "T-6" },
    { "samples/42_softmax_block_tree.cu", "blockDim.x / 32; ++warp",
      "blockDim.x / 64; ++warp", "team" },
    { "samples/42_softmax_block_tree.cu", "top_warp[threadIdx.x / 32]",
      "top_warp[threadIdx.x / 64]", "text" },
    /* lanes without elements bring something in */
    { "samples/42_softmax_block_tree.cu", "float total = 0.0f;",
      "float total = 1.0f;", "T-3" },
    /* the next row writes slots that are still read */
    { "samples/46_softmax_rows_in_place.cu",
      "        // before the shared "
      "states are used again\n        __syncthreads();",
      ";", "team" },
    /* the next row is read before all lanes have stored: a fence waits for
     * nobody, a shuffle says nothing about memory */
    { "samples/53_log_softmax_rows_in_turn.cu", "__syncwarp();", ";", "D4" },
    { "samples/53_log_softmax_rows_in_turn.cu", "__syncwarp();",
      "__threadfence_block();", "D4" },
    { "samples/53_log_softmax_rows_in_turn.cu", "__syncwarp();",
      "(void)__shfl_sync(0xffffffff, lane, 0);", "D4" },
    /* slots behind the end of the array */
    { "samples/56_layer_norm_read_once.cu", "x_row[16];", "x_row[15];", "D1" },
    /* rows in registers: too few slots, two lanes with one element, a lane's
     * own slot for an element, an element too many, one slot for all, no room
     * for what the author did not assume, a stop that is not due */
    { "samples/56_layer_norm_read_once.cu", "k < 16", "k < 8", "D1" },
    { "samples/56_layer_norm_read_once.cu", "k * 128;", "k * 64;", "D1" },
    { "samples/56_layer_norm_read_once.cu", "= lane + k", "= lane / 2 + k",
      "D1" },
    { "samples/56_layer_norm_read_once.cu", "= row[c]", "= row[k]", "D1" },
    { "samples/56_layer_norm_read_once.cu", "(c < channels)\n            mean",
      "(c <= channels)\n            mean", "D1" },
    { "samples/56_layer_norm_read_once.cu", "mean += x_row[k]",
      "mean += x_row[0]", "D3" },
    { "samples/56_layer_norm_read_once.cu", "x_row[k] - mean;",
      "x_row[k ^ 1] - mean;", "D1" },
    { "samples/56_layer_norm_read_once.cu", "if (channels > 2048)",
      "if (channels > 2049)", "D1" },
    { "samples/56_layer_norm_read_once.cu", "__trap();", ";", "D1" },
    { "samples/56_layer_norm_read_once.cu", "if (channels > 2048)",
      "if (channels > 1999)", "D1" },
    /* two versions: the test leaves a part of an object out, or asks for
     * something else as well; the second one is not the author's; threads of
     * a block disagree; a size may be negative */
    { "tests/fusible/147_pointers_may_overlap.cu",
      "x + threadIdx.x * n + n <=", "x + threadIdx.x * n <=", "D4" },
    { "tests/fusible/147_pointers_may_overlap.cu", "n <= out", "n - 1 <= out",
      "D4" },
    { "tests/fusible/147_pointers_may_overlap.cu", " ||", " || n > 4 ||",
      "D4" },
    { "tests/fusible/147_pointers_may_overlap.cu", "s += out[i];",
      "s += out[0];", "text" },
    { "tests/fusible/147_pointers_may_overlap.cu", "m = fmaxf(m, x[i]);",
      "m = fmaxf(x[i], m);", "text" },
    { "tests/fusible/150_three_may_overlap.cu", ") &&", ") ||", "D4" },
    { "tests/collectives/64_rows_may_overlap.cu", "x + n <= y",
      "x + threadIdx.x <= y", "text" },
    { "tests/collectives/64_rows_may_overlap.cu", "(x + n <= y || y + n <= x)",
      "((x + n <= y || y + n <= x) && threadIdx.x < 64)", "text" },
    { "tests/fusible/151_columns_may_overlap.cu", "stride >= 0 &&", "", "D4" },
    /* -inf - -inf in the first step */
    { "samples/07_cross_entropy.cu", "row_k == -INFINITY ? 0.0f : ", "",
      "T-7" },
    { "samples/07_cross_entropy.cu", "if (peak != peak_old)", "", "T-7" },
    /* inf * 0 where the first element is large */
    { "tests/fusible/100_shift_skewness.cu",
      "i / (t * t) * delta * delta * delta",
      "delta * delta * delta * (i / (t * t))", "T-7" },
    /* the factor is left out */
    { "samples/10_rmsnorm_matvec.cu", "acc *= 1.0f / ", "acc *= ", "T-4" },
};

Test(samples, changed_by_hand_are_not)
{
    for (size_t i = 0; i < RF_COUNTOF(changes); i++) {
        subject s;
        subject_open(&s, changes[i].path);
        const char *text = s.is_fused ? replace(s.arena, s.part.text,
                                                changes[i].from, changes[i].to)
                                      : NULL;
        cr_expect(text, "'%s' is not in %s", changes[i].from, changes[i].path);
        if (text) {
            rf_proof proof;
            subject_prove(&s, s.arena, text, &proof);
            cr_expect(proof.failed, "'%s' was proven", changes[i].to);
            if (proof.failed)
                cr_expect_str_eq(proof.failed->equation, changes[i].equation,
                                 "%s: %s", changes[i].from, proof.failed->text);
            rf_proof_free(&proof);
        }
        subject_close(&s);
    }
}

/* Launches with too few or too many teams, or blocks that are no teams. */
static const struct {
    const char *path, *from, *to;
} launches[] = {
    { "samples/50_softmax_warp_a_row.cu", "* 32", "* 16" },
    { "samples/50_softmax_warp_a_row.cu", "* 32", "+ 32" },
    { "samples/50_softmax_warp_a_row.cu", "(N + ", "(C + " },
    { "samples/50_softmax_warp_a_row.cu", "threads - 1", "threads" },
    { "samples/53_log_softmax_rows_in_turn.cu", ", 32", ", 64" },
    { "samples/54_rms_norm_blocks_of_one.cu", "(N)", "(N - 1)" },
    { "samples/54_rms_norm_blocks_of_one.cu", "(N)", "(N * 2)" },
    { "samples/54_rms_norm_blocks_of_one.cu", ", 256", ", 128" },
};

static bool change_launch(subject *s, const char *from, const char *to)
{
    for (size_t i = 0; i < s->edits.len; i++) {
        const char *text =
            s->edits.data[i].end > s->part.end
                ? replace(s->arena, s->edits.data[i].text, from, to)
                : NULL;
        if (!text)
            continue;
        s->edits.data[i].text = text;
        return true;
    }
    return false;
}

Test(samples, launched_otherwise_are_not)
{
    for (size_t i = 0; i < RF_COUNTOF(launches); i++) {
        subject s;
        subject_open(&s, launches[i].path);
        cr_assert(s.is_fused);
        cr_expect(change_launch(&s, launches[i].from, launches[i].to),
                  "'%s' is not in the launch of %s", launches[i].from,
                  launches[i].path);
        rf_proof proof;
        subject_prove(&s, s.arena, s.part.text, &proof);
        cr_expect(proof.failed, "'%s' was proven", launches[i].to);
        rf_proof_free(&proof);
        subject_close(&s);
    }
}
