/* Commands of databases, as build systems write them. */
#include "front/nvcc_flags.h"

#include "support/buf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void check(const char *command, const char *want)
{
    rf_arena *arena = rf_arena_new();
    rf_command words = { 0 }, flags = { 0 };
    rf_buf got = { 0 };
    rf_command_split(arena, command, &words);
    rf_command_translate(arena, &words, "/tmp", &flags);
    for (size_t i = 0; i < flags.list.len; i++)
        rf_buf_printf(&got, "%s%s", i ? "|" : "", flags.list.data[i]);
    cr_assert_str_eq(rf_buf_text(&got), want, "%s -> %s", command,
                     rf_buf_text(&got));
    rf_buf_free(&got);
    RF_CLEAR(words.list);
    RF_CLEAR(flags.list);
    rf_arena_free(arena);
}

Test(nvcc_flags, of_cmake)
{
    check("/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler "
          "-DA=\\\"x\\\" --options-file CMakeFiles/none.rsp -I/inc "
          "-isystem=/sys -O3 -DNDEBUG -std=c++17 "
          "\"--generate-code=arch=compute_80,code=[compute_80,sm_80]\" "
          "\"--generate-code=arch=compute_90a,code=[sm_90a]\" "
          "-Xcompiler=-fPIC -MD -MT a.o -MF a.d -x cu -rdc=true "
          "-c a.cu -o a.o",
          "-DA=\"x\"|-I/inc|-isystem|/sys|-DNDEBUG|-std=c++17|"
          "--cuda-gpu-arch=sm_90a");
}

Test(nvcc_flags, by_hand)
{
    check("nvcc -arch=sm_86 -Iinc -I dir -D X -DY=1 -UZ a.cu",
          "-I/tmp/inc|-I/tmp/dir|-DX|-DY=1|-UZ|--cuda-gpu-arch=sm_86");
    check("ccache nvcc -arch compute_75 --std c++14 a.cu",
          "-std=c++14|--cuda-gpu-arch=sm_75");
    check("nvcc -ccbin g++-12 -Xptxas -v,-O3 -Xcompiler "
          "-DH=1,-fopenmp,-Ihost -diag-suppress 20199 -lineinfo a.cu",
          "-DH=1|-I/tmp/host");
    check("nvcc --pre-include p.h --expt-relaxed-constexpr "
          "--extended-lambda -t 0 -lcublas -L/lib -Werror all-warnings a.cu",
          "-include|p.h|-D__CUDACC_EXTENDED_LAMBDA__");
    check("nvcc -arch=native -gencode arch=compute_100,code=sm_100 x.cu",
          "--cuda-gpu-arch=sm_100");
    check("nvcc -arch=all-major x.cu", "");
    check("nvcc", "");
    check("", "");
    check("nvcc -I", "");
}

Test(nvcc_flags, from_files)
{
    FILE *f = fopen("/tmp/rf-nvcc-flags.rsp", "w");
    fputs("-I\"/a b\" -DX='1 2'\n@rf-nvcc-flags.rsp\n", f);
    fclose(f);
    check("nvcc @rf-nvcc-flags.rsp -DLAST",
          "-I/a b|-DX=1 2|-I/a b|-DX=1 2|-I/a b|-DX=1 2|-I/a b|-DX=1 2|"
          "-I/a b|-DX=1 2|-I/a b|-DX=1 2|-I/a b|-DX=1 2|-I/a b|-DX=1 2|"
          "-DLAST");
    check("nvcc --options-file /tmp/rf-nvcc-none.rsp,rf-nvcc-none -DA", "-DA");
    remove("/tmp/rf-nvcc-flags.rsp");
}

Test(nvcc_flags, split_as_a_shell_does)
{
    rf_arena *arena = rf_arena_new();
    rf_command w = { 0 };
    rf_command_split(arena, "a 'b c' \"d\\\"e\" f\\ g h''i '' \"x", &w);
    const char *want[] = { "a", "b c", "d\"e", "f g", "hi", "", "x" };
    cr_assert_eq(w.list.len, 7);
    for (int i = 0; i < 7; i++)
        cr_assert_str_eq(w.list.data[i], want[i]);
    RF_CLEAR(w.list);
    rf_arena_free(arena);
}
