// A feed-forward layer as its specification says it: two nests over all
// indices, run by a single thread. The rewrite deals the rows to the grid,
// keeps the hidden tile in shared memory and sets the launch accordingly; the
// hidden matrix is a parameter, so it is still written.
#include "check.h"

__global__ void feed_forward(const float *__restrict__ x, const float *w1,
                             const float *b1, const float *w2, const float *b2,
                             float *__restrict__ hidden,
                             float *__restrict__ y, int tokens, int inner,
                             int width)
{
    #pragma rf gemm_chain
    {
        for (int t = 0; t < tokens; t++)
            for (int n = 0; n < inner; n++) {
                float c = b1[n];
                for (int k = 0; k < width; k++)
                    c += x[t * width + k] * w1[k * inner + n];
                hidden[t * inner + n] = fmaxf(c, 0.0f);
            }
        for (int t = 0; t < tokens; t++)
            for (int l = 0; l < width; l++) {
                float e = 0.0f;
                for (int n = 0; n < inner; n++)
                    e += hidden[t * inner + n] * w2[n * width + l];
                y[t * width + l] = e + b2[l];
            }
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int tokens = 41, inner = 130;
    for (int width : check::lengths(o, 37)) {
        check::Array<float> x(tokens * width), w1(width * inner), b1(inner),
            w2(inner * width), b2(width), hidden(tokens * inner),
            y(tokens * width);
        check::fill(x, width, o, check::SUMS);
        for (auto *w : { &w1, &b1, &w2, &b2 })
            check::fill_plain(*w, o);
        std::vector<double> want_hidden, want;
        for (int t = 0; t < tokens; t++) {
            std::vector<double> h;
            for (int n = 0; n < inner; n++) {
                Real c = b1[n];
                for (int k = 0; k < width; k++)
                    c += x[t * width + k] * w1[k * inner + n];
                h.push_back(fmax((double)c, 0.0));
            }
            want_hidden.insert(want_hidden.end(), h.begin(), h.end());
            for (int l = 0; l < width; l++) {
                Real e = 0;
                for (int n = 0; n < inner; n++)
                    e += h[n] * w2[n * width + l];
                want.push_back(e + b2[l]);
            }
        }
        feed_forward<<<1, 1>>>(x.upload(), w1.upload(), b1.upload(),
                               w2.upload(), b2.upload(), hidden.upload(),
                               y.upload(), tokens, inner, width);
        hidden.download();
        y.download();
        check::expect("hidden", hidden, want_hidden, 1e-4, 10);
        check::expect("y", y, want, 1e-4, 100);
    }
    return check::pass();
}
