// Constants that one declaration makes; a thread per group, elements at a stride.
#include "driver.h"
#pragma rf cascade assume(noalias, temp > 0)
__global__ void grouped(const float *x, float *y, int groups, int n, int stride, float temp)
{
    const int b = blockIdx.x, g = threadIdx.x;
    const float *p = x + (b * n) * stride + g;
    float *o = y + (b * n) * stride + g;
    float largest = -FLT_MAX;
    for (int i = 0; i < n; ++i)
        largest = fmaxf(largest, p[i * stride]);
    float sum = 0;
    for (int i = 0; i < n; ++i) {
        float e = expf((p[i * stride] - largest) / temp);
        sum += e;
        o[i * stride] = e;
    }
    for (int i = 0; i < n; ++i)
        o[i * stride] /= sum;
}
DRIVE(grouped<<<3, 4>>>(in(12 * L), out(12 * L), 4, L, 4, 0.5f))
// launch: <<<3, 4>>>(in(12 * L), out(12 * L), 4, L, 4, 0.5f)
