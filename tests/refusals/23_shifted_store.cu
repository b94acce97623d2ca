// In place at an unknown distance: a later step may read what this one wrote.
#pragma rf cascade
__global__ void k(float *x, float *y, int n, int distance)
{
    x += threadIdx.x * 2 * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        float e = expf(x[i] - m);
        x[i + distance] = e;
        s += e;
    }
    y[threadIdx.x] = s;
}
// expect: 10:24 rf-carried
