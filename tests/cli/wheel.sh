#!/bin/sh
# pre-commit builds the wheel from pyproject.toml, installs it in an environment
# of its own and runs both hooks: no program on the machine, no database.
. "$1"
skip() {
    echo "skipped: $*"
    exit 77
}
command -v pre-commit >/dev/null || skip "no pre-commit"
export HOME="$PWD" GIT_CONFIG_GLOBAL="$PWD/gitconfig"
export PRE_COMMIT_HOME="$PWD/environments" XDG_CACHE_HOME="$PWD/cache"
# how it is optimised does not matter here, and how long it takes does
export CMAKE_BUILD_PARALLEL_LEVEL=2 SKBUILD_CMAKE_BUILD_TYPE=Plain
git config --global user.name test
git config --global user.email test@example.org
git config --global init.defaultBranch main
work=$PWD

# the sources as they are, as a repository of hooks
mkdir hooks
(cd "$SOURCE" && cp -r --parents CMakeLists.txt README.md pyproject.toml \
    .pre-commit-hooks.yaml cmake lib scripts tool docs "$work/hooks")
git init -q hooks
(cd hooks && git add -A && git commit -q -m hooks)

git init -q repo
cd repo || exit 1
cat >.pre-commit-config.yaml <<Y
repos:
  - repo: $work/hooks
    rev: $(git -C ../hooks rev-parse HEAD)
    hooks:
      - {id: rf-rewrite, language: python}
      - {id: rf-rewrite-check, language: python}
Y
pre-commit install-hooks >"$work/log" 2>&1 || {
    grep -qE 'Connection|Network|resolution|No matching distribution' \
        "$work/log" && skip "no network: $(grep -E \
        'Connection|Network|resolution|No matching' "$work/log" | head -n 1)"
    fail "the wheel cannot be built: $(tail -n 40 "$work/log")"
    finish
}
# what is installed needs nothing of what it was built from
rm -rf "$PRE_COMMIT_HOME"/repo*/lib "$PRE_COMMIT_HOME"/repo*/tool

# hook CODE NAME: run one hook on what is staged.
hook() {
    pre-commit run "$2" >"$work/log" 2>&1
    got=$?
    [ "$got" -eq "$1" ] || fail "exit $got, not $1: $2: $(cat "$work/log")"
}
cp "$SOURCE"/samples/01_*.cu a.cu
cp "$SOURCE"/samples/check.h .
cp a.cu "$work/author.cu"
printf 'int plain;\n' >plain.cu
printf 'int x;\n' >other.cpp
git add .
hook 1 rf-rewrite-check
same a.cu "$work/author.cu"
hook 1 rf-rewrite
has "$work/log" "files were modified by this hook"
has a.cu "#ifdef RF_REFERENCE"
git add a.cu
hook 0 rf-rewrite
hook 0 rf-rewrite-check

# staged hunks and a dirty tree: the index stays, and so does the rest
cp "$work/author.cu" b.cu
git add b.cu
git show :b.cu >"$work/staged"
echo '// not staged' >>b.cu
echo '// not staged' >>plain.cu
hook 1 rf-rewrite
has b.cu "#ifdef RF_REFERENCE"
has b.cu "// not staged"
has plain.cu "// not staged"
git show :b.cu >"$work/now"
same "$work/now" "$work/staged"
git add b.cu
hook 0 rf-rewrite-check
sed -i 's|^#else .* rf: .*|&\nint by_hand;|' a.cu
git add a.cu
hook 1 rf-rewrite-check
has "$work/log" "edited by hand"
finish
