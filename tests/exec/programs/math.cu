// The mathematical functions of the toolkit, single and double, against the
// host's in higher precision, within the errors of the programming guide; the
// half, bfloat16 and fp8 types against their host versions, every value.
//
// flags:
// flags: -G
// flags: -use_fast_math -DFAST
// run:
// expect: math: all functions right
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

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

// ---- functions of one or two real arguments ----

// Identifier, expression over x and y, the same for long double, domain of x,
// largest error in units in the last place of float and of double.
#define FUNCTIONS(X)                                                           \
    X(sqrt, sqrt(x), sqrtl(x), 0, 1e6, 0.5, 0.5)                               \
    X(cbrt, cbrt(x), cbrtl(x), -1e5, 1e5, 1, 1)                                \
    X(rsqrt, rsqrt(x), 1 / sqrtl(x), 1e-3, 1e6, 2, 1)                          \
    X(exp, exp(x), expl(x), -40, 40, 2, 1)                                     \
    X(exp2, exp2(x), exp2l(x), -60, 60, 2, 1)                                  \
    X(exp10, exp10(x), powl(10, x), -20, 20, 2, 1)                             \
    X(expm1, expm1(x), expm1l(x), -5, 5, 1, 1)                                 \
    X(log, log(x), logl(x), 1e-3, 1e5, 1, 1)                                   \
    X(log2, log2(x), log2l(x), 1e-3, 1e5, 1, 1)                                \
    X(log10, log10(x), log10l(x), 1e-3, 1e5, 2, 1)                             \
    X(log1p, log1p(x), log1pl(x), -0.9, 10, 1, 1)                              \
    X(sin, sin(x), sinl(x), -3, 3, 2, 2)                                       \
    X(cos, cos(x), cosl(x), -3, 3, 2, 2)                                       \
    X(tan, tan(x), tanl(x), -1.4, 1.4, 4, 2)                                   \
    X(big_sin, sin(1000000 * x), sinl(1000000 * x), 0.5, 1, 2, 2)              \
    X(sinpi, sinpi(x), sinl((long double)M_PIl * x), -0.9, 0.9, 2, 2)          \
    X(asin, asin(x), asinl(x), -1, 1, 4, 2)                                    \
    X(acos, acos(x), acosl(x), -1, 1, 2, 2)                                    \
    X(atan, atan(x), atanl(x), -9, 9, 2, 2)                                    \
    X(atan2, atan2(x, y), atan2l(x, y), -9, 9, 3, 2)                           \
    X(sinh, sinh(x), sinhl(x), -5, 5, 3, 2)                                    \
    X(cosh, cosh(x), coshl(x), -5, 5, 2, 1)                                    \
    X(tanh, tanh(x), tanhl(x), -5, 5, 2, 1)                                    \
    X(asinh, asinh(x), asinhl(x), -50, 50, 3, 3)                               \
    X(acosh, acosh(x), acoshl(x), 1, 50, 4, 3)                                 \
    X(atanh, atanh(x), atanhl(x), -0.9, 0.9, 3, 2)                             \
    X(erf, erf(x), erfl(x), -3, 3, 2, 2)                                       \
    X(erfc, erfc(x), erfcl(x), -3, 4, 4, 5)                                    \
    X(lgamma, lgamma(x), lgammal(x), 3, 40, 6, 4)                              \
    X(tgamma, tgamma(x), tgammal(x), 0.5, 20, 5, 10)                           \
    X(hypot, hypot(x, y), hypotl(x, y), -9, 9, 3, 2)                           \
    X(pow, pow(x, y), powl(x, y), 0.1, 9, 4, 2)                                \
    X(fmod, fmod(x, y), fmodl(x, y), -50, 50, 0, 0)                            \
    X(remainder, remainder(x, y), remainderl(x, y), -50, 50, 0, 0)             \
    X(fdim, fdim(x, y), fdiml(x, y), -9, 9, 0.5, 0.5)                          \
    X(fma, fma(x, y, x), fmal(x, y, x), -9, 9, 0.5, 0.5)                       \
    X(divide, x / y, (long double)x / y, -9, 9, 0.5, 0.5)                      \
    X(floor, floor(x), floorl(x), -9, 9, 0, 0)                                 \
    X(ceil, ceil(x), ceill(x), -9, 9, 0, 0)                                    \
    X(trunc, trunc(x), truncl(x), -9, 9, 0, 0)                                 \
    X(round, round(x), roundl(x), -9, 9, 0, 0)                                 \
    X(rint, rint(x), rintl(x), -9, 9, 0, 0)                                    \
    X(ldexp, ldexp(x, 5), ldexpl(x, 5), -9, 9, 0, 0)                           \
    X(logb, logb(x), logbl(x), 1e-3, 1e5, 0, 0)                                \
    X(nextafter, nextafter(x, y) - x, nextafter(x, y) - x, 1, 2, 0, 0)         \
    X(copysign, copysign(x, y), copysignl(x, y), -9, 9, 0, 0)                  \
    X(j0, j0(x), j0l(x), 0.5, 1.5, 9, 7)                                       \
    X(normcdf, normcdf(x), erfcl(-(long double)x / sqrtl(2)) / 2, -4, 4, 5, 5)

#define X(id, value, exact, low, high, ulps, ulps64)                           \
    template <class T> __device__ T device_##id(T x, T y)                      \
    {                                                                          \
        return value;                                                          \
    }                                                                          \
    template <class T> __global__ void kernel_##id(const T *x, const T *y,     \
                                                   T *z, int n)                \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        if (i < n)                                                             \
            z[i] = device_##id<T>(x[i], y[i]);                                 \
    }                                                                          \
    template <class T> static long double exact_##id(T x, T y)                 \
    {                                                                          \
        (void)y;                                                               \
        return exact;                                                          \
    }
FUNCTIONS(X)
#undef X

template <class T> static long double unit(T v)
{
    T up = std::nextafter(std::fabs(v), (T)INFINITY);
    return (long double)up - std::fabs(v);
}

enum { N = 256 };

template <class T, class K, class E>
static void test(const char *name, K kernel, E exact, double low, double high,
                 double bound)
{
    T x[N], y[N], z[N], *d;
    for (int i = 0; i < N; i++) {
        x[i] = (T)(low + (high - low) * ((i * 97) % N + 0.37) / N);
        y[i] = (T)(0.3 + (i * 31 % N) * 0.011);
    }
    CHECK(cudaMalloc(&d, 3 * sizeof x));
    CHECK(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d + N, y, sizeof y, cudaMemcpyHostToDevice));
    kernel<<<2, N / 2>>>(d, d + N, d + 2 * N, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(z, d + 2 * N, sizeof z, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    long double worst = 0;
    int where = 0;
    for (int i = 0; i < N; i++) {
        long double want = exact(x[i], y[i]);
        long double e = std::fabs(z[i] - want) / unit((T)want);
        if (!(e <= worst)) {
            worst = e;
            where = i;
        }
    }
    if (!(worst <= (bound ? bound + 0.5 : 0))) {
        std::printf("%s: %.2Lf units of error at %.17g, %.17g: %.17g\n", name,
                    worst, (double)x[where], (double)y[where],
                    (double)z[where]);
        wrong++;
    }
}

static void test_functions()
{
#ifdef FAST
    // Intrinsics replace the functions: absolute errors are what is promised.
    const double single = 1e4;
#else
    const double single = 1;
#endif
#define X(id, value, exact, low, high, ulps, ulps64)                           \
    test<float>(#id " f32", kernel_##id<float>, exact_##id<float>, low, high,  \
                single > 1 ? single : ulps);                                   \
    test<double>(#id " f64", kernel_##id<double>, exact_##id<double>, low,     \
                 high, ulps64);
    FUNCTIONS(X)
#undef X
}

// ---- narrow types, every value ----

// Identifier, expression over a, b of type T giving something with 32 bits.
#define NARROW(X)                                                              \
    X(add, bits(__hadd(a, b)))                                                 \
    X(sub, bits(__hsub(a, b)))                                                 \
    X(mul, bits(__hmul(a, b)))                                                 \
    X(div, bits(__hdiv(a, b)))                                                 \
    X(neg, bits(__hneg(a)))                                                    \
    X(abs, bits(__habs(a)))                                                    \
    X(max, bits(__hmax(a, b)))                                                 \
    X(min_nan, bits(__hmin_nan(a, b)))                                         \
    X(add_sat, bits(__hadd_sat(a, b)))                                         \
    X(less, (unsigned)__hlt(a, b))                                             \
    X(equal_unordered, (unsigned)__hequ(a, b))                                 \
    X(to_float, bits((float)a))

__host__ __device__ unsigned bits(half h)
{
    return __half_as_ushort(h);
}

__host__ __device__ unsigned bits(__nv_bfloat16 h)
{
    return __bfloat16_as_ushort(h);
}

__host__ __device__ unsigned bits(float f)
{
    unsigned u;
    memcpy(&u, &f, sizeof u);
    return u;
}

template <class T> __host__ __device__ T from_bits(unsigned short u);
template <> __host__ __device__ half from_bits<half>(unsigned short u)
{
    return __ushort_as_half(u);
}
template <>
__host__ __device__ __nv_bfloat16 from_bits<__nv_bfloat16>(unsigned short u)
{
    return __ushort_as_bfloat16(u);
}

#define X(id, value)                                                           \
    template <class T> struct narrow_##id {                                    \
        static __host__ __device__ unsigned run(T a, T b)                      \
        {                                                                      \
            (void)b;                                                           \
            return value;                                                      \
        }                                                                      \
    };
NARROW(X)
#undef X

// Conversions from float, from integers, and to the fp8 types.
#define CONVERSIONS(X)                                                         \
    X(to_half, bits(__float2half_rn(f)))                                       \
    X(to_half_rz, bits(__float2half_rz(f)))                                    \
    X(to_half_ru, bits(__float2half_ru(f)))                                    \
    X(to_bf16, bits(__float2bfloat16_rn(f)))                                   \
    X(to_bf16_rz, bits(__float2bfloat16_rz(f)))                                \
    X(int_half, bits(__int2half_rn((int)u)))                                   \
    X(half_int, (unsigned)__half2int_rz(from_bits<half>(u)))                   \
    X(half_short, (unsigned)__half2short_rz(from_bits<half>(u)))               \
    X(e4m3,                                                                    \
      (unsigned)__nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3))           \
    X(e5m2,                                                                    \
      (unsigned)__nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2))           \
    X(half_e4m3, (unsigned)__nv_cvt_halfraw_to_fp8(from_bits<half>(u),         \
                                                   __NV_SATFINITE, __NV_E4M3)) \
    X(e4m3_half, bits(half(__nv_cvt_fp8_to_halfraw(                            \
                     (__nv_fp8_storage_t)u, __NV_E4M3))))                      \
    X(e5m2_half, bits(half(__nv_cvt_fp8_to_halfraw(                            \
                     (__nv_fp8_storage_t)u, __NV_E5M2))))

#define X(id, value)                                                           \
    template <class T> struct convert_##id {                                   \
        static __host__ __device__ unsigned run(T a, T b)                      \
        {                                                                      \
            unsigned u = bits(a);                                              \
            float f = (float)a * 1.0009765625f;                                \
            (void)f, (void)u, (void)b;                                         \
            return value;                                                      \
        }                                                                      \
    };
CONVERSIONS(X)
#undef X

template <class T, class F> __global__ void narrow_kernel(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = F::run(from_bits<T>(i), from_bits<T>(i * 40503u + 12345u));
}

// NaNs may differ in their payload; tell them by the class of the result.
static bool same(unsigned a, unsigned b, bool is_float)
{
    if (a == b)
        return true;
    auto nan16 = [](unsigned v) { return (v & 0x7fff) > 0x7c00; };
    auto nan32 = [](unsigned v) { return (v & 0x7fffffff) > 0x7f800000; };
    return is_float ? nan32(a) && nan32(b) : nan16(a) && nan16(b);
}

template <class T, class F> static void test_narrow(const char *name)
{
    const int n = 65536;
    static std::vector<unsigned> out(n);
    unsigned *d;
    CHECK(cudaMalloc(&d, n * sizeof *d));
    narrow_kernel<T, F><<<n / 256, 256>>>(d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    for (int i = 0; i < n; i++) {
        T a = from_bits<T>(i), b = from_bits<T>(i * 40503u + 12345u);
        unsigned want = F::run(a, b);
        if (same(out[i], want, !strcmp(name + 5, "to_float")))
            continue;
        std::printf("%s: %04x %04x gives %x, not %x\n", name, i, bits(b),
                    out[i], want);
        wrong++;
        return;
    }
}

static void test_types()
{
#define X(id, value)                                                           \
    test_narrow<half, narrow_##id<half>>("half " #id);                         \
    test_narrow<__nv_bfloat16, narrow_##id<__nv_bfloat16>>("bf16 " #id);
    NARROW(X)
#undef X
#define X(id, value)                                                           \
    test_narrow<half, convert_##id<half>>("half " #id);                        \
    test_narrow<__nv_bfloat16, convert_##id<__nv_bfloat16>>("bf16 " #id);
    CONVERSIONS(X)
#undef X
}

int main()
{
    test_functions();
#ifndef FAST
    test_types();
#endif
    std::printf("math: %s\n", wrong ? "FAILED" : "all functions right");
    return wrong != 0;
}
