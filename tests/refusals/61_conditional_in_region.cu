// Which of two loops is meant depends on how the file is compiled.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
#ifdef SQUARES
    for (int i = 0; i < n; i++)
        s += (x[i] - m) * (x[i] - m);
#else
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
#endif
    y[threadIdx.x] = s;
}
// expect: 9:1 rf-macro
