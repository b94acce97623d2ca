/* Text that is damaged: it is refused or loaded, never more. */
#include "device.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] =
    ".version 8.5\n.target sm_90a\n.address_size 64\n"
    ".global .align 4 .u32 v[3] = {1, 2, 3};\n"
    ".const .align 8 .u64 q = generic(v);\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".func (.param .b32 o) twice(.param .b32 n) { .reg .b32 %r<3>;\n"
    "ld.param.u32 %r1, [n]; add.u32 %r2, %r1, %r1;\n"
    "st.param.b32 [o], %r2; ret; }\n"
    ".visible .entry k(.param .u64 p, .param .align 8 .b8 s[24])\n"
    ".maxntid 128, 1, 1 .reqnctapercluster 2, 1, 1\n{\n"
    ".shared .align 16 .b8 buf[256]; .local .align 8 .b8 l[64];\n"
    ".reg .b16 %h<5>; .reg .b32 %r<20>; .reg .f32 %f<9>;\n"
    ".reg .b64 %rd<20>; .reg .pred %p<10>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
    "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;\n"
    "call.uni (r), twice, (a); ld.param.b32 %r2, [r]; }\n"
    "T: .branchtargets A, B;\nand.b32 %r3, %r1, 1; brx.idx %r3, T;\n"
    "A: @%p1 bra B;\nsetp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;\n"
    "ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];\n"
    "mov.b64 {%r4, %r5}, %rd1; cvt.rn.f16.f32 %h1, %f1;\n"
    "shfl.sync.bfly.b32 %r6|%p4, %r2, 0x1, 0x1f, -1;\n"
    "atom.global.add.f32 %f3, [%rd1], 0f3F800000; bar.sync 0;\n"
    "B: st.shared.u32 [buf+4], %r2; ret; }\n";

static void load(rf_machine *m, const char *text)
{
    char *error = NULL;
    rf_module *module = rf_module_load(m, text, &error);
    cr_assert(module || error);
    free(error);
}

static rf_machine *machine(void)
{
    rf_exec_options o = rf_exec_defaults();
    return rf_machine_new(&o);
}

Test(fuzz, every_prefix)
{
    rf_machine *m = machine();
    for (size_t n = 0; n < sizeof ptx; n++) {
        char *text = strndup(ptx, n);
        load(m, text);
        free(text);
    }
    rf_machine_free(m);
}

Test(fuzz, exchanged_and_doubled_bytes)
{
    static const char marks[] = "{}[](),;:.%@!-+|<>=09afxz_$\" \n";
    rf_machine *m = machine();
    uint64_t x = 1;
    for (int i = 0; i < 4000; i++) {
        char *text = strdup(ptx);
        for (int k = 0; k < 1 + i % 4; k++) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            text[(x >> 33) % (sizeof ptx - 1)] =
                marks[(x >> 20) % (sizeof marks - 1)];
        }
        load(m, text);
        free(text);
    }
    rf_machine_free(m);
}

Test(fuzz, deep_nesting)
{
    static const char *const opening[] = { "{", "(", "[", "-", "!" };
    rf_machine *m = machine();
    for (size_t k = 0; k < sizeof opening / sizeof *opening; k++) {
        char *text = calloc(1, 200100);
        strcpy(text, ".entry k() { add.u32 ");
        memset(text + strlen(text), *opening[k], 200000);
        load(m, text);
        free(text);
    }
    rf_machine_free(m);
}
