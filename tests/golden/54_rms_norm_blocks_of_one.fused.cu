// RMS normalisation by blocks of one thread, one row each, the root mean
// square beside it; `level(block)` gives the blocks 256 threads.
#include "check.h"

#pragma rf cascade level(block) threads(256) assume(noalias)
#ifdef RF_REFERENCE
__global__ void rms_norm(const float *x, const float *gain, float *y,
                         float *peaks, int width)
{
    const int row = blockIdx.x;
    float peak = 0.0f;
    for (int i = 0; i < width; i++)
        peak = fmaxf(peak, fabsf(x[row * width + i]));
    float sum = 0.0f;
    for (int i = 0; i < width; i++)
        sum += x[row * width + i] * x[row * width + i];
    const float scale = rsqrtf(sum / width + 1e-5f);
    for (int i = 0; i < width; i++)
        y[row * width + i] = x[row * width + i] * scale * gain[i];
    peaks[row] = peak * scale;
}
#else  // rf: fused, 3 passes -> 2, reassociated, proof 16/16, HASH; do not edit
__global__ void rms_norm(const float *x, const float *gain, float *y,
                         float *peaks, int width)
{
    const int row = blockIdx.x;
    const int lane = threadIdx.x;
    float sum = 0.0f;
    float peak = 0.0f;
    for (int i = lane; i < width; i += 256) {
        const float x_i = x[row * width + i];
        sum += x_i * x_i;
        peak = fmaxf(peak, fabsf(x_i));
    }
    // one combine for the block: the lanes of a warp, then the warps
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const float sum_other = __shfl_xor_sync(0xffffffff, sum, offset);
        const float peak_other = __shfl_xor_sync(0xffffffff, peak, offset);
        sum += sum_other;
        peak = fmaxf(peak, peak_other);
    }
    __shared__ float sum_warp[8];
    __shared__ float peak_warp[8];
    if (threadIdx.x % 32 == 0) {
        sum_warp[threadIdx.x / 32] = sum;
        peak_warp[threadIdx.x / 32] = peak;
    }
    __syncthreads();
    sum = sum_warp[0];
    peak = peak_warp[0];
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
        const float sum_other = sum_warp[warp];
        const float peak_other = peak_warp[warp];
        sum += sum_other;
        peak = fmaxf(peak, peak_other);
    }
    const float scale = rsqrtf(sum / width + 1e-5f);
    for (int i = lane; i < width; i += 256)
        y[row * width + i] = x[row * width + i] * scale * gain[i];
    if (threadIdx.x == 0) peaks[row] = peak * scale;
}
#endif // rf

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int N = 19;
    for (int C : { 1000, 33, 32, 31, 1 }) {
        check::Array<float> x(N * C), gain(C), y(N * C), peaks(N);
        check::fill(x, C, o, check::SUMS);
        check::fill_plain(gain, o);
        std::vector<double> want, want_peaks;
        for (int i = 0; i < N; i++) {
            double peak = 0;
            Real sum = 0;
            for (int c = 0; c < C; c++) {
                peak = fmax(peak, fabs(x[i * C + c]));
                sum += Real(x[i * C + c] * x[i * C + c]);
            }
            Real scale = 1 / sqrt(Real(sum / C) + 1e-5);
            for (int c = 0; c < C; c++)
                want.push_back(Real(x[i * C + c] * scale) * gain[c]);
            want_peaks.push_back(peak * scale);
        }
#ifdef RF_REFERENCE
        rms_norm<<<N, 1>>>(x.upload(), gain.upload(), y.upload(),
#else  // rf: a team for each row, 4c845651ec0c-446d327c; do not edit
        rms_norm<<<N, 256>>>(x.upload(), gain.upload(), y.upload(),
#endif // rf
                           peaks.upload(), C);
        y.download();
        peaks.download();
        check::expect("y", y, want, 1e-4);
        check::expect("peaks", peaks, want_peaks, 1e-4);
    }
    return check::pass();
}
