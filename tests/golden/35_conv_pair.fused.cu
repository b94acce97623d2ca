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
#ifdef RF_REFERENCE
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
#else  // rf: fused, 2 products -> 1 pass, exact, proven at 6 sizes, HASH; do not edit
    {
        // in * w1 -> * w2: a block computes 4 rows at a time.
        __shared__ float mid_tile[4][128];
        const long long rows = images > 0 && height > 0
                                   ? (long long)images * height * width : 0;
        for (long long row0 = blockIdx.x * 4ll; row0 < rows;
             row0 += gridDim.x * 4ll) {
            for (int o0 = 0; o0 < outer; o0 += 256) {
                for (int slot = threadIdx.x; slot < 1024; slot += blockDim.x) {
                    const long long row = row0 + slot / 256;
                    const int o = o0 + slot % 256;
                    if (row < rows && o < outer) {
                        const int x = row % width;
                        const int y = row / width % height;
                        const int n = row / width / height;
                        out[((n * outer + o) * height + y) * width + x] = 0.0f;
                    }
                }
            }
            for (int m0 = 0; m0 < inner; m0 += 128) {
                // A tile of the first product; it stays on the chip.
                for (int slot = threadIdx.x; slot < 32; slot += blockDim.x) {
                    float acc[4][4];
                    #pragma unroll
                    for (int i = 0; i < 4; i++) {
                        #pragma unroll
                        for (int j = 0; j < 4; j++) {
                            const int m =
                                min(m0 + 4 * (slot % 32) + j, inner - 1);
                            acc[i][j] = b1[m];
                        }
                    }
                    for (int c = 0; c < channels; c++) {
                        for (int dy = 0; dy < 3; dy++) {
                            for (int dx = 0; dx < 3; dx++) {
                                #pragma unroll
                                for (int i = 0; i < 4; i++) {
                                    #pragma unroll
                                    for (int j = 0; j < 4; j++) {
                                        const long long row =
                                            min(row0 + 4 * (slot / 32) + i,
                                                rows - 1);
                                        const int m =
                                            min(m0 + 4 * (slot % 32) + j,
                                                inner - 1);
                                        const int x = row % width;
                                        const int y = row / width % height;
                                        const int n = row / width / height;
                                        if (y + dy - 1 >= 0 &&
                                            y + dy - 1 < height &&
                                            x + dx - 1 >= 0 &&
                                            x + dx - 1 < width)
                                            acc[i][j] +=
                                                in[((n * channels + c) *
                                                    height + (y + dy - 1)) *
                                                   width + (x + dx - 1)] *
                                                w1[((m * channels + c) * 3 +
                                                    dy) * 3 + dx];
                                    }
                                }
                            }
                        }
                    }
                    #pragma unroll
                    for (int i = 0; i < 4; i++) {
                        #pragma unroll
                        for (int j = 0; j < 4; j++) {
                            const float sum = acc[i][j];
                            mid_tile[4 * (slot / 32) + i][4 * (slot % 32) + j] =
                                fmaxf(sum, 0.0f);
                        }
                    }
                    #pragma unroll
                    for (int i = 0; i < 4; i++) {
                        #pragma unroll
                        for (int j = 0; j < 4; j++) {
                            const long long row = row0 + 4 * (slot / 32) + i;
                            const int m = m0 + 4 * (slot % 32) + j;
                            if (row < rows && m < inner) {
                                const int x = row % width;
                                const int y = row / width % height;
                                const int n = row / width / height;
                                const float sum = acc[i][j];
                                mid[((n * inner + m) * height + y) * width +
                                    x] = fmaxf(sum, 0.0f);
                            }
                        }
                    }
                }
                __syncthreads();
                // Multiply it with its part of the second matrix.
                for (int o0 = 0; o0 < outer; o0 += 256) {
                    for (int slot = threadIdx.x; slot < 64;
                         slot += blockDim.x) {
                        float acc[4][4] = {};
                        #pragma unroll
                        for (int i = 0; i < 4; i++) {
                            #pragma unroll
                            for (int j = 0; j < 4; j++) {
                                const long long row =
                                    row0 + 4 * (slot / 64) + i;
                                const int o = o0 + 4 * (slot % 64) + j;
                                if (row < rows && o < outer) {
                                    const int x = row % width;
                                    const int y = row / width % height;
                                    const int n = row / width / height;
                                    acc[i][j] =
                                        out[((n * outer + o) * height + y) *
                                            width + x];
                                }
                            }
                        }
                        for (int m = m0; m < m0 + 128 && m < inner; m++) {
                            #pragma unroll
                            for (int i = 0; i < 4; i++) {
                                const float p =
                                    mid_tile[4 * (slot / 64) + i][m - m0];
                                #pragma unroll
                                for (int j = 0; j < 4; j++) {
                                    const int o =
                                        min(o0 + 4 * (slot % 64) + j,
                                            outer - 1);
                                    acc[i][j] += p * w2[o * inner + m];
                                }
                            }
                        }
                        #pragma unroll
                        for (int i = 0; i < 4; i++) {
                            #pragma unroll
                            for (int j = 0; j < 4; j++) {
                                const long long row =
                                    row0 + 4 * (slot / 64) + i;
                                const int o = o0 + 4 * (slot % 64) + j;
                                if (row < rows && o < outer) {
                                    const int x = row % width;
                                    const int y = row / width % height;
                                    const int n = row / width / height;
                                    out[((n * outer + o) * height + y) * width +
                                        x] = acc[i][j];
                                }
                            }
                        }
                    }
                }
                __syncthreads();
            }
        }
    }
#endif // rf
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
#ifdef RF_REFERENCE
    bottleneck<<<1, 1>>>(in.upload(), w1.upload(), b1.upload(), w2.upload(),
#else  // rf: a block for each tile of rows, 2405af9c9517-c967156e; do not edit
    bottleneck<<<1ll * images * height * width / 4 + 1, 128>>>(in.upload(), w1.upload(), b1.upload(), w2.upload(),
#endif // rf
                         mid.upload(), out.upload(), images, channels, height,
                         width, inner, outer);
    mid.download();
    check::expect("mid", mid, between, 1e-4, 10);
    out.download();
    check::expect("out", out, want, 1e-4, 10);
    return check::pass();
}
