// Bitwise reductions of a team.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

#pragma rf cascade level(block)
__global__ void k(const int *x, int *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const int *p = x + r * n;
    int m = -1000, both = ~0, some = 0, odd = 0;
    for (int i = 0; i < n; i++)
        m = max(m, p[i]);
    for (int i = 0; i < n; i++) {
        both &= p[i] | 6;
        some |= p[i];
        odd ^= p[i];
    }
    y[r] = m + 64 * odd + 4096 * some + 262144 * both;
}

DRIVE(k<<<R, 1>>>(index(R * L, 50), out(R), L))
