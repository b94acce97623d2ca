// Layer norm forward, one thread per row, with mean and reciprocal deviation
// stored for the backward pass. The variance is the two-pass one, about the
// mean: fused it has to stay as accurate.
#include "check.h"

__global__ void layer_norm(const float *in, const float *gain,
                           const float *shift, float *out, float *means,
                           float *rstds, int tokens, int channels)
{
    const int tok = blockIdx.x * blockDim.x + threadIdx.x;

    #pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
    if (tok < tokens) {
        const float *v = in + tok * channels;

        float avg = 0.0f;
        for (int ch = 0; ch < channels; ch++)
            avg += v[ch];
        avg = avg / channels;

        // biased variance, about the mean
        float var = 0.0f;
        for (int ch = 0; ch < channels; ch++) {
            float d = v[ch] - avg;
            var += d * d;
        }
        var /= channels;
        const float r = 1.0f / sqrtf(var + 1e-5f);

        means[tok] = avg;
        rstds[tok] = r;

        float *o = out + tok * channels;
        for (int ch = 0; ch < channels; ch++)
            o[ch] = (v[ch] - avg) * r * gain[ch] + shift[ch];
    }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 15/15, HASH; do not edit
    if (tok < tokens) {
        const float *v = in + tok * channels;

        float *o = out + tok * channels;
        float avg = 0.0f;
        float avg_so_far = 0.0f;
        float var = 0.0f;
        for (int ch = 0; ch < channels; ch++) {
            const float v_ch = v[ch];
            avg += v_ch;
            const float delta = v_ch - avg_so_far;
            avg_so_far += delta / (ch + 1.0f);
            var += delta * (v_ch - avg_so_far);
        }
        avg = avg / channels;
        var = var / channels;
        const float r = 1.0f / sqrtf(var + 1e-5f);
        means[tok] = avg;
        rstds[tok] = r;
        for (int ch = 0; ch < channels; ch++)
            o[ch] = (v[ch] - avg) * r * gain[ch] + shift[ch];
    }
#endif // rf
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int N = 72;
    for (int C : check::lengths(o, 64)) {
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
            v /= C;
            Real s = 1 / sqrt(v + 1e-5);
            for (int c = 0; c < C; c++)
                want.push_back(s * Real(x[i * C + c] - m) * w[c] + b[c]);
            want_mean.push_back(m);
            want_rstd.push_back(s);
        }
        layer_norm<<<3, 32>>>(x.upload(), w.upload(), b.upload(), y.upload(),
                              mean.upload(), rstd.upload(), N, C);
        y.download();
        mean.download();
        rstd.download();
        check::expect("mean", mean, want_mean);
        check::expect("rstd", rstd, want_rstd);
        check::expect("out", y, want, 1e-4, 1);
    }
    return check::pass();
}
