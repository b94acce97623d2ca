// The maximum begins with the first logit; the other loop, from 0, also picks
// the logit of the label, the last one to be taken.
#include "driver.h"

#pragma rf cascade
__global__ void k(const float *__restrict__ logits,
                  const int *__restrict__ label, float *__restrict__ loss,
                  int n)
{
    const int row = threadIdx.x;
    const float *z = logits + row * n;
    float top = z[0];
    for (int c = 1; c < n; ++c)
        top = z[c] > top ? z[c] : top;
    float sum = 0.0f, picked = 0.0f;
    for (int c = 0; c < n; ++c) {
        sum += expf(z[c] - top);
        if (c == label[row])
            picked = z[c];
    }
    loss[row] = logf(sum) - (picked - top);
}

DRIVE_FROM(1, k<<<1, R>>>(in(R * L), index(R, L), out(R), L))
// launch: <<<1, R>>>(in(R * L), index(R, L), out(R), L)
