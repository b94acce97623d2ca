// The division keeps the squares in range: x * x may overflow or vanish.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = 0, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, fabsf(x[i]));
    for (int i = 0; i < n; i++)
        s += (x[i] / m) * (x[i] / m);
    y[threadIdx.x] = m * sqrtf(s);
}
// expect: 10:9 rf-rounding
