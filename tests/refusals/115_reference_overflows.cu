// x + x may be infinite where x is not: x - a is -infinity then, and 0 times
// the step of a no number.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float a = 0, b = 0;
    for (int i = 0; i < n; i++)
        a = fmaxf(a, x[i] + x[i]);
    for (int i = 0; i < n; i++)
        b += x[i] - a;
    y[2 * threadIdx.x] = a;
    y[2 * threadIdx.x + 1] = b;
}
// expect: 11:9 rf-rounding
