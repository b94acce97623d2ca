// The last element is kept and used behind the braces.
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    const float *row = x + threadIdx.x * n;
    float m = -INFINITY, s = 0;
    float last;
#pragma rf cascade
    {
        for (int i = 0; i < n; i++)
            last = row[i], m = fmaxf(m, last);
        for (int i = 0; i < n; i++)
            s += expf(row[i] - m);
    }
    if (s > 0)
        y[threadIdx.x] = s + m + last;
}
// expect: 15:34 rf-escape
