// The counter of the loops is used behind the braces.
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    const float *row = x + threadIdx.x * n;
    float m = -INFINITY, s = 0;
    int i;
#pragma rf cascade
    {
        for (i = 0; i < n; i++)
            m = fmaxf(m, row[i]);
        for (i = 0; i < n; i++)
            s += expf(row[i] - m);
    }
    if (s > 0)
        y[threadIdx.x] = s + m + i;
}
// expect: 15:34 rf-escape
