// What the function does is known only when the program runs.
typedef float (*map_t)(float);

#pragma rf cascade
__global__ void k(const float *x, float *y, int n, map_t f)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, f(x[i]));
    for (int i = 0; i < n; i++)
        s += expf(f(x[i]) - m);
    y[threadIdx.x] = s;
}
// expect: 10:22 rf-side-effect
