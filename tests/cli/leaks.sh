#!/bin/sh
# The real pipeline gives back what it took: a cascade of one thread, one of a
# team, a refusal.
. "$1"
command -v valgrind >/dev/null || exit 77
case $3 in *ON*) exit 77 ;; esac

cat >a.cu <<'EOF'
__global__ void __launch_bounds__(32) k(const float *x, float *y, int n)
{
#pragma rf cascade assume(noalias)
    {
        float m = -INFINITY, s = 0;
        for (int i = threadIdx.x; i < n; i += 32)
            m = fmaxf(m, x[i]);
        for (int d = 16; d; d /= 2)
            m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
        for (int i = threadIdx.x; i < n; i += 32)
            s += expf(x[i] - m);
        for (int d = 16; d; d /= 2)
            s += __shfl_xor_sync(0xffffffff, s, d);
        y[threadIdx.x] = s;
    }
}

#pragma rf cascade assume(noalias)
__global__ void serial(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = s;
}

#pragma rf cascade
__global__ void refused(const float *x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += fmaxf(x[i] - m, -1);
    y[threadIdx.x] = s;
}
EOF
valgrind -q --undef-value-errors=no --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite "$2" -o b.cu a.cu 2>err
got=$?
[ $got -eq 0 ] || fail "exit $got: $(cat err)"
grep -q "2 fused, 1 refused" err || fail "$(cat err)"
finish
