// The row is read once, into registers; all passes run on those.
#define N 16

#pragma rf cascade
__global__ void k(const float *x, float *y)
{
    float v[N], m = -INFINITY, s = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = x[threadIdx.x * N + i];
#pragma unroll
    for (int i = 0; i < N; i++)
        m = fmaxf(m, v[i]);
#pragma unroll
    for (int i = 0; i < N; i++)
        s += expf(v[i] - m);
    y[threadIdx.x] = s;
}
// expect: 10:16 rf-done
