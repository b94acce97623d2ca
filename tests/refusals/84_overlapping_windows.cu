// Two pointers into one buffer, one element apart: what a step writes is what
// the next one reads.
#pragma rf cascade
__global__ void k(float *buffer, float *y, int n)
{
    const float *in = buffer + threadIdx.x * (n + 1);
    float *out = buffer + threadIdx.x * (n + 1) + 1;
    float m = 1, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, in[i]);
    for (int i = 0; i < n; i++) {
        out[i] = in[i] / m + 1;
        s += out[i];
    }
    y[threadIdx.x] = s;
}
// expect: 12:18 rf-carried
