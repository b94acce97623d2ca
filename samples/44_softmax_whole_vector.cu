// Softmax of one long vector: every block folds all of it again, and the last
// loop divides the elements among the threads of the grid.
#include "check.h"

#include <algorithm>

__device__ float block_fold(float v, float *cells, bool largest)
{
    cells[threadIdx.x] = v;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) {
            const float other = cells[threadIdx.x + half];
            cells[threadIdx.x] = largest ? fmaxf(cells[threadIdx.x], other)
                                         : cells[threadIdx.x] + other;
        }
        __syncthreads();
    }
    v = cells[0];
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void softmax_vector(const float *x, float *y, int n)
{
    __shared__ float cells[64];
    float top = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        top = fmaxf(top, x[i]);
    top = block_fold(top, cells, true);
    float total = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        total += expf(x[i] - top);
    total = block_fold(total, cells, false);
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = expf(x[i] - top) / total;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    for (int n : check::lengths(o, 1000)) {
        const int kinds = o.edge ? 20 : 1;
        check::Array<float> rows(kinds * n);
        check::fill(rows, n, o);
        for (int i = 0; i < kinds; i++) {
            check::Array<float> x(n), y(n);
            std::copy_n(rows.host.begin() + i * n, n, x.host.begin());
            softmax_vector<<<5, 64>>>(x.upload(), y.upload(), n);
            y.download();
            check::expect("out", y, check::softmax_rows(x, 1, n));
        }
    }
    return check::pass();
}
