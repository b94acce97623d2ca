// The mean of what lies near the mean, three times.
#include "block.h"

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float mean = 0;
    for (int round = 0; round < 3; round++) {
        float s = 0, count = 0;
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            if (fabsf(row[j] - mean) < 2.0f) {
                s += row[j];
                count += 1.0f;
            }
        mean = block_sum(s) / block_sum(count);
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = mean;
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// expect: 11:35 rf-control
