// The sums of all rows are shifted by the maximum of the first.
#pragma rf cascade assume(blockDim.x == 64) assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * 4 * n;
    float m[4], s[4] = {};
    for (int r = 0; r < 4; r++)
        m[r] = -INFINITY;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 4; r++)
            m[r] = fmaxf(m[r], x[r * n + i]);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 4; r++)
            s[r] += expf(x[r * n + i] - m[0]);
    for (int r = 0; r < 4; r++)
        y[threadIdx.x * 4 + r] = s[r];
}

// expect: 14:41 rf-loop-mismatch
