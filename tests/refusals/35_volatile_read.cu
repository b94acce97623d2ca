// Each read of a volatile object counts.
#pragma rf cascade
__global__ void k(const volatile float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[threadIdx.x * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[threadIdx.x * n + i] - m);
    y[threadIdx.x] = s;
}
// expect: 7:22 rf-side-effect
