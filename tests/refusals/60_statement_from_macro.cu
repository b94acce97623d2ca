// The maximum is updated by a macro that expands to a statement.
#define RAISE(m, v) do { if ((v) > (m)) (m) = (v); } while (0)

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        RAISE(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 10:9 rf-macro
