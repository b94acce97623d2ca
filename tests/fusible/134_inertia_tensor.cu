// Inertia tensor about the centre of mass: six sums.
#include "driver.h"

#pragma rf cascade assume(finite, m > 0)
__global__ void k(const float *m, const float *p, float *t, int n)
{
    m += threadIdx.x * n;
    p += threadIdx.x * n * 3;
    float mass = 0, cx = 0, cy = 0, cz = 0;
    for (int i = 0; i < n; i++) {
        mass += m[i];
        cx += m[i] * p[3 * i];
        cy += m[i] * p[3 * i + 1];
        cz += m[i] * p[3 * i + 2];
    }
    cx /= mass;
    cy /= mass;
    cz /= mass;
    float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    for (int i = 0; i < n; i++) {
        float x = p[3 * i] - cx;
        float y = p[3 * i + 1] - cy;
        float z = p[3 * i + 2] - cz;
        xx += m[i] * (y * y + z * z);
        yy += m[i] * (x * x + z * z);
        zz += m[i] * (x * x + y * y);
        xy -= m[i] * x * y;
        xz -= m[i] * x * z;
        yz -= m[i] * y * z;
    }
    t[threadIdx.x * 6] = xx;
    t[threadIdx.x * 6 + 1] = yy;
    t[threadIdx.x * 6 + 2] = zz;
    t[threadIdx.x * 6 + 3] = xy;
    t[threadIdx.x * 6 + 4] = xz;
    t[threadIdx.x * 6 + 5] = yz;
}

DRIVE(k<<<1, R>>>(positive(R * L), plain(R * L * 3), out(R * 6), L))
// launch: <<<1, R>>>(positive(R * L), plain(R * L * 3), out(R * 6), L)
