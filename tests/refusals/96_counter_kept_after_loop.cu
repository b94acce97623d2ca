// The counter is used behind the loops: its last value is not kept.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    int i;
    for (i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s + i;
}
// expect: 12:26 rf-escape
