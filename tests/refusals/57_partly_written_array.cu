// Only unmasked elements of a local array are written, all of them are read.
#pragma rf cascade
__global__ void k(const float *x, const int *mask, float *y, int n)
{
    x += threadIdx.x * n;
    float e[64], m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        if (mask[i])
            e[i] = expf(x[i] - m);
    for (int i = 0; i < n; i++)
        s += e[i];
    y[threadIdx.x] = s;
}
// expect: 13:14 rf-race
