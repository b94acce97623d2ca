// Cross entropy with integer labels, one thread per sample: maximum, sum of
// exponentials, logarithm. Nothing is stored but the loss.
#include "check.h"

#pragma rf cascade
#ifdef RF_REFERENCE
__global__ void nll_of_softmax(const float *scores, const int *target,
                               float *nll, int samples, int classes)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= samples) return;

    const float *row = &scores[s * classes];

    // the shift, for numerical stability
    float peak = -INFINITY;
    for (int k = 0; k < classes; k++) peak = fmaxf(peak, row[k]);

    float z = 0.0f;
    for (int k = 0; k < classes; k++) {
        z += expf(row[k] - peak);
    }

    nll[s] = logf(z) - (row[target[s]] - peak);
}
#else  // rf: fused, 2 passes -> 1, rescaled, proof 7/7, HASH; do not edit
__global__ void nll_of_softmax(const float *scores, const int *target,
                               float *nll, int samples, int classes)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= samples) return;

    const float *row = &scores[s * classes];

    // the shift, for numerical stability
    float peak = -INFINITY;
    float z = 0.0f;
    // z: relative to the peak so far, rescaled when it moves
    for (int k = 0; k < classes; k++) {
        const float peak_old = peak;
        const float row_k = row[k];
        peak = fmaxf(peak, row_k);
        if (peak != peak_old)
            z *= expf(peak_old - peak);
        z += row_k == -INFINITY ? 0.0f : expf(row_k - peak);
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (classes > 0 && peak == -INFINITY)
        z = NAN;

    nll[s] = logf(z) - (row[target[s]] - peak);
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    check::Random r(o.seed);
    const int N = 90;
    for (int C : check::lengths(o, 40, 1)) {
        check::Array<float> x(N * C), loss(N);
        check::Array<int> label(N);
        check::fill(x, C, o);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            label.host[i] = r.below(C);
            double m = -INFINITY;
            for (int c = 0; c < C; c++)
                m = fmax(m, x[i * C + c]);
            check::Real sum = 0;
            for (int c = 0; c < C; c++)
                sum += exp(check::Real(x[i * C + c] - m));
            double shifted = check::Real(x[i * C + label.host[i]] - m);
            want.push_back(log(sum) - shifted);
        }
        nll_of_softmax<<<(N + 31) / 32, 32>>>(x.upload(), label.upload(),
                                              loss.upload(), N, C);
        loss.download();
        check::expect("nll", loss, want, 1e-4);
    }
    return check::pass();
}
