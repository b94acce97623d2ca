/* The words that CUDA adds to declarations, and the macros nvcc predefines. */
#pragma once
#pragma GCC system_header

#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__  __attribute__((managed))
#define __grid_constant__ __attribute__((grid_constant))

#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)  __attribute__((annotate("cluster_dims")))
#define __block_size__(...)    __attribute__((annotate("block_size")))
#define __maxnreg__(...)       __attribute__((annotate("maxnreg")))

#define __forceinline__      inline __attribute__((always_inline))
#define __inline_hint__
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

#define __CUDACC__              1
#define __NVCC__                1
#define __CUDACC_VER_MAJOR__    13
#define __CUDACC_VER_MINOR__    0
#define CUDART_VERSION          13000
#define CUDA_VERSION            13000
#define CUDART_CB
#define CUDA_CB
