// Two clauses that exclude each other.
#pragma rf cascade keep replace
__global__ void k(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[threadIdx.x * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[threadIdx.x * n + i] - m);
    y[threadIdx.x] = s;
}
// expect: 2:25 rf-pragma
