// The maximum of a row, then a sum down a column, as in Sinkhorn's iteration.
#pragma rf cascade
__global__ void k(const float *x, float *y, int rows, int cols)
{
    const int id = threadIdx.x;
    float m = -INFINITY, s = 0;
    for (int c = 0; c < cols; c++)
        m = fmaxf(m, x[id * cols + c]);
    for (int r = 0; r < rows; r++)
        s += expf(x[r * cols + id] - m);
    y[id] = s;
}
// expect: 9:5 rf-loop-mismatch
