// The exponential of the step before is carried along.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, prev = 1;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        float e = expf(x[i] - m);
        s += e * prev;
        prev = e;
    }
    y[threadIdx.x] = s;
}
// expect: 11:18 rf-carried
