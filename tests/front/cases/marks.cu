// Marks: where they stand, what they say, what is wrong with them.
#define MARK _Pragma("rf cascade level(warp)")
#define BEGIN {
#define BODY(x) s += x;
// comment
#pragma rf cascade
template <class T>
__global__ __launch_bounds__(128) void whole(T *x, int n) { x[0] = n; }

#if 0
#pragma rf cascade
#endif

struct Op { 
    __device__ float run(const float *x, int n) const {
        float s = 0;
        #pragma rf cascade /* c */ level( block ) // why
        for (int i = 0; i < n; ++i) s += x[i] * scale;
        return s;
    }
    float scale;
};
namespace a { namespace {
extern "C" __global__ void inner(float *x, int n)
{
    float s = 0.f;
    for (int j = 0; j < 2; j++)
        #pragma rf gemm_chain tile(m:64, n : 32) \
            cluster(4) assume(noalias, n % 4 == 0) assume((n < 8)) replace
        for (int i = 0; i < n; i++) s += x[i];
    if (s > 0)
        _Pragma("rf cascade strict")
        { s = 1; }
    MARK
    for (int i = 0; i < n; i++) s += 2;
    #pragma rf off
    s = 3;
#   pragma   rf   cascade   threads(256)
    // comment between
    #pragma unroll
    while (n-- > 0) s += 1;
    #pragma unroll 2
    #pragma rf cascade
    for (int i = 0; i < n; i++) s += 1;
    #pragma rf cascade
    for (int i = 0; i < n; i++) {
#ifdef FAST
        s += 1;
#else
        s += 2;
#endif
    }
    #pragma rf cascade
    for (int i = 0; i < n; i++) BEGIN BODY(x[i]) }
    #pragma rf cascade
    {
        BODY(1)
        BODY(2);
    }
    x[0] = s;
    switch (n) { case 0:
    #pragma rf cascade
    s = 2; }
    #pragma rf cascade
}
} }
#pragma rf cascde
#pragma rf cascade levle(warp)
#pragma rf cascade level(wrap)
#pragma rf cascade level warp
#pragma rf cascade level(warp
#pragma rf cascade level(warp) level(block)
#pragma rf cascade cluster(17)
#pragma rf cascade assume(noalais)
#pragma rf cascade strict, keep
#pragma rf off now
#pragma rf
#pragma rf cascade axis(3)
#pragma rf cascade
__device__ float decl(float x);
#pragma rf cascade
int main() { whole<<<1,1>>>((float*)0, 3); return 0; }
#pragma rf cascade
