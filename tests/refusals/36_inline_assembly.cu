// Assembly that the tool does not read.
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        float e = x[i] - m;
        asm volatile("ex2.approx.f32 %0, %0;" : "+f"(e));
        s += e;
    }
    y[threadIdx.x] = s;
}
// expect: 11:9 rf-side-effect
