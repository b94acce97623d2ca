// Thread 0 alone finishes and tells: there is no race, only nothing to fuse.
#pragma rf cascade assume(blockDim.x == 64)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float slots[64];
    __shared__ float factor;
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += 64)
        sum += x[i];
    slots[t] = sum;
    __syncthreads();
    if (t == 0) {
        float all = 0;
        for (int w = 0; w < 64; w++)
            all += slots[w];
        factor = 1 / all;
    }
    __syncthreads();
    for (int i = t; i < n; i += 64)
        y[i] = x[i] * factor;
}
// expect: 9:5 rf-done
