// One block per query. Thread 0 alone computes the scores and their softmax
// in shared memory, through a helper; then all threads of the block share the
// weighted sum. The mark is on the serial part.
#include "check.h"

#define HEAD 32

__device__ void softmax(float *x, int size)
{
    #pragma rf cascade
#ifdef RF_REFERENCE
    {
        float max_val = x[0];
        for (int i = 1; i < size; i++) {
            if (x[i] > max_val) {
                max_val = x[i];
            }
        }
        float sum = 0.0f;
        for (int i = 0; i < size; i++) {
            x[i] = expf(x[i] - max_val);
            sum += x[i];
        }
        for (int i = 0; i < size; i++) {
            x[i] /= sum;
        }
    }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
    {
        float max_val = x[0];
        float sum = 0.0f;
        // sum: relative to the max_val so far, rescaled when it moves
        for (int i = 0; i < size; i++) {
            const float x_i = x[i];
            if (x_i > max_val) {
                sum *= expf(max_val - x_i);
                max_val = x_i;
            }
            sum += x_i == -INFINITY ? 0.0f : expf(x_i - max_val);
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (size > 0 && max_val == -INFINITY)
            sum = NAN;
        for (int i = 0; i < size; i++)
            x[i] = expf(x[i] - max_val) / sum;
    }
#endif // rf
}

__global__ void single_query_attention(const float *q, const float *k,
                                       const float *v, float *out, int seq_len)
{
    extern __shared__ float att[];
    const float *query = q + blockIdx.x * HEAD;

    if (threadIdx.x == 0) {
        for (int t = 0; t < seq_len; t++) {
            float score = 0.0f;
            for (int i = 0; i < HEAD; i++) {
                score += query[i] * k[t * HEAD + i];
            }
            att[t] = score / sqrtf(HEAD);
        }
        softmax(att, seq_len);
    }
    __syncthreads();

    float val = 0.0f;
    for (int t = 0; t < seq_len; t++) {
        val += att[t] * v[t * HEAD + threadIdx.x];
    }
    out[blockIdx.x * HEAD + threadIdx.x] = val;
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int queries = 36;
    for (int len : check::lengths(o, 27, 1)) {
        for (int turn = 0; turn < 2; turn++) {
            check::Array<float> q(queries * HEAD), k(len * HEAD), v(len * HEAD);
            check::Array<float> out(queries * HEAD);
            check::fill(q, HEAD, o.only(turn == 0), check::SCORES);
            check::fill(v, HEAD, o.only(turn == 1), check::SCORES);
            check::fill_plain(k, o, 0.1f, 1.0f);
            std::vector<double> want;
            for (int i = 0; i < queries; i++) {
                std::vector<double> p(len);
                for (int t = 0; t < len; t++) {
                    Real s = 0;
                    for (int d = 0; d < HEAD; d++)
                        s += q[i * HEAD + d] * k[t * HEAD + d];
                    p[t] = Real(s / sqrt((double)HEAD));
                }
                p = check::softmax(p);
                for (int d = 0; d < HEAD; d++) {
                    Real y = 0;
                    for (int t = 0; t < len; t++)
                        y += p[t] * v[t * HEAD + d];
                    want.push_back(y);
                }
            }
            single_query_attention<<<queries, HEAD, len * sizeof(float)>>>(
                q.upload(), k.upload(), v.upload(), out.upload(), len);
            out.download();
            check::expect("out", out, want, 2e-4, 1);
        }
    }
    return check::pass();
}
