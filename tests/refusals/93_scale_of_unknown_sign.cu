// With a negative beta the exponentials grow from the minimum.
#pragma rf cascade
__global__ void k(const float *energy, float *z, int n, float beta)
{
    const float *e = energy + threadIdx.x * n;
    float e0 = INFINITY;
    for (int i = 0; i < n; i++)
        if (e[i] < e0)
            e0 = e[i];
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += expf(-beta * (e[i] - e0));
    z[threadIdx.x] = sum;
}
// expect: 12:9 rf-not-decomposable
