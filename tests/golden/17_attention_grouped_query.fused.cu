// One decoding step of grouped-query attention: a single query position, many
// query heads share one key/value head, one thread per query head. Scores go
// to a global scratch buffer that nothing reads afterwards.
#include "check.h"

constexpr int kHeadDim = 12;

// scratch: [heads][max_len]; its contents are dead after the kernel
#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void gqa_decode(const float *query, const float *key_cache,
                           const float *value_cache, float *scratch,
                           float *context, int heads, int kv_heads, int len,
                           int max_len)
{
    const int head = blockIdx.x * blockDim.x + threadIdx.x;
    if (head >= heads) return;
    const int kv = head / (heads / kv_heads);

    const float *q = query + head * kHeadDim;
    float *score = scratch + head * max_len;

    for (int pos = 0; pos < len; ++pos) {
        const float *k = key_cache + (pos * kv_heads + kv) * kHeadDim;
        float s = 0.0f;
        for (int d = 0; d < kHeadDim; ++d) s += q[d] * k[d];
        score[pos] = s * 0.28867513f;
    }

    float best = -INFINITY;
    for (int pos = 0; pos < len; ++pos) best = fmaxf(best, score[pos]);

    float norm = 0.0f;
    for (int pos = 0; pos < len; ++pos) {
        score[pos] = expf(score[pos] - best);
        norm += score[pos];
    }

    for (int d = 0; d < kHeadDim; ++d) context[head * kHeadDim + d] = 0.0f;
    for (int pos = 0; pos < len; ++pos) {
        const float w = score[pos] / norm;
        const float *v = value_cache + (pos * kv_heads + kv) * kHeadDim;
        for (int d = 0; d < kHeadDim; ++d)
            context[head * kHeadDim + d] += w * v[d];
    }
}
#else  // rf: fused, 4 passes -> 2, rescaled, proof 13/13, HASH; do not edit
__global__ void gqa_decode(const float *query, const float *key_cache,
                           const float *value_cache, float *scratch,
                           float *context, int heads, int kv_heads, int len,
                           int max_len)
{
    const int head = blockIdx.x * blockDim.x + threadIdx.x;
    if (head >= heads) return;
    const int kv = head / (heads / kv_heads);

    const float *q = query + head * kHeadDim;
    float *score = scratch + head * max_len;

    float best = -INFINITY;
    float norm = 0.0f;
    float context_acc[kHeadDim];
    for (int d = 0; d < kHeadDim; ++d)
        context_acc[d] = 0.0f;
    // norm, context_acc: relative to the best so far, rescaled when it moves
    for (int pos = 0; pos < len; ++pos) {
        const float best_old = best;
        float s = 0.0f;
        for (int d = 0; d < kHeadDim; ++d)
            s += q[d] * key_cache[(pos * kv_heads + kv) * kHeadDim + d];
        const float t = s * 0.28867513f;
        best = fmaxf(best, t);
        if (best != best_old) {
            const float e = expf(best_old - best);
            norm *= e;
            for (int d = 0; d < kHeadDim; ++d)
                context_acc[d] *= e;
        }
        const float t_2 = t == -INFINITY ? 0.0f : expf(t - best);
        norm += t_2;
        for (int d = 0; d < kHeadDim; ++d)
            context_acc[d] += t_2 *
                              value_cache[(pos * kv_heads + kv) * kHeadDim + d];
        score[pos] = t;
    }
    if (len > 0) {
        for (int d = 0; d < kHeadDim; ++d)
            context_acc[d] /= norm;
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (len > 0 && best == -INFINITY) {
        norm = NAN;
        for (int d = 0; d < kHeadDim; ++d)
            context_acc[d] = NAN;
    }
    for (int pos = 0; pos < len; ++pos)
        score[pos] = expf(score[pos] - best);
    for (int d = 0; d < kHeadDim; ++d)
        context[head * kHeadDim + d] = context_acc[d];
}
#endif // rf

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int heads = 72, groups = 18, max_len = 40, D = kHeadDim;
    for (int len : check::lengths(o, 37)) {
        for (int turn = 0; turn < 3; turn++) {
            size_t cache = (size_t)len * groups * D;
            check::Array<float> q(heads * D), k(cache), v(cache);
            check::Array<float> scratch(heads * max_len), out(heads * D);
            check::fill(q, D, o.only(turn == 0), check::SCORES);
            check::fill(k, D, o.only(turn == 1), check::SCORES);
            check::fill(v, D, o.only(turn == 2), check::SCORES);
            std::vector<double> want;
            for (int h = 0; h < heads; h++) {
                int g = h / (heads / groups);
                std::vector<double> p(len);
                for (int t = 0; t < len; t++) {
                    Real s = 0;
                    for (int d = 0; d < D; d++)
                        s += q[h * D + d] * k[(t * groups + g) * D + d];
                    p[t] = Real(s * 0.28867513);
                }
                p = check::softmax(p);
                for (int d = 0; d < D; d++) {
                    Real acc = 0;
                    for (int t = 0; t < len; t++)
                        acc += p[t] * v[(t * groups + g) * D + d];
                    want.push_back(acc);
                }
            }
            gqa_decode<<<3, 32>>>(q.upload(), k.upload(), v.upload(),
                                  scratch.upload(), out.upload(), heads, groups,
                                  len, max_len);
            out.download();
            check::expect("context", out, want, 2e-4, 1);
        }
    }
    return check::pass();
}
