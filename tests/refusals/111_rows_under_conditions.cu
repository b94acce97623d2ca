// Rows of a thread that leave out elements of their own.
#pragma rf cascade assume(noalias)
__global__ void k(const float *x, const int *len, float *y, int n)
{
    float m[3], s[3];
    for (int r = 0; r < 3; r++) {
        m[r] = -INFINITY;
        s[r] = 0.f;
    }
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 3; r++)
            if (i < len[r])
                m[r] = fmaxf(m[r], x[(threadIdx.x * n + i) * 3 + r]);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 3; r++)
            if (i < len[r])
                s[r] += expf(x[(threadIdx.x * n + i) * 3 + r] - m[r]);
    for (int r = 0; r < 3; r++)
        y[threadIdx.x * 3 + r] = s[r];
}

// expect: 17:17 rf-unsupported
