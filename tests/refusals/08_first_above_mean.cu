// The first element above the mean.
#pragma rf cascade
__global__ void k(const float *x, int *where, int n)
{
    x += threadIdx.x * n;
    float mean = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    int at = n;
    for (int i = 0; i < n; i++)
        if (x[i] > mean)
            at = min(at, i);
    where[threadIdx.x] = at;
}
// expect: 11:18 rf-not-decomposable
