// Log-softmax: the logarithm of the sum is taken once, the last loop only
// subtracts. Minimal style: no braces, one-letter names, grid-stride rows.
#include "check.h"

__global__ void log_softmax(const float *a, float *b, int m, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m;
         i += gridDim.x * blockDim.x) {
#pragma rf cascade
#ifdef RF_REFERENCE
        {
            float t = -FLT_MAX, s = 0;
            for (int j = 0; j < n; j++) t = max(t, a[i * n + j]);
            for (int j = 0; j < n; j++) s += expf(a[i * n + j] - t);
            s = logf(s) + t;
            for (int j = 0; j < n; j++) b[i * n + j] = a[i * n + j] - s;
        }
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
        {
            float t = -FLT_MAX;
            float s = 0;
            // s: relative to the t so far, rescaled when it moves
            for (int j = 0; j < n; j++) {
                const float t_old = t;
                const float a_j = a[i * n + j];
                t = max(t, a_j);
                if (t != t_old)
                    s *= expf(t_old - t);
                s += expf(a_j - t);
            }
            s = logf(s) + t;
            for (int j = 0; j < n; j++)
                b[i * n + j] = a[i * n + j] - s;
        }
#endif // rf
    }
}

int main(int argc, char **argv)
{
    using check::Real;
    check::Options o = check::options(argc, argv);
    const int m = 90;
    for (int n : check::lengths(o, 31)) {
        check::Array<float> a(m * n), b(m * n);
        check::fill(a, n, o);
        std::vector<double> want;
        for (int i = 0; i < m; i++) {
            double t = -FLT_MAX;
            Real s = 0;
            for (int j = 0; j < n; j++)
                t = fmax(t, a[i * n + j]);
            for (int j = 0; j < n; j++)
                s += exp(Real(a[i * n + j] - t));
            for (int j = 0; j < n; j++)
                want.push_back(Real(a[i * n + j] - Real(log(s) + t)));
        }
        log_softmax<<<2, 32>>>(a.upload(), b.upload(), m, n);
        b.download();
        check::expect("b", b, want, 1e-4);
    }
    return check::pass();
}
