// The kernel may be launched through its address.
#include "../fusible/driver.h"

#pragma rf cascade level(warp)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = x + r * n;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, p[i]);
    for (int i = 0; i < n; i++)
        s += expf(p[i] - m);
    y[r] = s;
}

void *kernel = (void *)k;
DRIVE(k<<<1, R>>>(in(R * L), out(R), L))
// expect: 17:24 rf-launch
