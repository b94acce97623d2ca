// The time is taken in the loop.
#pragma rf cascade
__global__ void k(const float *x, float *y, long long *spent, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    long long before = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        before = clock64();
    }
    y[threadIdx.x] = s;
    spent[threadIdx.x] = before;
}
// expect: 12:18 rf-side-effect
