// own
#include "own.h"
#pragma rf cascade
__global__ void f(int *x)
{
    *x = 1;
}
