// A bottleneck's tail (NCHW): a 3x3 convolution with padding, bias and ReLU,
// then a 1x1 convolution. A pixel in between is used by the same pixel of the
// result only, so the rows of both products are the pixels.
#include "check.h"

__global__ void bottleneck(const float *__restrict__ in, const float *w1,
                           const float *b1, const float *w2,
                           float *__restrict__ mid, float *__restrict__ out,
                           int images, int channels, int height, int width,
                           int inner, int outer)
{
    #pragma rf gemm_chain
    {
        for (int n = 0; n < images; n++)
            for (int m = 0; m < inner; m++)
                for (int y = 0; y < height; y++)
                    for (int x = 0; x < width; x++) {
                        float sum = b1[m];
                        for (int c = 0; c < channels; c++)
                            for (int dy = 0; dy < 3; dy++)
                                for (int dx = 0; dx < 3; dx++) {
                                    int r = y + dy - 1, q = x + dx - 1;
                                    if (r >= 0 && r < height && q >= 0 &&
                                        q < width)
                                        sum +=
                                            in[((n * channels + c) * height +
                                                r) *
                                                   width +
                                               q] *
                                            w1[((m * channels + c) * 3 + dy) *
                                                   3 +
                                               dx];
                                }
                        mid[((n * inner + m) * height + y) * width + x] =
                            fmaxf(sum, 0.0f);
                    }
        for (int n = 0; n < images; n++)
            for (int o = 0; o < outer; o++)
                for (int y = 0; y < height; y++)
                    for (int x = 0; x < width; x++) {
                        float sum = 0.0f;
                        for (int m = 0; m < inner; m++)
                            sum += mid[((n * inner + m) * height + y) * width +
                                       x] *
                                   w2[o * inner + m];
                        out[((n * outer + o) * height + y) * width + x] = sum;
                    }
    }
}

static double tap_of(const check::Array<float> &in,
                     const check::Array<float> &w1, int channels, int height,
                     int width, int n, int m, int y, int x)
{
    double sum = 0;
    for (int c = 0; c < channels; c++)
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) {
                int r = y + dy - 1, q = x + dx - 1;
                if (r >= 0 && r < height && q >= 0 && q < width)
                    sum +=
                        (double)
                            in[((n * channels + c) * height + r) * width + q] *
                        w1[((m * channels + c) * 3 + dy) * 3 + dx];
            }
    return sum;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int images = 2, channels = 5, height = 6, width = 7, inner = 33,
              outer = 9;
    check::Array<float> in(images * channels * height * width),
        w1(inner * channels * 9), b1(inner), w2(outer * inner),
        mid(images * inner * height * width),
        out(images * outer * height * width);
    check::fill_plain(in, o, -2, 2);
    check::fill_plain(w1, o);
    check::fill_plain(b1, o);
    check::fill_plain(w2, o);
    std::vector<double> want, between;
    for (int n = 0; n < images; n++)
        for (int m = 0; m < inner; m++)
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++)
                    between.push_back(
                        fmax(b1[m] + tap_of(in, w1, channels, height, width, n,
                                            m, y, x),
                             0));
    for (int n = 0; n < images; n++)
        for (int p = 0; p < outer; p++)
            for (int i = 0; i < height * width; i++) {
                double sum = 0;
                for (int m = 0; m < inner; m++)
                    sum += between[(n * inner + m) * height * width + i] *
                           w2[p * inner + m];
                want.push_back(sum);
            }
    bottleneck<<<1, 1>>>(in.upload(), w1.upload(), b1.upload(), w2.upload(),
                         mid.upload(), out.upload(), images, channels, height,
                         width, inner, outer);
    mid.download();
    check::expect("mid", mid, between, 1e-4, 10);
    out.download();
    check::expect("out", out, want, 1e-4, 10);
    return check::pass();
}
