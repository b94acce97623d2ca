// Mean absolute deviation: |x - mean| is not closed under translation.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float mean = 0, s = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        s += fabsf(x[i] - mean);
    y[threadIdx.x] = s / n;
}
// expect: 11:14 rf-not-decomposable
