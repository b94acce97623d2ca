// `strict`: the two-pass variance and the running one round differently.
#pragma rf cascade strict
__global__ void k(const double *x, double *y, int n)
{
    x += threadIdx.x * n;
    double mean = 0, v = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        v += (x[i] - mean) * (x[i] - mean);
    y[threadIdx.x] = v / n;
}
// expect: 11:11 rf-strict
