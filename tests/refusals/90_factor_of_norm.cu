// Where the squares overflow the source adds terms of 0; the sum of the
// elements alone may overflow, and inf * 0 is not a number.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float q = 0, s = 0;
    for (int i = 0; i < n; i++)
        q += x[i] * x[i];
    for (int i = 0; i < n; i++)
        s += x[i] * rsqrtf(q + 1e-6f);
    y[threadIdx.x] = s;
}
// expect: 11:19 rf-rounding
