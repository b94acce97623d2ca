// A product of sums: multiplied out it has as many terms as the row.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float c = 0, p = 1;
    for (int i = 0; i < n; i++)
        c += x[i];
    for (int i = 0; i < n; i++)
        p *= x[i] + c;
    y[threadIdx.x] = p;
}
// expect: 10:19 rf-not-decomposable
