#!/bin/sh
# rf-candidate and --suggest: what is said of unmarked loops, and what --fix,
# --diff and the exported fixes do. (What is found: tests/corpus/candidates.py.)
. "$1"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# unmarked FILE [LINE-BEFORE]: a kernel whose loops would fuse
unmarked() {
    cat >"$1" <<C
// one
${2:-}
__global__ void lse(const float *x, float *y, int n)
{
    x += threadIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += expf(x[i] - m);
    y[threadIdx.x] = m + logf(s);
}
C
}
unmarked a.cu
cp a.cu orig
sed '3i#pragma rf cascade' orig >want

# off unless asked for; then a finding, and nothing is written without --fix
run 0 a.cu
[ ! -s out ] || fail "said without being asked: $(cat out)"
run 0 --checks=rf-candidate a.cu
has out "a.cu:3:1: warning: not marked, and would fuse: cascade max -> sum"
same a.cu orig
printf "Checks: rf-candidate\n" >.rf-rewrite
run 0 a.cu
has out "[rf-candidate]"
same a.cu orig
rm .rf-rewrite
run 1 --checks=rf-candidate --werror a.cu
run 0 --checks=rf-candidate --fix a.cu
same a.cu want
run 0 --checks=rf-candidate --fix a.cu
cp orig a.cu
run 0 --checks=rf-candidate --diff a.cu
cp out a.patch
git apply a.patch || fail "the patch does not apply"
same a.cu want

# line ends, and a function that begins behind other text
sed 's/$/\r/' orig >a.cu
sed 's/$/\r/' want >want.crlf
run 0 --checks=rf-candidate --fix a.cu
same a.cu want.crlf
sed '3s/^/struct s {}; /' orig >a.cu
run 0 --checks=rf-candidate --fix a.cu
sed -n '3,5p' a.cu >lines
printf 'struct s {}; \n#pragma rf cascade\n__global__ void lse(const float *x, float *y, int n)\n' >want.lines
same lines want.lines

# silenced
for line in '#pragma rf off' '// NOLINTNEXTLINE(rf-candidate)'; do
    unmarked a.cu "$line"
    run 0 --checks=rf-candidate --fix a.cu
    hasnt a.cu "rf cascade"
    hasnt out "rf-candidate]"
done
cp orig a.cu
run 0 --checks=rf-candidate --fix a.cu \
    --line-filter='[{"name":"a.cu","lines":[[1,2]]}]'
same a.cu orig

# exported
run 0 --checks='-*,rf-candidate' --export-fixes=f.yaml --sarif=s.json a.cu
has f.yaml 'ReplacementText: "#pragma rf cascade\n"'
has s.json '"ruleId": "rf-candidate"'
has s.json '#pragma rf cascade\n'
run 0 --apply f.yaml
same a.cu want
run 1 --apply f.yaml
same a.cu want

# the table: the first column ranks; files that are not read are named
cp orig a.cu
cp orig b.cu
printf '#include "none_such.h"\n' | cat - orig >c.cu
run 0 --suggest a.cu b.cu c.cu
same a.cu orig
has out "3 -> 1"
has out "a.cu:3: "
has err "not searched for candidates: "
has err "2 candidates in 3 files"
run 0 --suggest -j2 b.cu a.cu
[ "$(grep -c 'cascade max -> sum' out)" -eq 2 ] || fail "$(cat out)"
run 2 --suggest --fix a.cu

# guards that stand in a file are no finding of the search
kernel fused.cu
run 0 fused.cu
run 0 --suggest fused.cu
hasnt err "warning"
hasnt out "warning"
finish
