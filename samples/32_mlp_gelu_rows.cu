// A small perceptron, one thread per sample with its hidden vector in local
// memory. The rewrite lets the threads of a block compute their rows together,
// with the launch as it is: the hidden tile moves to shared memory and each
// weight that is loaded serves four rows.
#include "check.h"

#define HIDDEN 96

__device__ float gelu(float v)
{
    return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

#pragma rf gemm_chain
__global__ void perceptron(const float *__restrict__ samples, const float *W1,
                           const float *W2, float *__restrict__ scores,
                           int count, int features, int classes)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= count)
        return;
    const float *in = samples + s * features;
    float h[HIDDEN];
    for (int j = 0; j < HIDDEN; j++) {
        float sum = 0.0f;
        for (int f = 0; f < features; f++)
            sum += W1[j * features + f] * in[f];
        h[j] = gelu(sum);
    }
    for (int c = 0; c < classes; c++) {
        float sum = 0.0f;
        for (int j = 0; j < HIDDEN; j++)
            sum += W2[c * HIDDEN + j] * h[j];
        scores[s * classes + c] = sum;
    }
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int count = 75, features = 29, classes = 10;
    check::Array<float> x(count * features), w1(HIDDEN * features),
        w2(classes * HIDDEN), y(count * classes);
    check::fill_plain(x, o, -2, 2);
    check::fill_plain(w1, o);
    check::fill_plain(w2, o);
    std::vector<double> want;
    for (int s = 0; s < count; s++) {
        std::vector<double> h;
        for (int j = 0; j < HIDDEN; j++) {
            double v = 0;
            for (int f = 0; f < features; f++)
                v += w1[j * features + f] * x[s * features + f];
            h.push_back(0.5 * v *
                        (1 + tanh(0.7978845608 * (v + 0.044715 * v * v * v))));
        }
        for (int c = 0; c < classes; c++) {
            double v = 0;
            for (int j = 0; j < HIDDEN; j++)
                v += w2[c * HIDDEN + j] * h[j];
            want.push_back(v);
        }
    }
    perceptron<<<3, 32>>>(x.upload(), w1.upload(), w2.upload(), y.upload(),
                          count, features, classes);
    y.download();
    check::expect("scores", y, want, 1e-4, 10);
    return check::pass();
}
