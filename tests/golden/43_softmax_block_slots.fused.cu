// Softmax with one block a row: warps reduce by shuffles and leave one value
// each in shared memory, thread 0 finishes alone. Maximum and sum share the
// slots.
#include "check.h"

__device__ float warp_max(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, offset));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void softmax_slots(const float *in, float *out, int width)
{
    __shared__ float slots[32];
    const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const float *x = in + blockIdx.x * width;
    float *y = out + blockIdx.x * width;

    float top = -INFINITY;
    for (int c = threadIdx.x; c < width; c += blockDim.x)
        top = fmaxf(top, x[c]);
    top = warp_max(top);
    if (lane == 0)
        slots[warp] = top;
    __syncthreads();
    if (threadIdx.x == 0) {
        float v = slots[0];
        for (int w = 1; w < warps; w++)
            v = fmaxf(v, slots[w]);
        slots[0] = v;
    }
    __syncthreads();
    const float m = slots[0];
    __syncthreads();

    float total = 0.0f;
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        y[c] = expf(x[c] - m);
        total += y[c];
    }
    total = warp_sum(total);
    if (lane == 0)
        slots[warp] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        float v = slots[0];
        for (int w = 1; w < warps; w++)
            v += slots[w];
        slots[0] = v;
    }
    __syncthreads();
    const float s = slots[0];

    for (int c = threadIdx.x; c < width; c += blockDim.x)
        y[c] = y[c] / s;
}
#else  // rf: fused, 3 passes -> 2, 5 barriers -> 1, rescaled, proof 13/13, HASH; do not edit
__global__ void softmax_slots(const float *in, float *out, int width)
{
    const float *x = in + blockIdx.x * width;
    float *y = out + blockIdx.x * width;
    float top = -INFINITY;
    float total = 0.0f;
    // total: relative to the top so far, rescaled when it moves
    for (int c = threadIdx.x; c < width; c += (int)blockDim.x) {
        const float top_old = top;
        const float x_c = x[c];
        top = fmaxf(top, x_c);
        if (top != top_old)
            total *= expf(top_old - top);
        total += x_c == -INFINITY ? 0.0f : expf(x_c - top);
    }
    // one combine for the block: the lanes of a warp, then the warps
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float top_other = __shfl_xor_sync(0xffffffff, top, offset);
        float total_other = __shfl_xor_sync(0xffffffff, total, offset);
        const float top_old = top;
        top = fmaxf(top, top_other);
        if (top != top_old)
            total *= expf(top_old - top);
        if (top != top_other)
            total_other *= expf(top_other - top);
        total += total_other;
    }
    __shared__ float top_warp[8];
    __shared__ float total_warp[8];
    if (threadIdx.x % 32 == 0) {
        top_warp[threadIdx.x / 32] = top;
        total_warp[threadIdx.x / 32] = total;
    }
    __syncthreads();
    top = top_warp[0];
    total = total_warp[0];
    for (unsigned warp_2 = 1; warp_2 < blockDim.x / 32; ++warp_2) {
        const float top_other = top_warp[warp_2];
        float total_other = total_warp[warp_2];
        const float top_old = top;
        top = fmaxf(top, top_other);
        if (top != top_old)
            total *= expf(top_old - top);
        if (top != top_other)
            total_other *= expf(top_other - top);
        total += total_other;
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (width > 0 && top == -INFINITY)
        total = NAN;
    for (int c = threadIdx.x; c < width; c += (int)blockDim.x)
        y[c] = expf(x[c] - top) / total;
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 600)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        softmax_slots<<<N, 256>>>(x.upload(), y.upload(), C);
        y.download();
        check::expect("out", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
