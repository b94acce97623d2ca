/* CUB, as far as kernels that reduce name it. */
#pragma once
#pragma GCC system_header

#include "../rf_cuda.h"

#pragma clang force_cuda_host_device begin
namespace cub
{

#define RF_OPERATOR(name)                                                      \
    struct name {                                                              \
        template <class T, class U>                                            \
        constexpr auto operator()(T &&, U &&) const                            \
            -> std::common_type_t<T, U>;                                       \
    };
RF_OPERATOR(Sum)
RF_OPERATOR(Min)
RF_OPERATOR(Max)
#undef RF_OPERATOR
struct ArgMax {
    template <class T> T operator()(const T &, const T &) const;
};
struct ArgMin {
    template <class T> T operator()(const T &, const T &) const;
};

template <class K, class V> struct KeyValuePair {
    K key;
    V value;
    KeyValuePair() = default;
    KeyValuePair(const K &, const V &);
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm {
    BLOCK_SCAN_RAKING,
    BLOCK_SCAN_RAKING_MEMOIZE,
    BLOCK_SCAN_WARP_SCANS
};

template <class T, int X,
          BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1,
          int Z = 1>
struct BlockReduce {
    struct TempStorage {
    };
    BlockReduce();
    BlockReduce(TempStorage &);
    T Sum(T);
    T Sum(T, int);
    template <int N> T Sum(T (&)[N]);
    template <class Op> T Reduce(T, Op);
    template <class Op> T Reduce(T, Op, int);
    template <int N, class Op> T Reduce(T (&)[N], Op);
};

template <class T, int Width = 32> struct WarpReduce {
    struct TempStorage {
    };
    WarpReduce(TempStorage &);
    T Sum(T);
    T Sum(T, int);
    template <class Op> T Reduce(T, Op);
    template <class Op> T Reduce(T, Op, int);
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1,
          int Z = 1>
struct BlockScan {
    struct TempStorage {
    };
    BlockScan();
    BlockScan(TempStorage &);
    void InclusiveSum(T, T &);
    void InclusiveSum(T, T &, T &);
    void ExclusiveSum(T, T &);
    void ExclusiveSum(T, T &, T &);
    template <class Op> void InclusiveScan(T, T &, Op);
    template <class Op> void InclusiveScan(T, T &, Op, T &);
    template <class Op> void ExclusiveScan(T, T &, T, Op);
    template <class Op> void ExclusiveScan(T, T &, T, Op, T &);
};

struct DeviceReduce {
    template <class... Args> static cudaError_t Sum(Args...);
    template <class... Args> static cudaError_t Max(Args...);
    template <class... Args> static cudaError_t Min(Args...);
    template <class... Args> static cudaError_t Reduce(Args...);
};
struct DeviceSegmentedReduce : DeviceReduce {
};

} // namespace cub
#pragma clang force_cuda_host_device end
