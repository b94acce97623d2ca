// Each thread reads its row, which the thread before it overwrites.
#pragma rf cascade
__global__ void k(float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[threadIdx.x * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[threadIdx.x * n + i] - m);
    for (int i = 0; i < n; i++)
        x[(threadIdx.x + 1) * n + i] = s;
    y[threadIdx.x] = s;
}
// expect: 7:22 rf-race
