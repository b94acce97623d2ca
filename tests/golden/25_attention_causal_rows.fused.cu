// Causal attention, one thread per query: the keys up to the query itself take
// part, `j <= qi` in every loop. Between the loops the scores lie in a local
// array, which is gone when they are one.
#include "check.h"

#define HEAD_DIM 16
#define MAX_KEYS 64

__global__ void causal_attention(const float *Q, const float *K, const float *V,
                                 float *O, int tokens)
{
    int qi = blockIdx.x * blockDim.x + threadIdx.x;
    if (qi >= tokens) return;

    float p[MAX_KEYS];
    const float scale = rsqrtf((float)HEAD_DIM);

    #pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
    {
        // scores = q . k
        float m = -INFINITY;
        for (int j = 0; j <= qi; j++) {
            float dot = 0.f;
            for (int d = 0; d < HEAD_DIM; d++)
                dot += Q[qi * HEAD_DIM + d] * K[j * HEAD_DIM + d];
            p[j] = dot * scale;
            m = fmaxf(m, p[j]);
        }

        // softmax
        float l = 0.f;
        for (int j = 0; j <= qi; j++) {
            p[j] = expf(p[j] - m);
            l += p[j];
        }
        for (int j = 0; j <= qi; j++)
            p[j] /= l;

        // output = p . V
        for (int d = 0; d < HEAD_DIM; d++) {
            float acc = 0.f;
            for (int j = 0; j <= qi; j++)
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
        for (int j = 0; j <= qi; j++) {
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
        if (qi >= 0) {
            for (int d = 0; d < HEAD_DIM; d++)
                acc[d] /= l;
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (qi >= 0 && m == -INFINITY) {
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
    const int D = HEAD_DIM;
    for (int tokens : { 37, 5, 1 }) {
        for (int turn = 0; turn < 3; turn++) {
            check::Array<float> q(tokens * D), k(tokens * D), v(tokens * D);
            check::Array<float> out(tokens * D);
            check::fill_plain(k, o, 0.1f, 1.0f);
            check::fill(q, D, o.only(turn == 0), check::SCORES);
            check::fill(v, D, o.only(turn == 1), check::SCORES);
            if (turn == 2) // the first key masks itself: -inf comes first
                k.host[0] = o.edge ? -INFINITY : 0.0f;
            std::vector<double> want;
            for (int i = 0; i < tokens; i++) {
                std::vector<double> p(i + 1);
                for (int j = 0; j <= i; j++) {
                    Real dot = 0;
                    for (int d = 0; d < D; d++)
                        dot += q[i * D + d] * k[j * D + d];
                    p[j] = Real(dot * 0.25);
                }
                p = check::softmax(p);
                for (int d = 0; d < D; d++) {
                    Real acc = 0;
                    for (int j = 0; j <= i; j++)
                        acc += p[j] * v[j * D + d];
                    want.push_back(acc);
                }
            }
            causal_attention<<<1, 64>>>(q.upload(), k.upload(), v.upload(),
                                        out.upload(), tokens);
            out.download();
            check::expect("O", out, want, 2e-4, 1);
        }
    }
    return check::pass();
}
