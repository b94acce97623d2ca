// Causal attention over (batch, time, head) in one buffer of packed q, k, v:
// the loops run to `t2 <= t`, the attention weights are stored for the
// backward pass, and the output accumulates in memory. That `t2 <= t` is a part
// of `t2 < T` rests on T >= 1.
#include "check.h"

#define HS 8 // head size

#pragma rf cascade assume(noalias, T >= 1)
#ifdef RF_REFERENCE
__global__ void causal_attention(const float *qkv, float *att, float *out,
                                 int B, int T, int NH)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x; // one per (b, h, t)
    if (idx >= B * NH * T)
        return;
    int t = idx % T;
    int h = (idx / T) % NH;
    int b = idx / (T * NH);
    int row = 3 * NH * HS;

    const float *q = qkv + (b * T + t) * row + h * HS;
    const float *k0 = qkv + b * T * row + NH * HS + h * HS;
    const float *v0 = k0 + NH * HS;
    float *weights = att + (size_t)idx * T;
    float *o = out + ((b * T + t) * NH + h) * HS;

    float biggest = -10000.0f;
    for (int t2 = 0; t2 <= t; t2++) {
        const float *k = k0 + t2 * row;
        float score = 0.0f;
        for (int i = 0; i < HS; i++) {
            score += q[i] * k[i];
        }
        score *= 0.35355339f;
        if (score > biggest) {
            biggest = score;
        }
        weights[t2] = score;
    }

    float total = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) {
        float w = expf(weights[t2] - biggest);
        total += w;
        weights[t2] = w;
    }
    float inv = total == 0.0f ? 0.0f : 1.0f / total;

    for (int i = 0; i < HS; i++) {
        o[i] = 0.0f;
    }
    for (int t2 = 0; t2 < T; t2++) {
        if (t2 <= t) {
            weights[t2] *= inv;
        } else {
            weights[t2] = 0.0f; // masked
        }
    }
    for (int t2 = 0; t2 <= t; t2++) {
        const float *v = v0 + t2 * row;
        for (int i = 0; i < HS; i++) {
            o[i] += weights[t2] * v[i];
        }
    }
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 15/15, HASH; do not edit
__global__ void causal_attention(const float *qkv, float *att, float *out,
                                 int B, int T, int NH)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x; // one per (b, h, t)
    if (idx >= B * NH * T)
        return;
    int t = idx % T;
    int h = (idx / T) % NH;
    int b = idx / (T * NH);
    int row = 3 * NH * HS;

    const float *q = qkv + (b * T + t) * row + h * HS;
    const float *k0 = qkv + b * T * row + NH * HS + h * HS;
    const float *v0 = k0 + NH * HS;
    float *weights = att + (size_t)idx * T;
    float *o = out + ((b * T + t) * NH + h) * HS;

    for (int t2 = 0; t2 < T; t2++) {
        if (t2 > t)
            weights[t2] = 0.0f;
    }
    float biggest = -10000.0f;
    float total = 0.0f;
    // total: relative to the biggest so far, rescaled when it moves
    for (int t2 = 0; t2 <= t; t2++) {
        float score = 0.0f;
        for (int i = 0; i < HS; i++)
            score += q[i] * k0[t2 * row + i];
        const float score_2 = score * 0.35355339f;
        if (score_2 > biggest) {
            total *= expf(biggest - score_2);
            biggest = score_2;
        }
        total += expf(score_2 - biggest);
        weights[t2] = score_2;
    }
    float inv = total == 0.0f ? 0.0f : 1.0f / total;
    float out_acc[HS];
    for (int i = 0; i < HS; i++)
        out_acc[i] = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) {
        const float t_2 = expf(weights[t2] - biggest) * inv;
        for (int i = 0; i < HS; i++)
            out_acc[i] += t_2 * v0[t2 * row + i];
        weights[t2] = t_2;
    }
    for (int i = 0; i < HS; i++)
        o[i] = out_acc[i];
}
#endif // rf

using check::Real;

static void reference(const check::Array<float> &qkv, int B, int T, int NH,
                      std::vector<double> &att, std::vector<double> &out)
{
    auto at = [&](int part, int b, int h, int t, int i) {
        return qkv[(((b * T + t) * 3 + part) * NH + h) * HS + i];
    };
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++)
            for (int t = 0; t < T; t++) {
                double m = -10000;
                std::vector<double> p(t + 1);
                for (int j = 0; j <= t; j++) {
                    Real dot = 0;
                    for (int i = 0; i < HS; i++)
                        dot += at(0, b, h, t, i) * at(1, b, h, j, i);
                    p[j] = Real(dot * 0.35355339);
                    m = p[j] > m ? p[j] : m;
                }
                Real sum = 0;
                for (double &w : p)
                    sum += w = exp(Real(w - m));
                double inv = sum == 0 ? 0 : 1 / sum;
                for (double &w : p)
                    w = Real(w * inv);
                for (int j = 0; j < T; j++)
                    att.push_back(j <= t ? p[j] : 0);
                for (int i = 0; i < HS; i++) {
                    Real acc = 0;
                    for (int j = 0; j <= t; j++)
                        acc += p[j] * at(2, b, h, j, i);
                    out[((b * T + t) * NH + h) * HS + i] = acc;
                }
            }
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int B = 3, NH = 3;
    for (int T : check::lengths(o, 22, 1)) {
        const int row = 3 * NH * HS, rows = B * T;
        check::Array<float> qkv(rows * row), edge(rows * HS);
        check::Array<float> att(B * NH * T * T), out(rows * NH * HS);
        check::fill_plain(qkv, o);
        // Edge rows go to q in head 0, to k in head 1, to v in head 2.
        check::fill(edge, HS, o, check::SCORES);
        for (int r = 0; r < rows; r++)
            for (int part = 0; part < 3; part++)
                for (int i = 0; i < HS; i++)
                    qkv.host[r * row + (part * NH + part) * HS + i] =
                        edge.host[r * HS + i];
        std::vector<double> want_att, want(rows * NH * HS);
        reference(qkv, B, T, NH, want_att, want);
        causal_attention<<<(B * NH * T + 63) / 64, 64>>>(
            qkv.upload(), att.upload(), out.upload(), B, T, NH);
        att.download();
        out.download();
        check::expect("att", att, want_att, 2e-4, 1);
        check::expect("out", out, want, 2e-4, 1);
    }
    return check::pass();
}
