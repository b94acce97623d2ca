// The sum of products about two means.
#pragma rf cascade assume(finite)
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float a = 0, b = 0, c = 0;
    for (int i = 0; i < n; i++) {
        a += x[i];
        b += w[i];
    }
    float mean_x = a / n, mean_w = b / n;
    for (int i = 0; i < n; i++)
        c += (x[i] - mean_x) * (w[i] - mean_w);
    y[0] = a;
    y[1] = b;
    y[2] = c;
}
// results: a b c
