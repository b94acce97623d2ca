/* The mathematical functions of device code.
 *
 * The overloads for float and double come with clang; here are the names with
 * an f, mixed arguments, and what only CUDA has. */
#pragma once
#pragma GCC system_header

#include <__clang_cuda_math_forward_declares.h>

/* ---- float versions of the C functions ---- */

#define RF_F1(name) RF_DEVICE float name(float);
#define RF_F2(name) RF_DEVICE float name(float, float);
#define RF_D1(name) RF_DEVICE double name(double);
#define RF_D2(name) RF_DEVICE double name(double, double);

RF_F1(acosf) RF_F1(acoshf) RF_F1(asinf) RF_F1(asinhf) RF_F1(atanf)
RF_F1(atanhf) RF_F1(cbrtf) RF_F1(ceilf) RF_F1(cosf) RF_F1(coshf)
RF_F1(erff) RF_F1(erfcf) RF_F1(expf) RF_F1(exp2f) RF_F1(exp10f)
RF_F1(expm1f) RF_F1(fabsf) RF_F1(floorf) RF_F1(lgammaf) RF_F1(logf)
RF_F1(log10f) RF_F1(log1pf) RF_F1(log2f) RF_F1(logbf) RF_F1(nearbyintf)
RF_F1(rintf) RF_F1(roundf) RF_F1(sinf) RF_F1(sinhf) RF_F1(sqrtf)
RF_F1(tanf) RF_F1(tanhf) RF_F1(tgammaf) RF_F1(truncf)
RF_F1(j0f) RF_F1(j1f) RF_F1(y0f) RF_F1(y1f)
RF_F2(atan2f) RF_F2(copysignf) RF_F2(fdimf) RF_F2(fmaxf) RF_F2(fminf)
RF_F2(fmodf) RF_F2(hypotf) RF_F2(nextafterf) RF_F2(powf)
RF_F2(remainderf) RF_F2(fdividef)

RF_DEVICE float fmaf(float, float, float);
RF_DEVICE float ldexpf(float, int);
RF_DEVICE float scalbnf(float, int);
RF_DEVICE float scalblnf(float, long);
RF_DEVICE float frexpf(float, int *);
RF_DEVICE float modff(float, float *);
RF_DEVICE float nanf(const char *);
RF_DEVICE float powif(float, int);
RF_DEVICE int ilogbf(float);
RF_DEVICE long lroundf(float);
RF_DEVICE long lrintf(float);
RF_DEVICE long long llroundf(float);
RF_DEVICE long long llrintf(float);
RF_DEVICE void sincosf(float, float *, float *);
RF_DEVICE void sincospif(float, float *, float *);
RF_DEVICE void sincos(double, double *, double *);
RF_DEVICE void sincospi(double, double *, double *);
RF_DEVICE double frexp(double, int *);
RF_DEVICE double modf(double, double *);
RF_D1(exp10)

/* ---- mixed and integer arguments ---- */

RF_DEVICE double pow(double, int);
RF_DEVICE float pow(float, int);
RF_DEVICE double pow(int, int);
RF_DEVICE double pow(int, double);
RF_DEVICE double pow(int, float);
RF_DEVICE double pow(float, double);
RF_DEVICE double pow(double, float);
RF_DEVICE double sqrt(int);
RF_DEVICE double exp(int);
RF_DEVICE double log(int);
RF_DEVICE double log2(int);
RF_DEVICE double floor(int);
RF_DEVICE double ceil(int);

/* ---- only in CUDA ---- */

RF_F1(rsqrtf) RF_F1(rcbrtf) RF_F1(sinpif) RF_F1(cospif) RF_F1(normcdff)
RF_F1(normcdfinvf) RF_F1(erfcxf) RF_F1(erfinvf) RF_F1(erfcinvf)
RF_F1(cyl_bessel_i0f) RF_F1(cyl_bessel_i1f)
RF_D1(rsqrt) RF_D1(rcbrt) RF_D1(sinpi) RF_D1(cospi) RF_D1(normcdf)
RF_D1(normcdfinv) RF_D1(erfcx) RF_D1(erfinv) RF_D1(erfcinv)
RF_DEVICE float rsqrt(float);
RF_DEVICE float norm3df(float, float, float);
RF_DEVICE float rnorm3df(float, float, float);
RF_DEVICE float norm4df(float, float, float, float);
RF_DEVICE float rhypotf(float, float);
RF_DEVICE double norm3d(double, double, double);
RF_DEVICE double rhypot(double, double);

/* Fast approximations. */
RF_F1(__expf) RF_F1(__exp10f) RF_F1(__logf) RF_F1(__log2f) RF_F1(__log10f)
RF_F1(__sinf) RF_F1(__cosf) RF_F1(__tanf) RF_F1(__tanhf) RF_F1(__saturatef)
RF_F2(__fdividef) RF_F2(__powf)
RF_DEVICE void __sincosf(float, float *, float *);

/* Arithmetic with a stated rounding. */
#define RF_ROUNDINGS(X, name) X(name##_rn) X(name##_rz) X(name##_ru) X(name##_rd)
RF_ROUNDINGS(RF_F2, __fadd) RF_ROUNDINGS(RF_F2, __fsub)
RF_ROUNDINGS(RF_F2, __fmul) RF_ROUNDINGS(RF_F2, __fdiv)
RF_ROUNDINGS(RF_F1, __frcp) RF_ROUNDINGS(RF_F1, __fsqrt)
RF_ROUNDINGS(RF_D2, __dadd) RF_ROUNDINGS(RF_D2, __dsub)
RF_ROUNDINGS(RF_D2, __dmul) RF_ROUNDINGS(RF_D2, __ddiv)
RF_ROUNDINGS(RF_D1, __drcp) RF_ROUNDINGS(RF_D1, __dsqrt)
RF_F1(__frsqrt_rn)
#define RF_FMA(name) RF_DEVICE float name(float, float, float);
RF_ROUNDINGS(RF_FMA, __fmaf)
#undef RF_FMA
#define RF_FMA(name) RF_DEVICE double name(double, double, double);
RF_ROUNDINGS(RF_FMA, __fma)
#undef RF_FMA

#undef RF_ROUNDINGS
#undef RF_F1
#undef RF_F2
#undef RF_D1
#undef RF_D2
