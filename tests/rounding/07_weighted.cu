// The weighted variance.
#pragma rf cascade assume(w > 0)
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float a = 0, b = 0, v = 0;
    for (int i = 0; i < n; i++) {
        a += w[i];
        b += w[i] * x[i];
    }
    float mean = b / a;
    for (int i = 0; i < n; i++)
        v += w[i] * ((x[i] - mean) * (x[i] - mean));
    y[0] = a;
    y[1] = b;
    y[2] = v;
}
// results: a b v
