// Each projection changes the vector that the next dot product reads.
#pragma rf cascade assume(noalias)
__global__ void k(float *v, const float *basis, int dim, int count)
{
    v += threadIdx.x * dim;
    for (int b = 0; b < count; b++) {
        float d = 0;
        for (int i = 0; i < dim; i++)
            d += v[i] * basis[b * dim + i];
        for (int i = 0; i < dim; i++)
            v[i] -= d * basis[b * dim + i];
    }
}
// expect: 9:18 rf-carried
