// Softmax of one long vector: every block folds all of it again, and the last
// loop divides the elements among the threads of the grid.
#include "check.h"

#include <algorithm>

__device__ float block_fold(float v, float *cells, bool largest)
{
    cells[threadIdx.x] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) {
            const float other = cells[threadIdx.x + half];
            cells[threadIdx.x] = largest ? fmaxf(cells[threadIdx.x], other)
                                         : cells[threadIdx.x] + other;
        }
        __syncthreads();
    }
    v = cells[0];
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void softmax_vector(const float *x, float *y, int n)
{
    __shared__ float cells[64];
    float top = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        top = fmaxf(top, x[i]);
    top = block_fold(top, cells, true);
    float total = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        total += expf(x[i] - top);
    total = block_fold(total, cells, false);
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = expf(x[i] - top) / total;
}
#else  // rf: fused, 2 passes -> 1, 16 barriers -> 1, rescaled, proof 15/15, HASH; do not edit
__global__ void softmax_vector(const float *x, float *y, int n)
{
    const int step = gridDim.x * blockDim.x;
    float top = -INFINITY;
    float total = 0.0f;
    // total: relative to the top so far, rescaled when it moves
    for (int i = threadIdx.x; i < n; i += (int)blockDim.x) {
        const float top_old = top;
        const float x_i = x[i];
        top = fmaxf(top, x_i);
        if (top != top_old)
            total *= expf(top_old - top);
        total += x_i == -INFINITY ? 0.0f : expf(x_i - top);
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
    __shared__ float top_warp[2];
    __shared__ float total_warp[2];
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
    if (n > 0 && top == -INFINITY)
        total = NAN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = expf(x[i] - top) / total;
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    for (int n : check::lengths(o, 1000)) {
        const int kinds = o.edge ? 20 : 1;
        check::Array<float> rows(kinds * n);
        check::fill(rows, n, o);
        for (int i = 0; i < kinds; i++) {
            check::Array<float> x(n), y(n);
            std::copy_n(rows.host.begin() + i * n, n, x.host.begin());
            softmax_vector<<<5, 64>>>(x.upload(), y.upload(), n);
            y.download();
            check::expect("out", y, check::softmax_rows(x, 1, n));
        }
    }
    return check::pass();
}
