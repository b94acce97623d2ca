// Calls: helpers, references, methods, operators of classes, recursion.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
namespace cg = cooperative_groups;
struct pair {
    float m, s;
};
struct counted {
    int n = 3;
};
struct made {
    float a;
    __device__ made() : a(1)
    {
    }
    __device__ float get(float k) const
    {
        return a * k;
    }
};
__device__ pair merge(pair a, pair b)
{
    pair r;
    r.m = fmaxf(a.m, b.m);
    r.s = a.s * __expf(a.m - r.m) + b.s * __expf(b.m - r.m);
    return r;
}
__device__ void fold(float &v, const float &w)
{
    v += w;
}
__device__ float endless(int n)
{
    return n ? endless(n - 1) : 0.0f;
}
__device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y, a.z, a.w);
}
__device__ float with_default(float x, int k = 3)
{
    return x * k;
}
__global__ void calls(float *x, float4 *v, int n)
{
    __shared__ cub::BlockReduce<float, 128>::TempStorage room;
    pair p = { 1, 2 }, q{ 3.0f, 4.0f }, copy = p;
    counted three;
    made object;
    p = merge(p, q);
    fold(x[0], p.s);
    fold(p.m, with_default(p.s));
    x[1] = endless(3) + object.get(2) + three.n;
    v[0] = v[1] + v[2];
    v[1] = v[0];
    float4 w = reinterpret_cast<const float4 *>(x)[threadIdx.x];
    w.x += v->y;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    x[2] = cg::reduce(tile, x[2], cg::plus<float>());
    x[3] = tile.shfl_down(x[3], 1);
    block.sync();
    x[4] = cub::BlockReduce<float, 128>(room).Sum(x[4]);
    atomicAdd(&x[5], w.x);
    float &last = x[n - 1];
    last = copy.m;
    float sine, cosine;
    sincosf(x[0], &sine, &cosine);
    const pair *pp = &p;
    x[6] = pp->m + (*pp).s + min(n, 3) + max(x[0], x[1]);
}
