// Matrix products on tensor cores against a plain one: mma.sync fed by
// ldmatrix and cp.async, and nvcuda::wmma in every shape and type.
//
// run:
// expect: all products agree
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

static int failures = 0;

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e = (call);                                                \
        if (e != cudaSuccess) {                                                \
            std::printf("%s: %s\n", #call, cudaGetErrorString(e));             \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

// The larger error; a NaN is the worst of all.
static double worst(double a, double b)
{
    return b <= a ? a : b == b ? b : INFINITY;
}

static void verdict(const char *name, double error, double bound)
{
    bool good = error <= bound;
    std::printf("%-28s error %.3g %s\n", name, error, good ? "ok" : "WRONG");
    failures += !good;
}

static unsigned long long state = 1;

static float uniform()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (float)(int)(state >> 33) / 1073741824.0f - 1.0f;
}

// ---- mma.sync: C[M][N] = A[M][K] * B[K][N], all row-major ----

enum { TILE_M = 64, TILE_N = 64, TILE_K = 32, PAD = 8, STAGES = 2 };

template <class T> struct shared_tiles {
    T a[STAGES][TILE_M][TILE_K + PAD];
    T b[STAGES][TILE_K][TILE_N + PAD];
};

__device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(to)),
                 "l"(from)
                 : "memory");
}

template <class T>
__device__ void load_tiles(shared_tiles<T> &s, int stage, const T *a,
                           const T *b, int n, int k, int row, int col, int at)
{
    for (int i = threadIdx.x; i < TILE_M * TILE_K / 8; i += blockDim.x) {
        int r = i / (TILE_K / 8), c = i % (TILE_K / 8) * 8;
        copy16(&s.a[stage][r][c], &a[(size_t)(row + r) * k + at + c]);
    }
    for (int i = threadIdx.x; i < TILE_K * TILE_N / 8; i += blockDim.x) {
        int r = i / (TILE_N / 8), c = i % (TILE_N / 8) * 8;
        copy16(&s.b[stage][r][c], &b[(size_t)(at + r) * n + col + c]);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <class T>
__device__ void multiply(float *d, const unsigned *a, const unsigned *b);

template <>
__device__ void multiply<half>(float *d, const unsigned *a, const unsigned *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                   "r"(b[1]));
}

template <>
__device__ void multiply<__nv_bfloat16>(float *d, const unsigned *a,
                                        const unsigned *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                   "r"(b[1]));
}

// One warp computes 16 rows by TILE_N columns.
template <class T>
__device__ void warp_step(const shared_tiles<T> &s, int stage, int warp,
                          int lane, float (*d)[4])
{
    for (int k = 0; k < TILE_K; k += 16) {
        unsigned a[4];
        unsigned pa = shared_address(
            &s.a[stage][warp * 16 + lane % 16][k + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0,%1,%2,%3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(pa));
        for (int j = 0; j < TILE_N / 8; j++) {
            unsigned b[2];
            unsigned pb = shared_address(&s.b[stage][k + lane % 16][j * 8]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
                         "{%0,%1}, [%2];"
                         : "=r"(b[0]), "=r"(b[1])
                         : "r"(pb));
            multiply<T>(d[j], a, b);
        }
    }
}

template <class T>
__global__ void __launch_bounds__(128)
    gemm_mma(const T *a, const T *b, float *c, int n, int k)
{
    __shared__ __align__(16) shared_tiles<T> s;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.y * TILE_M, col = blockIdx.x * TILE_N;
    float d[TILE_N / 8][4] = {};
    load_tiles(s, 0, a, b, n, k, row, col, 0);
    for (int at = 0, stage = 0; at < k; at += TILE_K, stage ^= 1) {
        if (at + TILE_K < k) {
            load_tiles(s, stage ^ 1, a, b, n, k, row, col, at + TILE_K);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        warp_step(s, stage, warp, lane, d);
        __syncthreads();
    }
    for (int j = 0; j < TILE_N / 8; j++)
        for (int i = 0; i < 4; i++) {
            int r = row + warp * 16 + lane / 4 + i / 2 * 8;
            c[(size_t)r * n + col + j * 8 + lane % 4 * 2 + i % 2] = d[j][i];
        }
}

template <class T>
__global__ void gemm_plain(const T *a, const T *b, float *c, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += (float)a[(size_t)row * k + i] * (float)b[(size_t)i * n + col];
    c[(size_t)row * n + col] = sum;
}

template <class T> T *upload(const std::vector<T> &v)
{
    T *p;
    CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T),
                     cudaMemcpyHostToDevice));
    return p;
}

template <class T> std::vector<T> download(const T *p, size_t n)
{
    std::vector<T> v(n);
    CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

template <class T> void test_mma(const char *name)
{
    const int m = 128, n = 128, k = 96;
    std::vector<T> a(m * k), b(k * n);
    for (auto &x : a)
        x = T(uniform());
    for (auto &x : b)
        x = T(uniform());
    T *da = upload(a), *db = upload(b);
    float *dc, *dp;
    CHECK(cudaMalloc(&dc, m * n * sizeof(float)));
    CHECK(cudaMalloc(&dp, m * n * sizeof(float)));
    gemm_mma<T><<<dim3(n / TILE_N, m / TILE_M), 128>>>(da, db, dc, n, k);
    gemm_plain<T><<<dim3(n / 64, m), 64>>>(da, db, dp, n, k);
    CHECK(cudaDeviceSynchronize());
    auto c = download(dc, m * n), p = download(dp, m * n);
    double error = 0;
    for (int i = 0; i < m * n; i++)
        error = worst(error, std::fabs(c[i] - p[i]));
    verdict(name, error, 2e-5);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    CHECK(cudaFree(dp));
}

// ---- nvcuda::wmma ----

template <int M, int N, int K, class A, class D, class LA, class LB,
          class S = A>
__global__ void wmma_kernel(const S *a, const S *b, const D *c, D *d, int lda,
                            int ldb, wmma::layout_t layout)
{
    wmma::fragment<wmma::matrix_a, M, N, K, A, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, A, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> fc;
    int ldc = layout == wmma::mem_row_major ? N : M;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, layout);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = fc.x[i] + fc.x[i];
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, ldc, layout);
}

template <class T> T small_integer()
{
    return T((float)(int)(uniform() * 4.99f));
}

template <> signed char small_integer<signed char>()
{
    return (signed char)(uniform() * 9.0f);
}

template <> unsigned char small_integer<unsigned char>()
{
    return (unsigned char)(uniform() * 9.0f + 9.0f);
}

// Small integers: every product and sum is exact.
template <int M, int N, int K, class A, class D, class LA, class LB,
          class S = A>
void test_wmma(const char *name, wmma::layout_t layout = wmma::mem_row_major)
{
    constexpr bool row_a = std::is_same<LA, wmma::row_major>::value;
    constexpr bool row_b = std::is_same<LB, wmma::row_major>::value;
    constexpr int lda = row_a ? K : M, ldb = row_b ? N : K;
    std::vector<S> a(M * K), b(K * N);
    std::vector<D> c(M * N);
    for (auto &x : a)
        x = small_integer<S>();
    for (auto &x : b)
        x = small_integer<S>();
    for (auto &x : c)
        x = D((float)(int)(uniform() * 4.99f));
    S *da = upload(a), *db = upload(b);
    D *dc = upload(c), *dd = upload(c);
    wmma_kernel<M, N, K, A, D, LA, LB, S>
        <<<1, 32>>>(da, db, dc, dd, lda, ldb, layout);
    CHECK(cudaDeviceSynchronize());
    auto d = download(dd, M * N);
    double error = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int at = layout == wmma::mem_row_major ? i * N + j : j * M + i;
            double sum = 2 * (double)c[at];
            for (int l = 0; l < K; l++)
                sum += (double)(float)a[row_a ? i * lda + l : l * lda + i] *
                       (double)(float)b[row_b ? l * ldb + j : j * ldb + l];
            error = worst(error, std::fabs(sum - (double)d[at]));
        }
    verdict(name, error, 0);
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dd);
}

// ---- elements smaller than a byte: 4-bit integers and bits ----

namespace sub = wmma::experimental;

__global__ void wmma_s4(const int *a, const int *b, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 32, sub::precision::s4,
                   wmma::row_major>
        fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, sub::precision::s4,
                   wmma::col_major>
        fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
    wmma::load_matrix_sync(fa, (const void *)a, 32);
    wmma::load_matrix_sync(fb, (const void *)b, 32);
    wmma::fill_fragment(fc, 3);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

template <sub::bmmaBitOp op>
__global__ void wmma_b1(const unsigned *a, const unsigned *b, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, sub::precision::b1,
                   wmma::row_major>
        fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, sub::precision::b1,
                   wmma::col_major>
        fb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
    wmma::load_matrix_sync(fa, (const void *)a, 128);
    wmma::load_matrix_sync(fb, (const void *)b, 128);
    wmma::fill_fragment(fc, 3);
    wmma::bmma_sync(fc, fa, fb, fc, op);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

static int nibble(const std::vector<unsigned> &v, int row, int k)
{
    return (int)(v[row * 4 + k / 8] << (28 - k % 8 * 4)) >> 28;
}

static int bit(const std::vector<unsigned> &v, int row, int k)
{
    return v[row * 4 + k / 32] >> k % 32 & 1;
}

template <class F> static void check_small(const char *name, int *d, F product)
{
    auto got = download(d, 64);
    double error = 0;
    for (int i = 0; i < 64; i++)
        error = worst(error, std::fabs(got[i] - product(i / 8, i % 8)));
    verdict(name, error, 0);
}

static void test_small()
{
    std::vector<unsigned> a(32), b(32);
    for (int i = 0; i < 32; i++) {
        a[i] = (unsigned)(int)(uniform() * 2e9f) * 2654435761u;
        b[i] = (unsigned)(int)(uniform() * 2e9f) * 2246822519u;
    }
    unsigned *da = upload(a), *db = upload(b);
    int *d = upload(std::vector<int>(64));
    wmma_s4<<<1, 32>>>((int *)da, (int *)db, d);
    check_small("wmma s4", d, [&](int i, int j) {
        int sum = 3;
        for (int k = 0; k < 32; k++)
            sum += nibble(a, i, k) * nibble(b, j, k);
        return sum;
    });
    wmma_b1<sub::bmmaBitOpXOR><<<1, 32>>>(da, db, d);
    check_small("wmma b1 xor", d, [&](int i, int j) {
        int sum = 3;
        for (int k = 0; k < 128; k++)
            sum += bit(a, i, k) ^ bit(b, j, k);
        return sum;
    });
    wmma_b1<sub::bmmaBitOpAND><<<1, 32>>>(da, db, d);
    check_small("wmma b1 and", d, [&](int i, int j) {
        int sum = 3;
        for (int k = 0; k < 128; k++)
            sum += bit(a, i, k) & bit(b, j, k);
        return sum;
    });
    cudaFree(da), cudaFree(db), cudaFree(d);
}

int main()
{
    using row = wmma::row_major;
    using col = wmma::col_major;
    namespace p = wmma::precision;
    test_mma<half>("mma f16");
    test_mma<__nv_bfloat16>("mma bf16");
    test_wmma<16, 16, 16, half, float, row, col>("wmma 16x16x16 f16 f32");
    test_wmma<16, 16, 16, half, half, col, row>("wmma 16x16x16 f16 f16");
    test_wmma<32, 8, 16, half, float, row, row>("wmma 32x8x16 f16 f32");
    test_wmma<8, 32, 16, half, float, col, col>("wmma 8x32x16 f16 f32",
                                                wmma::mem_col_major);
    test_wmma<16, 16, 16, __nv_bfloat16, float, row, col>("wmma bf16");
    test_wmma<32, 8, 16, __nv_bfloat16, float, col, row>("wmma 32x8 bf16");
    test_wmma<8, 32, 16, __nv_bfloat16, float, row, col>("wmma 8x32 bf16");
    test_wmma<16, 16, 16, signed char, int, row, col>("wmma s8");
    test_wmma<32, 8, 16, signed char, int, col, row>("wmma 32x8 s8");
    test_wmma<8, 32, 16, unsigned char, int, row, row>("wmma 8x32 u8");
    test_wmma<16, 16, 8, p::tf32, float, row, col, float>("wmma tf32");
    test_wmma<16, 16, 8, p::tf32, float, col, row, float>("wmma tf32 col");
    test_wmma<8, 8, 4, double, double, row, col>("wmma f64");
    test_wmma<8, 8, 4, double, double, col, row>("wmma f64 col");
    test_small();
    if (failures)
        return 1;
    std::printf("all products agree\n");
    return 0;
}
