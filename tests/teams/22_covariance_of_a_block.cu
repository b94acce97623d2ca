// Two means in one loop, three warps in a block. An infinite element of b alone,
// the last one, would leave infinity where the source has no number.
#define DRIVE_LENGTHS 500, 97, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(block) threads(96) assume(finite)
__global__ void k(const float *a, const float *b, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float ma = 0, mb = 0, c = 0;
    for (int i = 0; i < n; i++) {
        ma += a[r * n + i];
        mb += b[r * n + i];
    }
    ma /= n;
    mb /= n;
    for (int i = 0; i < n; i++)
        c += (a[r * n + i] - ma) * (b[r * n + i] - mb);
    y[r] = c / (n - 1);
}

DRIVE(k<<<1, R>>>(mild(R * L), plain(R * L), out(R), L))
