// Tokens quantised to 8 bits by their largest absolute value, a block each,
// then a product of integers. One reduction and a map: there is nothing to
// fuse, and the tool says so.
#include "check.h"
#include <cub/cub.cuh>
#include <cuda/functional>

enum { THREADS = 128 };

#pragma rf cascade assume(noalias)
__global__ void quantise(const float *x, signed char *q, float *scales,
                         int width)
{
    using Reduce = cub::BlockReduce<float, THREADS>;
    __shared__ typename Reduce::TempStorage room;
    __shared__ float largest;
    const float *row = x + blockIdx.x * width;
    float most = 0.0f;
    for (int c = threadIdx.x; c < width; c += THREADS)
        most = fmaxf(most, fabsf(row[c]));
    most = Reduce(room).Reduce(most, cuda::maximum<>());
    if (threadIdx.x == 0) {
        largest = most;
        scales[blockIdx.x] = most / 127.0f;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < width; c += THREADS)
        q[blockIdx.x * width + c] =
            (signed char)rintf(row[c] / (largest / 127.0f));
}

__global__ void multiply(const signed char *q, const float *scales,
                         const signed char *w, float *y, int width)
{
    int sum = 0;
    for (int c = 0; c < width; c++)
        sum += q[blockIdx.x * width + c] * w[threadIdx.x * width + c];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum * scales[blockIdx.x];
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    o.edge = false; // an infinite element has no scale
    const int tokens = 7, width = 100, outputs = 5;
    check::Array<float> x(tokens * width), scales(tokens), y(tokens * outputs);
    check::Array<int> q(tokens * width / 4), w(outputs * width / 4);
    check::fill(x, width, o);
    check::Random r(o.seed);
    for (size_t i = 0; i < w.host.size(); i++)
        w.host[i] = r.below(1 << 30);
    std::vector<double> want, want_scales;
    const auto *weights = reinterpret_cast<const signed char *>(w.host.data());
    for (int t = 0; t < tokens; t++) {
        double most = 0;
        for (int c = 0; c < width; c++)
            most = fmax(most, fabs(x[t * width + c]));
        want_scales.push_back(most / 127);
        for (int k = 0; k < outputs; k++) {
            double sum = 0;
            for (int c = 0; c < width; c++)
                sum += x[t * width + c] * weights[k * width + c];
            want.push_back(sum);
        }
    }
    auto *bytes = reinterpret_cast<signed char *>(q.upload());
    quantise<<<tokens, THREADS>>>(x.upload(), bytes, scales.upload(), width);
    multiply<<<tokens, outputs>>>(
        bytes, scales.device, reinterpret_cast<const signed char *>(w.upload()),
        y.upload(), width);
    scales.download();
    y.download();
    check::expect("scales", scales, want_scales);
    check::expect("out", y, want, 0.02, 1000);
    return check::pass();
}
