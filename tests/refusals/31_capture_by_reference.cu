// A lambda holds the accumulator and hands out its partial values.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    auto so_far = [&s](float scale) { return s * scale; };
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        y[i] = so_far(2.0f);
    }
}
// expect: 8:21 rf-escape
