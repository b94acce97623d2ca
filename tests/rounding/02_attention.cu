// A weighted sum of both signs, normalised in every term.
#pragma rf cascade
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float m = -INFINITY, s = 0, o = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    for (int i = 0; i < n; i++)
        o += expf(x[i] - m) / s * w[i];
    y[0] = m;
    y[1] = s;
    y[2] = o;
}
// results: m s o
