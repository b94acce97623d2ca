// The axis is two nested loops, the same two each time, as in a group norm.
#pragma rf cascade
__global__ void k(const float *x, float *y, int h, int w)
{
    x += threadIdx.x * h * w;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++)
            m = fmaxf(m, x[i * w + j]);
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++)
            s += expf(x[i * w + j] - m);
    y[threadIdx.x] = s;
}
// expect: 9:13 rf-loop-mismatch
