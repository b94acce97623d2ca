// The step of a later loop asks whether the variance is 0 exactly.
__global__ void k(const float *x, float *y, int n)
{
    float sum = 0, var = 0;
#pragma rf cascade assume(noalias)
    {
        for (int i = 0; i < n; i++)
            sum += x[threadIdx.x * n + i];
        for (int i = 0; i < n; i++)
            var += (x[threadIdx.x * n + i] - sum / n) *
                   (x[threadIdx.x * n + i] - sum / n);
    }
    for (int j = 0; j < 2; j += var == 0 ? 2 : 1)
        y[threadIdx.x * 2 + j] = var;
}
// expect: 13:33 rf-rounding
