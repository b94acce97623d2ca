// A macro opens the block that the source closes.
#define WITH_ROW(row, x, n) { const float *row = (x) + threadIdx.x * (n);
#define END_ROW             }

__global__ void k(const float *x, float *y, int n)
{
#pragma rf cascade
    WITH_ROW(v, x, n)
        float m = -INFINITY, s = 0;
        for (int i = 0; i < n; i++)
            m = fmaxf(m, v[i]);
        for (int i = 0; i < n; i++)
            s += expf(v[i] - m);
        y[threadIdx.x] = s;
    END_ROW
}
// expect: 8:5 rf-macro
