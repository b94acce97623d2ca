#!/bin/sh
# pre-commit and the plain hook in a scratch repository.
. "$1"
mkdir bin
ln -s "$RF" bin/rf-rewrite
PATH=$PWD/bin:$PATH
export PATH HOME="$PWD" GIT_CONFIG_GLOBAL="$PWD/gitconfig"
git config --global user.name test
git config --global user.email test@example.org
git config --global init.defaultBranch main
cp "$SOURCE/.pre-commit-hooks.yaml" manifest.yaml
work=$PWD

# the plain hook: what is staged counts, not what lies in the folder
git init -q plain
cd plain || exit 1
cp "$SOURCE/scripts/hooks/pre-commit" .git/hooks/pre-commit
kernel "a b.cu"
echo 'int x;' >c.txt
git add .
git commit -q -m one >out 2>&1 && fail "an unfused file was committed"
has out "a b.cu:3:1: warning: cascade"
rf-rewrite --quiet "a b.cu" >/dev/null
git add "a b.cu"
echo '#pragma rf cascade' >>"a b.cu"
cp "a b.cu" dirty
git commit -q -m one >out 2>&1 || fail "a fused file was refused: $(cat out)"
same "a b.cu" dirty
RF_REWRITE=none-such git commit -q --allow-empty -m two >out 2>&1 &&
    fail "a missing binary passes"
has out "'none-such' is not installed"
git add .
RF_REWRITE=rf-rewrite git commit -q -m three >out 2>&1 && fail "stale passes"
cd "$work" || exit 1

# pre-commit itself
command -v pre-commit >/dev/null || finish
pre-commit validate-manifest manifest.yaml >"$work/log" 2>&1 ||
    fail "manifest: $(cat "$work/log")"
git init -q hooks
cp manifest.yaml hooks/.pre-commit-hooks.yaml
(cd hooks && git add . && git commit -q -m hooks)
git init -q repo
cd repo || exit 1
cat >.pre-commit-config.yaml <<Y
repos:
  - repo: $work/hooks
    rev: $(git -C ../hooks rev-parse HEAD)
    hooks:
      - id: rf-rewrite
      - id: rf-rewrite-check
Y
kernel a.cu
printf 'void g() {}\n' >plain.cu
: >empty.cuh
git add .
pre-commit run >"$work/log" 2>&1 && fail "the fixing hook passes at first"
has "$work/log" "files were modified by this hook"
has a.cu "fused(1)"
git add .
# an unstaged hunk stays
echo '// unstaged' >>plain.cu
pre-commit run >"$work/log" 2>&1 || fail "the second run fails: $(cat "$work/log")"
has plain.cu "// unstaged"
git diff --cached --quiet -- plain.cu && fail "the index was touched"
# staged and unstaged hunks of one file: the staged text is fused in the
# folder, the unstaged hunk stays, the index is as it was
kernel two.cu
for i in 1 2 3 4 5 6 7 8 9; do echo "// line $i" >>two.cu; done
git add two.cu
git show :two.cu >"$work/staged"
echo '// unstaged too' >>two.cu
pre-commit run rf-rewrite >"$work/log" 2>&1 && fail "a staged kernel passes"
has two.cu "fused(1)"
has two.cu "// unstaged too"
git show :two.cu >"$work/now"
same "$work/now" "$work/staged"
git rm -qf --cached two.cu
rm two.cu
# no binary: the hook fails and says so
mv "$work/bin/rf-rewrite" "$work/bin/gone"
kernel c.cu
git add c.cu
pre-commit run >"$work/log" 2>&1 && fail "a missing binary passes"
has "$work/log" "rf-rewrite"
mv "$work/bin/gone" "$work/bin/rf-rewrite"
git rm -qf --cached c.cu
rm c.cu
kernel b.cu refuse
git add b.cu
pre-commit run rf-rewrite-check >"$work/log" 2>&1 || fail "a refusal fails: $(cat "$work/log")"
sed -i 's/fused(1)/fused(9)/' a.cu
git add a.cu
pre-commit run rf-rewrite-check >"$work/log" 2>&1 && fail "an edit by hand passes"
has "$work/log" "edited by hand"
finish
