// Elements come through a texture, which may filter or convert them.
#pragma rf cascade
__global__ void k(cudaTextureObject_t x, float *y, int n)
{
    const int base = threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, tex1Dfetch<float>(x, base + i));
    for (int i = 0; i < n; i++)
        s += expf(tex1Dfetch<float>(x, base + i) - m);
    y[threadIdx.x] = s;
}
// expect: 8:22 rf-unsupported
