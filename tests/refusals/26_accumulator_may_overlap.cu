// The sum grows in memory that the row may lie in.
#pragma rf cascade
__global__ void k(const float *x, float *sum, int n)
{
    const int r = threadIdx.x;
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    sum[r] = 0;
    for (int i = 0; i < n; i++)
        sum[r] += expf(x[r * n + i] - m);
}
// expect: 11:24 rf-alias
