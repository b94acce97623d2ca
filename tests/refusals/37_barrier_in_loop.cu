// A barrier in the loop, for a reason that is not to be seen here.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) {
        m = fmaxf(m, x[i]);
        __syncthreads();
    }
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}
// expect: 9:9 rf-side-effect
