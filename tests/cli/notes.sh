#!/bin/sh
# Notes: what a clause would save, and numbers with a refusal, in every output.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# inertia FILE CLAUSES: a weighted mean, then the sum about it.
inertia() {
    cat >"$1" <<C
#pragma rf cascade $2
__global__ void k(const float *mass, const float *x, float *y, int n)
{
    const float *m = mass + threadIdx.x * n;
    x += threadIdx.x * n;
    float M = 0, c = 0, I = 0;
    for (int i = 0; i < n; i++)
        M += m[i];
    for (int i = 0; i < n; i++)
        c += m[i] * x[i];
    c /= M;
    for (int i = 0; i < n; i++)
        I += m[i] * (x[i] - c) * (x[i] - c);
    y[threadIdx.x] = I;
}
C
}

less="one pass more than with assume(mass > 0): the sum that is divided by may"
inertia part.cu "assume(noalias)"
run 0 --diff -j0 part.cu
cat out err >told
has told "reads 'mass' 3 times; fusing reads it twice [rf-cascade]"
has told "part.cu:13:9: note: $less be 0 before the last element"
inertia whole.cu "assume(noalias, mass > 0)"
run 0 --diff -j0 whole.cu
cat out err >told
has told "fusing reads it once [rf-cascade]"
hasnt told "note:"

# A sum of more than the array: no one clause is about it, and none is named.
sed 's/M += m\[i\]/M += m[i] + 1.0f/' part.cu >none.cu
run 0 --diff -j0 none.cu
cat out err >told
has told "fusing reads it"
hasnt told "more than with"

cat >refused.cu <<'C'
#pragma rf cascade
__global__ void k(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float top = -1, s = 0;
    for (int i = 0; i < n; i++)
        top = fmaxf(top, x[i]);
    for (int i = 0; i < n; i++)
        s += fabsf(x[i] - 0.5f * top);
    y[threadIdx.x] = s;
}
C
run 0 --diff -j0 --sarif=s.json --export-fixes=f.yaml refused.cu part.cu
cat out err >told
for file in told s.json f.yaml; do
    has "$file" "leave the same top = "
    has "$file" "$less"
done

# A finding inside a macro of the author's names the definition, where NOLINT
# counts as it does at the use.
cat >macro.cu <<'C'
#define LATER(x) y[i] = s * (x)
__global__ void k(const float *x, float *y, int n)
{
    float m = 0, s = 0;
#pragma rf cascade
    {
        for (int i = 0; i < n; i++)
            m = fmaxf(m, x[i]);
        for (int i = 0; i < n; i++) {
            s += expf(x[i] - m);
            LATER(INFINITY);
        }
    }
}
C
run 0 --check macro.cu
has out "macro.cu:11:13: warning: not fused:"
has out "macro.cu:1:9: note: expanded from macro 'LATER'"
hasnt out "'INFINITY'"
for line in 1 11; do
    sed "${line}s|\$|// NOLINT(rf-order)|" macro.cu >nolint.cu
    run 0 --check nolint.cu
    hasnt out "warning"
    has err "1 refused"
done

# What a rewrite rests on: the test, the type, the clause; two arrays of its own
# and a parameter are not worth a note.
for how in test type clause; do
    word= clause= text="where they do, the source runs"
    [ $how = type ] && word=__restrict__ text="__restrict__ says so"
    [ $how = clause ] && clause="assume(noalias)" text="assume(noalias) says so"
    cat >apart.cu <<C
#pragma rf cascade $clause
__global__ void k(const float *$word x, float *y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++) {
        y[i] = expf(x[i] - m);
        s += y[i];
    }
    for (int i = 0; i < n; i++)
        y[i] /= s;
}
C
    run 1 --check apart.cu
    has out "apart.cu:8:9: note: 'x' and 'y' do not overlap: $text"
    run 0 --explain apart.cu
    has out "and \`y\` do not overlap: $text"
done

# A mark is one region, however many errors its function has and wherever it
# stands.
cat >counted.cu <<'C'
__global__ void errors(float *x)
{
#pragma rf cascade
    for (int i = 0; i < 4; i++)
        x[i] = one(x[i]) + two(x[i]);
}
__global__ void inside(float *x, int n)
{
    switch (n) {
    case 1:
#pragma rf cascade
        for (int i = 0; i < n; i++)
            x[i] = 0;
    }
}
#pragma rf cascade level(moon) tile(
__global__ void words(float *x) { *x = 0; }
C
run 1 --check counted.cu
has err "3 marked regions in 1 file: 0 fused, 1 refused, 2 failed, 3 errors"
# What is said of a region is kept quiet at its mark too, and shown where a
# change touches any line of it.
no=$(grep -n 'fabsf' refused.cu | cut -d: -f1)
run 0 --check refused.cu
has out "refused.cu:$no:"
sed '1s/$/ \/\/ NOLINT(rf-*)/' refused.cu >quiet.cu
run 0 --check quiet.cu
hasnt out "quiet.cu"
has err "1 refused"
sed '1s/$/ \/\/ NOLINT(rf-alias)/' refused.cu >loud.cu
run 0 --check loud.cu
has out "loud.cu:$no:"
run 0 --check --line-filter='[{"name":"refused.cu","lines":[[1,1]]}]' refused.cu
has out "refused.cu:$no:"
run 1 --check --line-filter='[{"name":"whole.cu","lines":[[8,8]]}]' whole.cu
has out "whole.cu:1:1:"
run 0 --check --line-filter='[{"name":"whole.cu","lines":[[17,40]]}]' whole.cu
hasnt out "whole.cu"
has err "1 skipped"

finish
