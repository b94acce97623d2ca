// How many elements lie below the mean.
#pragma rf cascade
__global__ void k(const float *x, int *below, int n)
{
    x += threadIdx.x * n;
    float mean = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    int c = 0;
    for (int i = 0; i < n; i++)
        c += x[i] < mean;
    below[threadIdx.x] = c;
}
// expect: 11:19 rf-not-decomposable
