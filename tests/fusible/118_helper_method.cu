// The score is a method, of two objects that differ.
#include "driver.h"

struct Score {
    float scale, offset;
    __device__ float shifted(float v) const { return v + offset; }
    __device__ float operator()(float v) const { return shifted(v) * scale; }
};

#pragma rf cascade
__global__ void k(const float *x, float *y, int n, Score a, Score b)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0, o = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, a(x[i]));
    for (int i = 0; i < n; i++) {
        float e = expf(a(x[i]) - m);
        s += e;
        o += e * b(x[i]);
    }
    y[threadIdx.x] = o / s;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R), L, Score{ 0.5f, 1 }, Score{ 2, 3 }))
// launch: <<<1, R>>>(mild(R * L), out(R), L, two scores)
