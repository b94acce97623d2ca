/* Numbers with 16 and 8 bits: types, operators, conversions, intrinsics.
 *
 * As with the toolkit: halves and integers convert into each other unasked,
 * operators between two halves give a half, a half beside a float is
 * ambiguous; 8-bit numbers convert only where it is written. */
#pragma once
#pragma GCC system_header

#define RF_INTEGERS(X)                                                         \
    X(short);                                                                  \
    X(unsigned short);                                                         \
    X(int);                                                                    \
    X(unsigned int);                                                           \
    X(long);                                                                   \
    X(unsigned long);                                                          \
    X(long long);                                                              \
    X(unsigned long long);

#define RF_TO(T) constexpr operator T() const

#define RF_NUMBER(name)                                                        \
    struct __attribute__((aligned(2))) name {                                  \
        unsigned short __x;                                                    \
        name() = default;                                                      \
        constexpr name(float f);                                               \
        constexpr name(double f);                                              \
        RF_INTEGERS(constexpr name)                                            \
        constexpr operator float() const;                                      \
        constexpr operator bool() const;                                       \
        RF_INTEGERS(RF_TO)                                                     \
        RF_TO(char);                                                           \
        RF_TO(signed char);                                                    \
        RF_TO(unsigned char);                                                  \
        name &operator=(float f);                                              \
        name &operator=(double f);                                             \
        name &operator=(short i);                                              \
        name &operator=(unsigned short i);                                     \
        name &operator=(int i);                                                \
        name &operator=(unsigned int i);                                       \
        name &operator=(long long i);                                          \
        name &operator=(unsigned long long i);                                 \
    };
RF_NUMBER(__half)
RF_NUMBER(__nv_bfloat16)
#undef RF_NUMBER

#define RF_NUMBER(name)                                                        \
    struct name {                                                              \
        unsigned char __x;                                                     \
        name() = default;                                                      \
        explicit name(float f);                                                \
        explicit name(double f);                                               \
        explicit name(__half h);                                               \
        explicit name(__nv_bfloat16 h);                                        \
        explicit name(int i);                                                  \
        explicit operator float() const;                                       \
        explicit operator double() const;                                      \
        explicit operator __half() const;                                      \
        explicit operator __nv_bfloat16() const;                               \
        explicit operator bool() const;                                        \
        explicit operator int() const;                                         \
    };
RF_NUMBER(__nv_fp8_e4m3)
RF_NUMBER(__nv_fp8_e5m2)
#undef RF_NUMBER
#undef RF_TO
#undef RF_INTEGERS

#define RF_PAIR(name, T)                                                       \
    struct __attribute__((aligned(4))) name {                                  \
        T x, y;                                                                \
        name() = default;                                                      \
        constexpr name(const T &a, const T &b);                                \
    };
RF_PAIR(__half2, __half)
RF_PAIR(__nv_bfloat162, __nv_bfloat16)
#undef RF_PAIR

typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __half __nv_half;
typedef __half2 __nv_half2;
struct __half_raw {
    unsigned short x;
};
struct __nv_bfloat16_raw {
    unsigned short x;
};
typedef unsigned char __nv_fp8_storage_t;
struct __nv_fp8x2_e4m3 {
    unsigned short __x;
};
struct __nv_fp8x4_e4m3 {
    unsigned int __x;
};
struct __nv_fp8x2_e5m2 {
    unsigned short __x;
};
struct __nv_fp8x4_e5m2 {
    unsigned int __x;
};

/* ---- operators and functions of one or two arguments ---- */

#define RF_OPERATORS(T)                                                        \
    T operator+(const T &, const T &);                                         \
    T operator-(const T &, const T &);                                         \
    T operator*(const T &, const T &);                                         \
    T operator/(const T &, const T &);                                         \
    T operator+(const T &);                                                    \
    T operator-(const T &);                                                    \
    T &operator+=(T &, const T &);                                             \
    T &operator-=(T &, const T &);                                             \
    T &operator*=(T &, const T &);                                             \
    T &operator/=(T &, const T &);                                             \
    T &operator++(T &);                                                        \
    T &operator--(T &);                                                        \
    T operator++(T &, int);                                                    \
    T operator--(T &, int);                                                    \
    bool operator==(const T &, const T &);                                     \
    bool operator!=(const T &, const T &);                                     \
    bool operator<(const T &, const T &);                                      \
    bool operator<=(const T &, const T &);                                     \
    bool operator>(const T &, const T &);                                      \
    bool operator>=(const T &, const T &);
RF_OPERATORS(__half)
RF_OPERATORS(__nv_bfloat16)
RF_OPERATORS(__half2)
RF_OPERATORS(__nv_bfloat162)
#undef RF_OPERATORS

#define RF_SCALAR(T)                                                           \
    T __hadd(T, T);                                                            \
    T __hsub(T, T);                                                            \
    T __hmul(T, T);                                                            \
    T __hdiv(T, T);                                                            \
    T __hadd_rn(T, T);                                                         \
    T __hsub_rn(T, T);                                                         \
    T __hmul_rn(T, T);                                                         \
    T __hadd_sat(T, T);                                                        \
    T __hmul_sat(T, T);                                                        \
    T __hfma(T, T, T);                                                         \
    T __hfma_relu(T, T, T);                                                    \
    T __hmax(T, T);                                                            \
    T __hmin(T, T);                                                            \
    T __hmax_nan(T, T);                                                        \
    T __hmin_nan(T, T);                                                        \
    T __hneg(T);                                                               \
    T __habs(T);                                                               \
    T hexp(T);                                                                 \
    T hexp2(T);                                                                \
    T hexp10(T);                                                               \
    T hlog(T);                                                                 \
    T hlog2(T);                                                                \
    T hlog10(T);                                                               \
    T hsqrt(T);                                                                \
    T hrsqrt(T);                                                               \
    T hrcp(T);                                                                 \
    T hsin(T);                                                                 \
    T hcos(T);                                                                 \
    T htanh(T);                                                                \
    T hfloor(T);                                                               \
    T hceil(T);                                                                \
    T hrint(T);                                                                \
    T htrunc(T);                                                               \
    bool __heq(T, T);                                                          \
    bool __hne(T, T);                                                          \
    bool __hlt(T, T);                                                          \
    bool __hle(T, T);                                                          \
    bool __hgt(T, T);                                                          \
    bool __hge(T, T);                                                          \
    bool __hisnan(T);                                                          \
    int __hisinf(T);
RF_SCALAR(__half)
RF_SCALAR(__nv_bfloat16)
#undef RF_SCALAR

#define RF_PACKED(T)                                                           \
    T __hadd2(T, T);                                                           \
    T __hsub2(T, T);                                                           \
    T __hmul2(T, T);                                                           \
    T __h2div(T, T);                                                           \
    T __hfma2(T, T, T);                                                        \
    T __hmax2(T, T);                                                           \
    T __hmin2(T, T);                                                           \
    T __hneg2(T);                                                              \
    T __habs2(T);                                                              \
    T h2exp(T);                                                                \
    T h2exp2(T);                                                               \
    T h2log(T);                                                                \
    T h2sqrt(T);                                                               \
    T h2rsqrt(T);                                                              \
    T h2rcp(T);
RF_PACKED(__half2)
RF_PACKED(__nv_bfloat162)
#undef RF_PACKED

/* ---- conversions of half ---- */

__half __float2half(float);
__half __float2half_rn(float);
__half __float2half_rz(float);
__half __float2half_ru(float);
__half __float2half_rd(float);
__half __double2half(double);
float __half2float(__half);
__half __int2half_rn(int);
__half __uint2half_rn(unsigned int);
int __half2int_rn(__half);
int __half2int_rz(__half);
__half2 __float2half2_rn(float);
__half2 __floats2half2_rn(float, float);
__half2 __float22half2_rn(float2);
float2 __half22float2(__half2);
__half2 __half2half2(__half);
__half2 __halves2half2(__half, __half);
__half2 make_half2(__half, __half);
__half __low2half(__half2);
__half __high2half(__half2);
float __low2float(__half2);
float __high2float(__half2);
__half2 __lows2half2(__half2, __half2);
__half2 __highs2half2(__half2, __half2);
__half __ushort_as_half(unsigned short);
__half __short_as_half(short);
unsigned short __half_as_ushort(__half);
short __half_as_short(__half);

/* ---- conversions of bfloat16 ---- */

__nv_bfloat16 __float2bfloat16(float);
__nv_bfloat16 __float2bfloat16_rn(float);
__nv_bfloat16 __float2bfloat16_rz(float);
__nv_bfloat16 __float2bfloat16_ru(float);
__nv_bfloat16 __float2bfloat16_rd(float);
__nv_bfloat16 __double2bfloat16(double);
float __bfloat162float(__nv_bfloat16);
__nv_bfloat16 __int2bfloat16_rn(int);
int __bfloat162int_rn(__nv_bfloat16);
__nv_bfloat162 __float2bfloat162_rn(float);
__nv_bfloat162 __floats2bfloat162_rn(float, float);
__nv_bfloat162 __float22bfloat162_rn(float2);
float2 __bfloat1622float2(__nv_bfloat162);
__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16);
__nv_bfloat162 __halves2bfloat162(__nv_bfloat16, __nv_bfloat16);
__nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16);
__nv_bfloat16 __low2bfloat16(__nv_bfloat162);
__nv_bfloat16 __high2bfloat16(__nv_bfloat162);
float __low2float(__nv_bfloat162);
float __high2float(__nv_bfloat162);
__nv_bfloat16 __ushort_as_bfloat16(unsigned short);
unsigned short __bfloat16_as_ushort(__nv_bfloat16);

/* ---- conversions of 8-bit numbers ---- */

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
__nv_fp8_storage_t __nv_cvt_float_to_fp8(float, __nv_saturation_t,
                                         __nv_fp8_interpretation_t);
__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t,
                                   __nv_fp8_interpretation_t);
