// Softmax in place, blocks stride over the rows: block helpers of the usual
// form, with a template and a warp that finishes.
#include "check.h"

template <typename T> __device__ T warp_all(T v, bool largest)
{
    for (int offset = 1; offset < warpSize; offset *= 2) {
        const T other = __shfl_xor_sync(0xffffffff, v, offset);
        v = largest ? (other > v ? other : v) : v + other;
    }
    return v;
}

template <typename T> __device__ T block_all(T v, T idle, bool largest)
{
    static __shared__ T slots[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_all(v, largest);
    __syncthreads();
    if (lane == 0)
        slots[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / warpSize ? slots[lane] : idle;
    return warp_all(v, largest);
}

#pragma rf cascade
#ifdef RF_REFERENCE
__global__ void softmax_in_place(float *data, int rows, int width)
{
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float *x = data + row * width;
        float top = -FLT_MAX;
        for (int c = threadIdx.x; c < width; c += blockDim.x)
            top = fmaxf(top, x[c]);
        top = block_all(top, -FLT_MAX, true);
        float total = 0.0f;
        for (int c = threadIdx.x; c < width; c += blockDim.x) {
            x[c] = expf(x[c] - top);
            total += x[c];
        }
        total = block_all(total, 0.0f, false);
        for (int c = threadIdx.x; c < width; c += blockDim.x)
            x[c] /= total;
    }
}
#else  // rf: fused, 3 passes -> 2, 4 barriers -> 2, rescaled, proof 14/14, HASH; do not edit
__global__ void softmax_in_place(float *data, int rows, int width)
{
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float *x = data + row * width;
        float top = -FLT_MAX;
        float total = 0.0f;
        // total: relative to the top so far, rescaled when it moves
        for (int c = threadIdx.x; c < width; c += (int)blockDim.x) {
            const float top_old = top;
            const float x_c = x[c];
            top = fmaxf(top, x_c);
            if (top != top_old)
                total *= expf(top_old - top);
            total += expf(x_c - top);
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
        for (int c = threadIdx.x; c < width; c += (int)blockDim.x)
            x[c] = expf(x[c] - top) / total;
        // before the shared states are used again
        __syncthreads();
    }
}
#endif // rf

static std::vector<double> reference(const check::Array<float> &x, int N, int C)
{
    std::vector<double> y;
    for (int i = 0; i < N; i++) {
        std::vector<double> row(&x.host[i * C], &x.host[i * C] + C);
        row = check::softmax(row, -FLT_MAX);
        y.insert(y.end(), row.begin(), row.end());
    }
    return y;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 300)) {
        check::Array<float> x(N * C);
        check::fill(x, C, o);
        std::vector<double> y = reference(x, N, C);
        softmax_in_place<<<7, 256>>>(x.upload(), N, C);
        x.download();
        check::expect("out", x, y);
    }
    return check::pass();
}
