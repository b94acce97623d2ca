#!/bin/sh
# The README's example is what the tool does; its options exist.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
awk '/^```cuda/ { on = 1; n++; next } /^```/ { on = 0 }
     on { print > ("block" n ".cu") }' "$SOURCE/README.md"
run 0 -o after.cu block1.cu
# hashes change with the version of the tool
strip() {
    sed 's/[0-9a-f]\{12\}-[0-9a-f]\{8\}/HASH/' "$1"
}
strip after.cu | sed -n '/^#pragma/,/^#endif/p' >shown
strip block2.cu >want
same shown want
run 0 --help
for option in $(grep -oh -- '--[a-z][a-z-]*' "$SOURCE/README.md" \
    "$SOURCE"/docs/manual.md "$SOURCE"/docs/editors.md | sort -u); do
    case $option in
    --cached | --no-verify | --test-dir | --install | --build) continue ;;
    esac
    has out "$option"
done
finish
