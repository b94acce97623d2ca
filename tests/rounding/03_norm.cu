// A factor that is put off until after the loop.
#pragma rf cascade assume(finite)
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float q = 0, o = 0;
    for (int i = 0; i < n; i++)
        q += x[i] * x[i];
    for (int i = 0; i < n; i++)
        o += x[i] * w[i] * (1.0f / sqrtf(q / n + 1.0f));
    y[0] = q;
    y[1] = o;
}
// results: q o
