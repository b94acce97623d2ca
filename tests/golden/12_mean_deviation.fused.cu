// Mean and standard deviation per row with both results kept in global
// arrays: the sum accumulates directly in mean[row], the second loop reads
// mean[row] in every step. Iterators and `!=`.
#include "check.h"

#pragma rf cascade assume(noalias)
#ifdef RF_REFERENCE
__global__ void mean_std(const float *data, float *mean, float *stddev,
                         int rows, int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
    {
        const int begin = row * cols;
        const int end = begin + cols;

        mean[row] = 0.0f;
        for (int j = begin; j != end; ++j)
        {
            mean[row] += data[j];
        }
        mean[row] /= cols;

        stddev[row] = 0.0f;
        for (int j = begin; j != end; ++j)
        {
            stddev[row] += powf(data[j] - mean[row], 2.0f);
        }
        stddev[row] = sqrtf(stddev[row] / cols);
    }
}
#else  // rf: fused, 2 passes -> 1, rescaled, proof 13/13, HASH; do not edit
__global__ void mean_std(const float *data, float *mean, float *stddev,
                         int rows, int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
    {
        const int begin = row * cols;
        const int end = begin + cols;

        float mean_sum = 0.0f;
        float mean_so_far = 0.0f;
        float stddev_sum = 0.0f;
        for (int j = begin; j != end; ++j) {
            const float data_j = data[j];
            mean_sum += data_j;
            const float delta = data_j - mean_so_far;
            mean_so_far += delta / (j - begin + 1.0f);
            stddev_sum += delta * (data_j - mean_so_far);
        }
        mean[row] = mean_sum / cols;
        stddev[row] = stddev_sum;
        stddev[row] = sqrtf(stddev[row] / cols);
    }
}
#endif // rf

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int rows = 72;
    for (int cols : check::lengths(o, 36)) {
        check::Array<float> x(rows * cols), mean(rows), sd(rows);
        check::fill(x, cols, o, check::SUMS);
        std::vector<double> want_mean, want_sd;
        for (int i = 0; i < rows; i++) {
            Real m = 0, v = 0;
            for (int j = 0; j < cols; j++)
                m += x[i * cols + j];
            m /= cols;
            for (int j = 0; j < cols; j++)
                v += Real(x[i * cols + j] - m) * Real(x[i * cols + j] - m);
            want_mean.push_back(m);
            want_sd.push_back(sqrt(Real(v / cols)));
        }
        mean_std<<<3, 32>>>(x.upload(), mean.upload(), sd.upload(), rows, cols);
        mean.download();
        sd.download();
        check::expect("mean", mean, want_mean);
        check::expect("stddev", sd, want_sd, 1e-4);
    }
    return check::pass();
}
