// RMS norm folded into a matrix-vector product: one thread computes one
// output of a projection and needs the norm of the whole input first. The
// factor 1/rms leaves the second sum, so one pass is enough; the author vouches
// that the sum without it stays in range.
#include "check.h"

#pragma rf cascade assume(finite)
__global__ void norm_then_project(const float *hidden, const float *gain,
                                  const float *W, float *out, int width,
                                  int outs)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o < outs) {
        float power = 0.0f;
        for (int k = 0; k < width; k++)
            power = fmaf(hidden[k], hidden[k], power);
        const float inv_rms = 1.0f / sqrtf(power / width + 1e-5f);

        const float *w = W + o * width;
        float acc = 0.0f;
        for (int k = 0; k < width; k++)
            acc += w[k] * (hidden[k] * inv_rms * gain[k]);
        out[o] = acc;
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int d = 40, kinds = check::EDGE_KINDS;
    for (int n : check::lengths(o, 57)) {
        check::Array<float> rows(kinds * n), x(n), g(n), w(d * n), y(d);
        check::fill(rows, n, o, check::SUMS);
        check::fill_plain(g, o);
        check::fill_plain(w, o);
        for (int kind = 0; kind < kinds; kind++) {
            for (int j = 0; j < n; j++)
                x.host[j] = rows.host[kind * n + j];
            std::vector<double> want;
            Real ss = 0;
            for (int j = 0; j < n; j++)
                ss += x[j] * x[j];
            double s = 1 / sqrt(Real(ss / n) + 1e-5);
            for (int i = 0; i < d; i++) {
                Real val = 0;
                for (int j = 0; j < n; j++)
                    val += w[i * n + j] * g[j] * s * x[j];
                want.push_back(val);
            }
            norm_then_project<<<2, 32>>>(x.upload(), g.upload(), w.upload(),
                                         y.upload(), n, d);
            y.download();
            check::expect("out", y, want, 1e-3);
        }
    }
    return check::pass();
}
