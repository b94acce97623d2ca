// How many prefixes lie below a draw.
#pragma rf cascade
__global__ void k(const float *w, int *pick, float u, int n)
{
    w += threadIdx.x * n;
    float total = 0, c = 0;
    int below = 0;
    for (int i = 0; i < n; i++)
        total += w[i];
    for (int i = 0; i < n; i++) {
        c += w[i] / total;
        if (c < u)
            below++;
    }
    pick[threadIdx.x] = below;
}
// expect: 12:13 rf-order
