// All threads of a block overwrite the same row in place.
#pragma rf cascade
__global__ void k(float *x, float *y, int n)
{
    float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, row[i]);
    for (int i = 0; i < n; i++) {
        row[i] = expf(row[i] - m);
        s += row[i];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

void launch(float *x, float *y, int rows, int n)
{
    k<<<rows, 128>>>(x, y, n);
}
// expect: 10:9 rf-race
