// The weights are scaled where `j < n` only; with n < 0 none of them are, so
// what the last loop reads is not always what the loop before it wrote.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, const float *v, float *p, float *y, int n)
{
    int t = (int)threadIdx.x % n;
    x += threadIdx.x * 64;
    p += threadIdx.x * 64;
    float m = -INFINITY, s = 0, o = 0;
    for (int j = 0; j <= t; j++)
        m = fmaxf(m, x[j]);
    for (int j = 0; j <= t; j++) {
        p[j] = expf(x[j] - m);
        s += p[j];
    }
    for (int j = 0; j < n; j++)
        if (j <= t)
            p[j] /= s;
        else
            p[j] = 0;
    for (int j = 0; j <= t; j++)
        o += p[j] * v[j];
    y[threadIdx.x] = o;
}
// expect: 22:14 rf-loop-mismatch
