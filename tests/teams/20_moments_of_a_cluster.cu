// Sums about the mean are merged as Chan does; some threads have no element.
#define DRIVE_LENGTHS 1000, 129, 33, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(cluster) cluster(2) threads(64)
__global__ void k(const float *x, float *y, int rows, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float mean = 0, v = 0;
    for (int i = 0; i < n; i++)
        mean += x[r * n + i];
    mean /= n;
    for (int i = 0; i < n; i++)
        v += (x[r * n + i] - mean) * (x[r * n + i] - mean);
    y[r] = v / n;
}

DRIVE(k<<<(R + 7) / 8, 8>>>(mild(R * L), out(R), R, L))
