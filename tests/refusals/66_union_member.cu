// The accumulator shares its bytes with an integer.
union Bits {
    float f;
    unsigned u;
};

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    Bits m;
    m.u = 0xff800000u;
    float s = 0;
    for (int i = 0; i < n; i++)
        m.f = fmaxf(m.f, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m.f);
    y[threadIdx.x] = s;
}
// expect: 12:5 rf-unsupported
