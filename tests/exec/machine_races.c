/* Races, reads of unwritten memory, bounds: what is reported, what is not. */
#include "device.h"

#include <criterion/criterion.h>

#define KERNEL(body)                                                           \
    ".visible .entry k(.param .u64 p) {\n"                                     \
    ".shared .align 4 .b8 s[1024];\n"                                          \
    ".reg .b16 %h<5>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"                  \
    ".reg .pred %p<10>;\n"                                                     \
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r9, %ctaid.x;\n"    \
    "mov.u32 %r10, s; shl.b32 %r11, %r1, 2; add.u32 %r12, %r10, %r11;\n"       \
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;\n" body " ret; }\n"

typedef struct {
    const char *body;
    unsigned blocks, cluster, threads;
} shape;

/* Run and check that exactly "check" fired (RF_CHECK_COUNT: none). */
static void fires(shape s, rf_check check)
{
    device d = device_new(s.body);
    uint64_t args[16] = { device_zeros(&d, 4096) };
    device_run_cluster(&d, s.blocks, s.cluster ? s.cluster : 1, s.threads, 0,
                       args);
    if (check != RF_CHECK_COUNT)
        cr_expect_gt(device_reports(&d, check), 0, "%s is not reported",
                     rf_check_spelling(check));
    for (int c = 0; c < RF_CHECK_COUNT; c++)
        cr_expect((int)check == c || !device_reports(&d, (rf_check)c), "%s",
                  device_messages(&d));
    device_free(&d);
}

static void clean(shape s)
{
    fires(s, RF_CHECK_COUNT);
}

#define EXCHANGE(sync)                                                         \
    KERNEL("st.shared.u32 [%r12], %r1;" sync "xor.b32 %r3, %r11, 508;\n"       \
           "add.u32 %r3, %r3, %r10; ld.shared.u32 %r2, [%r3];\n"               \
           "st.global.u32 [%rd2], %r2;")

Test(races, a_barrier_orders_shared_memory)
{
    clean((shape){ EXCHANGE("bar.sync 0;"), 3, 1, 128 });
    device d = device_new(EXCHANGE(""));
    uint64_t args[16] = { device_zeros(&d, 4096) };
    device_run(&d, 1, 128, args);
    cr_expect_gt(device_reports(&d, RF_CHECK_RACE), 0);
    device_free(&d);
}

#define LANES(sync)                                                            \
    KERNEL("st.shared.u32 [%r12], %r1;" sync "xor.b32 %r3, %r11, 4;\n"         \
           "add.u32 %r3, %r3, %r10; ld.shared.u32 %r2, [%r3];\n"               \
           "st.global.u32 [%rd2], %r2;")

Test(races, lanes_of_a_warp_need_syncwarp)
{
    clean((shape){ LANES("bar.warp.sync -1;"), 1, 1, 32 });
    fires((shape){ LANES(""), 1, 1, 32 }, RF_CHECK_RACE);
}

Test(races, a_write_after_unordered_reads)
{
    fires((shape){ KERNEL("st.shared.u32 [%r12], %r1; bar.sync 0;\n"
                          "ld.shared.u32 %r2, [s]; st.global.u32 [%rd2], %r2;\n"
                          "setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 5;\n"
                          "@%p1 st.shared.u32 [s], %r3;"),
                   1, 1, 64 },
          RF_CHECK_RACE);
}

Test(races, equal_values_may_be_written_at_once)
{
    clean(
        (shape){ KERNEL("mov.u32 %r2, 7; st.shared.u32 [s], %r2;"), 1, 1, 64 });
    fires((shape){ KERNEL("st.shared.u32 [s], %r1;"), 1, 1, 64 },
          RF_CHECK_RACE);
}

Test(races, halves_of_a_word_are_apart)
{
    clean((shape){ KERNEL("shl.b32 %r2, %r1, 1; add.u32 %r2, %r2, %r10;\n"
                          "cvt.u16.u32 %h1, %r1; st.shared.u16 [%r2], %h1;\n"
                          "bar.sync 0; ld.shared.u32 %r3, [s];"),
                   1, 1, 64 });
    fires((shape){ KERNEL("shr.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 1;\n"
                          "add.u32 %r2, %r2, %r10; cvt.u16.u32 %h1, %r1;\n"
                          "st.shared.u16 [%r2], %h1;"),
                   1, 1, 64 },
          RF_CHECK_RACE);
}

Test(races, blocks_are_not_ordered)
{
    fires((shape){ KERNEL("st.global.u32 [%rd1], %r9;"), 4, 1, 1 },
          RF_CHECK_RACE);
    clean((shape){ KERNEL("red.global.add.u32 [%rd1], 1;"), 64, 1, 32 });
}

Test(races, launches_are_ordered)
{
    device d = device_new(KERNEL("ld.global.u32 %r2, [%rd2];\n"
                                 "add.u32 %r2, %r2, 1;\n"
                                 "st.global.u32 [%rd2], %r2;"));
    uint64_t args[16] = { device_zeros(&d, 4096) };
    for (unsigned i = 0; i < 5; i++)
        device_run(&d, 1, 64 << i % 2, args);
    cr_expect_eq(device_words(args[0])[63], 5);
    cr_expect_eq(device_reports(&d, RF_CHECK_COUNT), 0, "%s",
                 device_messages(&d));
    device_free(&d);
}

/* The last block sums what all have written: the fence-and-count idiom. */
#define LAST_BLOCK(fence)                                                      \
    KERNEL("mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3;\n"            \
           "add.u32 %r2, %r9, 1; st.global.u32 [%rd3], %r2;" fence             \
           "atom.global.add.u32 %r3, [%rd1+2048], 1;\n"                        \
           "setp.ne.u32 %p1, %r3, 7; @%p1 ret;\n" fence                        \
           "mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u64 %rd4, %rd1;\n"             \
           "L: ld.global.u32 %r6, [%rd4]; add.u32 %r4, %r4, %r6;\n"            \
           "add.s64 %rd4, %rd4, 4; add.u32 %r5, %r5, 1;\n"                     \
           "setp.lt.u32 %p2, %r5, 8; @%p2 bra L;\n"                            \
           "st.global.u32 [%rd1+3000], %r4;")

Test(races, fences_and_atomics_order_blocks)
{
    clean((shape){ LAST_BLOCK("membar.gl;"), 8, 1, 1 });
    fires((shape){ LAST_BLOCK(""), 8, 1, 1 }, RF_CHECK_RACE);
}

/* Block 0 fills a row and sets a flag; each later block waits for the flag of
 * the one before it, reads the row and sets its own. Both warps take part, but
 * only thread 0 touches flags: "before" orders the warps ahead of the fence,
 * "after" behind the wait. */
#define CHAIN(before, after)                                                   \
    KERNEL("mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3;\n"            \
           "setp.ne.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r9, 0;\n"               \
           "@%p2 bra FIRST; @%p1 bra WAITED;\n"                                \
           "SPIN: ld.volatile.global.u32 %r3, [%rd3+2044];\n"                  \
           "setp.eq.u32 %p3, %r3, 0; @%p3 bra SPIN; membar.gl;\n"              \
           "WAITED: " after                                                    \
           "xor.b32 %r4, %r1, 63; mul.wide.u32 %rd4, %r4, 4;\n"                \
           "add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r5, [%rd4];\n"            \
           "bra SET; FIRST: st.global.u32 [%rd2], %r1;\n"                      \
           "SET: " before "@%p1 ret; membar.gl;\n"                             \
           "st.volatile.global.u32 [%rd3+2048], 1;")

Test(races, flags_order_warp_by_warp)
{
    clean((shape){ CHAIN("bar.sync 0;", "bar.sync 0;"), 2, 1, 64 });
    clean((shape){ CHAIN("bar.sync 0;", "bar.sync 0;"), 20, 1, 64 });
    fires((shape){ CHAIN("", "bar.sync 0;"), 2, 1, 64 }, RF_CHECK_RACE);
    fires((shape){ CHAIN("bar.sync 0;", ""), 2, 1, 64 }, RF_CHECK_RACE);
    clean((shape){ CHAIN("bar.sync 0;", "bar.sync 0;"), 8, 2, 64 });
}

/* Blocks count themselves; "last" is the number of the last one. */
#define COUNTED(fence, last)                                                   \
    KERNEL("rem.u32 %r2, %r9, 256; mul.wide.u32 %rd3, %r2, 4;\n"               \
           "add.s64 %rd3, %rd1, %rd3; setp.ne.u32 %p2, %r9, 77;\n"             \
           "@!%p2 st.global.u32 [%rd3], %r9;" fence                            \
           "atom.global.add.u32 %r3, [%rd1+2048], 1;\n"                        \
           "setp.ne.u32 %p1, %r3, " last "; @%p1 ret;\n" fence                 \
           "ld.global.u32 %r4, [%rd1+308];")

Test(races, flags_order_large_grids)
{
    clean((shape){ COUNTED("membar.gl;", "19999"), 20000, 1, 1 });
    fires((shape){ COUNTED("", "19999"), 20000, 1, 1 }, RF_CHECK_RACE);
    fires((shape){ KERNEL("membar.gl; setp.eq.u32 %p1, %r9, 0;\n"
                          "setp.eq.u32 %p2, %r9, 19999;\n"
                          "@%p1 st.global.u32 [%rd1], %r9;\n"
                          "@%p2 ld.global.u32 %r2, [%rd1];"),
                   20000, 1, 1 },
          RF_CHECK_RACE);
}

/* Each block reads its neighbour's shared memory. */
#define REMOTE(first, last)                                                    \
    KERNEL("st.shared.u32 [%r12], %r9;" first                                  \
           "mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 1;\n"             \
           "mapa.shared::cluster.u32 %r3, %r12, %r2;\n"                        \
           "ld.shared::cluster.u32 %r4, [%r3];" last)
#define SYNC "barrier.cluster.arrive; barrier.cluster.wait;\n"

Test(races, remote_shared_memory)
{
    clean((shape){ REMOTE(SYNC, SYNC), 4, 2, 32 });
    device d = device_new(REMOTE("", SYNC));
    uint64_t args[16] = { device_zeros(&d, 4096) };
    device_run_cluster(&d, 2, 2, 32, 0, args);
    cr_expect_gt(device_reports(&d, RF_CHECK_RACE), 0);
    device_free(&d);
}

/* Seen as an access after the exit or, if the owner was slow, as an exit that
 * nothing orders after the access. */
Test(races, exit_without_a_last_barrier)
{
    device d = device_new(REMOTE(SYNC, ""));
    uint64_t args[16] = { device_zeros(&d, 4096) };
    device_run_cluster(&d, 2, 2, 32, 0, args);
    cr_expect_gt(device_reports(&d, RF_CHECK_EXIT_ORDER) +
                     device_reports(&d, RF_CHECK_EXITED),
                 0);
    device_free(&d);
}

Test(init, unwritten_memory)
{
    fires((shape){ KERNEL("ld.shared.u32 %r2, [%r12];"), 1, 1, 32 },
          RF_CHECK_UNINIT);
    device d = device_new(KERNEL("ld.global.u32 %r2, [%rd2];"));
    uint64_t args[16] = { rf_machine_alloc(d.machine, 4096) };
    device_run(&d, 1, 32, args);
    cr_expect_gt(device_reports(&d, RF_CHECK_UNINIT), 0);
    device_free(&d);
}

Test(bounds, buffers_and_their_ends)
{
    fires((shape){ KERNEL("ld.global.u32 %r2, [%rd1+4096];"), 1, 1, 32 },
          RF_CHECK_BOUNDS);
    fires((shape){ KERNEL("st.global.u32 [%rd1+-4], %r1;"), 1, 1, 32 },
          RF_CHECK_BOUNDS);
    fires((shape){ KERNEL("ld.shared.u32 %r2, [s+1024];"), 1, 1, 32 },
          RF_CHECK_BOUNDS);
    fires((shape){ KERNEL("ld.global.u32 %r2, [%rd1+2];"), 1, 1, 32 },
          RF_CHECK_MISALIGNED);
}

Test(bounds, freed_memory)
{
    device d = device_new(KERNEL("ld.global.u32 %r2, [%rd2];"));
    uint64_t args[16] = { device_zeros(&d, 4096) };
    cr_assert(rf_machine_release(d.machine, args[0]));
    cr_expect_not(rf_machine_release(d.machine, args[0]));
    cr_expect_eq(device_run(&d, 1, 32, args), RF_ILLEGAL_ADDRESS);
    cr_expect_eq(device_reports(&d, RF_CHECK_FREED), 1);
    device_free(&d);
}

Test(barriers, threads_that_never_come)
{
    fires((shape){ KERNEL("setp.lt.u32 %p1, %r1, 64; @%p1 bar.sync 0;"), 1, 1,
                   128 },
          RF_CHECK_BARRIER);
    fires((shape){ KERNEL("bar.sync 1, 128;"), 1, 1, 64 }, RF_CHECK_DEADLOCK);
    clean((shape){ KERNEL("setp.lt.u32 %p1, %r1, 64;\n"
                          "@%p1 bar.sync 1, 128; @%p1 ret;\n"
                          "bar.arrive 1, 128;"),
                   1, 1, 128 });
}

/* A block reads the upper half of a page, word by word, while another writes
 * halves of words into its lower half: the page's cells are divided under the
 * reader, who must not see a neighbour's. */
#define DIVIDED                                                                \
    KERNEL("mul.wide.u32 %rd3, %r9, 4096; add.s64 %rd3, %rd1, %rd3;\n"         \
           "xor.b32 %r3, %r9, 1; mul.wide.u32 %rd4, %r3, 4096;\n"              \
           "add.s64 %rd4, %rd2, %rd4; mul.wide.u32 %rd5, %r1, 2;\n"            \
           "add.s64 %rd5, %rd5, %rd3; cvt.u16.u32 %h1, %r1;\n"                 \
           "mov.u32 %r4, 0;\n"                                                 \
           "LOOP: ld.global.u32 %r2, [%rd4+2048];\n"                           \
           "ld.global.u32 %r2, [%rd4+3072];\n"                                 \
           "setp.ne.u32 %p1, %r4, 8; or.pred %p1, %p1, %p3;\n"                 \
           "@%p1 bra NEXT; st.global.u16 [%rd5+1024], %h1;\n"                  \
           "st.global.u16 [%rd5+1536], %h1;\n"                                 \
           "NEXT: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 16;\n"            \
           "@%p2 bra LOOP;")

static void two_workers(rf_exec_options *o)
{
    o->threads = 2;
}

Test(races, a_page_may_be_divided_while_others_read_it)
{
    for (int turn = 0; turn < 20; turn++) {
        device d = device_with(DIVIDED, two_workers);
        uint64_t args[16] = { device_zeros(&d, 256 * 4096) };
        device_run(&d, 256, 256, args);
        cr_assert(!device_reports(&d, RF_CHECK_RACE), "%s",
                  device_messages(&d));
        device_free(&d);
    }
}
