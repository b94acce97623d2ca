// One thread per (batch, group): the elements of a softmax lie at a stride,
// and a temperature divides the shifted value. The work is done by a device
// function that gets pointers to the first element.
#include "check.h"

__device__ void group_softmax(const float *v, float *p, int classes, int step,
                              float temperature)
{
    float hi = -INFINITY;
    int k;
    for (k = 0; k < classes; ++k)
        hi = v[k * step] > hi ? v[k * step] : hi;

    float z = 0.0f;
    for (k = 0; k < classes; ++k) {
        const float w = expf((v[k * step] - hi) / temperature);
        p[k * step] = w;
        z += w;
    }

    const float scale = 1.0f / z;
    for (k = 0; k < classes; ++k)
        p[k * step] *= scale;
}

#pragma rf cascade assume(noalias, temperature > 0)
#ifdef RF_REFERENCE
__global__ void region_softmax(const float *in, float *out, int classes,
                               int batches, int groups, float temperature)
{
    const int block = blockIdx.x + gridDim.x * blockIdx.y;
    const int id = threadIdx.x + blockDim.x * block;
    if (id >= batches * groups)
        return;

    // layout [batch][class][group]
    const int first = (id / groups) * classes * groups + id % groups;
    group_softmax(in + first, out + first, classes, groups, temperature);
}
#else  // rf: fused, 3 passes -> 2, rescaled, proof 6/6, HASH; do not edit
__global__ void region_softmax(const float *in, float *out, int classes,
                               int batches, int groups, float temperature)
{
    const int block = blockIdx.x + gridDim.x * blockIdx.y;
    const int id = threadIdx.x + blockDim.x * block;
    if (id >= batches * groups)
        return;

    // layout [batch][class][group]
    const int first = (id / groups) * classes * groups + id % groups;
    float hi = -INFINITY;
    float z = 0.0f;
    // z: relative to the hi so far, rescaled when it moves
    for (int k = 0; k < classes; ++k) {
        const float in_k = in[first + k * groups];
        if (in_k > hi) {
            z *= expf((hi - in_k) / temperature);
            hi = in_k;
        }
        z += in_k == -INFINITY ? 0.0f : expf((in_k - hi) / temperature);
    }
    // nothing finite: -inf - -inf, as the reference computes
    if (classes > 0 && hi == -INFINITY)
        z = NAN;
    const float scale = 1.0f / z;
    for (int k = 0; k < classes; ++k)
        out[first + k * groups] =
            expf((in[first + k * groups] - hi) / temperature) * scale;
}
#endif // rf

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int batch = 6, groups = 6;
    const float temp = 0.7f;
    for (int n : check::lengths(o, 21)) {
        // Element i of group g in batch b is x[b][i][g]: stride is `groups`.
        size_t size = (size_t)batch * groups * n;
        check::Array<float> rows(size), x(size), y(size);
        check::fill(rows, n, o, check::SUMS);
        std::vector<double> want(size);
        for (int id = 0; id < batch * groups; id++) {
            int first = id / groups * n * groups + id % groups;
            std::vector<double> row;
            for (int i = 0; i < n; i++) {
                x.host[first + i * groups] = rows.host[id * n + i];
                row.push_back(check::Real(rows[id * n + i] / temp));
            }
            row = check::softmax(row);
            for (int i = 0; i < n; i++)
                want[first + i * groups] = row[i];
        }
        region_softmax<<<dim3(1, 2), 32>>>(x.upload(), y.upload(), n, batch,
                                           groups, temp);
        y.download();
        check::expect("out", y, want, 1e-4);
    }
    return check::pass();
}
