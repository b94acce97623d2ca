// One block of literal size and constant trip counts: the output layer of a
// digit classifier, ten classes, one thread per image. Two-dimensional array
// parameters and #define'd sizes.
#include "check.h"

#define IMAGES      64
#define NUM_CLASSES 10

// `__restrict__` on both, for once
#pragma rf cascade
#ifdef RF_REFERENCE
__global__ void output_layer(const float (*__restrict__ z)[NUM_CLASSES],
                             float (*__restrict__ prob)[NUM_CLASSES])
{
    const int img = threadIdx.x;
    float mx = z[img][0];
    for (int k = 1; k < NUM_CLASSES; k++) mx = max(mx, z[img][k]);

    float total = 0.0f;
    for (int k = 0; k < NUM_CLASSES; k++) {
        float e = expf(z[img][k] - mx);
        prob[img][k] = e;
        total = total + e;
    }
    for (int k = 0; k < NUM_CLASSES; k++) prob[img][k] = prob[img][k] / total;
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
__global__ void output_layer(const float (*__restrict__ z)[NUM_CLASSES],
                             float (*__restrict__ prob)[NUM_CLASSES])
{
    const int img = threadIdx.x;
    float mx = z[img][0];
    float total = 0.0f;
    // total: relative to the mx so far, rescaled when it moves
    for (int k = 0; k < NUM_CLASSES; k++) {
        const float mx_old = mx;
        const float z_k = z[img][k];
        mx = max(mx, z_k);
        if (mx != mx_old) {
            total *= expf(mx_old - mx);
        }
        total += z_k == -INFINITY ? 0.0f : expf(z_k - mx);
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (mx == -INFINITY) {
        total = NAN;
    }
    for (int k = 0; k < NUM_CLASSES; k++) {
        prob[img][k] = expf(z[img][k] - mx) / total;
    }
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    check::Array<float> z(IMAGES * NUM_CLASSES), prob(IMAGES * NUM_CLASSES);
    check::fill(z, NUM_CLASSES, o);
    std::vector<double> want;
    for (int i = 0; i < IMAGES; i++) {
        const float *first = &z.host[i * NUM_CLASSES];
        std::vector<double> row =
            check::softmax(std::vector<double>(first, first + NUM_CLASSES));
        want.insert(want.end(), row.begin(), row.end());
    }
    output_layer<<<1, IMAGES>>>((float(*)[NUM_CLASSES])z.upload(),
                                (float(*)[NUM_CLASSES])prob.upload());
    prob.download();
    check::expect("prob", prob, want);
    return check::pass();
}
