// The kernel gets a parameter: what stands before cannot know it.
__global__ void k(const float *x, float *y, int n);

void run(const float *x, float *y, int rows, int n)
{
    k<<<rows, 1>>>(x, y, n);
}

#pragma rf cascade level(grid)
__global__ void k(const float *x, float *y, int n)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = x + r * n;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, p[i]);
    for (int i = 0; i < n; i++)
        s += expf(p[i] - m);
    y[r] = s;
}
// expect: 6:5 rf-launch
