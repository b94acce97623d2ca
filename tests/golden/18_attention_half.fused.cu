// Attention over __half inputs with float accumulation, the usual mixed
// precision: values are widened when read and rounded once, when stored.
#include "check.h"

constexpr int D = 8;

__device__ static inline float qk(const __half *q, const __half *k)
{
    float acc = 0.f;
    for (int d = 0; d < D; d++)
        acc = fmaf(__half2float(q[d]), __half2float(k[d]), acc);
    return acc;
}

__global__ void attn_fp16(const __half *q, const __half *k, const __half *v,
                          __half *o, const int nq, const int nk,
                          const float scale)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < nq) {
        float res[D];
#pragma rf cascade
#ifdef RF_REFERENCE
        {
            float mx = -INFINITY, den = 0.f;
            for (int c = 0; c < nk; c++) {
                const float s = qk(q + row * D, k + c * D) * scale;
                mx = s > mx ? s : mx;
            }
            for (int c = 0; c < nk; c++)
                den += expf(qk(q + row * D, k + c * D) * scale - mx);
            for (int d = 0; d < D; d++)
                res[d] = 0.f;
            for (int c = 0; c < nk; c++) {
                const float p = expf(qk(q + row * D, k + c * D) * scale - mx);
                for (int d = 0; d < D; d++)
                    res[d] += p * __half2float(v[c * D + d]);
            }
            for (int d = 0; d < D; d++)
                o[row * D + d] = __float2half(res[d] / den);
        }
#else  // rf: fused, 3 passes -> 1, rescaled, proof 11/11, HASH; do not edit
        {
            float mx = -INFINITY;
            for (int d = 0; d < D; d++)
                res[d] = 0.f;
            float den = 0.f;
            // res, den: relative to the mx so far, rescaled when it moves
            for (int c = 0; c < nk; c++) {
                const float t = qk(q + row * D, k + c * D);
                const float s = t * scale;
                if (s > mx) {
                    const float e = expf(mx - s);
                    for (int d = 0; d < D; d++)
                        res[d] *= e;
                    den *= e;
                    mx = s;
                }
                const float t_2 = s == -INFINITY ? 0.f : expf(s - mx);
                for (int d = 0; d < D; d++)
                    res[d] += t_2 * __half2float(v[c * D + d]);
                den += t_2;
            }
            // nothing finite: -inf - -inf, as the reference computes
            if (nk > 0 && mx == -INFINITY) {
                for (int d = 0; d < D; d++)
                    res[d] = NAN;
                den = NAN;
            }
            for (int d = 0; d < D; d++)
                o[row * D + d] = __float2half(res[d] / den);
        }
#endif // rf
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int nq = 54;
    for (int nk : check::lengths(o, 38)) {
        for (int turn = 0; turn < 3; turn++) {
            check::Array<__half> q(nq * D), k(nk * D), v(nk * D), out(nq * D);
            check::fill_plain(k, o, 0.1f, 1.0f);
            check::fill(q, D, o.only(turn == 0), check::SCORES);
            check::fill(v, D, o.only(turn == 1), check::SCORES);
            if (turn == 2)
                check::fill(k, D, o, check::SCORES);
            if (turn == 0 && o.edge && nk > 3) // a masked key, not the first
                k.host[3 * D] = __float2half(-INFINITY);
            std::vector<double> want;
            for (int i = 0; i < nq; i++) {
                std::vector<double> p(nk);
                for (int c = 0; c < nk; c++) {
                    Real s = 0;
                    for (int d = 0; d < D; d++)
                        s += q[i * D + d] * k[c * D + d];
                    p[c] = Real(s * 0.35);
                }
                p = check::softmax(p);
                for (int d = 0; d < D; d++) {
                    Real acc = 0;
                    for (int c = 0; c < nk; c++)
                        acc += p[c] * v[c * D + d];
                    want.push_back(acc);
                }
                if (nk == 0) // 0 / 0, unlike an empty sum
                    for (int d = 0; d < D; d++)
                        want[i * D + d] = NAN;
            }
            attn_fp16<<<2, 32>>>(q.upload(), k.upload(), v.upload(),
                                 out.upload(), nq, nk, 0.35f);
            out.download();
            check::expect("o", out, want, 1e-3, 1);
        }
    }
    return check::pass();
}
