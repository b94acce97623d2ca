// A jump out of the second loop.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n, float enough)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        s += expf(x[i] - m);
        if (s > enough)
            goto done;
    }
done:
    y[threadIdx.x] = s;
}
// expect: 12:13 rf-control
