// One of the terms leaves the loop; only the final maximum makes it right.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n, int chosen)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, mine = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        float e = expf(x[i] - m);
        s += e;
        if (i == chosen)
            mine = e;
    }
    y[threadIdx.x] = mine / s;
}
// expect: 13:20 rf-escape
