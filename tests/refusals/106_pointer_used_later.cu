// Where the walk through the row ended is used behind the loops.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    const float *p = x + threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, *p++);
    p -= n;
    for (int i = 0; i < n; i++)
        s += expf(*p++ - m);
    y[threadIdx.x] = s + *p;
}
// expect: 12:27 rf-escape
