// The second loop ends where the first one found the last valid element.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    int len = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            len = i + 1;
    float s = 0;
    for (int i = 0; i < len; i++)
        s += x[i] * x[i];
    y[threadIdx.x] = s;
}
// expect: 11:5 rf-loop-mismatch
