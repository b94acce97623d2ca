// A recurrent cell: every step needs the step before and the final maximum.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, h = 0;
    for (int t = 0; t < n; t++)
        m = fmaxf(m, x[t]);
    for (int t = 0; t < n; t++)
        h = tanhf(0.5f * h + x[t] / m);
    y[threadIdx.x] = h;
}
// expect: 10:26 rf-carried
