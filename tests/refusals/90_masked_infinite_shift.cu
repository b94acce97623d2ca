// Finite inputs do not help: the shift is -inf until an element of it comes.
#pragma rf cascade assume(finite)
__global__ void k(const float *x, const int *mask, float *y, int n)
{
    x += threadIdx.x * n;
    mask += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        if (mask[i])
            m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 12:9 rf-not-decomposable
