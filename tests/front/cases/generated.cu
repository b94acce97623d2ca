// Without RF_REFERENCE the generated code is what is read.
__global__ void k(const float *x, float *y, int n)
{
    float s = 0;
#pragma rf cascade
#ifdef RF_REFERENCE
    for (int i = 0; i < n; i++) {
        s += x[i];
    }
#else // rf: fused
    s = 42;
#endif // rf
    y[0] = s;
}
