// One instance of the template divides integers; the type goes by an alias.
template <class T, class Size>
__global__ void k(const T *__restrict__ x, T *__restrict__ y, Size rows, int n)
{
    using real = T;
    const T *row = x + threadIdx.x * n;
    if (threadIdx.x >= rows)
        return;
#pragma rf cascade
    {
        real s = 0, v = 0;
        for (int i = 0; i < n; i++)
            s += row[i];
        real mean = s / n;
        for (int i = 0; i < n; i++)
            v += (row[i] - mean) * (row[i] - mean);
        y[threadIdx.x] = v;
    }
}

void launch(const float *x, float *y, const int *a, int *b, int n)
{
    k<<<1, 32>>>(x, y, 32u, n);
    k<<<1, 32>>>(a, b, 32u, n);
}
// expect: 13:13 rf-rounding
