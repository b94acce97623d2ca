// A gated feed-forward layer (SwiGLU) in half precision with sums in float:
// two first products, joined by SiLU and a product, then the way down.
#include "check.h"

__global__ void gated(const __half *__restrict__ x, const __half *gate,
                      const __half *up, const __half *down,
                      __half *__restrict__ y, int tokens, int inner, int width)
{
    #pragma rf gemm_chain
    for (int t = 0; t < tokens; t++)
        for (int l = 0; l < width; l++) {
            float out = 0.0f;
            for (int n = 0; n < inner; n++) {
                float g = 0.0f, u = 0.0f;
                for (int k = 0; k < width; k++) {
                    const float v = __half2float(x[t * width + k]);
                    g += v * __half2float(gate[n * width + k]);
                    u += v * __half2float(up[n * width + k]);
                }
                out += g / (1.0f + expf(-g)) * u *
                       __half2float(down[l * inner + n]);
            }
            y[t * width + l] = __float2half(out);
        }
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int tokens = 19, inner = 70, width = 24;
    check::Array<__half> x(tokens * width), gate(inner * width),
        up(inner * width), down(width * inner), y(tokens * width);
    check::fill_plain(x, o);
    check::fill_plain(gate, o, -0.5f, 0.5f);
    check::fill_plain(up, o, -0.5f, 0.5f);
    check::fill_plain(down, o, -0.5f, 0.5f);
    std::vector<double> want;
    for (int t = 0; t < tokens; t++) {
        std::vector<double> h;
        for (int n = 0; n < inner; n++) {
            double g = 0, u = 0;
            for (int k = 0; k < width; k++) {
                g += x[t * width + k] * gate[n * width + k];
                u += x[t * width + k] * up[n * width + k];
            }
            h.push_back(g / (1 + exp(-g)) * u);
        }
        for (int l = 0; l < width; l++) {
            double e = 0;
            for (int n = 0; n < inner; n++)
                e += h[n] * down[l * inner + n];
            want.push_back(e);
        }
    }
    gated<<<1, 1>>>(x.upload(), gate.upload(), up.upload(), down.upload(),
                    y.upload(), tokens, inner, width);
    y.download();
    check::expect("y", y, want, 2e-3, 1);
    return check::pass();
}
