// An assumption about something that does not exist.
#pragma rf cascade assume(temperatur > 0)
__global__ void k(const float *x, float *y, int n, float temperature)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf((x[i] - m) / temperature);
    y[threadIdx.x] = s;
}
// expect: 2:27 rf-pragma
