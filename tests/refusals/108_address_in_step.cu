// The step of an earlier loop points at the maximum, which *p is then.
__global__ void k(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    const float *p = x;
    for (int j = 0; j < 1; j++, p = &m)
        ;
#pragma rf cascade assume(noalias)
    {
        for (int i = 0; i < n; i++)
            m = fmaxf(m, x[threadIdx.x * n + i]);
        for (int i = 0; i < n; i++)
            s += expf(x[threadIdx.x * n + i] - m) * *p;
    }
    y[threadIdx.x] = s;
}
// expect: 6:37 rf-escape
