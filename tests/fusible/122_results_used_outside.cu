// Results and what follows from them are declared, and used, around the braces.
#include "driver.h"

__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float mean;
    float deviation;
    float before = 0;
    for (int r = 0; r < 3; r++) {
        const float *row = x + (threadIdx.x * 3 + r) * n;
        y[(threadIdx.x * 3 + r) * 3] = before;
#pragma rf cascade
        {
            float s = 0, v = 0;
            for (int i = 0; i < n; i++)
                s += row[i];
            mean = s / n;
            for (int i = 0; i < n; i++)
                v += (row[i] - mean) * (row[i] - mean);
            deviation = sqrtf(v / n);
            before = deviation + 1;
        }
        y[(threadIdx.x * 3 + r) * 3 + 1] = mean;
        y[(threadIdx.x * 3 + r) * 3 + 2] = deviation;
    }
}

DRIVE(k<<<1, R / 3>>>(mild(R * L), out(3 * R), L))
// launch: <<<1, 12>>>(mild(R * L), out(3 * R), L)
