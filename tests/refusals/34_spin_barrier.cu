// A barrier of the whole grid between the two loops, by hand.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, int *arrived, float *top, float *y, int n)
{
    const int r = blockIdx.x;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    top[r] = m;
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x)
        ;
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m) * top[(r + 1) % gridDim.x];
    y[r] = s;
}
// expect: 10:5 rf-side-effect
