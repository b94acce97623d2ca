#!/bin/sh
# docs/checks: a page for every finding, each example triggers it.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
run 0 --list-checks --checks='*'
cp out names
for name in $(grep -o 'rf-.*' names); do
    page=$SOURCE/docs/checks/$name.md
    [ -f "$page" ] || { fail "no page for $name"; continue; }
    awk '/^```cuda/ { on = 1; next } /^```/ { on = 0 } on' "$page" >x.cu
    [ -s x.cu ] || continue
    "$RF" --check --checks="$name" x.cu >out 2>err
    grep -q "\[$name\]" out || fail "$name: $(cat out err)"
done
for page in "$SOURCE"/docs/checks/*.md; do
    grep -q "    $(basename "$page" .md)$" names || fail "$page is of nothing"
done
finish
