// Layer norm with one accumulator used twice, first for the mean, then for
// the variance, as register-thrifty authors write it.
#include "check.h"

template <typename T>
__global__ void LayerNormKernel(const T *X, const T *gamma, const T *beta, T *Y,
                                const int rows, const int cols, const T epsilon)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

#pragma rf cascade
#ifdef RF_REFERENCE
    {
        T acc = T(0);
        for (int j = 0; j < cols; ++j)
            acc += X[row * cols + j];
        const T mu = acc / cols;

        acc = T(0);
        for (int j = 0; j < cols; ++j)
            acc += (X[row * cols + j] - mu) * (X[row * cols + j] - mu);
        const T inv_std = rsqrt(acc / cols + epsilon);

        for (int j = 0; j < cols; ++j) {
            const int k = row * cols + j;
            Y[k] = (X[k] - mu) * inv_std * gamma[j] + beta[j];
        }
    }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 7/7, HASH; do not edit
    {
        static_assert(
            std::is_floating_point<T>::value ||
            (std::is_class<T>::value && sizeof(T) == 2),
            "T is no floating-point type: use -DRF_REFERENCE");
        T acc_2 = (T)0;
        T mean_so_far = (T)0;
        T acc = (T)0;
        for (int j = 0; j < cols; ++j) {
            const T X_j = X[row * cols + j];
            acc_2 += X_j;
            const T delta = X_j - mean_so_far;
            mean_so_far += delta / ((T)j + (T)1);
            acc += delta * (X_j - mean_so_far);
        }
        const T mu = acc_2 / cols;
        const T inv_std = rsqrt(acc / cols + epsilon);
        for (int j = 0; j < cols; ++j)
            Y[row * cols + j] = (X[row * cols + j] - mu) * inv_std * gamma[j] +
                                beta[j];
    }
#endif // rf
}

template <typename T> static void run(check::Options o, int rows, int cols)
{
    using check::Real;
    check::Array<T> x(rows * cols), g(cols), b(cols), y(rows * cols);
    check::fill(x, cols, o, check::SUMS);
    check::fill_plain(g, o);
    check::fill_plain(b, o);
    std::vector<double> want;
    for (int i = 0; i < rows; i++) {
        Real m = 0, v = 0;
        for (int j = 0; j < cols; j++)
            m += x[i * cols + j];
        m /= cols;
        for (int j = 0; j < cols; j++)
            v += (x[i * cols + j] - m) * (x[i * cols + j] - m);
        v /= cols;
        for (int j = 0; j < cols; j++)
            want.push_back((x[i * cols + j] - m) / sqrt(v + 1e-6) * g[j] +
                           b[j]);
    }
    LayerNormKernel<T><<<(rows + 63) / 64, 64>>>(
        x.upload(), g.upload(), b.upload(), y.upload(), rows, cols, T(1e-6));
    y.download();
    check::expect("Y", y, want, 1e-4, 1);
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    for (int cols : check::lengths(o, 48)) {
        run<float>(o, 90, cols);
        run<double>(o, 36, cols);
    }
    return check::pass();
}
