// The operator is a template argument of a kernel that nobody instantiates.
template <class Op>
__global__ void k(const float *x, float *y, int n, Op op)
{
#pragma rf cascade
    {
        float m = x[0], s = 0;
        for (int i = 1; i < n; i++)
            m = op(m, x[i]);
        for (int i = 0; i < n; i++)
            s += expf(x[i] - m);
        y[0] = s;
    }
}
// expect: 9:17 rf-unsupported
