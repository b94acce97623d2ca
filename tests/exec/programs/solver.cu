// Numerical methods: conjugate gradients on a sparse matrix, LU with pivots,
// a fast Fourier transform, a softmax with an online maximum, a batched
// normalisation in half precision, Runge-Kutta trajectories, Monte Carlo with
// a counter-based generator, and what happens on errors. Uses double and
// complex arithmetic, half2, dynamic shared memory beyond 48 KB, streams with
// priorities, callbacks, launch attributes and device properties.
//
// run:
// expect: solver: all results right
#include <algorithm>
#include <cmath>
#include <complex>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/block/block_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <memory>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,            \
                         cudaGetErrorString(e_));                              \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

static int wrong;

// The larger error; a NaN is the worst of all.
static double worst(double a, double b)
{
    return b <= a ? a : b == b ? b : INFINITY;
}

static void verdict(const char *name, double error, double bound)
{
    bool good = error <= bound;
    std::printf("%-14s error %.2e %s\n", name, error, good ? "right" : "WRONG");
    wrong += !good;
}

struct release {
    void operator()(void *p) const
    {
        cudaFree(p);
    }
};

template <class T> using buffer = std::unique_ptr<T[], release>;

template <class T> buffer<T> make_buffer(size_t n)
{
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    CHECK(cudaMemset(p, 0, n * sizeof(T)));
    return buffer<T>(p);
}

template <class T> buffer<T> upload(const std::vector<T> &v)
{
    auto b = make_buffer<T>(v.size());
    CHECK(cudaMemcpy(b.get(), v.data(), v.size() * sizeof(T),
                     cudaMemcpyHostToDevice));
    return b;
}

template <class T> std::vector<T> download(const buffer<T> &b, size_t n)
{
    std::vector<T> v(n);
    CHECK(cudaMemcpy(v.data(), b.get(), n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

// ---- conjugate gradients: a five-point stencil, double precision ----

constexpr int GRID = 24, UNKNOWNS = GRID * GRID;

__global__ void apply(const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= UNKNOWNS)
        return;
    int c = i % GRID, r = i / GRID;
    double v = 4.1 * x[i];
    if (c > 0)
        v -= x[i - 1];
    if (c + 1 < GRID)
        v -= x[i + 1];
    if (r > 0)
        v -= x[i - GRID];
    if (r + 1 < GRID)
        v -= x[i + GRID];
    y[i] = v;
}

__global__ void dot(const double *a, const double *b, int n, double *out)
{
    using reduce = cub::BlockReduce<double, 128>;
    __shared__ typename reduce::TempStorage space;
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 128)
        sum = fma(a[i], b[i], sum);
    sum = reduce(space).Sum(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

// y = x + scale * y or y = y + scale * x, scale = *a / *b.
template <bool direction>
__global__ void combine(const double *x, double *y, const double *a,
                        const double *b, double sign)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < UNKNOWNS)
        y[i] = direction ? x[i] + *a / *b * y[i] : y[i] + sign * *a / *b * x[i];
}

static void test_gradients()
{
    const int blocks = (UNKNOWNS + 63) / 64;
    std::vector<double> rhs(UNKNOWNS);
    for (int i = 0; i < UNKNOWNS; i++)
        rhs[i] = std::sin(0.3 * i) + 0.5;
    auto r = upload(rhs), p = upload(rhs);
    auto x = make_buffer<double>(UNKNOWNS), q = make_buffer<double>(UNKNOWNS);
    auto s = make_buffer<double>(3);
    double *rr = s.get(), *pq = rr + 1, *next = rr + 2, left = 1;
    dot<<<1, 128>>>(r.get(), r.get(), UNKNOWNS, rr);
    for (int step = 0; step < 200 && left > 1e-18; step++) {
        apply<<<blocks, 64>>>(p.get(), q.get());
        dot<<<1, 128>>>(p.get(), q.get(), UNKNOWNS, pq);
        combine<false><<<blocks, 64>>>(p.get(), x.get(), rr, pq, 1.0);
        combine<false><<<blocks, 64>>>(q.get(), r.get(), rr, pq, -1.0);
        dot<<<1, 128>>>(r.get(), r.get(), UNKNOWNS, next);
        combine<true><<<blocks, 64>>>(r.get(), p.get(), next, rr, 1.0);
        CHECK(cudaMemcpy(rr, next, sizeof(double), cudaMemcpyDeviceToDevice));
        CHECK(cudaMemcpy(&left, rr, sizeof left, cudaMemcpyDeviceToHost));
    }
    apply<<<blocks, 64>>>(x.get(), q.get());
    auto y = download(q, UNKNOWNS);
    double error = 0;
    for (int i = 0; i < UNKNOWNS; i++)
        error = worst(error, std::fabs(y[i] - rhs[i]));
    verdict("gradients", error, 1e-8);
}

// ---- LU with partial pivoting in dynamic shared memory beyond 48 KB ----

template <int N> __global__ void lu(const float *matrix, float *result, int *p)
{
    extern __shared__ float a[];
    __shared__ int pivot;
    for (int i = threadIdx.x; i < N * N; i += blockDim.x)
        a[i] = matrix[i];
    __syncthreads();
    for (int k = 0; k < N; k++) {
        if (threadIdx.x < 32) {
            auto warp = cg::tiled_partition<32>(cg::this_thread_block());
            float best = -1;
            int row = k;
            for (int i = k + threadIdx.x; i < N; i += 32)
                if (fabsf(a[i * N + k]) > best) {
                    best = fabsf(a[i * N + k]);
                    row = i;
                }
            for (int d = 16; d; d /= 2) {
                float other = warp.shfl_down(best, d);
                int where = warp.shfl_down(row, d);
                if (other > best || (other == best && where < row)) {
                    best = other;
                    row = where;
                }
            }
            if (threadIdx.x == 0)
                p[k] = pivot = row;
        }
        __syncthreads();
        for (int j = threadIdx.x; j < N && pivot != k; j += blockDim.x) {
            float t = a[k * N + j];
            a[k * N + j] = a[pivot * N + j];
            a[pivot * N + j] = t;
        }
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < N; i += blockDim.x)
            a[i * N + k] = __fdiv_rn(a[i * N + k], a[k * N + k]);
        __syncthreads();
        for (int e = threadIdx.x; e < (N - k - 1) * (N - k - 1);
             e += blockDim.x) {
            int i = k + 1 + e / (N - k - 1), j = k + 1 + e % (N - k - 1);
            a[i * N + j] = fmaf(-a[i * N + k], a[k * N + j], a[i * N + j]);
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N * N; i += blockDim.x)
        result[i] = a[i];
}

static void test_lu()
{
    constexpr int N = 120; // 57,600 bytes
    std::vector<float> m(N * N);
    uint32_t s = 99;
    for (auto &v : m)
        v = (float)(s = s * 1664525u + 1013904223u) / 4294967296.0f - 0.5f;
    auto in = upload(m);
    auto out = make_buffer<float>(N * N);
    auto p = make_buffer<int>(N);
    size_t bytes = N * N * sizeof(float);
    CHECK(cudaFuncSetAttribute(
        lu<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, lu<N>));
    lu<N><<<1, 128, bytes>>>(in.get(), out.get(), p.get());
    CHECK(cudaGetLastError());
    auto a = download(out, N * N);
    auto pivots = download(p, N);
    double error = attributes.maxDynamicSharedSizeBytes == (int)bytes ? 0 : 9;
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            std::swap(m[k * N + j],
                      m[(pivots[k] == k ? k : pivots[k]) * N + j]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k <= std::min(i, j); k++)
                sum += (k == i ? 1.0 : (double)a[i * N + k]) * a[k * N + j];
            error = worst(error, std::fabs(sum - m[i * N + j]));
        }
    verdict("lu", error, 1e-4);
}

// ---- fast Fourier transform, one block, complex float2 ----

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

template <int N> __global__ void fft(float2 *data, int sign)
{
    __shared__ float2 s[N];
    constexpr int BITS = __builtin_ctz(N);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        s[__brev(i) >> (32 - BITS)] = data[blockIdx.x * N + i];
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        for (int i = threadIdx.x; i < N / 2; i += blockDim.x) {
            int j = i % half, k = (i / half) * 2 * half + j;
            float sine, cosine;
            sincospif(sign * (float)j / (float)half, &sine, &cosine);
            float2 t = times(s[k + half], make_float2(cosine, sine));
            float2 u = s[k];
            s[k] = make_float2(u.x + t.x, u.y + t.y);
            s[k + half] = make_float2(u.x - t.x, u.y - t.y);
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        data[blockIdx.x * N + i] = s[i];
}

static void test_fft()
{
    constexpr int N = 256, BATCH = 3;
    std::vector<float2> in(N * BATCH);
    for (int i = 0; i < N * BATCH; i++)
        in[i] = make_float2(std::cos(i * i * 0.01f), std::sin(i * 1.7f));
    auto d = upload(in);
    fft<N><<<BATCH, 64>>>(d.get(), -1);
    auto out = download(d, N * BATCH);
    double error = 0;
    for (int b = 0; b < BATCH; b++)
        for (int k = 0; k < N; k += 7) {
            std::complex<double> sum = 0;
            for (int n = 0; n < N; n++)
                sum += std::complex<double>(in[b * N + n].x, in[b * N + n].y) *
                       std::polar(1.0, -2 * M_PI * k * n / N);
            std::complex<double> got(out[b * N + k].x, out[b * N + k].y);
            error = worst(error, std::abs(got - sum));
        }
    fft<N><<<BATCH, 64>>>(d.get(), 1);
    out = download(d, N * BATCH);
    for (int i = 0; i < N * BATCH; i++)
        error = worst(error, std::fabs(out[i].x / N - in[i].x));
    verdict("fft", error, 1e-3);
}

// ---- softmax with an online maximum, any type ----

struct state {
    float max, sum;
};

__device__ state merge(state a, state b)
{
    float m = fmaxf(a.max, b.max);
    return { m, a.sum * __expf(a.max - m) + b.sum * __expf(b.max - m) };
}

template <class T>
__global__ void softmax(const T *x, T *y, int cols)
{
    __shared__ state parts[4];
    const T *row = x + (size_t)blockIdx.x * cols;
    state s = { -1e30f, 0 };
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        s = merge(s, { (float)row[i], 1 });
    for (int d = 16; d; d /= 2)
        s = merge(s, { __shfl_xor_sync(~0u, s.max, d),
                       __shfl_xor_sync(~0u, s.sum, d) });
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = s;
    __syncthreads();
    s = parts[0];
    for (int i = 1; i < 4; i++)
        s = merge(s, parts[i]);
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        y[(size_t)blockIdx.x * cols + i] =
            T(expf((float)row[i] - s.max) / s.sum);
}

template <class T> void test_softmax(const char *name, double bound)
{
    const int rows = 5, cols = 333;
    std::vector<T> x(rows * cols);
    for (int i = 0; i < rows * cols; i++)
        x[i] = T(8 * std::sin(i * 0.37f));
    auto in = upload(x);
    auto out = make_buffer<T>(rows * cols);
    softmax<T><<<rows, 128>>>(in.get(), out.get(), cols);
    auto y = download(out, rows * cols);
    double error = 0;
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < cols; i++)
            sum += std::exp((double)(float)x[r * cols + i]);
        for (int i = 0; i < cols; i++) {
            double want = std::exp((double)(float)x[r * cols + i]) / sum;
            double gap = std::fabs((float)y[r * cols + i] - want);
            error = worst(error, gap / (want + 1e-3));
        }
    }
    verdict(name, error, bound);
}

// ---- root mean square normalisation on pairs of halves ----

__global__ void normalise(const half2 *x, half2 *y, int pairs)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const half2 *row = x + blockIdx.x * pairs;
    float sum = 0;
    for (int i = warp.thread_rank(); i < pairs; i += 32) {
        float2 v = __half22float2(row[i]);
        sum += v.x * v.x + v.y * v.y;
    }
    sum = cg::reduce(warp, sum, cg::plus<float>());
    half2 scale = __float2half2_rn(rsqrtf(sum / (2 * pairs) + 1e-5f));
    for (int i = warp.thread_rank(); i < pairs; i += 32)
        y[blockIdx.x * pairs + i] = __hmul2(row[i], scale);
}

static void test_normalise()
{
    const int rows = 4, cols = 100;
    std::vector<half> x(rows * cols);
    for (int i = 0; i < rows * cols; i++)
        x[i] = __float2half(std::cos(i * 0.9f) * 3);
    auto in = upload(x), out = make_buffer<half>(rows * cols);
    normalise<<<rows, 32>>>((half2 *)in.get(), (half2 *)out.get(), cols / 2);
    auto y = download(out, rows * cols);
    double error = 0;
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < cols; i++)
            sum += std::pow((double)__half2float(x[r * cols + i]), 2);
        for (int i = 0; i < cols; i++) {
            int at = r * cols + i;
            double want = __half2float(x[at]) / std::sqrt(sum / cols + 1e-5);
            error = worst(error, std::fabs(__half2float(y[at]) - want));
        }
    }
    verdict("normalise", error, 3e-3);
}

// ---- Runge-Kutta: 64 pendulums, priorities and a host callback ----

__global__ void pendulums(double2 *state, int steps, double h)
{
    double2 s = state[threadIdx.x];
    auto f = [](double2 v) { return make_double2(v.y, -sin(v.x)); };
    auto at = [](double2 v, double2 d, double k) {
        return make_double2(v.x + k * d.x, v.y + k * d.y);
    };
    for (int i = 0; i < steps; i++) {
        double2 a = f(s), b = f(at(s, a, h / 2)), c = f(at(s, b, h / 2));
        double2 d = f(at(s, c, h));
        s.x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
        s.y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
    }
    state[threadIdx.x] = s;
}

static void CUDART_CB count_calls(void *counter)
{
    ++*(int *)counter;
}

static void test_pendulums()
{
    std::vector<double2> start(64);
    for (int i = 0; i < 64; i++)
        start[i] = make_double2(0.02 * i, 0.1);
    auto d = upload(start);
    int least, greatest, calls = 0;
    cudaStream_t s;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest));
    pendulums<<<1, 64, 0, s>>>(d.get(), 100, 0.01);
    CHECK(cudaLaunchHostFunc(s, count_calls, &calls));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamDestroy(s));
    auto end = download(d, 64);
    double drift = calls == 1 ? 0 : 1;
    for (int i = 0; i < 64; i++) {
        auto energy = [](double2 v) { return v.y * v.y / 2 - std::cos(v.x); };
        drift = worst(drift, std::fabs(energy(end[i]) - energy(start[i])));
    }
    verdict("pendulums", drift, 1e-9);
}

// ---- Monte Carlo with a generator of its own ----

struct generator {
    uint64_t key, counter;
    __host__ __device__ float next()
    {
        uint64_t z = (counter++ + key) * 0x9E3779B97F4A7C15ull;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return (float)((z ^ (z >> 31)) >> 40) * 0x1p-24f;
    }
};

__global__ void inside_circle(unsigned *hits, int n)
{
    generator g = { (uint64_t)blockIdx.x << 40 | threadIdx.x << 20, 0 };
    unsigned mine = 0;
    for (int i = 0; i < n; i++) {
        float x = g.next(), y = g.next();
        mine += x * x + y * y < 1;
    }
    unsigned vote = __ballot_sync(~0u, mine > 0);
    for (int d = 16; d; d /= 2)
        mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0 && vote)
        atomicAdd(hits, mine);
}

static void test_circle()
{
    const int blocks = 4, threads = 64, n = 50;
    auto hits = make_buffer<unsigned>(1);
    inside_circle<<<blocks, threads>>>(hits.get(), n);
    unsigned want = 0;
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < threads; t++) {
            generator g = { (uint64_t)b << 40 | t << 20, 0 };
            for (int i = 0; i < n; i++) {
                float x = g.next(), y = g.next();
                want += x * x + y * y < 1;
            }
        }
    double difference = std::fabs((double)download(hits, 1)[0] - want);
    verdict("circle", difference, 2); // fused products at the edge
}

// ---- errors are reported, and leave the device usable ----

__global__ void nothing()
{
}

static void test_errors()
{
    int bad = 0;
    nothing<<<1, 2000>>>();
    bad += cudaPeekAtLastError() != cudaErrorInvalidConfiguration;
    bad += cudaGetLastError() != cudaErrorInvalidConfiguration;
    bad += cudaGetLastError() != cudaSuccess;
    nothing<<<1, 32, 300 * 1024>>>();
    bad += cudaGetLastError() == cudaSuccess;
    void *p = nullptr;
    bad += cudaMalloc(&p, (size_t)1 << 60) != cudaErrorMemoryAllocation;
    bad += cudaGetLastError() != cudaErrorMemoryAllocation;
    bad += cudaFree(nullptr) != cudaSuccess;
    cudaDeviceProp properties;
    int devices = 0, value = 0;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    bad += devices < 1 || value != 32 || properties.warpSize != 32 ||
           properties.major < 8 || properties.maxThreadsPerBlock != 1024;
    nothing<<<1, 1>>>();
    bad += cudaDeviceSynchronize() != cudaSuccess;
    verdict("errors", bad, 0);
}

int main()
{
    test_gradients();
    test_lu();
    test_fft();
    test_softmax<float>("softmax f32", 1e-5);
    test_softmax<half>("softmax f16", 2e-3);
    test_softmax<__nv_bfloat16>("softmax bf16", 1e-2);
    test_normalise();
    test_pendulums();
    test_circle();
    test_errors();
    std::printf("solver: %s\n", wrong ? "FAILED" : "all results right");
    return wrong != 0;
}
