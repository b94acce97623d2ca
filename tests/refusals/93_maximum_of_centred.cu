// A maximum skips elements that are not a number; inf - inf is none.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float a = 0, c = -INFINITY;
    for (int i = 0; i < n; i++)
        a += x[i];
    for (int i = 0; i < n; i++)
        c = fmaxf(c, x[i] - a);
    y[threadIdx.x] = c;
}
// expect: 10:27 rf-rounding
