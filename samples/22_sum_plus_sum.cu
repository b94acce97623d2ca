// Two sums, the second divided in every term by the root of the first,
// bounded below: m = sum x1^2, s = sum x1 * x2 / sqrt(max(m, eps)).
// The divisor depends on m alone and can be taken out at the end.
#include "check.h"

// One thread per pair of vectors; a do loop, because n is at least one.
__global__ void projection(const float *x1, const float *x2, float *s,
                           int pairs, int n, float eps)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs) return;
    x1 += pair * n, x2 += pair * n;

#pragma rf cascade assume(finite, eps > 0, n >= 1)
    {
        float m = 0.0f, dot = 0.0f;
        int i = 0;
        do {
            m += x1[i] * x1[i];
        } while (++i < n);
        for (i = 0; i < n; ++i)
            dot += x1[i] * x2[i] / sqrtf(fmaxf(m, eps));
        s[pair] = dot;
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int pairs = 72;
    for (int n : check::lengths(o, 43, 1)) {
        for (int turn = 0; turn < 2; turn++) {
            check::Array<float> x1(pairs * n), x2(pairs * n), s(pairs);
            check::fill(x1, n, o.only(turn == 0), check::SUMS);
            check::fill(x2, n, o.only(turn == 1), check::SUMS);
            std::vector<double> want;
            for (int p = 0; p < pairs; p++) {
                Real m = 0, dot = 0;
                for (int i = 0; i < n; i++)
                    m += x1[p * n + i] * x1[p * n + i];
                for (int i = 0; i < n; i++)
                    dot += x1[p * n + i] * x2[p * n + i] /
                           sqrt(fmax(m, 1e-6));
                want.push_back(dot);
            }
            projection<<<3, 32>>>(x1.upload(), x2.upload(), s.upload(), pairs,
                                  n, 1e-6f);
            s.download();
            check::expect("s", s, want, 1e-3);
        }
    }
    return check::pass();
}
