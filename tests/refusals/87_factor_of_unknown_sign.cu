// With t < 0 the first ratio, e^(t * (-FLT_MAX - x)), is infinite.
#include <cfloat>

#pragma rf cascade
__global__ void k(const float *x, float *y, float t, int n)
{
    x += threadIdx.x * n;
    float m = -FLT_MAX, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(t * (x[i] - m));
    y[threadIdx.x] = s;
}
// expect: 12:9 rf-not-decomposable
