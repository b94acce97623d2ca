// Values are clipped after the mean is subtracted: which of them are clipped
// is known only at the end.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float mean = 0, s = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        s += __saturatef(x[i] - mean);
    y[threadIdx.x] = s;
}
// expect: 12:14 rf-not-decomposable
