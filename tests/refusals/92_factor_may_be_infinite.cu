// An infinite sum makes terms of both signs infinite, and their sum is not a
// number; applied once it makes the result infinite.
#pragma rf cascade
__global__ void k(const float *x, const float *v, double *y, int n)
{
    x += threadIdx.x * n;
    double a = 0, c = 0;
    for (int i = 0; i < n; i++)
        a += x[i];
    for (int i = 0; i < n; i++)
        c += v[i] * a;
    y[threadIdx.x] = c;
}
// expect: 11:19 rf-rounding
