// Two elements a step: while all are -inf, their difference to the maximum is
// no number, which a later step would have to take back.
#pragma rf cascade
__global__ void k(const float2 *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, fmaxf(x[i].x, x[i].y));
    for (int i = 0; i < n; i++)
        s += expf(x[i].x - m) + expf(x[i].y - m);
    y[threadIdx.x] = s;
}
// expect: 11:9 rf-not-decomposable
