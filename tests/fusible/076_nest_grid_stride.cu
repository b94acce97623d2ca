// The mark is on a loop over rows, the cascade is in its body.
#include "driver.h"

__global__ void k(const float *x, float *y, int rows, int n)
{
#pragma rf cascade
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows;
         r += gridDim.x * blockDim.x) {
        float m = -INFINITY, s = 0;
        for (int i = 0; i < n; i++)
            m = fmaxf(m, x[r * n + i]);
        for (int i = 0; i < n; i++)
            s += expf(x[r * n + i] - m);
        y[r] = s;
    }
}

DRIVE(k<<<2, 5>>>(in(R * L), out(R), R, L))
// launch: <<<2, 5>>>(in(R * L), out(R), R, L)
