// Attention for one head, one thread per query, as the formula reads: all
// scores into a local array, the maximum, the exponentials and their sum, the
// weighted sum of the values. Fused, the array and two passes are gone.
#include "check.h"

#define HEAD_DIM 16
#define MAX_KEYS 64

__global__ void attention(const float *Q, const float *K, const float *V,
                          float *O, int queries, int keys)
{
    int qi = blockIdx.x * blockDim.x + threadIdx.x;
    if (qi >= queries) return;

    float p[MAX_KEYS];
    const float scale = rsqrtf((float)HEAD_DIM);

    #pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
    {
        // scores = q . k
        float m = -INFINITY;
        for (int j = 0; j < keys; j++) {
            float dot = 0.f;
            for (int d = 0; d < HEAD_DIM; d++)
                dot += Q[qi * HEAD_DIM + d] * K[j * HEAD_DIM + d];
            p[j] = dot * scale;
            m = fmaxf(m, p[j]);
        }

        // softmax
        float l = 0.f;
        for (int j = 0; j < keys; j++) {
            p[j] = expf(p[j] - m);
            l += p[j];
        }
        for (int j = 0; j < keys; j++)
            p[j] /= l;

        // output = p . V
        for (int d = 0; d < HEAD_DIM; d++) {
            float acc = 0.f;
            for (int j = 0; j < keys; j++)
                acc += p[j] * V[j * HEAD_DIM + d];
            O[qi * HEAD_DIM + d] = acc;
        }
    }
#else  // rf: fused, 4 passes -> 1, rescaled, proof 11/11, HASH; do not edit
    {
        // scores = q . k
        // only the reference uses this
        (void)p;
        float m = -INFINITY;
        float l = 0.f;
        float acc[HEAD_DIM];
        for (int d = 0; d < HEAD_DIM; d++)
            acc[d] = 0.f;
        // l, acc: relative to the m so far, rescaled when it moves
        for (int j = 0; j < keys; j++) {
            const float m_old = m;
            float dot = 0.f;
            for (int d = 0; d < HEAD_DIM; d++)
                dot += Q[qi * HEAD_DIM + d] * K[j * HEAD_DIM + d];
            const float t = dot * scale;
            m = fmaxf(m, t);
            if (m != m_old) {
                const float e = expf(m_old - m);
                l *= e;
                for (int d = 0; d < HEAD_DIM; d++)
                    acc[d] *= e;
            }
            const float t_2 = t == -INFINITY ? 0.f : expf(t - m);
            l += t_2;
            for (int d = 0; d < HEAD_DIM; d++)
                acc[d] += t_2 * V[j * HEAD_DIM + d];
        }
        if (keys > 0) {
            for (int d = 0; d < HEAD_DIM; d++)
                acc[d] /= l;
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (keys > 0 && m == -INFINITY) {
            l = NAN;
            for (int d = 0; d < HEAD_DIM; d++)
                acc[d] = NAN;
        }
        for (int d = 0; d < HEAD_DIM; d++)
            O[qi * HEAD_DIM + d] = acc[d];
    }
#endif // rf
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int queries = 54, D = HEAD_DIM;
    for (int keys : check::lengths(o, 41)) {
        for (int turn = 0; turn < 3; turn++) {
            check::Array<float> q(queries * D), k(keys * D), v(keys * D);
            check::Array<float> out(queries * D);
            check::fill_plain(k, o, 0.1f, 1.0f);
            check::fill(q, D, o.only(turn == 0), check::SCORES);
            check::fill(v, D, o.only(turn == 1), check::SCORES);
            if (turn == 2 && keys > 2) // one key masks itself, one is NaN
                k.host[D] = o.edge ? -INFINITY : 0.0f;
            std::vector<double> want;
            for (int i = 0; i < queries; i++) {
                std::vector<double> p(keys);
                for (int j = 0; j < keys; j++) {
                    Real dot = 0;
                    for (int d = 0; d < D; d++)
                        dot += q[i * D + d] * k[j * D + d];
                    p[j] = Real(dot * 0.25);
                }
                p = check::softmax(p);
                for (int d = 0; d < D; d++) {
                    Real acc = 0;
                    for (int j = 0; j < keys; j++)
                        acc += p[j] * v[j * D + d];
                    want.push_back(acc);
                }
            }
            attention<<<1, 64>>>(q.upload(), k.upload(), v.upload(),
                                 out.upload(), queries, keys);
            out.download();
            check::expect("O", out, want, 2e-4, 1);
        }
    }
    return check::pass();
}
