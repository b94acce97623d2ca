// Sliding-window attention with a bias that grows with the distance (ALiBi),
// one thread per query: keys lo .. i, whose weights lie in a small
// local array between the loops.
#include "check.h"

#define D 8
#define MOST 32

__global__ void local_attention(const float *Q, const float *K, const float *V,
                                float *O, int n, int window, float slope)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int lo = max(0, i - window + 1);
    float w[MOST];

    #pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
    {
        float top = -FLT_MAX;
        for (int j = lo; j <= i; ++j) {
            float s = 0.0f;
            for (int d = 0; d < D; ++d)
                s += Q[i * D + d] * K[j * D + d];
            s -= slope * (i - j);
            w[j - lo] = s;
            top = fmaxf(top, s);
        }

        float sum = 0.0f;
        for (int j = lo; j <= i; ++j) {
            w[j - lo] = expf(w[j - lo] - top);
            sum += w[j - lo];
        }

        for (int d = 0; d < D; ++d) {
            float acc = 0.0f;
            for (int j = lo; j <= i; ++j)
                acc += w[j - lo] / sum * V[j * D + d];
            O[i * D + d] = acc;
        }
    }
#else  // rf: fused, 3 passes -> 1, rescaled, proof 11/11, HASH; do not edit
    {
        // only the reference uses this
        (void)w;
        float top = -FLT_MAX;
        float sum = 0.0f;
        float acc[D];
        for (int d = 0; d < D; ++d)
            acc[d] = 0.0f;
        // sum, acc: relative to the top so far, rescaled when it moves
        for (int j = lo; j <= i; ++j) {
            const float top_old = top;
            float s = 0.0f;
            for (int d = 0; d < D; ++d)
                s += Q[i * D + d] * K[j * D + d];
            const float s_2 = s - slope * (i - j);
            top = fmaxf(top, s_2);
            if (top != top_old) {
                const float e = expf(top_old - top);
                sum *= e;
                for (int d = 0; d < D; ++d)
                    acc[d] *= e;
            }
            const float e_2 = expf(s_2 - top);
            sum += e_2;
            for (int d = 0; d < D; ++d)
                acc[d] += e_2 * V[j * D + d];
        }
        if (lo <= i) {
            for (int d = 0; d < D; ++d)
                acc[d] /= sum;
        }
        for (int d = 0; d < D; ++d)
            O[i * D + d] = acc[d];
    }
#endif // rf
}

static void run(check::Options o, int n, int window, int turn)
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
    local_attention<<<(n + 31) / 32, 32>>>(q.upload(), k.upload(),
                                               v.upload(), out.upload(), n,
                                               window, 0.25f);
    out.download();
    check::expect("O", out, want, 2e-4, 1);
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    for (int turn = 0; turn < 3; turn++) {
        run(o, 54, 7, turn);
        run(o, 36, 32, turn);
        run(o, 18, 1, turn);
    }
    return check::pass();
}
