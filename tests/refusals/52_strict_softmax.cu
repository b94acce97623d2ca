// `strict`: the rescaled sum would not be bit-identical.
#pragma rf cascade strict
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 10:11 rf-strict
