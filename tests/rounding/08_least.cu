// Weights that a minimum shifts, with a scale in the exponent.
#pragma rf cascade
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float m = INFINITY, s = 0, o = 0;
    for (int i = 0; i < n; i++)
        m = fminf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf((m - x[i]) * 0.3f);
    for (int i = 0; i < n; i++)
        o += expf((m - x[i]) * 0.3f) * w[i];
    y[0] = m;
    y[1] = s;
    y[2] = o;
}
// results: m s o
