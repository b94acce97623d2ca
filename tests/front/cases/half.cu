// Numbers of 16 bits: each rounding shows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void halves(const half *x, half *y, __nv_bfloat16 *b, half2 *h2,
                       float *f, int n)
{
    float s = 0;
    half acc = 0.0f;
    for (int i = 0; i < n; i++) {
        s += __half2float(x[i]);
        s += (float)b[i];
        float t = x[i];
        acc = acc + x[i];
        acc += __float2half(s);
        acc *= x[i];
        y[i] = s;
        y[i] = __hmul(x[i], acc);
        b[i] = __float2bfloat16(t);
        b[i] = b[i] + b[i + 1];
        if (acc > x[i])
            acc = x[i];
    }
    double d = acc;
    int whole = acc;
    if (acc)
        acc = -acc;
    acc++;
    h2[0] = h2[1];
    h2[1] = h2[0] + h2[1];
    h2[2] = __hfma2(h2[0], h2[1], h2[1]);
    f[0] = acc * half(2.0f) - (half)1;
    f[1] = __low2float(h2[0]) + d + whole;
}
