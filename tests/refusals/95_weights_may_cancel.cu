// The sum of the weights may be 0 on the way, where the running mean would
// divide by it; at the end it need not be.
#pragma rf cascade
__global__ void k(const float *w, const float *x, float *y, int n)
{
    w += threadIdx.x * n;
    x += threadIdx.x * n;
    float W = 0, S = 0, V = 0;
    for (int i = 0; i < n; i++) {
        W += w[i];
        S += w[i] * x[i];
    }
    for (int i = 0; i < n; i++)
        V += w[i] * (x[i] - S / W) * (x[i] - S / W);
    y[threadIdx.x] = V / W;
}
// expect: 14:9 rf-not-decomposable
