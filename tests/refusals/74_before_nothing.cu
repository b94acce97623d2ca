// Nothing follows the mark in its block.
__global__ void k(const float *x, float *y, int n)
{
    float m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[threadIdx.x * n + i]);
    y[threadIdx.x] = m;
    #pragma rf cascade
}
// expect: 8:5 rf-pragma
