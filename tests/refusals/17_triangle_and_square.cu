// The maximum up to the diagonal, the sum over the whole row.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    const int t = threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int j = 0; j <= t; j++)
        m = fmaxf(m, x[t * n + j]);
    for (int j = 0; j < n; j++)
        s += expf(x[t * n + j] - m);
    y[t] = s;
}
// expect: 9:5 rf-loop-mismatch
