// What the loops leave in members of *this can be seen from outside.
struct row {
    const float *x;
    float m, s;

    __device__ void fold(int n)
    {
#pragma rf cascade
        {
            m = -INFINITY;
            s = 0;
            for (int i = 0; i < n; i++)
                m = fmaxf(m, x[i]);
            for (int i = 0; i < n; i++)
                s += expf(x[i] - m);
        }
    }
};
// expect: 10:13 rf-unsupported
