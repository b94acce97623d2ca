// A recursive filter: the element before has just been written.
#pragma rf cascade
__global__ void k(float *x, float *y, int n)
{
    float *v = x + threadIdx.x * n;
    float m = 0, s = 0;
    for (int i = 1; i < n; i++)
        m = fmaxf(m, fabsf(v[i]));
    for (int i = 1; i < n; i++) {
        v[i] = v[i] / m + sinf(v[i - 1]);
        s += v[i];
    }
    y[threadIdx.x] = s;
}
// expect: 10:32 rf-carried
