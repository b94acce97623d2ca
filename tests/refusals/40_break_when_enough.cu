// Sampling by the inverse distribution function: the loop stops at the draw.
#pragma rf cascade
__global__ void k(const float *w, int *pick, float u, int n)
{
    w += threadIdx.x * n;
    float total = 0, c = 0;
    int at = n - 1;
    for (int i = 0; i < n; i++)
        total += w[i];
    for (int i = 0; i < n; i++) {
        c += w[i] / total;
        if (c > u) {
            at = i;
            break;
        }
    }
    pick[threadIdx.x] = at;
}
// expect: 14:13 rf-control
