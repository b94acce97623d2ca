# Sourced by the tests of the command line. RF is the program, FAULTS the
# preloaded library; the test runs in a folder of its own, which goes away.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/rf-cli-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

# say MESSAGE: the test fails, the others go on.
fail() {
    echo "FAIL: $*"
    bad=$((bad + 1))
}

# run CODE ARGS...: run the program, expect the exit code; what it printed is
# in ./out and ./err.
run() {
    want=$1
    shift
    "$RF" "$@" >out 2>err
    got=$?
    [ "$got" -eq "$want" ] ||
        fail "exit code $got, not $want: rf-rewrite $* $(cat out err)"
}

# has FILE TEXT: the text is in the file.
has() {
    grep -qF -- "$2" "$1" || fail "no '$2' in $1: $(cat "$1")"
}

hasnt() {
    ! grep -qF -- "$2" "$1" || fail "'$2' in $1: $(cat "$1")"
}

same() {
    cmp -s "$1" "$2" || fail "$1 is not $2: $(diff "$1" "$2")"
}

different() {
    ! cmp -s "$1" "$2" || fail "$1 is still $2"
}

# no_strays: no temporary file is left.
no_strays() {
    [ -z "$(find . -name '*.rf-tmp')" ] || fail "left: $(find . -name '*rf-tmp')"
}

# kernel FILE [WORDS]: write a file with one mark.
kernel() {
    printf 'void f()\n{\n#pragma rf cascade %s\n    loop();\n    launch();\n}\n' \
        "${2:-}" >"$1"
}

# on_path: rf-rewrite is the program.
on_path() {
    mkdir bin
    ln -s "$RF" bin/rf-rewrite
    export PATH="$PWD/bin:$PATH"
}

# snippet WORDS: the block behind WORDS in the manual of editors.
snippet() {
    python3 -B "$SOURCE/tests/cli/snippet.py" "$SOURCE/docs/editors.md" "$1"
}

finish() {
    [ "$bad" -eq 0 ] && echo "passed"
    exit "$bad"
}
