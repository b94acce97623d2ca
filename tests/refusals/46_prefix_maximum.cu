// The largest partial sum of the shifted values, not the largest value.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float mean = 0, walk = 0, high = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i < n; i++) {
        walk += x[i] - mean;
        high = fmaxf(high, walk);
    }
    y[threadIdx.x] = high;
}
// expect: 11:28 rf-order
