// A gated feed-forward layer (SwiGLU) in half precision with sums in float:
// two first products, joined by SiLU and a product, then the way down.
#include "check.h"

#ifdef RF_REFERENCE
__global__ void gated(const __half *__restrict__ x, const __half *gate,
#else  // rf: functions, 4eecb3971c9a-0978ef20; do not edit
// Row and column of sum v of this lane, of 16 x 32 that a warp has.
static __device__ inline int rf_mma_row(int v)
{
    return threadIdx.x % 32 / 4 + v / 2 % 2 * 8;
}
static __device__ inline int rf_mma_column(int v)
{
    return v / 4 * 8 + threadIdx.x % 4 * 2 + v % 2;
}

// By a warp: sums += a[16][16] * b[16][32], whose rows are lda and ldb apart.
static __device__ inline void rf_mma_f16(float *sums, const __half *a, int lda,
                                 const __half *b, int ldb)
{
#if __CUDA_ARCH__ >= 800 && !defined(RF_PLAIN)
    const int lane = threadIdx.x % 32;
    unsigned x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"((unsigned)__cvta_generic_to_shared(
                     a + lane % 16 * lda + lane / 16 * 8))
                 : "memory");
#pragma unroll
    for (int v = 0; v < 16; v += 4) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
                     "{%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"((unsigned)__cvta_generic_to_shared(
                         b + lane % 16 * ldb + v * 2))
                     : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(sums[v]), "+f"(sums[v + 1]), "+f"(sums[v + 2]),
                       "+f"(sums[v + 3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]),
                       "r"(y[1]));
    }
#else
    for (int v = 0; v < 16; v++)
        for (int k = 0; k < 16; k++)
            sums[v] += __half2float(a[rf_mma_row(v) * lda + k]) *
                       __half2float(b[k * ldb + rf_mma_column(v)]);
#endif
}

__global__ void gated(const __half *__restrict__ x, const __half *gate,
#endif // rf
                      const __half *up, const __half *down,
                      __half *__restrict__ y, int tokens, int inner, int width)
{
    #pragma rf gemm_chain
#ifdef RF_REFERENCE
    for (int t = 0; t < tokens; t++)
        for (int l = 0; l < width; l++) {
            float out = 0.0f;
            for (int n = 0; n < inner; n++) {
                float g = 0.0f, u = 0.0f;
                for (int k = 0; k < width; k++) {
                    const float v = __half2float(x[t * width + k]);
                    g += v * __half2float(gate[n * width + k]);
                    u += v * __half2float(up[n * width + k]);
                }
                out += g / (1.0f + expf(-g)) * u *
                       __half2float(down[l * inner + n]);
            }
            y[t * width + l] = __float2half(out);
        }
#else  // rf: fused, 2 products -> 1 pass, reassociated, proven at 6 sizes, HASH; do not edit
    {
        // x * gate, x * up -> * down: a block computes 16 rows at a time.
        __shared__ float p_tile[16][32];
        __shared__ __align__(16) __half x_tile[2][16][40];
        __shared__ __align__(16) __half gate_tile[2][32][40];
        __shared__ __align__(16) __half up_tile[2][32][40];
        __shared__ __align__(16) __half down_tile[2][32][256];
        for (int t0 = blockIdx.x * 16; t0 < tokens; t0 += gridDim.x * 16) {
            for (int l0 = 0; l0 < width; l0 += 256) {
                float sums[2][4][4] = {};
                for (int n0 = 0; n0 < inner; n0 += 32) {
                    // A tile of the first product; it stays on the chip.
                    float acc[16] = {};
                    float acc_2[16] = {};
                    for (int k0 = 0; k0 < width + 32; k0 += 32) {
                        const int fill = k0 / 32 % 2;
                        if (k0 < width) {
                            for (int slot = threadIdx.x; slot < 512;
                                 slot += blockDim.x) {
                                const int t = t0 + slot / 32;
                                const int k = k0 + slot % 32;
                                if (t < tokens && k < width)
                                    x_tile[fill][slot / 32][slot % 32] =
                                        x[t * width + k];
                                else
                                    x_tile[fill][slot / 32][slot % 32] =
                                        __float2half(0.0f);
                            }
                            for (int slot = threadIdx.x; slot < 1024;
                                 slot += blockDim.x) {
                                const int k = k0 + slot / 32;
                                const int n = n0 + slot % 32;
                                if (k < width && n < inner)
                                    gate_tile[fill][slot / 32][slot % 32] =
                                        gate[n * width + k];
                                else
                                    gate_tile[fill][slot / 32][slot % 32] =
                                        __float2half(0.0f);
                            }
                            for (int slot = threadIdx.x; slot < 1024;
                                 slot += blockDim.x) {
                                const int k = k0 + slot / 32;
                                const int n = n0 + slot % 32;
                                if (k < width && n < inner)
                                    up_tile[fill][slot / 32][slot % 32] =
                                        up[n * width + k];
                                else
                                    up_tile[fill][slot / 32][slot % 32] =
                                        __float2half(0.0f);
                            }
                        }
                        if (k0 > 0) {
                            const int warp = threadIdx.x / 32;
                            if (warp < 1) {
                                for (int step = 0; step < 32; step += 16) {
                                    rf_mma_f16(acc,
                                               &x_tile[1 - fill][16 * warp][step],
                                               40,
                                               &gate_tile[1 - fill][step][0],
                                               40);
                                    rf_mma_f16(acc_2,
                                               &x_tile[1 - fill][16 * warp][step],
                                               40, &up_tile[1 - fill][step][0],
                                               40);
                                }
                            }
                        }
                        __syncthreads();
                    }
                    {
                        const int warp = threadIdx.x / 32;
                        if (warp < 1) {
                            #pragma unroll
                            for (int q = 0; q < 16; q++) {
                                const int i = 16 * warp + rf_mma_row(q);
                                const int j = rf_mma_column(q);
                                const float g = acc[q];
                                const float u = acc_2[q];
                                p_tile[i][j] = g / (1.0f + expf(-g)) * u;
                            }
                        }
                    }
                    // Multiply it with its part of the second matrix.
                    for (int n_at = n0;
                         n_at < n0 + 32 + 32 && n_at < inner + 32; n_at += 32) {
                        const int fill_2 = n_at / 32 % 2;
                        if (n_at < n0 + 32) {
                            for (int slot = threadIdx.x; slot < 8192;
                                 slot += blockDim.x) {
                                const int n = n_at + slot / 256;
                                const int l = l0 + slot % 256;
                                if (n < inner && l < width)
                                    down_tile[fill_2][slot / 256][slot % 256] =
                                        down[l * inner + n];
                                else
                                    down_tile[fill_2][slot / 256][slot % 256] =
                                        __float2half(0.0f);
                            }
                        }
                        if (n_at > n0) {
                            #pragma unroll
                            for (int u = 0; u < 2; u++) {
                                const int slot = threadIdx.x + u * 128;
                                for (int n = n_at - 32; n < n_at && n < inner;
                                     n++) {
                                    #pragma unroll
                                    for (int i = 0; i < 4; i++) {
                                        const float p =
                                            p_tile[4 * (slot / 64) + i][n - n0];
                                        #pragma unroll
                                        for (int j = 0; j < 4; j++) {
                                            const __half down_at =
                                                down_tile[1 - fill_2][n % 32][4 * (slot % 64) + j];
                                            sums[u][i][j] += p *
                                                             __half2float(
                                                down_at);
                                        }
                                    }
                                }
                            }
                        }
                        __syncthreads();
                    }
                }
                #pragma unroll
                for (int u = 0; u < 2; u++) {
                    const int slot = threadIdx.x + u * 128;
                    #pragma unroll
                    for (int i = 0; i < 4; i++) {
                        #pragma unroll
                        for (int j = 0; j < 4; j++) {
                            const int t = t0 + 4 * (slot / 64) + i;
                            const int l = l0 + 4 * (slot % 64) + j;
                            if (t < tokens && l < width) {
                                const float out = sums[u][i][j];
                                y[t * width + l] = __float2half(out);
                            }
                        }
                    }
                }
            }
        }
    }
#endif // rf
}

int main(int argc, char **argv)
{
    check::Options o = check::options(argc, argv);
    const int tokens = 19, inner = 70, width = 24;
    check::Array<__half> x(tokens * width), gate(inner * width),
        up(inner * width), down(width * inner), y(tokens * width);
    check::fill_plain(x, o);
    check::fill_plain(gate, o, -0.5f, 0.5f);
    check::fill_plain(up, o, -0.5f, 0.5f);
    check::fill_plain(down, o, -0.5f, 0.5f);
    std::vector<double> want;
    for (int t = 0; t < tokens; t++) {
        std::vector<double> h;
        for (int n = 0; n < inner; n++) {
            double g = 0, u = 0;
            for (int k = 0; k < width; k++) {
                g += x[t * width + k] * gate[n * width + k];
                u += x[t * width + k] * up[n * width + k];
            }
            h.push_back(g / (1 + exp(-g)) * u);
        }
        for (int l = 0; l < width; l++) {
            double e = 0;
            for (int n = 0; n < inner; n++)
                e += h[n] * down[l * inner + n];
            want.push_back(e);
        }
    }
#ifdef RF_REFERENCE
    gated<<<1, 1>>>(x.upload(), gate.upload(), up.upload(), down.upload(),
#else  // rf: a block for each tile of rows, 4eecb3971c9a-629de128; do not edit
    gated<<<tokens / 16 + 1, 128>>>(x.upload(), gate.upload(), up.upload(), down.upload(),
#endif // rf
                    y.upload(), tokens, inner, width);
    y.download();
    check::expect("y", y, want, 2e-3, 1);
    return check::pass();
}
