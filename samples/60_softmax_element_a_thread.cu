// Softmax with one element a thread, as many threads as the row has elements.
// Each element is read once into a register: there is nothing to fuse, and the
// tool says so.
#include "check.h"

template <bool MAXIMUM> __device__ float block_reduce(float v)
{
    __shared__ float slots[32];
    for (int o = 16; o > 0; o /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, v, o);
        v = MAXIMUM ? fmaxf(v, other) : v + other;
    }
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        v = MAXIMUM ? fmaxf(v, slots[w]) : v + slots[w];
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void softmax_element(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];
    const float top = block_reduce<true>(x);
    const float e = expf(x - top);
    out[i] = e / block_reduce<false>(e);
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 19, C = 96;
    check::Array<float> x(N * C), y(N * C);
    check::fill(x, C, o);
    softmax_element<<<N, C>>>(x.upload(), y.upload());
    y.download();
    check::expect("out", y, check::softmax_rows(x, N, C));
    return check::pass();
}
