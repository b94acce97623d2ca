#!/bin/sh
# Driven by clang-tidy's own scripts, as clang-tidy would be.
. "$1"
ln -s "$RF" rf-tidy

kernel a.cu
kernel b.cu refuse
cp a.cu orig
./rf-tidy a.cu >out 2>err || fail "rf-tidy: $(cat err)"
has out "warning: cascade max -> sum"
same a.cu orig
printf '[{"directory":"%s","file":"a.cu","command":"nvcc -c a.cu"},
{"directory":"%s","file":"b.cu","command":"nvcc -c b.cu"}]' "$PWD" "$PWD" \
    >compile_commands.json

driver=$(command -v run-clang-tidy || true)
if [ -n "$driver" ]; then
    "$driver" -clang-tidy-binary "$PWD/rf-tidy" -p . >out 2>err ||
        fail "run-clang-tidy: $(cat out err)"
    has out "[rf-cascade]"
    has out "[rf-alias]"
    same a.cu orig
    "$driver" -clang-tidy-binary "$PWD/rf-tidy" -p . -checks='-*,rf-cascade' \
        -export-fixes all.yaml >out 2>err || fail "export: $(cat out err)"
    hasnt out "[rf-alias]"
    if [ -f all.yaml ]; then
        has all.yaml "rf-cascade"
    fi
    "$driver" -clang-tidy-binary "$PWD/rf-tidy" -p . -fix -quiet >out 2>err ||
        fail "-fix: $(cat out err)"
    cp orig want.cu
    run 0 want.cu
    same a.cu want.cu
fi

driver=$(command -v clang-tidy-diff || command -v clang-tidy-diff-14.py || true)
if [ -n "$driver" ]; then
    cp orig a.cu
    git init -q .
    git add a.cu b.cu
    sed -i 's/loop/loop2/' a.cu
    cp a.cu edited
    git diff -U0 | "$driver" -clang-tidy-binary "$PWD/rf-tidy" -p1 -quiet \
        -iregex '.*\.(cu|cuh)' -path . >out 2>err ||
        fail "clang-tidy-diff: $(cat out err)"
    hasnt out "rf-alias"
    same a.cu edited
    sed -i 's/cascade/cascade  /' a.cu
    git diff -U0 | "$driver" -clang-tidy-binary "$PWD/rf-tidy" -p1 -fix \
        -iregex '.*\.(cu|cuh)' -path . >out 2>err ||
        fail "clang-tidy-diff -fix: $(cat out err)"
    has a.cu "#ifdef RF_REFERENCE"
fi
finish
