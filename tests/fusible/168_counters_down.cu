// Counters that are advanced beside an unsigned one that falls: one of 64
// bits, which is no sum of 32 bits; one that rises and one that falls by two.
#include "driver.h"

__global__ void k(const float *__restrict__ x, float *__restrict__ y,
                  float *__restrict__ z, unsigned n)
{
    const float *row = x + threadIdx.x * n * 2;
#pragma rf cascade
    {
        float m = -INFINITY, s = 0;
        long long j = (long long)n - 1;
        for (unsigned i = n; i > 0; i--, j--)
            m = fmaxf(m, row[j]);
        j = (long long)n - 1;
        for (unsigned i = n; i > 0; i--, j--)
            s += expf(row[j] - m);
        y[threadIdx.x] = m + logf(s);
    }
#pragma rf cascade
    {
        float m = -INFINITY, s = 0;
        unsigned up = 0;
        for (unsigned i = n; i > 0; i--, up++)
            m = fmaxf(m, row[up]);
        up = 0;
        int down = 2 * (int)n - 1;
        for (unsigned i = n; i > 0; i--, up++, down -= 2)
            s += row[down] * expf(row[up] - m);
        z[threadIdx.x] = m + s;
    }
}

DRIVE(k<<<1, R>>>(mild(R * L * 2, L * 2), out(R), out(R), L))
// launch: <<<1, R>>>(mild(R * L * 2, L * 2), out(R), out(R), L)
