// Every thread overwrites the whole row that the others still read.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(float *x, float *y, int n)
{
    float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = 0; j < n; j++)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    for (int j = 0; j < n; j++) {
        row[j] = expf(row[j] - m);
        s += row[j];
    }
    s = block_max(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = s;
}

DRIVE(k<<<R, 128>>>(inout(R * L), out(R), L))
// expect: 13:9 rf-race
