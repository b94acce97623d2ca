// A single reduction and a map: the row has to be read twice.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    y += threadIdx.x * n;
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    for (int i = 0; i < n; i++)
        y[i] = x[i] * rsqrtf(s);
}
// expect: 8:5 rf-done
