// The row ends at a sentinel.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0;; i++) {
        if (x[i] < -1e30f)
            break;
        m = fmaxf(m, x[i]);
    }
    for (int i = 0; x[i] >= -1e30f; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 9:13 rf-control
