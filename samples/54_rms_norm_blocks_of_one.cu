// RMS normalisation by blocks of one thread, one row each, the root mean
// square beside it; `level(block)` gives the blocks 256 threads.
#include "check.h"

#pragma rf cascade level(block) threads(256) assume(noalias)
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
        rms_norm<<<N, 1>>>(x.upload(), gain.upload(), y.upload(),
                           peaks.upload(), C);
        y.download();
        peaks.download();
        check::expect("y", y, want, 1e-4);
        check::expect("peaks", peaks, want_peaks, 1e-4);
    }
    return check::pass();
}
