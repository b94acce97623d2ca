#!/bin/sh
# An installed tree is complete: the program reads a sample, the rest is there.
. "$1"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cmake --install "$2" --prefix "$PWD/to" >log 2>&1 || {
    fail "install: $(tail -n 3 log)"
    finish
}
RF=$PWD/to/bin/rf-tidy
cp "$SOURCE/samples/01_softmax_rows.cu" "$SOURCE/samples/check.h" .
run 0 01_softmax_rows.cu
has out "[rf-cascade]"
for file in share/man/man1/rf-rewrite.1 share/rf-rewrite/cmake/RfRewrite.cmake \
    share/bash-completion/completions/rf-rewrite \
    share/zsh/site-functions/_rf-rewrite \
    share/fish/vendor_completions.d/rf-rewrite.fish \
    share/rf-rewrite/include/rf_cuda.h; do
    [ -s "to/$file" ] || fail "no $file"
done
bash -n to/share/bash-completion/completions/rf-rewrite || fail "bash"
finish
