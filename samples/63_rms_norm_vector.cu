// RMS norm of one vector by one block, a fixed number of elements a thread, the
// factor shared; then a product with a matrix. One reduction and a map: there
// is nothing to fuse, and the tool says so.
#include "check.h"

enum { THREADS = 64, EACH = 4, WIDTH = THREADS * EACH };

#pragma rf cascade assume(noalias)
__global__ void rms_norm(const float *x, const float *gain, float *y)
{
    __shared__ float slots[THREADS / 32];
    __shared__ float factor;
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < EACH; k++)
        sum += x[t + k * THREADS] * x[t + k * THREADS];
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, o);
    if (t % 32 == 0)
        slots[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        float all = 0.0f;
        for (int w = 0; w < THREADS / 32; w++)
            all += slots[w];
        factor = rsqrtf(all / WIDTH + 1e-5f);
    }
    __syncthreads();
    for (int k = 0; k < EACH; k++) {
        const int i = t + k * THREADS;
        y[i] = x[i] * factor * gain[i];
    }
}

__global__ void multiply(const float *W, const float *x, float *y)
{
    float sum = 0.0f;
    for (int i = 0; i < WIDTH; i++)
        sum += W[threadIdx.x * WIDTH + i] * x[i];
    y[threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int rows = 9;
    check::Array<float> x(WIDTH), gain(WIDTH), W(rows * WIDTH), n(WIDTH),
        y(rows);
    check::fill(x, WIDTH, o, check::SUMS);
    check::fill_plain(gain, o, 0.5f, 1.5f);
    check::fill_plain(W, o);
    Real squares = 0;
    for (int i = 0; i < WIDTH; i++)
        squares += Real(x[i] * x[i]);
    std::vector<double> want, product;
    for (int i = 0; i < WIDTH; i++)
        want.push_back(x[i] * gain[i] / sqrt(Real(squares / WIDTH + 1e-5)));
    for (int r = 0; r < rows; r++) {
        Real sum = 0;
        for (int i = 0; i < WIDTH; i++)
            sum += Real(W[r * WIDTH + i] * want[i]);
        product.push_back(sum);
    }
    rms_norm<<<1, THREADS>>>(x.upload(), gain.upload(), n.upload());
    multiply<<<1, rows>>>(W.upload(), n.device, y.upload());
    n.download();
    y.download();
    check::expect("norm", n, want, 1e-4, 1);
    check::expect("out", y, product, 1e-3, 10);
    return check::pass();
}
