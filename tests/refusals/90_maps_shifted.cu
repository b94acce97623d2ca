// Each loop over the row overwrites what the one before stored at the next
// element: in one loop the older value would stay.
#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * (n + 1);
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    for (int i = 0; i < n; i++)
        y[i + 1] = expf(x[i] - m) / s;
    for (int i = 0; i < n; i++)
        y[i] = x[i] / s;
}
// expect: 16:9 rf-order
