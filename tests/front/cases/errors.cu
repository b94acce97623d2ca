// own: an error counts where a mark is, and only there.
#include <nosuch/library.cuh>
struct Broken { int x };
__device__ float helper(float x) { return y + x; }
__global__ void other(float *x) { x[0] = undeclared; }
__global__ void fine(const float *x, float *y, int n)
{
    float s = 0;
#pragma rf cascade
    for (int i = 0; i < n; i++)
        s += x[i] + helper(x[i]);
    y[0] = s;
}
__global__ void wrong(const float *x, float *y, int n)
{
    float s = 0;
#pragma rf cascade
    for (int i = 0; i < n; i++)
        s += x[i] + nothing;
    y[0] = s;
}
