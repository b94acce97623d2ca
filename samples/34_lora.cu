// A linear layer with a low-rank correction (LoRA): y = x W + scale (x A) B.
// The low-rank part is a chain of two products whose intermediate is narrow;
// the plain product is added when a tile is finished.
#include "check.h"

#define RANK 8

__global__ void lora(const float *__restrict__ x, const float *W,
                     const float *A, const float *B, float *__restrict__ y,
                     float scale, int rows, int width, int outs)
{
    #pragma rf gemm_chain
    for (int i = 0; i < rows; i++) {
        float low[RANK];
        for (int r = 0; r < RANK; r++) {
            low[r] = 0.0f;
            for (int k = 0; k < width; k++)
                low[r] += x[i * width + k] * A[k * RANK + r];
        }
        for (int j = 0; j < outs; j++) {
            float full = 0.0f, correction = 0.0f;
            for (int k = 0; k < width; k++)
                full += x[i * width + k] * W[k * outs + j];
            for (int r = 0; r < RANK; r++)
                correction += low[r] * B[r * outs + j];
            y[i * outs + j] = full + scale * correction;
        }
    }
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int rows = 35, width = 44, outs = 50;
    check::Array<float> x(rows * width), W(width * outs), A(width * RANK),
        B(RANK * outs), y(rows * outs);
    check::fill_plain(x, o, -2, 2);
    check::fill_plain(W, o);
    check::fill_plain(A, o);
    check::fill_plain(B, o);
    std::vector<double> want;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < outs; j++) {
            double full = 0, low = 0;
            for (int k = 0; k < width; k++)
                full += x[i * width + k] * W[k * outs + j];
            for (int r = 0; r < RANK; r++) {
                double c = 0;
                for (int k = 0; k < width; k++)
                    c += x[i * width + k] * A[k * RANK + r];
                low += c * B[r * outs + j];
            }
            want.push_back(full + 0.25 * low);
        }
    lora<<<1, 1>>>(x.upload(), W.upload(), A.upload(), B.upload(), y.upload(),
                   0.25f, rows, width, outs);
    y.download();
    check::expect("y", y, want, 1e-4, 10);
    return check::pass();
}
