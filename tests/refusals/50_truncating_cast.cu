// A plain cast truncates the scaled value: a histogram's bin, added up.
#pragma rf cascade
__global__ void k(const float *x, int *y, int n)
{
    x += threadIdx.x * n;
    float top = 1e-8f;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[i]);
    int bins = 0;
    for (int i = 0; i < n; i++)
        bins += (int)(x[i] / top * 16.0f);
    y[threadIdx.x] = bins;
}
// expect: 11:17 rf-rounding
