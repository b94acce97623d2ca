// Elements near -FLT_MAX, divided one by one, have a sum; together they have
// none.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = 1, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += x[i] / m;
    y[threadIdx.x] = s;
}
// expect: 11:19 rf-rounding
