// In place, exponentials stored and divided; counters of type size_t.
#define DRIVE_LENGTHS 200, 33, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(cluster) cluster(2) threads(32) assume(n <= 200, n >= 0)
__global__ void k(double *x, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    double *p = x + (size_t)r * n;
    double m = -INFINITY, s = 0.0;
    for (size_t i = 0; i < n; i++)
        m = p[i] > m ? p[i] : m;
    for (size_t i = 0; i < n; i++) {
        p[i] = exp(p[i] - m);
        s += p[i];
    }
    for (size_t i = 0; i < n; i++)
        p[i] /= s;
}

DRIVE(k<<<1, R>>>(inout(R * L), L))
