#!/bin/sh
# Emacs as the client of the language server, by lsp-mode and by eglot.
. "$1"
command -v emacs >/dev/null || exit 77
export HOME="$PWD"
on_path
git init -q .
snippet "Emacs has no mode" >mode.el
snippet "With lsp-mode" >lsp.el
snippet "Eglot runs" >eglot.el
kernel want.cu
run 0 want.cu
seen=
for kind in lsp eglot; do
    library=$kind
    [ $kind = eglot ] || library=lsp-mode
    emacs --batch -f package-initialize -l "$library" 2>/dev/null || continue
    seen=yes
    kernel a.cu
    KIND=$kind timeout 60 emacs --batch -l "$SOURCE/tests/cli/emacs.el" \
        >out 2>err || fail "$kind: $(cat out err)"
    same a.cu want.cu
done
[ -n "$seen" ] || exit 77
finish
