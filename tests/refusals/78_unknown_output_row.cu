// The number of output columns is known only when the kernel runs.
#include <cuda_fp16.h>

#pragma rf cascade level(thread) assume(noalias)
__global__ void k(const float *x, const __half *v, __half *o, int n, int dim)
{
    x += threadIdx.x * n;
    float m = -INFINITY;
    for (int j = 0; j < n; j++)
        m = fmaxf(m, x[j]);
    for (int d = 0; d < dim; d++) {
        float acc = 0;
        for (int j = 0; j < n; j++)
            acc += expf(x[j] - m) * __half2float(v[j * dim + d]);
        o[threadIdx.x * dim + d] = __float2half(acc);
    }
}
// expect: 14:13 rf-capacity
