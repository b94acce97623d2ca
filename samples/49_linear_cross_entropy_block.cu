// A linear layer and its cross entropy in one block: each thread computes some
// logits by a serial product and leaves them in shared memory, where maximum
// and sum of exponentials are taken. The logits are read where they lie: there
// is nothing to save.
#include "check.h"

enum { THREADS = 128 };

__device__ float meet(float *cells, float v, bool maximum)
{
    cells[threadIdx.x] = v;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const float other = cells[threadIdx.x + half];
            const float own = cells[threadIdx.x];
            cells[threadIdx.x] = maximum ? fmaxf(own, other) : own + other;
        }
        __syncthreads();
    }
    v = cells[0];
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void linear_cross_entropy(const float *in, const float *weights,
                                     const int *labels, float *loss,
                                     int classes, int width)
{
    extern __shared__ float logits[];
    __shared__ float cells[THREADS];
    const float *x = in + blockIdx.x * width;

    for (int c = threadIdx.x; c < classes; c += THREADS) {
        float dot = 0.0f;
        for (int i = 0; i < width; i++)
            dot += x[i] * weights[c * width + i];
        logits[c] = dot;
    }
    __syncthreads();

    float top = -INFINITY;
    for (int c = threadIdx.x; c < classes; c += THREADS)
        top = fmaxf(top, logits[c]);
    top = meet(cells, top, true);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < classes; c += THREADS)
        sum += expf(logits[c] - top);
    sum = meet(cells, sum, false);

    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(sum) + top - logits[labels[blockIdx.x]];
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 12, W = 16, CLASSES = 100;
    check::Array<float> x(N * W), w(CLASSES * W), loss(N);
    check::Array<int> labels(N);
    check::fill_plain(x, o);
    check::fill_plain(w, o);
    std::vector<double> want;
    for (int i = 0; i < N; i++) {
        double sum = 0, picked = 0;
        labels.host[i] = 7 * i % CLASSES;
        for (int c = 0; c < CLASSES; c++) {
            double dot = 0;
            for (int k = 0; k < W; k++)
                dot += (double)x[i * W + k] * w[c * W + k];
            sum += exp(dot);
            picked = c == labels.host[i] ? dot : picked;
        }
        want.push_back(log(sum) - picked);
    }
    linear_cross_entropy<<<N, THREADS, CLASSES * sizeof(float)>>>(
        x.upload(), w.upload(), labels.upload(), loss.upload(), CLASSES, W);
    loss.download();
    check::expect("loss", loss, want, 1e-4, 1);
    return check::pass();
}
