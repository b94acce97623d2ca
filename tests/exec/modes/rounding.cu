// Fused by hand, in the words of a guard: a softmax with a running maximum, a
// weighted mean whose weights are rescaled, moments in one pass. Mutant 0 is
// right; each other one has one mistake and a buffer of its own.
#include <cmath>
#include <cstdio>
#include <cstdlib>

enum { ROWS = 24, N = 301, STATS = 4, MUTANTS = 9 };

#ifdef RF_REFERENCE
template <int mutant>
__global__ void rows(const float *x, const float *v, float *p, float *stats)
{
    int row = threadIdx.x;
    if (row >= ROWS)
        return;
    const float *r = x + row * N, *w = v + row * N;
    float m = -INFINITY, l = 0, o = 0, mean = 0, var = 0;
    for (int i = 0; i < N; i++)
        m = fmaxf(m, r[i]);
    for (int i = 0; i < N; i++)
        l += expf(r[i] - m);
    for (int i = 0; i < N; i++)
        p[row * N + i] = expf(r[i] - m) / l;
    for (int i = 0; i < N; i++)
        o += expf(r[i] - m) / l * w[i];
    for (int i = 0; i < N; i++)
        mean += r[i];
    mean /= N;
    for (int i = 0; i < N; i++)
        var += (r[i] - mean) * (r[i] - mean);
    stats[row * STATS] = m;
    stats[row * STATS + 1] = o;
    stats[row * STATS + 2] = mean;
    stats[row * STATS + 3] = rsqrtf(var / N + 1e-5f);
}
#else // rf: fused, 7 passes -> 2, rescaled, by hand
template <int mutant>
__global__ void rows(const float *x, const float *v, float *p, float *stats)
{
    int row = threadIdx.x;
    if (row >= ROWS)
        return;
    const float *r = x + row * N, *w = v + row * N;
    // 1: a wrong identity
    float m = mutant == 1 ? 0 : -INFINITY, l = 0, o = 0, sum = 0, squares = 0;
    // 2, 3: off by one
    for (int i = mutant == 2; i < N - (mutant == 3); i++) {
        float old = m;
        m = fmaxf(m, r[i]);
        float c = expf(old - m), e = expf(r[i] - m);
        // 4, 5: a dropped factor
        l = (mutant == 4 ? l : l * c) + e;
        o = (mutant == 5 ? o : o * c) + e * w[i];
        sum += r[i];
        squares += r[i] * r[i];
    }
    for (int i = 0; i < N; i++)
        p[row * N + i] = expf(r[i] - m) / l;
    // 6, 7, 8: a count, a scale and a constant that are slightly wrong
    float mean = sum / (mutant == 6 ? N - 1 : N);
    float var = squares / N - (sum / N) * (sum / N);
    stats[row * STATS] = m;
    stats[row * STATS + 1] = mutant == 7 ? o / l * 1.0005f : o / l;
    stats[row * STATS + 2] = mean;
    stats[row * STATS + 3] = rsqrtf(var + (mutant == 8 ? 1e-3f : 1e-5f));
}
#endif

template <int mutant> void run(const float *x, const float *v)
{
    float *out;
    cudaMalloc(&out, ROWS * (N + STATS) * sizeof *out);
    rows<mutant><<<1, 32>>>(x, v, out, out + ROWS * N);
    if constexpr (mutant + 1 < MUTANTS)
        run<mutant + 1>(x, v);
}

int main()
{
    float *x, *v;
    cudaMallocManaged(&x, ROWS * N * sizeof *x);
    cudaMallocManaged(&v, ROWS * N * sizeof *v);
    srand(3);
    for (int i = 0; i < ROWS * N; i++) {
        float random = rand() / (float)RAND_MAX * 8 - 4;
        bool negative = i / N % 3 == 1, constant = i / N % 3 == 2;
        x[i] = constant ? 0.1f : negative ? random - 9 : random;
        v[i] = constant ? 0.7f : rand() / (float)RAND_MAX * 2 - 1;
    }
    run<0>(x, v);
    return cudaDeviceSynchronize();
}
