// The lambda is the reduction: it changes the sum that it captured.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    auto add = [&s](float v) { s += v; };
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        add(expf(x[i] - m));
    y[threadIdx.x] = s;
}
// expect: 7:18 rf-escape
