// The list leaves out a member that does not begin as 0.
struct Scale {
    float by = 2.0f;
    float plus;
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
        m = fmaxf(m, scaled(Scale{}, x[i]));
    for (int i = 0; i < n; i++)
        s += expf(scaled(Scale{}, x[i]) - m);
    y[threadIdx.x] = s;
}
// expect: 17:34 rf-unsupported
