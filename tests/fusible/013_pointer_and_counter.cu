// `*p++` beside a counter, the pointer set back between the loops.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    const float *p = x + threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        float v = *p++;
        m = v > m ? v : m;
    }
    p -= n;
    for (int i = 0; i < n; i++)
        s += expf(*p++ - m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// launch: <<<1, R>>>(in(R * L), out(R), L)
