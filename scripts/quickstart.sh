#!/bin/sh
# Build the tool and see it work: rewrite a copy of a sample, or of FILE.cu,
# and show the change.
#
#   scripts/quickstart.sh [FILE.cu]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
input=${1:-$root/samples/01_softmax_rows.cu}
[ -f "$input" ] || {
    echo "quickstart: no such file: $input" >&2
    exit 1
}
folder=$(cd "$(dirname "$input")" && pwd)
name=$(basename "$input")
tree=$root/build/quickstart
mkdir -p "$root/build"

echo "quickstart: 1. packages"
"$root/scripts/deps.sh" --build
echo "quickstart: 2. build in $tree"
cmake -S "$root" -B "$tree" -G Ninja -DRF_WERROR=OFF \
    >"$root/build/quickstart.log" 2>&1 ||
    { cat "$root/build/quickstart.log"; exit 1; }
ninja -C "$tree" rf-rewrite >"$root/build/quickstart.log" 2>&1 ||
    { tail -n 40 "$root/build/quickstart.log"; exit 1; }

copy=$(mktemp -d "${TMPDIR:-/tmp}/rf-quickstart-XXXXXX")
cp "$input" "$copy/$name"
cd "$copy"
echo "quickstart: 3. rf-rewrite --diff $name (a copy in $copy)"
"$tree/tool/rf-rewrite" --diff "$name" -- "-I$folder" || true
echo "quickstart: 4. rf-rewrite $name"
code=0
"$tree/tool/rf-rewrite" "$name" -- "-I$folder" || code=$?
echo "quickstart: the rewritten file is $copy/$name; to have it the old way," \
    "build with -DRF_REFERENCE or run"
echo "    $tree/tool/rf-rewrite --revert $copy/$name"
exit $code
