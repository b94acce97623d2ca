// The sum of the whole grid, by atomics.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *total, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        atomicAdd(total, expf(x[i] - m));
}
// expect: 10:9 rf-side-effect
