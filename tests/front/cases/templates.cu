// Templates are read as they are written, and helpers as they are called.
#include <cuda_fp16.h>
#include <limits>
#include <type_traits>
template <typename T> struct traits {
    using acc = float;
    static constexpr int width = 4;
};
template <typename T> __device__ T warp_sum(T v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
template <typename T, int D, typename Acc = typename traits<T>::acc>
__global__ void __launch_bounds__(256, 2) norm(const T *x, T *y, int n)
{
    Acc m = -std::numeric_limits<Acc>::infinity();
    T acc = T(0), zero = T(), other{};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        acc += x[i] * x[i + D];
        acc = acc - x[i] / x[0];
        m = m > x[i] ? m : Acc(x[i]);
        y[i] = static_cast<T>(expf(float(x[i]) - m));
    }
    acc = warp_sum(acc);
    m = warp_sum<Acc>(m);
    if constexpr (D > 4)
        y[0] = acc;
    else
        y[0] = -acc + traits<T>::width * zero;
    if (std::is_same<T, float>::value)
        y[1] = max(acc, x[0]);
    y[2]++, --y[3], y[4] = !acc;
}
__global__ void caller(float *x)
{
    x[0] = warp_sum(x[0]) + warp_sum((double)x[1]);
}
template __global__ void norm<float, 8>(const float *, float *, int);
