// An infinite element that comes last leaves no number in the source; the
// terms of the running form may all be +infinity.
__global__ void k(const double *__restrict__ x, double *__restrict__ y, int n)
{
    x += threadIdx.x * n;
    double mean = 0, m4 = 0;
#pragma rf cascade
    {
        for (int i = 0; i < n; i++)
            mean += x[i];
        mean /= n;
        for (int i = 0; i < n; i++) {
            double d = x[i] - mean;
            m4 += d * d * d * d;
        }
    }
    y[threadIdx.x] = m4 / n;
}
// expect: 14:13 rf-rounding
