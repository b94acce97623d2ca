// As many elements as slots: no slot is tested.
#define DRIVE_LENGTHS 512
#include "../fusible/driver.h"

#pragma rf cascade level(block)
__global__ void k(const float *x, float *y)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int i = 0; i < 512; i++)
        s += x[r * 512 + i] * x[r * 512 + i];
    const float scale = rsqrtf(s / 512 + 1e-6f);
    for (int i = 0; i < 512; i++)
        s += fabsf(x[r * 512 + i] * scale);
    y[r] = s;
}

DRIVE(k<<<1, R>>>(mild(R * L), out(R)))
