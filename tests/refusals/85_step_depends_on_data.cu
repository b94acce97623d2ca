// The loop skips the element after a negative one.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        m = fmaxf(m, x[i]);
        if (x[i] < 0)
            i++;
    }
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        if (x[i] < 0)
            i++;
    }
    y[threadIdx.x] = s;
}
// expect: 10:13 rf-unsupported
