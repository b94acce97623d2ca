// Sliding-window attention with a bias that grows with the distance (ALiBi),
// one thread per query. Scores are computed again in every loop instead of
// being stored; a helper does the dot product.
#include "check.h"

template <int D>
__device__ __forceinline__ float dot(const float *a, const float *b)
{
    float s = 0.0f;
    #pragma unroll
    for (int i = 0; i < D; ++i) s += a[i] * b[i];
    return s;
}

template <int D>
__global__ void window_attention(const float *__restrict__ Q,
                                 const float *__restrict__ K,
                                 const float *__restrict__ V,
                                 float *__restrict__ O, int n, int window,
                                 float slope)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int lo = max(0, i - window + 1);
    const float *q = Q + i * D;

    #pragma rf cascade
#ifdef RF_REFERENCE
    {
        float row_max = -FLT_MAX;
        for (int j = lo; j <= i; ++j)
            row_max = fmaxf(row_max, dot<D>(q, K + j * D) - slope * (i - j));

        float row_sum = 0.0f;
        for (int j = lo; j <= i; ++j)
            row_sum += __expf(dot<D>(q, K + j * D) - slope * (i - j) - row_max);

        float acc[D] = {};
        for (int j = lo; j <= i; ++j) {
            const float s = dot<D>(q, K + j * D) - slope * (i - j);
            const float w = __expf(s - row_max) / row_sum;
            for (int d = 0; d < D; ++d) acc[d] += w * V[j * D + d];
        }
        for (int d = 0; d < D; ++d) O[i * D + d] = acc[d];
    }
#else  // rf: fused, 3 passes -> 1, rescaled, proof 12/12, HASH; do not edit
    {
        float row_max = -FLT_MAX;
        float row_sum = 0.0f;
        float acc[D];
        #pragma unroll
        for (int i_2 = 0; i_2 < D; ++i_2)
            acc[i_2] = 0;
        // row_sum, acc: relative to the row_max so far, rescaled when it moves
        for (int j = lo; j <= i; ++j) {
            const float row_max_old = row_max;
            const float t = dot<D>(q, K + j * D);
            const float s = t - slope * (i - j);
            row_max = fmaxf(row_max, s);
            if (row_max != row_max_old) {
                row_sum *= __expf(row_max_old - row_max);
                const float e = __expf(row_max_old - row_max);
                #pragma unroll
                for (int i_2 = 0; i_2 < D; ++i_2)
                    acc[i_2] *= e;
            }
            row_sum += __expf(s - row_max);
            #pragma unroll
            for (int i_2 = 0; i_2 < D; ++i_2)
                acc[i_2] += __expf(s - row_max) * V[j * D + i_2];
        }
        if (lo <= i) {
            #pragma unroll
            for (int i_2 = 0; i_2 < D; ++i_2)
                acc[i_2] /= row_sum;
        }
        #pragma unroll
        for (int i_2 = 0; i_2 < D; ++i_2)
            O[i * D + i_2] = acc[i_2];
    }
#endif // rf
}

template <int D> static void run(check::Options o, int n, int window, int turn)
{
    using check::Real;
    check::Array<float> q(n * D), k(n * D), v(n * D), out(n * D);
    check::fill(q, D, o.only(turn == 0), check::SCORES);
    check::fill(k, D, o.only(turn == 1), check::SCORES);
    check::fill(v, D, o.only(turn == 2), check::SCORES);
    std::vector<double> want;
    for (int i = 0; i < n; i++) {
        int lo = i - window + 1 > 0 ? i - window + 1 : 0;
        double m = -FLT_MAX;
        std::vector<double> w;
        for (int j = lo; j <= i; j++) {
            Real s = 0;
            for (int d = 0; d < D; d++)
                s += q[i * D + d] * k[j * D + d];
            w.push_back(Real(s - 0.25 * (i - j)));
            m = fmax(m, w.back());
        }
        Real sum = 0;
        for (double &x : w)
            sum += x = exp(Real(x - m));
        for (int d = 0; d < D; d++) {
            Real acc = 0;
            for (int j = lo; j <= i; j++)
                acc += Real(w[j - lo] / sum) * v[j * D + d];
            want.push_back(acc);
        }
    }
    window_attention<D><<<(n + 31) / 32, 32>>>(q.upload(), k.upload(),
                                               v.upload(), out.upload(), n,
                                               window, 0.25f);
    out.download();
    check::expect("O", out, want, 2e-4, 1);
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    for (int turn = 0; turn < 3; turn++) {
        run<4>(o, 54, 7, turn);
        run<8>(o, 36, 100, turn);
        run<4>(o, 18, 1, turn);
    }
    return check::pass();
}
