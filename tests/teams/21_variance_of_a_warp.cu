// What is stored for every element needs the same moments in all lanes.
#define DRIVE_LENGTHS 300, 33, 31, 2, 1
#include "../fusible/driver.h"

#pragma rf cascade level(warp) assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float mean = 0, v = 0;
    for (int i = 0; i < n; i++)
        mean += x[r * n + i];
    mean /= n;
    for (int i = 0; i < n; i++)
        v += (x[r * n + i] - mean) * (x[r * n + i] - mean);
    for (int i = 0; i < n; i++)
        y[r * n + i] = (x[r * n + i] - mean) * rsqrtf(v / n + 1e-5f);
}

DRIVE_FROM(1, k<<<1, R>>>(mild(R * L), out(R * L), L))
