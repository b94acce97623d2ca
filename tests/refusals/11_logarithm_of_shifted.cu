// A logarithm of the element plus the result.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float c = 1, s = 0;
    for (int i = 0; i < n; i++)
        c += x[i] * x[i];
    for (int i = 0; i < n; i++)
        s += logf(c + x[i]);
    y[threadIdx.x] = s;
}
// expect: 10:14 rf-not-decomposable
