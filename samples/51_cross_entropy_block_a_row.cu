// Cross entropy, one thread per sample; `level(block)` gives every sample a
// block of 128 threads. The loss is stored after the loops: by one of them.
#include "check.h"

__global__ void cross_entropy(const float *logits, const int *labels,
                              float *losses, int samples, int classes)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < samples) {
        const float *row = logits + s * classes;
        const int label = labels[s];

        #pragma rf cascade level(block)
        {
            float top = -INFINITY;
            for (int c = 0; c < classes; c++)
                if (row[c] > top)
                    top = row[c];
            float sum = 0.0f;
            for (int c = 0; c < classes; c++)
                sum += expf(row[c] - top);
            losses[s] = logf(sum) - (row[label] - top);
        }
    }
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    check::Random r(o.seed);
    const int N = 21;
    for (int C : { 1000, 129, 33, 32, 31, 1 }) {
        check::Array<float> x(N * C), losses(N);
        check::Array<int> labels(N);
        check::fill(x, C, o);
        std::vector<double> want;
        for (int i = 0; i < N; i++) {
            labels.host[i] = r.below(C);
            double m = -INFINITY;
            for (int c = 0; c < C; c++)
                m = x[i * C + c] > m ? x[i * C + c] : m;
            check::Real sum = 0;
            for (int c = 0; c < C; c++)
                sum += exp(check::Real(x[i * C + c] - m));
            double shifted = check::Real(x[i * C + labels.host[i]] - m);
            want.push_back(log(sum) - shifted);
        }
        cross_entropy<<<dim3(3), 8>>>(x.upload(), labels.upload(),
                                      losses.upload(), N, C);
        losses.download();
        check::expect("losses", losses, want, 1e-4);
    }
    return check::pass();
}
