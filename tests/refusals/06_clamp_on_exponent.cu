// The shifted exponent is clamped from below: exp no longer turns the shift
// into a factor.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(fmaxf(x[i] - m, -20.0f));
    y[threadIdx.x] = s;
}
// expect: 11:19 rf-not-decomposable
