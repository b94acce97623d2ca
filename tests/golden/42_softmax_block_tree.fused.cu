// Softmax with one block a row and a halving tree in dynamic shared memory,
// its barrier at the head of the loop. The exponentials are stored by one loop
// and added up by the next.
#include "check.h"

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void softmax_tree(const float *in, float *out, int width)
{
    extern __shared__ float cells[];
    const int tid = threadIdx.x;
    const float *x = in + blockIdx.x * width;
    float *y = out + blockIdx.x * width;

    float top = -INFINITY;
    for (int c = tid; c < width; c += blockDim.x)
        top = fmaxf(top, x[c]);
    cells[tid] = top;
    for (int half = blockDim.x / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (tid < half)
            cells[tid] = fmaxf(cells[tid], cells[tid + half]);
    }
    __syncthreads();
    top = cells[0];
    __syncthreads();

    for (int c = tid; c < width; c += blockDim.x)
        y[c] = expf(x[c] - top);
    float total = 0.0f;
    for (int c = tid; c < width; c += blockDim.x)
        total += y[c];
    cells[tid] = total;
    for (int half = blockDim.x / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (tid < half)
            cells[tid] += cells[tid + half];
    }
    __syncthreads();
    total = cells[0];

    for (int c = tid; c < width; c += blockDim.x)
        y[c] /= total;
}
#else  // rf: fused, 4 passes -> 2, 17 barriers -> 1, rescaled, proof 13/13, HASH; do not edit
__global__ void softmax_tree(const float *in, float *out, int width)
{
    const int tid = threadIdx.x;
    const float *x = in + blockIdx.x * width;
    float *y = out + blockIdx.x * width;
    float top = -INFINITY;
    float total = 0.0f;
    // total: relative to the top so far, rescaled when it moves
    for (int c = tid; c < width; c += (int)blockDim.x) {
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
    __shared__ float top_warp[4];
    __shared__ float total_warp[4];
    if (threadIdx.x % 32 == 0) {
        top_warp[threadIdx.x / 32] = top;
        total_warp[threadIdx.x / 32] = total;
    }
    __syncthreads();
    top = top_warp[0];
    total = total_warp[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        const float top_other = top_warp[warp];
        float total_other = total_warp[warp];
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
    for (int c = tid; c < width; c += (int)blockDim.x)
        y[c] = expf(x[c] - top) / total;
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 300)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        softmax_tree<<<N, 128, 128 * sizeof(float)>>>(x.upload(), y.upload(),
                                                      C);
        y.download();
        check::expect("out", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
