#!/bin/sh
# --explain: the loop that it prints computes what the source computes.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cat >a.cu <<'C'
#pragma rf cascade
__global__ void lse(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = m + logf(s);
}

#pragma rf cascade assume(finite)
__global__ void norm(const float *x, float *y, int n)
{
    float p = 0, q = 0;
    for (int i = 0; i < n; i++)
        p += x[i] * x[i];
    for (int i = 0; i < n; i++)
        q += (x[i] + 1) / sqrtf(p / n + 1e-5f);
    y[threadIdx.x] = q;
}

#pragma rf cascade
__global__ void variance(const float *x, float *y, int n)
{
    float p = 0, v = 0;
    for (int i = 0; i < n; i++)
        p += x[i];
    const float mean = p / n;
    for (int i = 0; i < n; i++)
        v += (x[i] - mean) * (x[i] - mean);
    y[threadIdx.x] = v;
}

#pragma rf cascade
__global__ void divided(const float *x, float *y, int n)
{
    float mean = 0, v = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i < n; i++)
        v += (x[i] - mean) * (x[i] - mean);
    y[threadIdx.x] = v;
}

#pragma rf cascade
__global__ void below(const float *x, int *y, int n)
{
    float m = 0;
    int c = 0;
    for (int i = 0; i < n; i++)
        m += x[i] / n;
    for (int i = 0; i < n; i++)
        c += x[i] < m;
    y[threadIdx.x] = c;
}
C
cp a.cu orig
run 0 --explain a.cu
same a.cu orig
cp out told
has told '`F = G (*) H`'
has told "s = s_u·exp(m_u - m) + s_v·exp(m_v - m)"
has told "deferred factor"
has told "mean_so_far = (Σ_i x[i])/n, the count so far being the length"
has told "mean_so_far = Σ_i x[i]/n, the count so far being the length"
has told "| T-6: "
has told "below\`, line 4"
has told "docs/checks/rf-not-decomposable.md"
python3 "$SOURCE/tests/cli/explain.py" told || fail "the loop computes something else"
finish
