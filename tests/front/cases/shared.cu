// Storage: shared, static, dynamic, constant, built-in.
__constant__ float weights[8];
__device__ int counter;
template <int B> __global__ void storage(float *x, int n)
{
    __shared__ float tile[32][33];
    extern __shared__ float dynamic[];
    static __shared__ int count;
    int lane = threadIdx.x % warpSize;
    tile[threadIdx.y][lane] = weights[lane & 7] * B;
    __syncthreads();
    dynamic[lane] = tile[lane][threadIdx.y];
    count++;
    counter = gridDim.x * blockIdx.y + blockDim.z;
}
