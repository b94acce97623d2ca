// Layer norm, one thread per row as first written. `level(block)` and a bound
// on the row, `assume(channels <= 2000)`: a block keeps the row in registers,
// makes both passes and the output there, and reads and writes it once.
#include "check.h"

#pragma rf cascade level(block) assume(noalias, channels <= 2000)
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
        layer_norm<<<3, 7>>>(x.upload(), w.upload(), b.upload(), y.upload(),
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
