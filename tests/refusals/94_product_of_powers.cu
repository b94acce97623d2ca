// The product of e^x overflows where that of e^(x / m) does not.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = 1, c = 1;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        c *= expf(x[i] / m);
    y[threadIdx.x] = c;
}
// expect: 10:24 rf-rounding
