// Three central moments.
#pragma rf cascade assume(finite)
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float a = 0, p = 0, q = 0, r = 0;
    for (int i = 0; i < n; i++)
        a += x[i];
    float mean = a / n;
    for (int i = 0; i < n; i++) {
        float d = x[i] - mean;
        p += d * d;
        q += d * d * d;
        r += d * d * d * d;
    }
    y[0] = a;
    y[1] = p;
    y[2] = q;
    y[3] = r;
}
// results: a p q r
