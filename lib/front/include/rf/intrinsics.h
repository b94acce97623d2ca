/* Scalar intrinsics: min and max, bit patterns, integers, loads and stores. */
#pragma once
#pragma GCC system_header

/* ---- min and max: the overloads of the toolkit ---- */

#define RF_MIN_MAX(R, A, B)                                                    \
    R min(A, B);                                                               \
    R max(A, B);
RF_MIN_MAX(int, int, int)
RF_MIN_MAX(unsigned int, unsigned int, unsigned int)
RF_MIN_MAX(unsigned int, int, unsigned int)
RF_MIN_MAX(unsigned int, unsigned int, int)
RF_MIN_MAX(long, long, long)
RF_MIN_MAX(unsigned long, unsigned long, unsigned long)
RF_MIN_MAX(unsigned long, long, unsigned long)
RF_MIN_MAX(unsigned long, unsigned long, long)
RF_MIN_MAX(long long, long long, long long)
RF_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
RF_MIN_MAX(unsigned long long, long long, unsigned long long)
RF_MIN_MAX(unsigned long long, unsigned long long, long long)
RF_MIN_MAX(float, float, float)
RF_MIN_MAX(double, double, double)
RF_MIN_MAX(double, float, double)
RF_MIN_MAX(double, double, float)
#undef RF_MIN_MAX

unsigned int umin(unsigned int, unsigned int);
unsigned int umax(unsigned int, unsigned int);
long long llmin(long long, long long);
long long llmax(long long, long long);
unsigned long long ullmin(unsigned long long, unsigned long long);
unsigned long long ullmax(unsigned long long, unsigned long long);

/* ---- bit patterns and conversions ---- */

float __int_as_float(int);
float __uint_as_float(unsigned int);
int __float_as_int(float);
unsigned int __float_as_uint(float);
double __longlong_as_double(long long);
long long __double_as_longlong(double);
double __hiloint2double(int, int);
int __double2loint(double);
int __double2hiint(double);

#define RF_CONVERT(R, name, A)                                                 \
    R name##_rn(A);                                                            \
    R name##_rz(A);                                                            \
    R name##_ru(A);                                                            \
    R name##_rd(A);
RF_CONVERT(int, __float2int, float)
RF_CONVERT(unsigned int, __float2uint, float)
RF_CONVERT(long long, __float2ll, float)
RF_CONVERT(unsigned long long, __float2ull, float)
RF_CONVERT(int, __double2int, double)
RF_CONVERT(unsigned int, __double2uint, double)
RF_CONVERT(long long, __double2ll, double)
RF_CONVERT(unsigned long long, __double2ull, double)
RF_CONVERT(float, __double2float, double)
RF_CONVERT(float, __int2float, int)
RF_CONVERT(float, __uint2float, unsigned int)
RF_CONVERT(float, __ll2float, long long)
RF_CONVERT(float, __ull2float, unsigned long long)
RF_CONVERT(double, __ll2double, long long)
RF_CONVERT(double, __ull2double, unsigned long long)
#undef RF_CONVERT
double __int2double_rn(int);
double __uint2double_rn(unsigned int);

/* ---- integers ---- */

int __popc(unsigned int);
int __popcll(unsigned long long);
int __clz(int);
int __clzll(long long);
int __ffs(int);
int __ffsll(long long);
unsigned int __brev(unsigned int);
unsigned long long __brevll(unsigned long long);
int __mulhi(int, int);
unsigned int __umulhi(unsigned int, unsigned int);
long long __mul64hi(long long, long long);
unsigned long long __umul64hi(unsigned long long, unsigned long long);
int __mul24(int, int);
unsigned int __umul24(unsigned int, unsigned int);
unsigned int __byte_perm(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_l(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_r(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_lc(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_rc(unsigned int, unsigned int, unsigned int);
unsigned int __sad(int, int, unsigned int);
unsigned int __usad(unsigned int, unsigned int, unsigned int);
int __hadd(int, int);
int __rhadd(int, int);
int __dp4a(int, int, int);
unsigned int __dp4a(unsigned int, unsigned int, unsigned int);
int __dp2a_lo(int, int, int);
int __dp2a_hi(int, int, int);
unsigned int __vadd4(unsigned int, unsigned int);
unsigned int __vsub4(unsigned int, unsigned int);
unsigned int __vmaxs4(unsigned int, unsigned int);
unsigned int __vmins4(unsigned int, unsigned int);

/* ---- loads and stores with a cache hint ---- */

#define RF_LOAD(name) template <class T> T name(const T *);
RF_LOAD(__ldg)
RF_LOAD(__ldcs)
RF_LOAD(__ldcg)
RF_LOAD(__ldca)
RF_LOAD(__ldlu)
RF_LOAD(__ldcv)
#undef RF_LOAD
#define RF_STORE(name) template <class T, class U> void name(T *, U);
RF_STORE(__stcs)
RF_STORE(__stcg)
RF_STORE(__stwb)
RF_STORE(__stwt)
#undef RF_STORE

/* ---- addresses ---- */

size_t __cvta_generic_to_shared(const void *);
size_t __cvta_generic_to_global(const void *);
void *__cvta_shared_to_generic(size_t);
unsigned int __isShared(const void *);
unsigned int __isGlobal(const void *);
