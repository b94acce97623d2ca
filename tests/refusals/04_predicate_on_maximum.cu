// min-p sampling: only what lies near the final maximum is summed.
#pragma rf cascade
__global__ void k(const float *p, float *mass, int n, float min_p)
{
    p += threadIdx.x * n;
    float top = 0, s = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, p[i]);
    for (int i = 0; i < n; i++)
        if (p[i] >= min_p * top)
            s += p[i];
    mass[threadIdx.x] = s;
}
// expect: 10:18 rf-not-decomposable
