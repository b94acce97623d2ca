// The macro is the body of the loop: two statements under one name.
#define STEP(v)                                                                \
    float e = expf(x[v] - m);                                                  \
    s += e

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        STEP(i);
    }
    y[threadIdx.x] = s;
}
// expect: 14:9 rf-macro
