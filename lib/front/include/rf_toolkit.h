/* What nvcc provides before the first line of a file and clang does not: read
 * before a source when the toolkit's own headers are used. For reading only. */
#pragma once
#pragma GCC system_header

#include <assert.h>
#include <functional>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

/* Without it cooperative_groups.h hides cluster_group from clang. */
#define _CG_CLUSTER_INTRINSICS_AVAILABLE 1

/* nvcc has min and max on the host too; clang only in device code. */
#define RF_HOST static inline __host__
#define RF_MIN_MAX(R, A, B)                                                    \
    RF_HOST R min(A a, B b)                                                    \
    {                                                                          \
        return (R)a < (R)b ? (R)a : (R)b;                                      \
    }                                                                          \
    RF_HOST R max(A a, B b)                                                    \
    {                                                                          \
        return (R)a > (R)b ? (R)a : (R)b;                                      \
    }
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
#undef RF_HOST

/* Loads and stores with a cache hint: clang has some of them, from 20 on. */
#define RF_STORE(name, T) static inline __device__ void name(T *, T);
#if __clang_major__ < 20
#define RF_LOAD(name, T) static inline __device__ T name(const T *);
#define RF_STORE_THROUGH(T) RF_STORE(__stwt, T)
#else
#define RF_LOAD(name, T)
#define RF_STORE_THROUGH(T)
#endif
#define RF_HINTS(T)                                                            \
    RF_LOAD(__ldcs, T)                                                         \
    RF_LOAD(__ldcg, T)                                                         \
    RF_LOAD(__ldca, T)                                                         \
    RF_LOAD(__ldlu, T)                                                         \
    RF_LOAD(__ldcv, T)                                                         \
    RF_STORE(__stcs, T)                                                        \
    RF_STORE(__stcg, T)                                                        \
    RF_STORE(__stwb, T)                                                        \
    RF_STORE_THROUGH(T)
RF_HINTS(char)
RF_HINTS(signed char)
RF_HINTS(unsigned char)
RF_HINTS(short)
RF_HINTS(unsigned short)
RF_HINTS(int)
RF_HINTS(unsigned int)
RF_HINTS(long)
RF_HINTS(unsigned long)
RF_HINTS(long long)
RF_HINTS(unsigned long long)
RF_HINTS(float)
RF_HINTS(double)
RF_HINTS(char2)
RF_HINTS(char4)
RF_HINTS(uchar2)
RF_HINTS(uchar4)
RF_HINTS(short2)
RF_HINTS(short4)
RF_HINTS(ushort2)
RF_HINTS(ushort4)
RF_HINTS(int2)
RF_HINTS(int4)
RF_HINTS(uint2)
RF_HINTS(uint4)
RF_HINTS(longlong2)
RF_HINTS(ulonglong2)
RF_HINTS(float2)
RF_HINTS(float4)
RF_HINTS(double2)
#undef RF_HINTS
#undef RF_LOAD
#undef RF_STORE
#undef RF_STORE_THROUGH
