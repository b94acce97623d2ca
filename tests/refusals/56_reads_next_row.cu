// Each thread writes its row and reads its neighbour's.
#pragma rf cascade
__global__ void k(float *x, float *y, int n)
{
    const int r = threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[(r + 1) * n + i]);
    for (int i = 0; i < n; i++) {
        x[r * n + i] = expf(x[r * n + i] - m);
        s += x[r * n + i];
    }
    y[r] = s;
}

void launch(float *x, float *y, int rows, int n)
{
    k<<<1, rows>>>(x, y, n);
}
// expect: 8:22 rf-race
