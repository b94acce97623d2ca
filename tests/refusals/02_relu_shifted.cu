// The positive part of the difference from the mean.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float mean = 0, s = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        s += fmaxf(x[i] - mean, 0.0f);
    y[threadIdx.x] = s;
}
// expect: 11:14 rf-not-decomposable
