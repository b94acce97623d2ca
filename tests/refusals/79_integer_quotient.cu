// Integer division truncates each term: it does not leave the sum.
#pragma rf cascade
__global__ void k(const int *x, int *y, int n)
{
    x += threadIdx.x * n;
    int total = 1, percent = 0;
    for (int i = 0; i < n; i++)
        total += x[i] * x[i];
    for (int i = 0; i < n; i++)
        percent += 100 * x[i] / total;
    y[threadIdx.x] = percent;
}
// expect: 10:31 rf-not-decomposable
