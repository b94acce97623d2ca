// Cosine similarity: two norms in one loop, both divide the third sum.
#include "driver.h"

#pragma rf cascade assume(finite)
__global__ void k(const float *a, const float *b, float *y, int n)
{
    a += threadIdx.x * n;
    b += threadIdx.x * n;
    float na = 0, nb = 0, c = 0;
    for (int i = 0; i < n; i++) {
        na += a[i] * a[i];
        nb += b[i] * b[i];
    }
    for (int i = 0; i < n; i++)
        c += a[i] * b[i] / (sqrtf(na) * sqrtf(nb) + 1e-8f);
    y[threadIdx.x] = c;
}

DRIVE(k<<<1, R>>>(mild(R * L), plain(R * L), out(R), L))
// launch: <<<1, R>>>(mild(R * L), plain(R * L), out(R), L)
