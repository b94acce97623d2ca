// A local array is filled, and its first element is the identity: the input is
// read once.
#define CLASSES 10
#pragma rf cascade assume(noalias)
__global__ void tail(const float *x, float *y)
{
    float z[CLASSES];
    for (int k = 0; k < CLASSES; k++)
        z[k] = x[threadIdx.x * CLASSES + k];
    float top = z[0];
    for (int k = 1; k < CLASSES; k++)
        if (z[k] > top)
            top = z[k];
    float sum = 0;
    for (int k = 0; k < CLASSES; k++)
        sum += expf(z[k] - top);
    for (int k = 0; k < CLASSES; k++)
        y[threadIdx.x * CLASSES + k] = expf(z[k] - top) / sum;
}
// expect: 9:16 rf-done
