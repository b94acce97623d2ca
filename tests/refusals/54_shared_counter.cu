// Every thread counts with the same variable.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    __shared__ int i;
    float m = -INFINITY, s = 0;
    for (i = 0; i < n; i++)
        m = fmaxf(m, x[threadIdx.x * n + i]);
    for (i = 0; i < n; i++)
        s += expf(x[threadIdx.x * n + i] - m);
    y[threadIdx.x] = s;
}
// expect: 7:10 rf-race
