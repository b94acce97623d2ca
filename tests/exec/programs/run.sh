#!/bin/sh
# Builds and runs the programs of this folder with rf-run and checks what they
# print. A program says in its first comment what is expected:
#
#   // run: ARGUMENTS        (once; may be empty)
#   // flags: FLAGS          of nvcc; one run for each such line
#   // expect: TEXT          it exits with 0, prints TEXT, and nothing is
#                            reported
#   // case: NAME CHECK      "NAME bug" is reported as CHECK, and "NAME fixed"
#                            exits with 0 without a report
#
# usage: run.sh RF_RUN [PROGRAM...]
set -u
rf_run=$1
shift
here=$(dirname "$0")
[ $# -gt 0 ] || set -- "$here"/*.cu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

directive() # NAME FILE
{
    sed -n "s|^// $1: *||p" "$2"
}

complain() # TEXT...
{
    echo "FAILED: $*"
    sed 's/^/    /' "$work/out" | head -20
    failed=$((failed + 1))
}

reported() # is any check in the output?
{
    grep -q '\[rf-run-' "$work/out"
}

# Build FILE into $folder/program without running anything of note.
build() # FILE
{
    "$rf_run" --keep -std=c++17 "$1" -- --build >"$work/out" 2>&1
    folder=$(sed -n 's/^rf-run: files are in //p' "$work/out")
    [ -x "$folder/program" ]
}

run_cases() # FILE
{
    if ! build "$1"; then
        complain "$1 was not built"
        return
    fi
    directive case "$1" >"$work/cases"
    while read -r name check; do
        timeout 60 "$folder/program" "$name" bug >"$work/out" 2>&1
        grep -q "\[$check" "$work/out" || complain "$name is not reported"
        timeout 60 "$folder/program" "$name" fixed >"$work/out" 2>&1 ||
            complain "the repaired $name fails"
        reported && complain "the repaired $name is reported"
        cases=$((cases + 1))
    done <"$work/cases"
    rm -rf "$folder"
}

run_once() # FILE FLAGS
{
    # shellcheck disable=SC2046,SC2086
    timeout 120 "$rf_run" -std=c++17 $2 "$1" -- $(directive run "$1") \
        >"$work/out" 2>&1 || complain "$1 $2 fails"
    reported && complain "$1 $2 is reported"
    directive expect "$1" >"$work/lines"
    while read -r line; do
        grep -qF "$line" "$work/out" || complain "$1 $2 does not print: $line"
    done <"$work/lines"
}

run_whole() # FILE
{
    if ! grep -q '^// flags:' "$1"; then
        run_once "$1" ""
        return
    fi
    directive flags "$1" >"$work/flags"
    while read -r flags; do
        run_once "$1" "$flags"
    done <"$work/flags"
}

# Several programs: two at a time.
if [ $# -gt 1 ]; then
    printf '%s\n' "$@" | xargs -P 2 -I PROGRAM "$0" "$rf_run" PROGRAM
    exit
fi

cases=0
for program; do
    if grep -q '^// case:' "$program"; then
        run_cases "$program"
    else
        run_whole "$program"
    fi
done
echo "$(basename "$1"): $cases planted bugs, $failed failures"
[ "$failed" -eq 0 ]
