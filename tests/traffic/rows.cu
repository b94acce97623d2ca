// ROWS rows of LENGTH elements at one LEVEL: what each kernel reads and writes.
// traffic.py fills in the words and counts; scripts/gpu.sh measures the times.
#include "measure.h"

#pragma rf cascade LEVEL assume(noalias, n <= LENGTH)
__global__ void softmax(const float *x, float *y, int n)
{
    const int r = blockIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m);
    for (int i = 0; i < n; i++)
        y[r * n + i] = expf(x[r * n + i] - m) / s;
}

#pragma rf cascade LEVEL assume(noalias, n <= LENGTH)
__global__ void log_softmax(const float *x, float *y, int n)
{
    const int r = blockIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m);
    const float shift = m + logf(s);
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] - shift;
}

#pragma rf cascade LEVEL assume(noalias, n <= LENGTH)
__global__ void layer_norm(const float *x, const float *gain,
                           const float *shift, float *y, float *mean, int n)
{
    const int r = blockIdx.x;
    float m = 0.0f, v = 0.0f;
    for (int i = 0; i < n; i++)
        m += x[r * n + i];
    m /= n;
    for (int i = 0; i < n; i++)
        v += (x[r * n + i] - m) * (x[r * n + i] - m);
    const float scale = rsqrtf(v / n + 1e-5f);
    for (int i = 0; i < n; i++)
        y[r * n + i] = (x[r * n + i] - m) * scale * gain[i] + shift[i];
    mean[r] = m;
}

#pragma rf cascade LEVEL assume(noalias, n <= LENGTH)
__global__ void rms_norm(const float *x, const float *gain, float *y,
                         float *peak, int n)
{
    const int r = blockIdx.x;
    float s = 0.0f, top = 0.0f;
    for (int i = 0; i < n; i++)
        s += x[r * n + i] * x[r * n + i];
    const float scale = rsqrtf(s / n + 1e-5f);
    for (int i = 0; i < n; i++)
        top = fmaxf(top, fabsf(x[r * n + i] * scale));
    for (int i = 0; i < n; i++)
        y[r * n + i] = x[r * n + i] * scale * gain[i];
    peak[r] = top;
}

#pragma rf cascade LEVEL assume(noalias, n <= LENGTH)
__global__ void cross_entropy(const float *x, const int *label, float *loss,
                              int n)
{
    const int r = blockIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[r * n + i]);
    for (int i = 0; i < n; i++)
        s += expf(x[r * n + i] - m);
    loss[r] = logf(s) - (x[r * n + label[r]] - m);
}

#pragma rf cascade LEVEL assume(noalias, n <= LENGTH)
__global__ void variance(const float *x, float *y, int n)
{
    const int r = blockIdx.x;
    float m = 0.0f, v = 0.0f;
    for (int i = 0; i < n; i++)
        m += x[r * n + i];
    m /= n;
    for (int i = 0; i < n; i++)
        v += (x[r * n + i] - m) * (x[r * n + i] - m);
    y[r] = v / n;
}

#pragma rf cascade LEVEL assume(noalias, n <= QUARTER)
__global__ void inertia(const float *mass, const float *x, float *y, int n)
{
    const int r = blockIdx.x;
    float total = 0.0f, a = 0.0f, b = 0.0f, c = 0.0f, moment = 0.0f;
    for (int i = 0; i < n; i++)
        total += mass[r * n + i];
    for (int i = 0; i < n; i++) {
        a += mass[r * n + i] * x[3 * (r * n + i)];
        b += mass[r * n + i] * x[3 * (r * n + i) + 1];
        c += mass[r * n + i] * x[3 * (r * n + i) + 2];
    }
    a /= total;
    b /= total;
    c /= total;
    for (int i = 0; i < n; i++) {
        const float dx = x[3 * (r * n + i)] - a;
        const float dy = x[3 * (r * n + i) + 1] - b;
        const float dz = x[3 * (r * n + i) + 2] - c;
        moment += mass[r * n + i] * (dx * dx + dy * dy + dz * dz);
    }
    y[r] = moment;
}

int main()
{
    const int rows = ROWS, n = LENGTH;
    const size_t size = (size_t)rows * n;
    float *const x = filled<float>(SETS * size, 4);
    float *const y = filled<float>(SETS * size, 4);
    float *const w = filled<float>(n, 4), *const z = filled<float>(rows, 4);
    float *const mass = filled<float>(size, 4);
    int *const label = filled<int>(rows, 100);
    measure("softmax", y, size, [&](int set) {
        softmax<<<rows, 1>>>(x + set * size, y + set * size, n);
    });
    measure("log_softmax", y, size, [&](int set) {
        log_softmax<<<rows, 1>>>(x + set * size, y + set * size, n);
    });
    measure("layer_norm", y, size, [&](int set) {
        layer_norm<<<rows, 1>>>(x + set * size, w, w, y + set * size, z, n);
    });
    measure("rms_norm", y, size, [&](int set) {
        rms_norm<<<rows, 1>>>(x + set * size, w, y + set * size, z, n);
    });
    measure("cross_entropy", z, rows, [&](int set) {
        cross_entropy<<<rows, 1>>>(x + set * size, label, z, n);
    });
    measure("variance", z, rows, [&](int set) {
        variance<<<rows, 1>>>(x + set * size, z, n);
    });
    measure("inertia", z, rows, [&](int set) {
        inertia<<<rows, 1>>>(mass, x + set * size, z, QUARTER);
    });
    return cudaDeviceSynchronize() != cudaSuccess;
}
