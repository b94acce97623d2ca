// A maximum whose terms are multiplied by a result that may be negative.
#pragma rf cascade
__global__ void k(const float *x, const float *w, float *y, int n)
{
    x += threadIdx.x * n;
    float c = 0, top = -INFINITY;
    for (int i = 0; i < n; i++)
        c += x[i];
    for (int i = 0; i < n; i++)
        top = fmaxf(top, w[i] * c);
    y[threadIdx.x] = top;
}
// expect: 10:31 rf-not-decomposable
