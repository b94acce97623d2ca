// The second loop adds to the element that its other sum reads.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float a[2] = { 0, 0 };
    for (int i = 0; i < n; i++)
        a[0] += x[i];
    for (int i = 0; i < n; i++) {
        a[0] += x[i] * 2;
        a[1] += a[0] * x[i];
    }
    y[threadIdx.x] = a[1];
}
// expect: 11:17 rf-order
