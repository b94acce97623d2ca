// The loop itself comes out of a macro.
#define EACH(i, n) for (int i = 0; i < (n); i++)

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    EACH(i, n)
        m = fmaxf(m, x[i]);
    EACH(i, n)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 9:5 rf-macro
