// Each score is a dot product; nothing is stored, both loops compute it.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *q, const float *key, float *z, int n, int dim)
{
    q += threadIdx.x * dim;
    float m = -INFINITY, s = 0;
    for (int j = 0; j < n; j++) {
        float a = 0;
        for (int d = 0; d < dim; d++)
            a += q[d] * key[j * dim + d];
        m = fmaxf(m, a);
    }
    for (int j = 0; j < n; j++) {
        float a = 0;
        for (int d = 0; d < dim; d++)
            a += q[d] * key[j * dim + d];
        s += expf(a - m);
    }
    z[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(mild(R * 5, 5), plain(L * 5), out(R), L, 5))
// launch: <<<1, R>>>(mild(R * 5, 5), plain(L * 5), out(R), L, 5)
