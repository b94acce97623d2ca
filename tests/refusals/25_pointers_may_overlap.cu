// Two plain pointers, one of them written in the loop that reads the other: which
// elements those are, only a third array knows.
#pragma rf cascade
__global__ void k(const float *x, const int *at, float *out, int n)
{
    out += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[at[i]]);
    for (int i = 0; i < n; i++) {
        out[i] = expf(x[at[i]] - m);
        s += out[i];
    }
    for (int i = 0; i < n; i++)
        out[i] /= s;
}
// expect: 11:23 rf-alias
