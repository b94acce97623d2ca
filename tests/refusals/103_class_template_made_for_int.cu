// A method of a class template that is used for integers.
template <class T> struct row_of {
    const T *row;
    __device__ T spread(int n) const
    {
        T v = 0;
#pragma rf cascade
        {
            T s = 0;
            for (int i = 0; i < n; i++)
                s += row[i];
            T mean = s / n;
            for (int i = 0; i < n; i++)
                v += (row[i] - mean) * (row[i] - mean);
        }
        return v;
    }
};

__global__ void k(const int *__restrict__ x, int *__restrict__ y, int n)
{
    row_of<int> r = { x + threadIdx.x * n };
    y[threadIdx.x] = r.spread(n);
}
// expect: 11:17 rf-rounding
