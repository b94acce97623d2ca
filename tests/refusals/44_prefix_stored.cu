// Cumulative sums of the exponentials: each needs the final maximum.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *cdf, int n)
{
    x += threadIdx.x * n;
    cdf += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        cdf[i] = s;
    }
}
// expect: 12:18 rf-order
