// The collective is called through a pointer.
#include "block.h"

typedef float (*Collective)(float);

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n, Collective top)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = top(m);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L, nullptr))
// expect: 13:9 rf-side-effect
