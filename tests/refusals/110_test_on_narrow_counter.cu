// The counter is tested as a char: it wraps, and the loop may never end.
#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float m = -INFINITY, s = 0;
    for (int p = 200; (unsigned char)p < n; p++)
        m = fmaxf(m, x[p]);
    for (int p = 200; (unsigned char)p < n; p++)
        s += expf(x[p] - m);
    y[threadIdx.x] = s;
}
// expect: 6:23 rf-control
