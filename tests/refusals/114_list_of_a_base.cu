// The list begins with the members of the base class.
struct Base {
    float by;
};
struct Scale : Base {
    float plus, minus;
};

__device__ float scaled(Scale s, float v)
{
    return v * s.by + s.plus;
}

#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, scaled(Scale{ { 2.0f }, 1.0f }, x[i]));
    for (int i = 0; i < n; i++)
        s += expf(scaled(Scale{ { 2.0f }, 1.0f }, x[i]) - m);
    y[threadIdx.x] = s;
}
// expect: 19:34 rf-unsupported
