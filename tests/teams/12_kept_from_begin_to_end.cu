// Counters that begin at the row; a loop over rows, more than there are blocks.
#define DRIVE_LENGTHS 500, 65, 33, 31, 1, 0
#include "../fusible/driver.h"

__global__ void k(const float *x, float *y, int rows, int n)
{
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += blockDim.x * gridDim.x) {
        const int begin = r * n;
        const int end = begin + n;
        #pragma rf cascade level(block) threads(64) assume(noalias, n <= 512)
        {
            float m = -INFINITY, s = 0.0f;
            for (int i = begin; i < end; i++)
                m = fmaxf(m, x[i]);
            for (int i = begin; i < end; i++)
                s += expf(x[i] - m);
            for (int i = begin; i < end; i++)
                y[i] = expf(x[i] - m) / s;
        }
    }
}

DRIVE(k<<<1, 3>>>(in(R * L), out(R * L), R, L))
