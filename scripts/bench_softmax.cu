// What bench.sh lets rf-run execute: a softmax, a row a block.
__global__ void softmax(float *y, const float *x, int n)
{
    __shared__ float part[8];
    const float *row = x + (size_t)blockIdx.x * n;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float m = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmaxf(m, row[i]);
    for (int d = 16; d; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (lane == 0)
        part[warp] = m;
    __syncthreads();
    for (int w = 0; w < 8; w++)
        m = fmaxf(m, part[w]);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += expf(row[i] - m);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; w++)
        sum += part[w];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[(size_t)blockIdx.x * n + i] = expf(row[i] - m) / sum;
}
