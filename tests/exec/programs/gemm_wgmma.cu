// Warpgroup products (wgmma) on tiles that tensor copies (TMA) bring into
// shared memory, against a plain product: every swizzle, both orders of the
// operands, f16, bf16, tf32, fp8 and s8, A from registers, negated operands,
// a tile that sticks out of the tensor, a tensor store and a tensor reduction.
//
// run:
// expect: all products agree
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>
#include <vector>

static int failures = 0;

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e = (call);                                                \
        if (e != cudaSuccess) {                                                \
            std::printf("%s: %s\n", #call, cudaGetErrorString(e));             \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

using encode_tiled = decltype(&cuTensorMapEncodeTiled);

static encode_tiled encoder()
{
    static encode_tiled f = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (!f)
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                               (void **)&f, 12000,
                                               cudaEnableDefault, &found));
    return f;
}

template <class T> struct traits;
template <> struct traits<half> {
    static constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
};
template <> struct traits<__nv_bfloat16> {
    static constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
};
template <> struct traits<float> {
    static constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
};
template <> struct traits<__nv_fp8_e4m3> {
    static constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
};
template <> struct traits<__nv_fp8_e5m2> {
    static constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
};
template <> struct traits<signed char> {
    static constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
};

// A tensor of rows x cols elements, cols contiguous, cut into boxes.
template <class T>
CUtensorMap tensor_map(T *p, int rows, int cols, int box_rows, int box_cols,
                       CUtensorMapSwizzle swizzle)
{
    CUtensorMap map;
    cuuint64_t extent[] = { (cuuint64_t)cols, (cuuint64_t)rows };
    cuuint64_t stride[] = { cols * sizeof(T) };
    cuuint32_t box[] = { (cuuint32_t)box_cols, (cuuint32_t)box_rows };
    cuuint32_t step[] = { 1, 1 };
    CUresult r = encoder()(&map, traits<T>::type, 2, p, extent, stride, box,
                           step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r != CUDA_SUCCESS) {
        std::printf("cuTensorMapEncodeTiled: %d\n", (int)r);
        std::exit(2);
    }
    return map;
}

// ---- device ----

__device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void barrier_init(uint64_t *b, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                     shared_address(b)),
                 "r"(count)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void barrier_expect(uint64_t *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(b)),
                 "r"(bytes)
                 : "memory");
}

__device__ void barrier_wait(uint64_t *b, int parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN; }" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

__device__ void tensor_load(void *to, const CUtensorMap *map, int col, int row,
                            uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
                     "r"(shared_address(to)),
                 "l"(map), "r"(col), "r"(row), "r"(shared_address(b))
                 : "memory");
}

template <bool reduce>
__device__ void tensor_store(const CUtensorMap *map, int col, int row,
                             const void *from)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (reduce)
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add"
                     ".tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                     "r"(col), "r"(row), "r"(shared_address(from))
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile"
                     ".bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                     "r"(col), "r"(row), "r"(shared_address(from))
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::
                     : "memory");
}

__device__ uint64_t descriptor(const void *p, int offset, int leading,
                               int stride, int swizzle)
{
    const uint64_t mode[] = { 0, 3, 2, 1 }; // none, 32, 64, 128 bytes
    uint64_t start = (shared_address(p) + offset) & 0x3ffff;
    return start >> 4 | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | mode[swizzle] << 62;
}

#define D8(d, i)                                                               \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]),                \
        "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define D32(d) D8(d, 0), D8(d, 8), D8(d, 16), D8(d, 24)
#define NAMES                                                                  \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,"      \
    "%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"

// The product of 64 rows and 64 columns; TA, TB: transposed operands.
#define WGMMA(shape, types, tail, ...)                                         \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"                    \
                 "wgmma.mma_async.sync.aligned." shape "." types " " NAMES     \
                 ", %32, %33, p, " tail "; }"                                  \
                 : D32(d)                                                      \
                 : "l"(a), "l"(b), "r"(accumulate)__VA_ARGS__)

enum { NORMAL, NEGATED };

template <class T, bool ta, bool tb, int sign> struct product;

#define PRODUCT16(T, type)                                                     \
    template <bool ta, bool tb, int sign> struct product<T, ta, tb, sign> {    \
        static __device__ void run(float *d, uint64_t a, uint64_t b,           \
                                   int accumulate)                             \
        {                                                                      \
            WGMMA("m64n64k16", "f32." type "." type, "%35, 1, %36, %37",       \
                  , "n"(sign), "n"((int)ta), "n"((int)tb));                    \
        }                                                                      \
    };
PRODUCT16(half, "f16")
PRODUCT16(__nv_bfloat16, "bf16")

#define PRODUCT(T, shape, type)                                                \
    template <int sign> struct product<T, false, false, sign> {                \
        static __device__ void run(float *d, uint64_t a, uint64_t b,           \
                                   int accumulate)                             \
        {                                                                      \
            WGMMA(shape, "f32." type "." type, "%35, 1", , "n"(sign));         \
        }                                                                      \
    };
PRODUCT(float, "m64n64k8", "tf32")
PRODUCT(__nv_fp8_e4m3, "m64n64k32", "e4m3")
PRODUCT(__nv_fp8_e5m2, "m64n64k32", "e5m2")

template <> struct product<signed char, false, false, 1> {
    static __device__ void run(float *f, uint64_t a, uint64_t b, int accumulate)
    {
        int *d = reinterpret_cast<int *>(f);
#define I8(d, i)                                                               \
    "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]),                \
        "+r"(d[i + 4]), "+r"(d[i + 5]), "+r"(d[i + 6]), "+r"(d[i + 7])
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 " NAMES
                     ", %32, %33, p; }"
                     : I8(d, 0), I8(d, 8), I8(d, 16), I8(d, 24)
                     : "l"(a), "l"(b), "r"(accumulate));
    }
};

// Tiles are 64 rows by the number of columns that a swizzle spans (without a
// swizzle: 16 bytes), one after the other along the contiguous dimension.
template <class T> struct tile {
    int swizzle;
    __device__ __host__ int width() const // bytes of a row of one box
    {
        return 16 << swizzle;
    }
    __device__ __host__ int cols() const
    {
        return width() / (int)sizeof(T);
    }
};

// Descriptor of the k-th step of an operand that is contiguous in k.
template <class T>
__device__ uint64_t k_step(const unsigned char *s, tile<T> t, int step)
{
    int at = step * 32, box = at / t.width();
    int offset = box * 64 * t.width() + at % t.width();
    return descriptor(s, offset, 64 * t.width(), 8 * t.width(), t.swizzle);
}

// The same for an operand that is contiguous in m or n: rows are k. A box of
// "rows" rows holds t.cols() columns; the next columns follow in the next box.
template <class T>
__device__ uint64_t mn_step(const unsigned char *s, tile<T> t, int step,
                            int rows)
{
    int offset = step * 16 * t.width();
    int box = rows * t.width();
    if (t.swizzle)
        return descriptor(s, offset, box, 8 * t.width(), t.swizzle);
    return descriptor(s, offset, 8 * t.width(), box, 0);
}

template <class T, bool ta, bool tb, int sign>
__global__ void __launch_bounds__(128)
    gemm_wgmma(const __grid_constant__ CUtensorMap ma,
               const __grid_constant__ CUtensorMap mb, float *c, int n, int k,
               tile<T> t)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ uint64_t full;
    const int chunk = 64; // elements of k at a time
    unsigned char *sa = shared, *sb = shared + 64 * chunk * sizeof(T);
    int row = blockIdx.y * 64, col = blockIdx.x * 64;
    float d[32];
    for (int i = 0; i < 32; i++)
        d[i] = 0;
    if (threadIdx.x == 0)
        barrier_init(&full, 1);
    __syncthreads();
    for (int at = 0, parity = 0; at < k; at += chunk, parity ^= 1) {
        if (threadIdx.x == 0) {
            barrier_expect(&full, 2 * 64 * chunk * sizeof(T));
            for (int i = 0; i < chunk; i += t.cols()) {
                int to = i / t.cols() * 64 * t.width();
                if (ta)
                    tensor_load(sa + to, &ma, row + i, at, &full);
                else
                    tensor_load(sa + to, &ma, at + i, row, &full);
                if (tb)
                    tensor_load(sb + to, &mb, col + i, at, &full);
                else
                    tensor_load(sb + to, &mb, at + i, col, &full);
            }
        }
        barrier_wait(&full, parity);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int s = 0; s < chunk * (int)sizeof(T) / 32; s++)
            product<T, ta, tb, sign>::run(
                d, ta ? mn_step(sa, t, s, chunk) : k_step(sa, t, s),
                tb ? mn_step(sb, t, s, chunk) : k_step(sb, t, s),
                at > 0 || s > 0);
        asm volatile("wgmma.commit_group.sync.aligned;\n"
                     "wgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        __syncthreads();
    }
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; i++) {
        int r = row + warp * 16 + lane / 4 + i / 2 % 2 * 8;
        int q = col + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (q < n)
            c[(size_t)r * n + q] =
                std::is_integral<T>::value ? (float)__float_as_int(d[i]) : d[i];
    }
}

// ---- host ----

static unsigned long long state = 7;

static float small_integer()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (float)((int)(state >> 33) % 5 - 2);
}

template <class T> T *upload(const std::vector<T> &v)
{
    T *p;
    CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T),
                     cudaMemcpyHostToDevice));
    return p;
}

// A is m x k (k x m if ta), B is n x k (k x n if tb), contiguous in the last
// dimension. Small integers, so that every product is exact.
template <class T, bool ta, bool tb, int sign>
void test(const char *name, int swizzle, int m = 128, int n = 128,
          int k = 128)
{
    std::vector<T> a(m * k), b(n * k);
    for (auto &x : a)
        x = T(small_integer());
    for (auto &x : b)
        x = T(small_integer());
    T *da = upload(a), *db = upload(b);
    float *dc;
    CHECK(cudaMalloc(&dc, m * n * sizeof(float)));
    tile<T> t = { swizzle };
    auto mode = (CUtensorMapSwizzle)swizzle;
    CUtensorMap ma = tensor_map(da, ta ? k : m, ta ? m : k, 64, t.cols(), mode);
    CUtensorMap mb = tensor_map(db, tb ? k : n, tb ? n : k, 64, t.cols(), mode);
    gemm_wgmma<T, ta, tb, sign>
        <<<dim3((n + 63) / 64, m / 64), 128, 2 * 64 * 64 * sizeof(T)>>>(
            ma, mb, dc, n, k, t);
    CHECK(cudaDeviceSynchronize());
    std::vector<float> c(m * n);
    CHECK(cudaMemcpy(c.data(), dc, m * n * sizeof(float),
                     cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += (float)a[ta ? l * m + i : i * k + l] *
                       (float)b[tb ? l * n + j : j * k + l];
            wrong += c[i * n + j] != sign * sum;
        }
    std::printf("%-16s swizzle %3d: %s\n", name, swizzle ? 16 << swizzle : 0,
                wrong ? "WRONG" : "ok");
    failures += wrong != 0;
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

// ---- A from registers ----

__global__ void registers_kernel(const half *a, const half *b, float *c)
{
    __shared__ __align__(1024) half sb[64 * 16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Without a swizzle: groups of 8 rows of 16 bytes, k in halves of 8.
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
        int r = i / 16, k = i % 16;
        sb[r / 8 * 128 + k / 8 * 64 + r % 8 * 8 + k % 8] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned r[4];
    for (int i = 0; i < 4; i++) {
        int row = warp * 16 + lane / 4 + i % 2 * 8;
        r[i] = *(const unsigned *)&a[row * 16 + i / 2 * 8 + lane % 4 * 2];
    }
    float d[32];
    for (int i = 0; i < 32; i++)
        d[i] = 100;
    uint64_t desc = descriptor(sb, 0, 128, 256, 0);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES
                 ", {%32,%33,%34,%35}, %36, p, 1, -1, 0; }"
                 : D32(d)
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(desc),
                   "r"(1));
    asm volatile("wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
    for (int i = 0; i < 32; i++)
        c[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * 64 + i / 4 * 8 +
          lane % 4 * 2 + i % 2] = d[i];
}

static void test_registers()
{
    std::vector<half> a(64 * 16), b(64 * 16);
    std::vector<float> c(64 * 64);
    for (auto &x : a)
        x = half(small_integer());
    for (auto &x : b)
        x = half(small_integer());
    half *da = upload(a), *db = upload(b);
    float *dc = upload(c);
    registers_kernel<<<1, 128>>>(da, db, dc);
    CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            float sum = 100;
            for (int k = 0; k < 16; k++)
                sum -= (float)a[i * 16 + k] * (float)b[j * 16 + k];
            wrong += c[i * 64 + j] != sum;
        }
    std::printf("A in registers: %s\n", wrong ? "WRONG" : "ok");
    failures += wrong != 0;
}

// ---- tensor stores and reductions, boxes that stick out ----

template <bool reduce>
__global__ void copy_box(const __grid_constant__ CUtensorMap from,
                         const __grid_constant__ CUtensorMap to, int col,
                         int row)
{
    __shared__ __align__(128) float box[16][8];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, sizeof box);
        tensor_load(box, &from, col, row, &full);
    }
    __syncthreads();
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < 128; i += blockDim.x)
        box[i / 8][i % 8] += 1;
    __syncthreads();
    if (threadIdx.x == 0)
        tensor_store<reduce>(&to, col, row, box);
}

static void test_boxes()
{
    const int rows = 20, cols = 12;
    std::vector<float> a(rows * cols), b(rows * cols, 5);
    for (auto &x : a)
        x = small_integer();
    std::vector<float> want = b;
    float *da = upload(a), *db = upload(b);
    CUtensorMap from = tensor_map(da, rows, cols, 16, 8,
                                  CU_TENSOR_MAP_SWIZZLE_NONE);
    CUtensorMap to = tensor_map(db, rows, cols, 16, 8,
                                CU_TENSOR_MAP_SWIZZLE_NONE);
    const int at[][2] = { { 0, 0 }, { 6, 10 }, { -3, -5 }, { 11, 19 } };
    for (auto &p : at)
        for (int reduce = 0; reduce < 2; reduce++) {
            if (reduce)
                copy_box<true><<<1, 32>>>(from, to, p[0], p[1]);
            else
                copy_box<false><<<1, 32>>>(from, to, p[0], p[1]);
            for (int r = p[1]; r < p[1] + 16; r++)
                for (int c = p[0]; c < p[0] + 8; c++)
                    if (r >= 0 && r < rows && c >= 0 && c < cols) {
                        float v = a[r * cols + c] + 1;
                        float &w = want[r * cols + c];
                        w = reduce ? w + v : v;
                    }
        }
    CHECK(cudaMemcpy(b.data(), db, b.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    bool good = b == want;
    std::printf("boxes: %s\n", good ? "ok" : "WRONG");
    failures += !good;
}

int main()
{
    using bf16 = __nv_bfloat16;
    for (int s = 0; s < 4; s++) {
        test<half, false, false, 1>("f16", s);
        test<bf16, true, true, 1>("bf16 both mn", s);
        test<bf16, true, false, 1>("bf16 A mn", s);
        test<half, false, true, -1>("f16 B mn, -A", s);
    }
    test<half, false, false, 1>("f16, n = 104", 3, 64, 104, 64);
    for (int s = 1; s < 4; s++) {
        test<float, false, false, 1>("tf32", s);
        test<__nv_fp8_e4m3, false, false, 1>("e4m3", s > 2 ? 2 : s);
        test<__nv_fp8_e5m2, false, false, 1>("e5m2", s > 2 ? 2 : s);
        test<signed char, false, false, 1>("s8", s > 2 ? 2 : s);
    }
    test_registers();
    test_boxes();
    if (failures)
        return 1;
    std::printf("all products agree\n");
    return 0;
}
