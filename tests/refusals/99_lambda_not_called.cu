// A lambda that nobody calls here is handed out with the sum in it.
template <class F>
__device__ float apply(F f)
{
    return f(1.0f);
}

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    auto add = [&s](float v) { return s += v; };
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += apply(add) * expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 5:12 rf-unsupported
