// The product of a part of a row is not below that of the whole: exp(x - a) of
// a part may be 0, where that of the row is not.
#pragma rf cascade assume(finite)
__global__ void k(const float *x, float *y, int n)
{
    float a = 1, b = 0;
    for (int i = 0; i < n; i++)
        a *= x[i];
    for (int i = 0; i < n; i++)
        b += expf(x[i] - a);
    y[0] = a;
    y[1] = b;
}
// expect: 10:9 rf-not-decomposable
