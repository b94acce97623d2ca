// The exponent is a result of the first loop, and the base may be negative.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float e = 0, p = 1;
    for (int i = 0; i < n; i++)
        e = fmaxf(e, x[i]);
    for (int i = 0; i < n; i++)
        p *= powf(x[i], e);
    y[threadIdx.x] = p;
}
// expect: 10:14 rf-not-decomposable
