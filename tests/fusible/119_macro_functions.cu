// Macros with arguments, a macro of a macro and a constant in a macro, all
// inside of expressions.
#include "driver.h"

#define SCALE 0.125f
#define SCORE(v) ((v) * SCALE)
#define WEIGHT(v, top) expf(SCORE(v) - (top))
#define AT(p, i) ((p)[(i) * STRIDE])
#define STRIDE 2
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n * STRIDE;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = LARGER(m, SCORE(AT(x, i)));
    for (int i = 0; i < n; i++)
        s += WEIGHT(AT(x, i), m);
    y[threadIdx.x] = s;
}

DRIVE(k<<<1, R>>>(in(R * L * 2), out(R), L))
// launch: <<<1, R>>>(in(R * L * 2), out(R), L)
