// The mark is before a constant, not before a statement or a function.
#pragma rf cascade
__constant__ float scale = 2.0f;

__global__ void k(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[threadIdx.x * n + i]);
    for (int i = 0; i < n; i++)
        s += expf((x[threadIdx.x * n + i] - m) * scale);
    y[threadIdx.x] = s;
}
// expect: 2:1 rf-pragma
