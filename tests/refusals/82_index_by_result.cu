// Which element is read depends on where the maximum was found.
#pragma rf cascade
__global__ void k(const float *x, const float *w, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    int at = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > m) {
            m = x[i];
            at = i;
        }
    for (int i = 0; i < n; i++)
        s += x[i] * w[abs(i - at)];
    y[threadIdx.x] = s;
}
// expect: 14:21 rf-not-decomposable
