// A second variable walks along with the counter.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *x, float *y, int n, int cols)
{
    int c = threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int i = 0, at = c; i < n; i++, at += cols)
        m = fmaxf(m, x[at]);
    int at = c;
    for (int i = 0; i < n; i++) {
        s += expf(x[at] - m);
        at += cols;
    }
    y[c] = s;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L, R))
// launch: <<<1, R>>>(mild(R * L), out(R), L, R)
