// Unsigned differences wrap: a maximum of them is not a shifted maximum.
#pragma rf cascade
__global__ void k(const unsigned *x, unsigned *y, int n)
{
    x += threadIdx.x * n;
    unsigned m = 0, far = 0;
    for (int i = 0; i < n; i++)
        m = max(m, x[i] & 255u);
    for (int i = 0; i < n; i++)
        far = max(far, x[i] - m);
    y[threadIdx.x] = far;
}
// expect: 10:29 rf-not-decomposable
