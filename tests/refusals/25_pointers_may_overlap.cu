// Two plain pointers, one of them written in the loop that reads the other.
#pragma rf cascade
__global__ void k(const float *x, float *out, int n)
{
    x += threadIdx.x * n;
    out += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        out[i] = expf(x[i] - m);
        s += out[i];
    }
    for (int i = 0; i < n; i++)
        out[i] /= s;
}
// expect: 11:23 rf-alias
