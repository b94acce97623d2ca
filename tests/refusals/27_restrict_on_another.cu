// __restrict__ protects x, but not w from out.
#pragma rf cascade
__global__ void k(const float *__restrict__ x, const float *w, float *out,
                  int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        float e = expf(x[i] - m) * w[i];
        out[threadIdx.x * n + i] = e;
        s += e;
    }
    out[threadIdx.x * n] = s;
}
// expect: 11:36 rf-alias
