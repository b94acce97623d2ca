// The second loop changes the shift that it uses.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        m = 0.5f * (m + s);
    }
    y[threadIdx.x] = s;
}
// expect: 10:26 rf-carried
