// More blocks than a warp, planes of rows, shared memory and a stream of the
// author's, a value of a template, an argument that is computed once.
#define DRIVE_LENGTHS 300, 33, 32, 31, 1, 0
#include "../fusible/driver.h"

template <int SCALE>
__global__ void k(const float *x, float *y, int planes, int n)
{
    const int r = blockIdx.y * gridDim.z + blockIdx.z;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = x + (r * planes + c) * n;
    #pragma rf cascade level(grid) blocks(35) threads(32) assume(noalias)
    {
        float m = -INFINITY, s = 2.0f;
        for (int i = 0; i < n; i++)
            m = fmaxf(m, p[i]);
        for (int i = 0; i < n; i++)
            s += expf(p[i] - m);
        y[r * planes + c] = SCALE * s;
    }
}

static int used;
static cudaStream_t stream;

DRIVE(used = 0;
      k<3><<<dim3(2, 3, 2), 3, 64, stream>>>(in(R * L), out(R),
                                                          6 + used++, L);
      if (used != 1) return 1)
