#!/bin/sh
# compile_commands.json: found, translated, missing, wrong.
. "$1"

flags() {
    "$RF" --dump=x "$@" 2>err | grep '^flag' | sed 's/flag //' | tr '\n' ' '
}

mkdir -p src/inc build
kernel src/a.cu
kernel src/inc/h.cuh
echo '#include "inc/h.cuh"' >src/b.cu
kernel src/b.cuh
cat >build/compile_commands.json <<J
[ { "directory": "$PWD/build", "file": "../src/a.cu",
    "command": "nvcc -DA -I. --generate-code=arch=compute_90,code=[sm_90] -c ../src/a.cu" },
  { "directory": "$PWD/build", "file": "$PWD/src/b.cu",
    "arguments": ["nvcc", "-DB", "-Xcompiler", "-fPIC,-DHOST", "-std", "c++17"] } ]
J
[ "$(flags src/a.cu)" = "-DA -I$PWD/build/. --cuda-gpu-arch=sm_90 " ] ||
    fail "a.cu: $(flags src/a.cu)"
[ "$(flags src/inc/h.cuh)" = "-DB -DHOST -std=c++17 " ] ||
    fail "header by include: $(flags src/inc/h.cuh)"
[ "$(flags src/b.cuh)" = "-DB -DHOST -std=c++17 " ] || fail "header by stem"
[ "$(flags --removed-arg='-DH*' --extra-arg=-Z -p build src/b.cuh)" = \
    "-DB -std=c++17 -Z " ] || fail "removed: $(flags src/b.cuh)"
[ "$(flags src/a.cu -- -DOWN)" = "-DOWN " ] || fail "flags after --"

# paths are those of the entry's folder, in options files too; what is included
# by force may lie on the include path
printf -- '-iquote q -isystem=/abs -include there.h -include far.h' >build/more
: >build/there.h
cat >build/compile_commands.json <<J
[ { "directory": "$PWD/build", "file": "../src/a.cu", "arguments":
    ["nvcc", "-I", "../inc", "@more", "-c", "../src/a.cu"] } ]
J
b=$PWD/build
paths="-I$b/../inc -iquote $b/q -isystem /abs -include $b/there.h -include far.h "
[ "$(flags src/a.cu)" = "$paths" ] || fail "paths: $(flags src/a.cu)"
cd src || exit 1
[ "$(flags a.cu)" = "$paths" ] || fail "paths from elsewhere: $(flags a.cu)"
cd ..

# the database by its own name
[ "$(flags -p build/compile_commands.json src/a.cu)" = "$paths" ] ||
    fail "by name: $(flags -p build/compile_commands.json src/a.cu)"

# asked for and missing: only a file with a mark minds
echo 'int x;' >plain.cu
run 0 -p nowhere plain.cu
run 1 -p nowhere src/a.cu
has out "nowhere/compile_commands.json: cannot open it"

# without a file: all files of the database, each once
cat >build/compile_commands.json <<J
[ { "directory": "$PWD/build", "file": "../src/a.cu", "command": "nvcc" },
  { "directory": "$PWD/build", "file": "$PWD/src/b.cu", "command": "nvcc" },
  { "directory": "$PWD/build", "file": "../src/a.cu", "command": "nvcc -DX" } ]
J
run 1 --check -p build
has err "2 marked regions in 3 files: 0 fused, 2 to be fused"
has out "src/inc/h.cuh:3:1: "
run 0 --suggest -j2 -p build
has err "0 candidates in 3 files"

# headers with a mark, by way of others, beside the includer or on -I; a folder
# of -isystem is somebody else's; a loop of headers ends
mkdir -p src/way other
printf '#include "../inc/far.h"\n # include "far.h"\n' >src/way/one.h
printf '#include "../way/one.h"\n#include "two.cuh"\n#include <three.cuh>\n' \
    >src/inc/far.h
kernel src/way/two.cuh
kernel other/three.cuh
printf '#include "way/one.h"\n#include "none.h"\n#include NAME\n#include\n' \
    >src/b.cu
cat >build/compile_commands.json <<J
[ { "directory": "$PWD/build", "file": "../src/b.cu",
    "command": "nvcc -DB -I../src/way -isystem ../other -I ../src/inc" } ]
J
run 1 --check -p build
has err "1 marked region in 2 files: 0 fused, 1 to be fused"
has out "src/way/two.cuh:3:1: "
case $(flags src/way/two.cuh) in
"-DB -I$PWD/build/../src/way "*) ;;
*) fail "flags of a header of a header: $(flags src/way/two.cuh)" ;;
esac
echo '[]' >build/compile_commands.json
run 2 -p build
has err "the database has no file"
run 2 -p nowhere
has err "nowhere/compile_commands.json: cannot open it"
run 2
has err "no file given"
run 0 --list-checks -p build

# found and wrong: a warning, default flags
echo '[ { "file": ' >build/compile_commands.json
run 0 --diff src/a.cu
has err "warning: $PWD/build/compile_commands.json:"
echo '{}' >build/compile_commands.json
run 0 --diff src/a.cu
has err "it is not a list"
: >build/compile_commands.json
run 1 -p build src/a.cu
echo '[ {}, 3, { "file": 4 }, { "file": "a", "arguments": [1] } ]' \
    >build/compile_commands.json
[ "$(flags src/a.cu)" = "" ] || fail "entries of nothing"
finish
