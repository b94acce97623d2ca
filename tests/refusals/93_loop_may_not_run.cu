// Without a step of the first loop, y[0] is what the caller left in it.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, float *z, int n, int c)
{
    x += threadIdx.x * n;
    y += threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int j = 0; j < c; j++)
        y[0] = 5;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m) * y[0];
    z[threadIdx.x] = s;
}
// expect: 13:31 rf-loop-mismatch
