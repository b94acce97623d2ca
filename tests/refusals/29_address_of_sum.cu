// A pointer to the accumulator: every partial sum is stored through it.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    const float *now = &s;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        y[i] = *now;
    }
}
// expect: 8:24 rf-escape
