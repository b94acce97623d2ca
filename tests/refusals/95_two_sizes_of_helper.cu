// One helper over four elements and over eight: not the same scores.
template <int D>
__device__ float dot(const float *a, const float *b)
{
    float s = 0;
    for (int i = 0; i < D; i++)
        s += a[i] * b[i];
    return s;
}

template <int D>
__global__ void k(const float *x, float *y, int n)
{
#pragma rf cascade
    {
        float m = -FLT_MAX, s = 0;
        for (int i = 0; i < n; i++)
            m = fmaxf(m, dot<D>(x, x + i * 2 * D));
        for (int i = 0; i < n; i++)
            s += expf(dot<2 * D>(x, x + i * 2 * D) - m);
        y[0] = s;
    }
}
// expect: 20:13 rf-not-decomposable
