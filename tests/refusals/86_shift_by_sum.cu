// A running sum does not bound the exponents: e^(300 - 150) overflows where
// the source's e^(300 - 600) does not.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float a = 0, s = 0;
    for (int i = 0; i < n; i++)
        a += x[i];
    for (int i = 0; i < n; i++)
        s += expf(x[i] - 0.5f * a);
    y[threadIdx.x] = s;
}
// expect: 11:9 rf-not-decomposable
