// Lanes beyond the row leave before a shuffle that names them.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int rows, int n)
{
    const int row = blockIdx.x, lane = threadIdx.x;
    if (lane >= n)
        return;
    float m = -INFINITY, s = 0;
    for (int j = lane; j < n; j += 32)
        m = fmaxf(m, x[row * n + j]);
    for (int o = 16; o > 0; o /= 2)
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    for (int j = lane; j < n; j += 32)
        s += expf(x[row * n + j] - m);
    for (int o = 16; o > 0; o /= 2)
        s += __shfl_xor_sync(0xffffffff, s, o);
    if (lane == 0)
        y[row] = m + logf(s);
}

DRIVE(k<<<R, 32>>>(in(R * L), out(R), R, L))
// expect: 8:9 rf-uniform
