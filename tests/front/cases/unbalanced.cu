// own
#pragma rf cascade
__global__ void f(int *x)
{
    if (x) {
        *x = 1;
