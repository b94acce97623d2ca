// A row with a NaN is left alone.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]))
            return;
        m = fmaxf(m, x[i]);
    }
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 9:13 rf-control
