// Atomics beside the reduction, for some elements.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int *count, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        if (x[i] > 0)
            atomicAdd(count, 1);
    }
    y[threadIdx.x] = s;
}
// expect: 12:13 rf-side-effect
