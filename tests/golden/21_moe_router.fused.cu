// Router of a mixture of experts, one thread per token: fp16 logits into a
// local array, softmax over it, then the best two experts and their weights
// scaled to sum to one. The mark covers the softmax; the selection after it
// reads the whole array and stays as it is.
#include "check.h"

#define EXPERTS 16

__global__ void route(const __half *logits, int *expert, float *weight,
                      int tokens)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens) return;

    float p[EXPERTS];
    #pragma rf cascade
#ifdef RF_REFERENCE
    {
        float mx = -65504.f;
        for (int e = 0; e < EXPERTS; e++) {
            p[e] = __half2float(logits[t * EXPERTS + e]);
            if (p[e] > mx) mx = p[e];
        }
        float sum = 0.f;
        for (int e = 0; e < EXPERTS; e++) {
            p[e] = expf(p[e] - mx);
            sum += p[e];
        }
        for (int e = 0; e < EXPERTS; e++) p[e] /= sum;
    }
#else  // rf: fused, 3 passes -> 2, rescaled, HASH; do not edit
    {
        float mx = -65504.f;
        float sum = 0.f;
        // sum: relative to the mx so far, rescaled when it moves
        for (int e = 0; e < EXPERTS; e++) {
            const float t_2 = __half2float(logits[t * EXPERTS + e]);
            if (t_2 > mx) {
                sum *= expf(mx - t_2);
                mx = t_2;
            }
            sum += expf(t_2 - mx);
        }
        for (int e = 0; e < EXPERTS; e++)
            p[e] = expf(__half2float(logits[t * EXPERTS + e]) - mx) / sum;
    }
#endif // rf

    // top 2, first index wins
    float total = 0.f;
    for (int n = 0; n < 2; n++) {
        int best = 0;
        for (int e = 1; e < EXPERTS; e++)
            if (p[e] > p[best]) best = e;
        expert[t * 2 + n] = best;
        weight[t * 2 + n] = p[best];
        total += p[best];
        p[best] = -1.f;
    }
    weight[t * 2] /= total;
    weight[t * 2 + 1] /= total;
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int tokens = 90;
    check::Array<__half> x(tokens * EXPERTS);
    check::Array<int> expert(tokens * 2);
    check::Array<float> weight(tokens * 2);
    check::fill(x, EXPERTS, o, check::SUMS);
    std::vector<double> want_weight;
    std::vector<int> want_expert;
    for (int t = 0; t < tokens; t++) {
        std::vector<double> p(EXPERTS);
        double mx = -65504, total = 0;
        check::Real sum = 0;
        for (int e = 0; e < EXPERTS; e++)
            if (x[t * EXPERTS + e] > mx)
                mx = x[t * EXPERTS + e];
        for (int e = 0; e < EXPERTS; e++)
            sum += p[e] = exp(check::Real(x[t * EXPERTS + e] - mx));
        for (double &v : p)
            v = check::Real(v / sum);
        for (int n = 0; n < 2; n++) {
            int best = 0;
            for (int e = 1; e < EXPERTS; e++)
                if (p[e] > p[best])
                    best = e;
            want_expert.push_back(best);
            want_weight.push_back(p[best]);
            total += p[best];
            p[best] = -1;
        }
        want_weight[t * 2] /= total;
        want_weight[t * 2 + 1] /= total;
    }
    route<<<3, 32>>>(x.upload(), expert.upload(), weight.upload(), tokens);
    expert.download();
    weight.download();
    check::expect("expert", expert, want_expert);
    check::expect("weight", weight, want_weight, 1e-4);
    return check::pass();
}
