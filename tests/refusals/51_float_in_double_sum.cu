// Each term is rounded to float on its way into a sum of doubles.
#pragma rf cascade
__global__ void k(const double *x, double *y, int n)
{
    x += threadIdx.x * n;
    double m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, x[i]);
    for (int i = 0; i < n; i++)
        s += (float)exp(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 10:14 rf-rounding
