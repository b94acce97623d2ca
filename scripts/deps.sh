#!/bin/sh
# Install what the build and the tests need, by apt, on Debian 12 and Ubuntu
# 24.04; nothing that is there already. As root or with sudo. Safe to repeat.
#
#   scripts/deps.sh            everything
#   scripts/deps.sh --build    only what building and running need
#   scripts/deps.sh --list     say what would be installed, install nothing
set -eu

build="gcc g++ cmake ninja-build pkg-config git \
libisl-dev libflint-dev libmpfr-dev libgmp-dev \
libjansson-dev libyaml-dev libxxhash-dev"
tests="libcriterion-dev z3 cvc5 valgrind clang-format python3 python3-yaml"
# Taken where the distribution has them; FLINT 3 holds what Arb was before.
build_optional="libflint-arb-dev"
tests_optional="clang-tidy clang-tools neovim pre-commit \
emacs-nox elpa-lsp-mode elpa-eglot"

want=all
list=
for arg; do
    case $arg in
    --build) want=build ;;
    --list) list=yes ;;
    *)
        echo "usage: scripts/deps.sh [--build] [--list]" >&2
        exit 2
        ;;
    esac
done

say() {
    echo "deps: $*"
}

command -v apt-get >/dev/null || {
    say "no apt-get here: install these yourself: $build $tests" \
        "and libclang-NN-dev, libclang-common-NN-dev (NN: 17 to 22)" >&2
    exit 1
}

installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'
}

available() {
    apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

# The newest libclang from 22 to 17 that is installed or can be.
newest_clang() {
    for n in 22 21 20 19 18 17; do
        if available "libclang-$n-dev"; then
            echo "$n"
            return
        fi
    done
}

missing() {
    for package; do
        installed "$package" || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        say "run this as root, or install sudo: $*" >&2
        exit 1
    fi
}

updated=
update() {
    [ -z "$updated" ] || return 0
    say "reading the package lists"
    as_root apt-get update -qq
    updated=yes
}

clang=$(newest_clang)
if [ -z "$clang" ]; then
    update
    clang=$(newest_clang)
fi
[ -n "$clang" ] || {
    say "this system has no libclang from 17 to 22" >&2
    exit 1
}

packages="$build libclang-$clang-dev libclang-common-$clang-dev"
optional=$build_optional
if [ "$want" = all ]; then
    packages="$packages $tests clang-$clang"
    optional="$optional $tests_optional libclang-rt-$clang-dev"
fi
# shellcheck disable=SC2086
need=$(missing $packages)
if [ -n "$need" ] && [ -z "$list" ]; then
    update # what is optional is looked up in lists that are not old
fi
for package in $optional; do
    if ! installed "$package" && available "$package"; then
        need="$need$package "
    fi
done

if [ -z "$need" ]; then
    say "everything is installed (libclang $clang)"
elif [ -n "$list" ]; then
    say "would install: $need"
else
    say "installing: $need"
    update
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $need >/dev/null
fi

if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
    say "CUDA toolkit found"
else
    say "no CUDA toolkit: the tool works without; tests that compile with" \
        "nvcc are left out"
fi
