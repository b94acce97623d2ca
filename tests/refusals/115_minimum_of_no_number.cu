// min(NaN, a) is a; the maximum of the elements alone passes over the NaN.
__global__ void k(const float *x, float *y, int n)
{
    float a = 0, b = 0;
#pragma rf cascade
    {
        for (int i = 0; i < n; i++)
            a += fmaxf(x[i], 0.0f);
        for (int i = 0; i < n; i++)
            b = fmaxf(b, fminf(x[i], a));
    }
    y[0] = a;
    y[1] = b;
}
// expect: 10:26 rf-rounding
