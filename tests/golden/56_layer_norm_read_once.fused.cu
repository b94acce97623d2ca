// Layer norm, one thread per row as first written. `level(block)` and a bound
// on the row, `assume(channels <= 2000)`: a block keeps the row in registers,
// makes both passes and the output there, and reads and writes it once.
#include "check.h"

#pragma rf cascade level(block) assume(noalias, channels <= 2000)
#ifdef RF_REFERENCE
__global__ void layer_norm(const float *x, const float *gain,
                           const float *shift, float *y, float *means,
                           float *rstds, int tokens, int channels)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens)
        return;
    const float *row = x + t * channels;

    float mean = 0.0f;
    for (int c = 0; c < channels; c++)
        mean += row[c];
    mean /= channels;

    float var = 0.0f;
    for (int c = 0; c < channels; c++)
        var += (row[c] - mean) * (row[c] - mean);
    const float rstd = rsqrtf(var / channels + 1e-5f);

    for (int c = 0; c < channels; c++)
        y[t * channels + c] = (row[c] - mean) * rstd * gain[c] + shift[c];
    means[t] = mean;
    rstds[t] = rstd;
}
#else  // rf: fused, 3 passes -> 1, the row in registers, reassociated, proof 21/21, HASH; do not edit
__global__ void layer_norm(const float *x, const float *gain,
                           const float *shift, float *y, float *means,
                           float *rstds, int tokens, int channels)
{
    const int t = blockIdx.x;
    if (t >= tokens)
        return;
    const float *row = x + t * channels;

    const int lane = threadIdx.x;
    // longer than was assumed: the row would not fit
    if (channels > 2048)
        __trap();
    // the row is read once and stays in registers
    float x_row[16];
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int c = lane + k * 128;
        if (c < channels)
            x_row[k] = row[c];
    }
    float mean = 0.0f;
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int c = lane + k * 128;
        if (c < channels)
            mean += x_row[k];
    }
    // one combine for the block: the lanes of a warp, then the warps
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float mean_other = __shfl_xor_sync(0xffffffff, mean, offset);
        mean += mean_other;
    }
    __shared__ float mean_warp[4];
    if (threadIdx.x % 32 == 0)
        mean_warp[threadIdx.x / 32] = mean;
    __syncthreads();
    mean = mean_warp[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        const float mean_other = mean_warp[warp];
        mean += mean_other;
    }
    mean = mean / channels;
    float var = 0.0f;
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int c = lane + k * 128;
        if (c < channels) {
            const float t_2 = x_row[k] - mean;
            var += t_2 * t_2;
        }
    }
    // one combine for the block: the lanes of a warp, then the warps
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float var_other = __shfl_xor_sync(0xffffffff, var, offset);
        var += var_other;
    }
    __shared__ float var_warp[4];
    if (threadIdx.x % 32 == 0)
        var_warp[threadIdx.x / 32] = var;
    __syncthreads();
    var = var_warp[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        const float var_other = var_warp[warp];
        var += var_other;
    }
    const float rstd = rsqrtf(var / channels + 1e-5f);
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int c = lane + k * 128;
        if (c < channels)
            y[t * channels + c] = (x_row[k] - mean) * rstd * gain[c] + shift[c];
    }
    if (threadIdx.x == 0) means[t] = mean;
    if (threadIdx.x == 0) rstds[t] = rstd;
}
#endif // rf

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int N = 21;
    for (int C : { 2000, 129, 33, 31, 1 }) {
        check::Array<float> x(N * C), w(C), b(C), y(N * C), mean(N), rstd(N);
        check::fill(x, C, o, check::SUMS);
        check::fill_plain(w, o);
        check::fill_plain(b, o);
        std::vector<double> want, want_mean, want_rstd;
        for (int i = 0; i < N; i++) {
            Real m = 0, v = 0;
            for (int c = 0; c < C; c++)
                m += x[i * C + c];
            m /= C;
            for (int c = 0; c < C; c++)
                v += Real(x[i * C + c] - m) * Real(x[i * C + c] - m);
            Real s = 1 / sqrt(Real(v / C) + 1e-5);
            for (int c = 0; c < C; c++)
                want.push_back(s * Real(x[i * C + c] - m) * w[c] + b[c]);
            want_mean.push_back(m);
            want_rstd.push_back(s);
        }
#ifdef RF_REFERENCE
        layer_norm<<<3, 7>>>(x.upload(), w.upload(), b.upload(), y.upload(),
#else  // rf: a team for each row, a63e7cade9a1-195a94cb; do not edit
        layer_norm<<<3 * 7, 128>>>(x.upload(), w.upload(), b.upload(), y.upload(),
#endif // rf
                             mean.upload(), rstd.upload(), N, C);
        y.download();
        mean.download();
        rstd.download();
        check::expect("mean", mean, want_mean, 1e-4);
        check::expect("rstd", rstd, want_rstd, 1e-4);
        check::expect("out", y, want, 1e-4, 1);
    }
    return check::pass();
}
