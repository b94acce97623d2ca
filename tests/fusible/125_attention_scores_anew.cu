// Scores are computed anew for every output, over a dimension that is not a
// constant and that the author bounds.
#include "driver.h"

#pragma rf cascade assume(d <= 12)
__global__ void k(const float *__restrict__ Q, const float *__restrict__ K,
                  const float *__restrict__ V, float *__restrict__ O, int n,
                  int d, float scale)
{
    int row = threadIdx.x;
    float top = -INFINITY;
    for (int j = 0; j < n; ++j) {
        float score = 0.0f;
        for (int k = 0; k < d; ++k)
            score += Q[row * d + k] * K[j * d + k];
        score *= scale;
        top = fmaxf(top, score);
    }
    float total = 0.0f;
    for (int j = 0; j < n; ++j) {
        float score = 0.0f;
        for (int k = 0; k < d; ++k)
            score += Q[row * d + k] * K[j * d + k];
        total += expf(score * scale - top);
    }
    for (int k = 0; k < d; ++k) {
        float acc = 0.0f;
        for (int j = 0; j < n; ++j) {
            float score = 0.0f;
            for (int t = 0; t < d; ++t)
                score += Q[row * d + t] * K[j * d + t];
            acc += expf(score * scale - top) / total * V[j * d + k];
        }
        O[row * d + k] = acc;
    }
}

DRIVE(k<<<1, R>>>(plain(R * 12), plain(L * 12), plain(L * 12), out(R * 12), L,
                  12, 0.5f))
// launch: <<<1, R>>>(plain(R * 12), plain(L * 12), plain(L * 12), out(R * 12), L, 12, 0.5f)
