// The loop is the online form already: one pass, rescaled at each step.
#include <cfloat>

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -FLT_MAX, s = 0;
    for (int i = 0; i < n; i++) {
        const float top = fmaxf(m, x[i]);
        s = s * expf(m - top) + expf(x[i] - top);
        m = top;
    }
    y[threadIdx.x] = m + logf(s);
}
// expect: 9:5 rf-done
