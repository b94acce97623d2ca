// The maximum is that of the first half, the sum that of the whole row.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n / 2; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 9:5 rf-loop-mismatch
