// The numbers of a refusal keep the sign of a zero: 0.5 / (0 / -1) is -inf.
#pragma rf cascade assume(finite)
__global__ void k(const float *x, const float *w, float *y, int n)
{
    float a = INFINITY, b = 0;
    for (int i = 0; i < n; i++)
        a = fminf(a, x[i]);
    for (int i = 0; i < n; i++)
        b = fmaxf(b, (0.5f - w[i]) / (w[i] / x[i]) * a);
    y[0] = a;
    y[1] = b;
}
// expect: 9:52 rf-not-decomposable
