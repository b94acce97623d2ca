// Whether the sum is guarded is decided in the macro.
#define WHERE(c) if (c)

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -5, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        WHERE(x[i] > -5)
            s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 12:9 rf-macro
