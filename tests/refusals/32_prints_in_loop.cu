// Output from the loop that would be fused.
#include <cstdio>

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        if (x[i] == m)
            printf("%d: maximum at %d, sum so far %f\n", threadIdx.x, i, s);
    }
    y[threadIdx.x] = s;
}
// expect: 14:13 rf-side-effect
