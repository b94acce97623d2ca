// A result of the loops goes through the type of the template: half rounds.
template <class T>
__global__ void k(const float *__restrict__ x, T *__restrict__ y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
#pragma rf cascade
    {
        float m = -INFINITY, s = 0;
        for (int i = 0; i < n; i++)
            m = fmaxf(m, x[i]);
        for (int i = 0; i < n; i++) {
            y[i] = expf(x[i] - m);
            s += (float)y[i];
        }
        for (int i = 0; i < n; i++)
            y[i] = (float)y[i] / s;
    }
}

#include <cuda_fp16.h>
template __global__ void k<__half>(const float *, __half *, int);
// expect: 13:13 rf-rounding
