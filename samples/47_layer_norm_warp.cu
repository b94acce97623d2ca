// Layer norm with one warp a row and one accumulator for both sums, first of
// the elements, then of the squares about their mean. The lanes meet once.
#include "check.h"

__device__ float warp_sum(float v)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void layer_norm_warp(const float *in, float *out, int rows,
                                int channels)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + row * channels;
    float *y = out + row * channels;

    float acc = 0.0f;
    for (int c = lane; c < channels; c += 32)
        acc += x[c];
    const float mean = warp_sum(acc) / channels;

    acc = 0.0f;
    for (int c = lane; c < channels; c += 32) {
        const float d = x[c] - mean;
        acc += d * d;
    }
    const float scale = rsqrtf(warp_sum(acc) / channels + 1e-5f);

    for (int c = lane; c < channels; c += 32)
        y[c] = (x[c] - mean) * scale;
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 300)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o, check::SUMS);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            Real m = 0, v = 0;
            for (int c = 0; c < C; c++)
                m += x[i * C + c];
            m /= C;
            for (int c = 0; c < C; c++)
                v += Real(x[i * C + c] - m) * Real(x[i * C + c] - m);
            for (int c = 0; c < C; c++)
                want.push_back(Real(x[i * C + c] - m) / sqrt(v / C + 1e-5));
        }
        layer_norm_warp<<<(N + 3) / 4, 128>>>(x.upload(), y.upload(), N, C);
        y.download();
        check::expect("out", y, want, 1e-4, 1);
    }
    return check::pass();
}
