// The device functions of chains against sums on the host. primitives.py puts
// them before this, as rf-rewrite writes them.
#include <cstdio>
#include <cstdlib>

enum { N = 1024, STRIDE_A = 24, STRIDE_B = 40, THREADS = 96 };

static int failures = 0;

static void check(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(e));
        std::exit(2);
    }
}

static void expect(const char *what, int at, float got, float want)
{
    if (got != want && failures++ < 10)
        std::printf("%s: element %d is %g, not %g\n", what, at, got, want);
}

// What block r contributes to element t: small integers, whose sums are exact.
static __host__ __device__ float part_of(int r, int t)
{
    return (float)((t * 7 + r * 13) % 101 - 50);
}

static __device__ void fill(float *tile, int own)
{
    for (int t = threadIdx.x; t < N; t += blockDim.x)
        tile[t] = part_of(own, t);
    __syncthreads();
}

// Groups of C blocks, two in a cluster unless that is too large: 0, 2, 4 ...
// and 1, 3, 5 ...
template <int C> struct Group {
    enum { WAYS = C < 16 ? 2 : 1 };
    static __device__ int own()
    {
        return __clusterRelativeBlockRank() / WAYS;
    }
    static __device__ void open(unsigned long long *gate)
    {
        rf_cluster_gate(gate, C);
        rf_cluster_sync();
    }
};

// Block q finishes part q.
template <int C> __global__ void scatter(float *out)
{
    __shared__ float tile[N], inbox[N];
    __shared__ unsigned long long gate[2];
    const int part = N / C;
    Group<C>::open(gate);
    fill(tile, Group<C>::own());
    rf_cluster_scatter(tile, inbox, N, Group<C>::own(), Group<C>::WAYS, C,
                       gate);
    for (int t = threadIdx.x; t < part; t += blockDim.x)
        out[__clusterRelativeBlockRank() * part + t] =
            rf_cluster_sum(inbox, part, t, C);
}

// Every block has what each block gave: to be added, or to be multiplied.
template <int C, bool PRODUCT> static __device__ void exchange_of(float *out)
{
    __shared__ float tile[N / 2], inbox[C * N / 2];
    __shared__ unsigned long long gate[2];
    Group<C>::open(gate);
    for (int t = threadIdx.x; t < N / 2; t += blockDim.x)
        tile[t] = part_of(Group<C>::own(), t);
    __syncthreads();
    rf_cluster_exchange(tile, inbox, N / 2, Group<C>::own(), Group<C>::WAYS, C,
                        gate);
    for (int t = threadIdx.x; t < N / 2; t += blockDim.x) {
        float value = rf_cluster_sum(inbox, N / 2, t, C);
        if (PRODUCT)
            value = inbox[t] * inbox[N / 2 + t];
        out[__clusterRelativeBlockRank() * (N / 2) + t] = value;
    }
}
template <int C> __global__ void exchange(float *out)
{
    exchange_of<C, false>(out);
}
template <int C> __global__ void product_of(float *out)
{
    exchange_of<C, true>(out);
}

// Each block sees every tile, its own first: the later, the more it weighs.
template <int C> __global__ void ring(float *out)
{
    __shared__ float tile[N], next[N];
    __shared__ unsigned long long gate[2];
    Group<C>::open(gate);
    fill(tile, Group<C>::own());
    for (int t = threadIdx.x; t < N; t += blockDim.x)
        out[__clusterRelativeBlockRank() * N + t] = 0;
    for (int hop = 0; hop < C; hop++) {
        if (hop)
            rf_cluster_pass(tile, next, N, Group<C>::own(), Group<C>::WAYS, C,
                            gate);
        for (int t = threadIdx.x; t < N; t += blockDim.x)
            out[__clusterRelativeBlockRank() * N + t] += (hop + 1) * tile[t];
    }
}

static float *memory(int n)
{
    float *p;
    check(cudaMallocManaged(&p, n * sizeof *p));
    return p;
}

static void launch(void (*kernel)(float *), int blocks, float *out)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster;
    config.gridDim = blocks;
    config.blockDim = THREADS;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = { (unsigned)blocks, 1, 1 };
    config.attrs = &cluster;
    config.numAttrs = 1;
    check(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    check(cudaLaunchKernelEx(&config, kernel, out));
    check(cudaDeviceSynchronize());
}

static float sum_of(int blocks, int t)
{
    float sum = 0;
    for (int r = 0; r < blocks; r++)
        sum += part_of(r, t);
    return sum;
}

static float weighted_of(int blocks, int own, int t)
{
    float sum = 0;
    for (int hop = 0; hop < blocks; hop++)
        sum += (hop + 1) * part_of((own + hop) % blocks, t);
    return sum;
}

template <int C> static void clusters()
{
    const int ways = Group<C>::WAYS, all = C * ways;
    float *out = memory(all * N);
    launch(scatter<C>, all, out);
    for (int t = 0; t < ways * N; t++)
        expect("scatter", t, out[t],
               sum_of(C, t / (N / C) / ways * (N / C) + t % (N / C)));
    launch(exchange<C>, all, out);
    for (int t = 0; t < all * N / 2; t++)
        expect("exchange", t, out[t], sum_of(C, t % (N / 2)));
    launch(product_of<C>, all, out);
    for (int t = 0; t < all * N / 2; t++)
        expect("product", t, out[t],
               part_of(0, t % (N / 2)) * part_of(1, t % (N / 2)));
    launch(ring<C>, all, out);
    for (int t = 0; t < all * N; t++)
        expect("ring", t, out[t], weighted_of(C, t / N / ways, t % N));
    check(cudaFree(out));
}

// ---- tensor cores ----

static __host__ __device__ float a_at(int i, int k)
{
    return (float)((i * 5 + k * 3) % 17 - 8);
}
static __host__ __device__ float b_at(int k, int j)
{
    return (float)((k * 11 + j * 7) % 19 - 9);
}

static __device__ __half narrow(float x, const __half *)
{
    return __float2half(x);
}
static __device__ __nv_bfloat16 narrow(float x, const __nv_bfloat16 *)
{
    return __float2bfloat16(x);
}
static __device__ void multiply(float *sums, const __half *a, const __half *b)
{
    rf_mma_f16(sums, a, STRIDE_A, b, STRIDE_B);
}
static __device__ void multiply(float *sums, const __nv_bfloat16 *a,
                                const __nv_bfloat16 *b)
{
    rf_mma_bf16(sums, a, STRIDE_A, b, STRIDE_B);
}

// Every warp; each begins with other sums.
template <class T> __global__ void product(float *out)
{
    __shared__ __align__(16) T a[16 * STRIDE_A], b[16 * STRIDE_B];
    for (int t = threadIdx.x; t < 16 * 16; t += blockDim.x)
        a[t / 16 * STRIDE_A + t % 16] = narrow(a_at(t / 16, t % 16), a);
    for (int t = threadIdx.x; t < 16 * 32; t += blockDim.x)
        b[t / 32 * STRIDE_B + t % 32] = narrow(b_at(t / 32, t % 32), b);
    __syncthreads();
    const int warp = threadIdx.x / 32;
    float sums[16];
    for (int v = 0; v < 16; v++)
        sums[v] = warp;
    multiply(sums, a, b);
    for (int v = 0; v < 16; v++)
        out[(warp * 16 + rf_mma_row(v)) * 32 + rf_mma_column(v)] = sums[v];
}

static void check_product(void (*kernel)(float *), const char *what)
{
    const int warps = THREADS / 32;
    float *out = memory(warps * 16 * 32);
    kernel<<<1, THREADS>>>(out);
    check(cudaDeviceSynchronize());
    for (int t = 0; t < warps * 16 * 32; t++) {
        float want = (float)(t / 512);
        for (int k = 0; k < 16; k++)
            want += a_at(t / 32 % 16, k) * b_at(k, t % 32);
        expect(what, t, out[t], want);
    }
    check(cudaFree(out));
}

int main()
{
    clusters<2>();
    clusters<4>();
    clusters<8>();
    clusters<16>();
    check_product(product<__half>, "f16");
    check_product(product<__nv_bfloat16>, "bf16");
    return failures != 0;
}
