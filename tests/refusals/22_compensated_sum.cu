// Kahan's summation: zero in real arithmetic, and the whole point of it.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, lost = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        float term = expf(x[i] - m) - lost;
        float sum = s + term;
        lost = (sum - s) - term;
        s = sum;
    }
    y[threadIdx.x] = s;
}
// expect: 10:39 rf-carried
