/* Kernels without main(), for --kernel. */
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}

/* The maximum of each row; the rewritten one forgets that a row may hold -inf only. */
__global__ void row_max(const float *x, float *m, int n)
{
#ifdef RF_REFERENCE
    float best = -INFINITY;
#else
    float best = -3.4e38f;
#endif
    for (int i = 0; i < n; i++)
        best = fmaxf(best, x[blockIdx.x * n + i]);
    m[blockIdx.x] = best;
}

__global__ void past_the_end(float *y, int n)
{
    y[n + threadIdx.x] = 1;
}
