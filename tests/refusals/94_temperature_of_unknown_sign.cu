// With a negative temperature the exponentials grow from the maximum.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n, float t)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] / t - m / t);
    y[threadIdx.x] = s;
}
// expect: 10:9 rf-not-decomposable
