// A local accumulator array that nothing sets before it is added to.
#pragma rf cascade
__global__ void k(const float *x, const float *v, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, acc[4];
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 4; d++)
            acc[d] += expf(x[i] - m) * v[i * 4 + d];
    for (int d = 0; d < 4; d++)
        y[threadIdx.x * 4 + d] = acc[d];
}
// expect: 11:13 rf-race
