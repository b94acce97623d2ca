// Attention where a helper computes one softmax weight and starts over with
// maximum and sum for every output element that needs it: slow, but found in
// teaching code. The mark is on the helper.
#include "check.h"

#define DIM 4

__device__ float score(const float *q, const float *k)
{
    float s = 0;
    for (int d = 0; d < DIM; d++)
        s += q[d] * k[d];
    return s / 2.0f; // sqrt(DIM)
}

#pragma rf cascade
#ifdef RF_REFERENCE
__device__ float weight(const float *q, const float *K, int len, int which)
{
    float max_score = score(q, K);
    for (int t = 1; t < len; t++) {
        float s = score(q, K + t * DIM);
        if (max_score < s)
            max_score = s;
    }
    float sum = 0;
    for (int t = 0; t < len; t++)
        sum += expf(score(q, K + t * DIM) - max_score);
    return expf(score(q, K + which * DIM) - max_score) / sum;
}
#else  // rf: fused, 2 passes -> 1, rescaled, proof 7/7, HASH; do not edit
__device__ float weight(const float *q, const float *K, int len, int which)
{
    float max_score = score(q, K);
    float sum = 0;
    // sum: relative to the max_score so far, rescaled when it moves
    for (int t = 0; t < len; t++) {
        const float s = score(q, K + t * DIM);
        if (max_score < s) {
            sum *= expf(max_score - s);
            max_score = s;
        }
        sum += s == -INFINITY ? 0.0f : expf(s - max_score);
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (len > 0 && max_score == -INFINITY)
        sum = NAN;
    return expf(score(q, K + which * DIM) - max_score) / sum;
}
#endif // rf

// one thread per output element
__global__ void attention(const float *Q, const float *K, const float *V,
                          float *out, int queries, int len)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= queries * DIM)
        return;
    int i = id / DIM, d = id % DIM;
    float y = 0;
    for (int t = 0; t < len; t++)
        y += weight(Q + i * DIM, K, len, t) * V[t * DIM + d];
    out[id] = y;
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int queries = 36;
    for (int len : check::lengths(o, 19)) {
        for (int turn = 0; turn < 3; turn++) {
            check::Array<float> q(queries * DIM), k(len * DIM), v(len * DIM);
            check::Array<float> out(queries * DIM);
            check::fill(q, DIM, o.only(turn == 0), check::SCORES);
            check::fill(v, DIM, o.only(turn == 1), check::SCORES);
            check::fill_plain(k, o, 0.1f, 1.0f);
            if (turn == 2 && o.edge && len > 3) // a masked key, not the first
                k.host[3 * DIM] = -INFINITY;
            std::vector<double> want;
            for (int i = 0; i < queries; i++) {
                std::vector<double> p(len);
                for (int t = 0; t < len; t++) {
                    Real s = 0;
                    for (int d = 0; d < DIM; d++)
                        s += q[i * DIM + d] * k[t * DIM + d];
                    p[t] = Real(s / 2);
                }
                p = check::softmax(p);
                for (int d = 0; d < DIM; d++) {
                    Real y = 0;
                    for (int t = 0; t < len; t++)
                        y += p[t] * v[t * DIM + d];
                    want.push_back(y);
                }
            }
            attention<<<(queries * DIM + 63) / 64, 64>>>(
                q.upload(), k.upload(), v.upload(), out.upload(), queries, len);
            out.download();
            check::expect("out", out, want, 2e-4, 1);
        }
    }
    return check::pass();
}
