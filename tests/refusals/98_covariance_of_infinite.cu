// An infinite b[n-1] leaves the running sum infinite; the source has no number.
#pragma rf cascade
__global__ void k(const float *a, const float *b, float *y, int n)
{
    a += threadIdx.x * n;
    b += threadIdx.x * n;
    float ma = 0, mb = 0, c = 0;
    for (int i = 0; i < n; i++) {
        ma += a[i];
        mb += b[i];
    }
    ma /= n;
    mb /= n;
    for (int i = 0; i < n; i++)
        c += (a[i] - ma) * (b[i] - mb);
    y[threadIdx.x] = c / (n - 1);
}
// expect: 15:9 rf-rounding
