// Sample variance of every series, two passes, accumulated in double by a
// small helper. What comes out of the fusion is Welford's algorithm, which
// nobody has to remember.
#include "check.h"

__device__ __forceinline__ double sqr(double x) { return x * x; }

__global__ void variance(const float *series, double *var, int count,
                         size_t len)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    const float *x = series + t * len;

#pragma rf cascade
#ifdef RF_REFERENCE
    {
        double mean = 0;
        for (size_t i = 0; i < len; i++)
            mean += x[i];
        mean /= (double)len;

        double ss = 0;
        for (size_t i = 0; i < len; i++)
            ss += sqr(x[i] - mean);
        var[t] = ss / ((double)len - 1);
    }
#else  // rf: fused, 2 passes -> 1, rescaled, proof 6/6, HASH; do not edit
    {
        double mean_so_far = 0;
        double ss = 0;
        for (size_t i = 0; i < len; i++) {
            const double delta = x[i] - mean_so_far;
            mean_so_far += delta / (i + 1.0);
            ss += delta * (x[i] - mean_so_far);
        }
        var[t] = ss / ((double)len - 1);
    }
#endif // rf
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int count = 54;
    for (int len : check::lengths(o, 77)) {
        check::Array<float> x(count * len);
        check::Array<double> var(count);
        check::fill(x, len, o);
        std::vector<double> want;
        for (int t = 0; t < count; t++) {
            double mean = 0, ss = 0;
            for (int i = 0; i < len; i++)
                mean += x[t * len + i];
            mean /= len;
            for (int i = 0; i < len; i++)
                ss += (x[t * len + i] - mean) * (x[t * len + i] - mean);
            want.push_back(ss / (len - 1.0));
        }
        variance<<<1, 64>>>(x.upload(), var.upload(), count, len);
        var.download();
        check::expect("var", var, want, 1e-9);
    }
    return check::pass();
}
