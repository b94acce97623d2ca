// The sum of squares about the mean.
#pragma rf cascade
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float a = 0, v = 0;
    for (int i = 0; i < n; i++)
        a += x[i];
    float mean = a / n;
    for (int i = 0; i < n; i++)
        v += (x[i] - mean) * (x[i] - mean);
    y[0] = a;
    y[1] = v;
}
// results: a v
