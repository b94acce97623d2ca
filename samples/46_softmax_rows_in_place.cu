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
