// Blocks of the grid merge means and variances as Chan does.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1
#include "../fusible/driver.h"

#pragma rf cascade level(grid) blocks(4) threads(64)
__global__ void k(const float *x, float *y, int rows, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float mean = 0.0f, var = 0.0f;
    for (int i = 0; i < n; i++)
        mean += x[r * n + i];
    mean /= n;
    for (int i = 0; i < n; i++)
        var += (x[r * n + i] - mean) * (x[r * n + i] - mean);
    y[r] = var / n;
}

DRIVE(k<<<7, 6>>>(mild(R * L), out(R), R, L))
