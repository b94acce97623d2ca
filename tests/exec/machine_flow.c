/* Control flow: divergence, loops, calls, barriers, exits. */
#include "device.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A kernel over one pointer: %rd1 the buffer, %r1 the thread, %rd2 the place
 * of its word; "body" leaves its result in %r2. */
#define KERNEL(body)                                                           \
    ".visible .entry k(.param .u64 p) {\n"                                     \
    ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<10>;\n"                \
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"                           \
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n" body              \
    "st.global.u32 [%rd2], %r2; ret; }\n"

/* Run "ptx" with "threads" threads and compare every word with want(i). */
static void expect(const char *ptx, unsigned threads, uint32_t (*want)(int))
{
    device d = device_new(ptx);
    uint64_t args[16] = { device_zeros(&d, 4 * threads) };
    cr_expect_eq(device_run(&d, 1, threads, args), RF_OK, "%s",
                 device_messages(&d));
    for (unsigned i = 0; i < threads; i++)
        cr_expect_eq(device_words(args[0])[i], want((int)i),
                     "thread %u: %u, not %u", i, device_words(args[0])[i],
                     want((int)i));
    cr_expect_eq(device_reports(&d, RF_CHECK_COUNT), 0, "%s",
                 device_messages(&d));
    device_free(&d);
}

static uint32_t both_sides(int i)
{
    return (uint32_t)(i % 2 ? i * 10 : i + 1000) + 5;
}

Test(flow, both_sides_of_a_branch_meet_again)
{
    expect(KERNEL("and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;\n"
                  "@%p1 bra EVEN; mul.lo.u32 %r2, %r1, 10; bra MEET;\n"
                  "EVEN: add.u32 %r2, %r1, 1000;\n"
                  "MEET: activemask.b32 %r4; setp.ne.u32 %p2, %r4, -1;\n"
                  "@%p2 trap; add.u32 %r2, %r2, 5;\n"),
           64, both_sides);
}

static uint32_t trips(int i)
{
    return (uint32_t)(i * (i + 1) / 2);
}

Test(flow, loops_of_different_length)
{
    expect(KERNEL("mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                  "NEXT: setp.gt.u32 %p1, %r3, %r1; @%p1 bra DONE;\n"
                  "add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1; bra NEXT;\n"
                  "DONE:\n"),
           96, trips);
}

static uint32_t table(int i)
{
    static const uint32_t values[] = { 7, 70, 700, 7000 };
    return values[i % 4];
}

Test(flow, branch_tables)
{
    expect(KERNEL("and.b32 %r3, %r1, 3;\n"
                  "T: .branchtargets A, B, C, D;\n"
                  "brx.idx %r3, T;\n"
                  "A: mov.u32 %r2, 7; bra E;\nB: mov.u32 %r2, 70; bra E;\n"
                  "C: mov.u32 %r2, 700; bra E;\nD: mov.u32 %r2, 7000;\nE:\n"),
           40, table);
}

#define FIB                                                                    \
    ".func (.param .b32 out) fib(.param .b32 n) {\n"                           \
    ".reg .b32 %r<9>; .reg .pred %p<2>;\n"                                     \
    "ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; mov.u32 %r2, %r1;\n"      \
    "@%p1 bra END; sub.u32 %r3, %r1, 1;\n"                                     \
    "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r3;\n"                 \
    "call (r), fib, (a); ld.param.b32 %r4, [r]; }\n"                           \
    "sub.u32 %r3, %r1, 2;\n"                                                   \
    "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r3;\n"                 \
    "call (r), fib, (a); ld.param.b32 %r5, [r]; }\n"                           \
    "add.u32 %r2, %r4, %r5;\nEND: st.param.b32 [out], %r2; ret; }\n"

static uint32_t fib(int n)
{
    uint32_t a = 0, b = 1;
    for (int i = 0; i < n % 9; i++) {
        uint32_t next = a + b;
        a = b;
        b = next;
    }
    return a;
}

Test(flow, recursion_diverges_and_returns)
{
    expect(FIB KERNEL("rem.u32 %r3, %r1, 9;\n"
                      "{ .param .b32 a; .param .b32 r;\n"
                      "st.param.b32 [a], %r3; call (r), fib, (a);\n"
                      "ld.param.b32 %r2, [r]; }\n"),
           64, fib);
}

static uint32_t kept(int i)
{
    return (uint32_t)i + 1000 + fib(i);
}

Test(flow, what_alloca_gave_outlives_calls)
{
    expect(FIB KERNEL("mov.u64 %rd4, 16; alloca.u64 %rd3, %rd4, 16;\n"
                      "add.u32 %r4, %r1, 1000; st.local.u32 [%rd3+4], %r4;\n"
                      "rem.u32 %r3, %r1, 9; { .param .b32 a; .param .b32 r;\n"
                      "st.param.b32 [a], %r3; call (r), fib, (a);\n"
                      "ld.param.b32 %r2, [r]; }\n"
                      "ld.local.u32 %r5, [%rd3+4]; add.u32 %r2, %r2, %r5;\n"),
           64, kept);
}

static uint32_t twice_or_square(int i)
{
    return (uint32_t)(i % 2 ? i * i : 2 * i);
}

Test(flow, calls_through_pointers)
{
    expect(".func (.param .b32 o) twice(.param .b32 n) { .reg .b32 %r<3>;\n"
           "ld.param.u32 %r1, [n]; add.u32 %r2, %r1, %r1;\n"
           "st.param.b32 [o], %r2; ret; }\n"
           ".func (.param .b32 o) square(.param .b32 n) { .reg .b32 %r<3>;\n"
           "ld.param.u32 %r1, [n]; mul.lo.u32 %r2, %r1, %r1;\n"
           "st.param.b32 [o], %r2; ret; }\n" KERNEL(
               "mov.u64 %rd3, twice; mov.u64 %rd4, square;\n"
               "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;\n"
               "selp.b64 %rd5, %rd3, %rd4, %p1;\n"
               "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;\n"
               "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
               "call (r), %rd5, (a), P; ld.param.b32 %r2, [r]; }\n"),
           64, twice_or_square);
}

static uint32_t sum_of_block(int i)
{
    (void)i;
    return 96 * 95 / 2;
}

Test(flow, barriers_count_and_reduce)
{
    expect(KERNEL("setp.ge.u32 %p1, %r1, 48;\n"
                  "barrier.red.popc.u32 %r3, 0, %p1;\n"
                  "setp.ne.u32 %p2, %r3, 48; @%p2 trap;\n"
                  "setp.ge.u32 %p1, %r1, 0; bar.red.and.pred %p3, 1, %p1;\n"
                  "@!%p3 trap; setp.lt.u32 %p1, %r1, 0;\n"
                  "bar.red.or.pred %p3, 2, %p1; @%p3 trap;\n"
                  "mov.u32 %r2, 4560;\n"),
           96, sum_of_block);
}

static uint32_t locked(int i)
{
    (void)i;
    return 0;
}

Test(flow, a_spin_lock_within_a_warp_ends)
{
    device d = device_new(
        KERNEL("setp.eq.u32 %p1, %r1, -1;\n"
               "SPIN: atom.global.cas.b32 %r3, [%rd1+1024], 0, 1;\n"
               "setp.ne.u32 %p2, %r3, 0; @%p2 bra SPIN;\n"
               "ld.volatile.global.u32 %r4, [%rd1+1028]; add.u32 %r4, %r4, 1;\n"
               "st.volatile.global.u32 [%rd1+1028], %r4; membar.gl;\n"
               "atom.global.exch.b32 %r3, [%rd1+1024], 0; mov.u32 %r2, 0;\n"));
    uint64_t args[16] = { device_zeros(&d, 2048) };
    cr_expect_eq(device_run(&d, 4, 64, args), RF_OK);
    cr_expect_eq(device_words(args[0])[257], 256);
    cr_expect_eq(locked(0), device_words(args[0])[0]);
    cr_expect_eq(device_reports(&d, RF_CHECK_COUNT), 0, "%s",
                 device_messages(&d));
    device_free(&d);
}

static uint32_t early(int i)
{
    return i < 20 ? (uint32_t)i : 0;
}

Test(flow, lanes_that_exit_early_are_gone)
{
    expect(KERNEL("setp.ge.u32 %p1, %r1, 20; @%p1 exit; mov.u32 %r2, %r1;\n"),
           64, early);
}

/* The least schedule has block 0 wait for block 1. */
Test(flow, a_block_may_wait_for_a_later_one)
{
    device d = device_new(
        KERNEL("mov.u32 %r5, %ctaid.x; setp.ne.u32 %p1, %r5, 0;\n"
               "@%p1 bra SET;\n"
               "WAIT: ld.acquire.gpu.global.u32 %r3, [%rd1+1024];\n"
               "setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT; mov.u32 %r2, 9;\n"
               "st.global.u32 [%rd2], %r2; ret;\n"
               "SET: mov.u32 %r3, 1;\n"
               "st.release.gpu.global.u32 [%rd1+1024], %r3; ret;\n"));
    uint64_t args[16] = { device_zeros(&d, 2048) };
    cr_expect_eq(device_run(&d, 2, 32, args), RF_OK);
    cr_expect_eq(device_words(args[0])[31], 9);
    device_free(&d);
}

/* ---- many blocks, several workers ---- */

typedef struct {
    int most; /* threads of the process seen at once */
    atomic_bool done;
} watch;

static void *count_threads(void *data)
{
    watch *w = data;
    while (!w->done) {
        DIR *tasks = opendir("/proc/self/task");
        int n = -2; /* . and .. */
        while (tasks && readdir(tasks))
            n++;
        if (tasks)
            closedir(tasks);
        if (n > w->most)
            w->most = n;
    }
    return NULL;
}

static void four_workers(rf_exec_options *o)
{
    o->threads = 4;
}

Test(flow, thousands_of_blocks_run_on_several_workers)
{
    enum { BLOCKS = 60000 };
    device d =
        device_with(KERNEL("mov.u32 %r5, %ctaid.x; shl.b32 %r3, %r5, 2;\n"
                           "cvt.u64.u32 %rd4, %r3; add.s64 %rd4, %rd1, %rd4;\n"
                           "mul.lo.u32 %r4, %r5, 3;\n"
                           "st.global.u32 [%rd4], %r4; ret;\n"),
                    four_workers);
    uint64_t args[16] = { device_zeros(&d, 4 * BLOCKS) };
    watch w = { 0 };
    pthread_t watcher;
    pthread_create(&watcher, NULL, count_threads, &w);
    cr_expect_eq(device_run(&d, BLOCKS, 32, args), RF_OK);
    w.done = true;
    pthread_join(watcher, NULL);
    for (uint32_t i = 0; i < BLOCKS; i++)
        cr_assert_eq(device_words(args[0])[i], 3 * i);
    cr_expect_geq(w.most, 3, "%d threads", w.most);
    device_free(&d);
}

Test(flow, unknown_instructions_stop_with_their_text)
{
    device d = device_new(KERNEL("frobnicate.u32 %r2, %r1;\n"));
    uint64_t args[16] = { device_zeros(&d, 256) };
    cr_expect_eq(device_run(&d, 1, 32, args), RF_NOT_SUPPORTED);
    cr_expect(strstr(device_messages(&d), "frobnicate.u32 %r2, %r1"));
    cr_expect(strstr(device_messages(&d), "[rf-run-unknown]"));
    device_free(&d);
}

Test(flow, text_that_is_no_ptx_is_refused_with_its_line)
{
    rf_exec_options o = rf_exec_defaults();
    rf_machine *m = rf_machine_new(&o);
    char *error = NULL;
    cr_assert_null(rf_module_load(
        m, ".version 8.5\n.entry k() {\nadd.u32 %r1 %r2; }", &error));
    cr_expect(strstr(error, "line 3"), "%s", error);
    free(error);
    rf_machine_free(m);
}
