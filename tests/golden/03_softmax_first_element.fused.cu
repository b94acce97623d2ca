// Softmax that starts from the first element instead of an identity and
// computes the exponential again in the last loop, as in many a port of a
// C network. Written as a template over the element type.
#include "check.h"

template <typename T>
__global__ void softmax_kernel(const T *x, T *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    x += (size_t)r * cols;
    y += (size_t)r * cols;

#pragma rf cascade
#ifdef RF_REFERENCE
    {
        // find max value (for numerical stability)
        T max_val = x[0];
        for (int i = 1; i < cols; i++) {
            if (x[i] > max_val)
                max_val = x[i];
        }
        // exp and sum
        T sum = 0;
        for (int i = 0; i < cols; i++) {
            sum += exp(x[i] - max_val);
        }
        // normalize
        for (int i = 0; i < cols; i++) {
            y[i] = exp(x[i] - max_val) / sum;
        }
    }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
    {
        // find max value (for numerical stability)
        static_assert(
            std::is_floating_point<T>::value ||
            (std::is_class<T>::value && sizeof(T) == 2),
            "T is no floating-point type: use -DRF_REFERENCE");
        T max_val = x[0];
        T sum = 0;
        // sum: relative to the max_val so far, rescaled when it moves
        for (int i = 0; i < cols; i++) {
            const T x_i = x[i];
            if (x_i > max_val) {
                sum *= exp(max_val - x_i);
                max_val = x_i;
            }
            sum += x_i == -INFINITY ? 0.0f : exp(x_i - max_val);
        }
        // nothing finite: -inf - -inf, as the reference computes
        if (cols > 0 && max_val == -INFINITY)
            sum = NAN;
        for (int i = 0; i < cols; i++)
            y[i] = exp(x[i] - max_val) / sum;
    }
#endif // rf
}

template <typename T> static void run(check::Options o, int rows, int cols)
{
    check::Array<T> x(rows * cols), y(rows * cols);
    check::fill(x, cols, o);
    std::vector<double> want;
    for (int i = 0; i < rows; i++) {
        std::vector<double> row(&x.host[i * cols], &x.host[i * cols] + cols);
        row = check::softmax(row);
        want.insert(want.end(), row.begin(), row.end());
    }
    softmax_kernel<T><<<(rows + 63) / 64, 64>>>(x.upload(), y.upload(), rows,
                                                cols);
    y.download();
    check::expect("y", y, want);
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    for (int cols : check::lengths(o, 50, 1)) {
        run<float>(o, 72, cols);
        run<double>(o, 36, cols);
    }
    return check::pass();
}
