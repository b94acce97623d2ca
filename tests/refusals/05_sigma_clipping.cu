// A mean without the outliers: which they are depends on the plain mean.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n, float sigma)
{
    x += threadIdx.x * n;
    float mean = 0, s = 0;
    int kept = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i < n; i++)
        if ((x[i] - mean) * (x[i] - mean) < 9 * sigma * sigma) {
            s += x[i];
            kept++;
        }
    y[threadIdx.x] = s / kept;
}
// expect: 11:43 rf-not-decomposable
