// 1 / (x + c): neither a product of factors nor closed under translation.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float c = 0, s = 0;
    for (int i = 0; i < n; i++)
        c += x[i] * x[i];
    for (int i = 0; i < n; i++)
        s += 1.0f / (x[i] * x[i] + c);
    y[threadIdx.x] = s;
}
// expect: 10:19 rf-not-decomposable
