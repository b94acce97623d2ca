// Each output element is stored before the values for the next are read.
#define D 8

#pragma rf cascade
__global__ void k(const float *x, const float *v, float *o, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY;
    for (int j = 0; j < n; j++)
        m = fmaxf(m, x[j]);
    for (int d = 0; d < D; d++) {
        float acc = 0;
        for (int j = 0; j < n; j++)
            acc += expf(x[j] - m) * v[j * D + d];
        o[threadIdx.x * D + d] = acc;
    }
}
// expect: 14:25 rf-alias
