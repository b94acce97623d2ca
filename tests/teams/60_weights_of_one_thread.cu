// A thread of the team may have masses of sum zero, the row has not.
#include "../fusible/driver.h"

__device__ __forceinline__ float dist2(float3 a, float3 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

#pragma rf cascade level(warp)
__global__ void inertia(const float *mass, const float3 *pos, float *total,
                        float3 *centre, float *moment, int bodies, int points)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bodies) {
        const float *m = mass + b * points;
        const float3 *x = pos + b * points;

        float M = 0.0f;
        for (int i = 0; i < points; i++)
            M += m[i];

        float3 c = make_float3(0.0f, 0.0f, 0.0f);
        for (int i = 0; i < points; i++) {
            c.x += m[i] * x[i].x;
            c.y += m[i] * x[i].y;
            c.z += m[i] * x[i].z;
        }
        c.x /= M;
        c.y /= M;
        c.z /= M;

        float I = 0.0f;
        for (int i = 0; i < points; i++)
            I += m[i] * dist2(x[i], c);

        total[b] = M;
        centre[b] = c;
        moment[b] = I;
    }
}

DRIVE(inertia<<<R, 1>>>(mild(R * L), in(R * L), out(R), out(R), out(R), R, L))
// expect: 35:13 rf-not-decomposable
