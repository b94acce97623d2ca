#!/bin/sh
# The CMake module, on a project whose "CUDA" is compiled as C++: what counts
# is which text is compiled.
. "$1"
cat >k.cu <<'C'
#include "values.h"
static int got = 0;
static void loop() { got = 1; }
static void fused(int) { got = FUSED; }
int main()
{
#pragma rf cascade
    loop();
    (void)loop, (void)fused;
    return got;
}
C
echo '#define FUSED VALUE' >values.h
cp k.cu orig
cat >CMakeLists.txt <<C
cmake_minimum_required(VERSION 3.22)
project(p CXX)
enable_testing()
set(RF_REWRITE $RF)
include($SOURCE/cmake/RfRewrite.cmake)
set_source_files_properties(k.cu PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
add_executable(plain k.cu)
rf_rewrite(plain CHECK)
add_executable(quick k.cu)
target_compile_definitions(quick PRIVATE VALUE=7 OTHER)
target_compile_definitions(plain PRIVATE VALUE=7)
rf_rewrite(quick OPTIONS --keep)
set_source_files_properties(\${CMAKE_BINARY_DIR}/quick.rf/k.cu
                            PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
C
cmake -S . -B b >log 2>&1 || fail "cmake: $(cat log)"
cmake --build b >log 2>&1 || fail "build: $(cat log)"
b/plain
[ $? -eq 1 ] || fail "the plain build is not plain"
b/quick
[ $? -eq 7 ] || fail "the fused text was not compiled"
same k.cu orig
ctest --test-dir b >log 2>&1 && fail "an unfused source passes the check"
run 0 k.cu
ctest --test-dir b >log 2>&1 || fail "a fused source fails: $(cat log)"
finish
