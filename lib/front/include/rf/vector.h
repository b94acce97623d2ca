/* Short vectors, dim3 and the built-in indices as plain fields. */
#pragma once
#pragma GCC system_header

/* One element type: the structs with 1 to 4 fields and their makers; "a2" and
 * "a4" are the alignments of the pair and the quadruple. */
#define RF_VECTOR(name, T, a2, a4)                                             \
    struct name##1 {                                                           \
        T x;                                                                   \
    };                                                                         \
    struct __attribute__((aligned(a2))) name##2 {                              \
        T x, y;                                                                \
    };                                                                         \
    struct name##3 {                                                           \
        T x, y, z;                                                             \
    };                                                                         \
    struct __attribute__((aligned(a4))) name##4 {                              \
        T x, y, z, w;                                                          \
    };                                                                         \
    name##1 make_##name##1(T x);                                               \
    name##2 make_##name##2(T x, T y);                                          \
    name##3 make_##name##3(T x, T y, T z);                                     \
    name##4 make_##name##4(T x, T y, T z, T w);

RF_VECTOR(char, signed char, 2, 4)
RF_VECTOR(uchar, unsigned char, 2, 4)
RF_VECTOR(short, short, 4, 8)
RF_VECTOR(ushort, unsigned short, 4, 8)
RF_VECTOR(int, int, 8, 16)
RF_VECTOR(uint, unsigned int, 8, 16)
RF_VECTOR(long, long, 16, 16)
RF_VECTOR(ulong, unsigned long, 16, 16)
RF_VECTOR(longlong, long long, 16, 16)
RF_VECTOR(ulonglong, unsigned long long, 16, 16)
RF_VECTOR(float, float, 8, 16)
RF_VECTOR(double, double, 16, 16)
#undef RF_VECTOR

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                   unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{ x, y, z };
    }
};

extern RF_DEVICE const uint3 threadIdx, blockIdx;
extern RF_DEVICE const dim3 blockDim, gridDim;
extern RF_DEVICE const int warpSize;

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
