// In place by index arithmetic behind an early return, a value changed in steps.
#include "driver.h"
#pragma rf cascade
__global__ void soft(float *data, int rows, int width)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= rows)
        return;
    float peak = -INFINITY;
    for (int i = 0; i < width; i++)
        if (data[row * width + i] > peak)
            peak = data[row * width + i];
    float acc = 0;
    for (int i = 0; i < width; i++) {
        float v = data[row * width + i];
        v -= peak;
        v = expf(v);
        data[row * width + i] = v;
        acc += v;
    }
    for (int i = 0; i < width; i++)
        data[row * width + i] /= acc;
}
DRIVE(soft<<<2, R>>>(inout(R * L), R, L))
// launch: <<<2, R>>>(inout(R * L), R, L)
