// FLT_MAX less the first element may be infinite: 0 times that is no number.
#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    x += threadIdx.x * n;
    float lo = FLT_MAX;
    for (int i = 0; i < n; i++)
        lo = fminf(lo, x[i]);
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] - lo;
    y[threadIdx.x] = s;
}
// expect: 11:9 rf-rounding
