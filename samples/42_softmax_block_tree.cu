// Softmax with one block a row and a halving tree in dynamic shared memory,
// its barrier at the head of the loop. The exponentials are stored by one loop
// and added up by the next.
#include "check.h"

#pragma rf cascade assume(noalias)
__global__ void softmax_tree(const float *in, float *out, int width)
{
    extern __shared__ float cells[];
    const int tid = threadIdx.x;
    const float *x = in + blockIdx.x * width;
    float *y = out + blockIdx.x * width;

    float top = -INFINITY;
    for (int c = tid; c < width; c += blockDim.x)
        top = fmaxf(top, x[c]);
    cells[tid] = top;
    for (int half = blockDim.x / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (tid < half)
            cells[tid] = fmaxf(cells[tid], cells[tid + half]);
    }
    __syncthreads();
    top = cells[0];
    __syncthreads();

    for (int c = tid; c < width; c += blockDim.x)
        y[c] = expf(x[c] - top);
    float total = 0.0f;
    for (int c = tid; c < width; c += blockDim.x)
        total += y[c];
    cells[tid] = total;
    for (int half = blockDim.x / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (tid < half)
            cells[tid] += cells[tid + half];
    }
    __syncthreads();
    total = cells[0];

    for (int c = tid; c < width; c += blockDim.x)
        y[c] /= total;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int N = 38;
    for (int C : check::lengths(o, 300)) {
        check::Array<float> x(N * C), y(N * C);
        check::fill(x, C, o);
        softmax_tree<<<N, 128, 128 * sizeof(float)>>>(x.upload(), y.upload(),
                                                      C);
        y.download();
        check::expect("out", y, check::softmax_rows(x, N, C));
    }
    return check::pass();
}
