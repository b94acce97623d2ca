#!/bin/sh
# A real editor as the client of the language server.
. "$1"
command -v nvim >/dev/null || exit 77
export HOME="$PWD" XDG_STATE_HOME="$PWD/state" XDG_DATA_HOME="$PWD/data"
on_path
words="Neovim before 0.11"
case $(nvim --version | head -n 1) in
*v0.[0-9].* | *v0.10.*) ;;
*) words="Neovim 0.11" ;;
esac
snippet "$words" >setup.lua
kernel a.cu launch
kernel other.cu refuse
cp a.cu want.cu
run 0 want.cu
RF=$RF FILE=a.cu OTHER=other.cu timeout 60 nvim --headless -u NONE -n \
    -c "lua local ok, why = pcall(dofile, \"$SOURCE/tests/cli/neovim.lua\"); if not ok then io.stderr:write(why) vim.cmd(\"cquit 1\") end" >out 2>err ||
    fail "neovim: $(cat out err)"
same a.cu want.cu
finish
