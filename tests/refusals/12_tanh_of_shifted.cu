// A squashing function of the shifted value.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += tanhf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 10:14 rf-not-decomposable
