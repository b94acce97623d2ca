/* Barriers in memory, asynchronous copies, matrix moves, and instructions that
 * only order or advise. */
#include "rows.h"

#include "support/array.h"

#include <criterion/criterion.h>

/* Up to 16 bytes of each thread's own in shared memory, at the address r8. */
#define OWN(bytes)                                                             \
    " .shared .align 16 .b8 m[8192]; mov.u32 r9, %tid.x; mov.u32 r8, m;"       \
    " mad.lo.u32 r8, r9, " #bytes ", r8; "

static uint64_t half_swap(uint64_t v)
{
    return (v >> 16 & 0xffff) | (v & 0xffff) << 16;
}

/* clang-format off */
#define MBARRIERS(X)                                                           \
    X(not_yet, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 2;"            \
      " mbarrier.arrive.shared.b64 q0, [r8];"                                  \
      " mbarrier.test_wait.shared.b64 p0, [r8], q0; selp.u32 d, 1, 0, p0; }",  \
      0)                                                                       \
    X(complete, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 2;"           \
      " mbarrier.arrive.shared.b64 q0, [r8];"                                  \
      " mbarrier.arrive.shared.b64 q1, [r8];"                                  \
      " mbarrier.test_wait.shared.b64 p0, [r8], q0; selp.u32 d, 1, 0, p0; }",  \
      1)                                                                       \
    X(count, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 7;"              \
      " mbarrier.arrive.shared.b64 q0, [r8], 3;"                               \
      " mbarrier.arrive.shared.b64 q1, [r8], 4;"                               \
      " mbarrier.try_wait.shared.b64 p0, [r8], q0; selp.u32 d, 1, 0, p0; }",   \
      1)                                                                       \
    X(pending, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 9;"            \
      " mbarrier.arrive.shared.b64 q0, [r8], 3;"                               \
      " mbarrier.arrive.shared.b64 q0, [r8];"                                  \
      " mbarrier.pending_count.b64 d, q0; }", 6)                               \
    X(parity, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 1;"             \
      " mbarrier.arrive.shared.b64 q0, [r8];"                                  \
      " mbarrier.test_wait.parity.shared.b64 p0, [r8], 0;"                     \
      " mbarrier.test_wait.parity.shared.b64 p1, [r8], 1;"                     \
      " mbarrier.arrive.shared.b64 q0, [r8];"                                  \
      " mbarrier.test_wait.parity.shared.b64 p2, [r8], 1;"                     \
      " selp.u32 d, 1, 0, p0; @p1 add.u32 d, d, 2; @p2 add.u32 d, d, 4; }", 5) \
    X(bytes_first, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 1;"        \
      " mbarrier.expect_tx.relaxed.cta.shared.b64 [r8], 64;"                   \
      " mbarrier.arrive.shared.b64 q0, [r8];"                                  \
      " mbarrier.test_wait.shared.b64 p0, [r8], q0;"                           \
      " mbarrier.complete_tx.relaxed.cta.shared.b64 [r8], 64;"                 \
      " mbarrier.test_wait.shared.b64 p1, [r8], q0;"                           \
      " selp.u32 d, 1, 0, p0; @p1 add.u32 d, d, 2; }", 2)                      \
    X(expect_arrive, "rr", "{" OWN(8) "mbarrier.init.shared::cta.b64 [r8], 1;" \
      " mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 q0, [r8], 16;"   \
      " mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [r8], 16;"            \
      " mbarrier.test_wait.acquire.cta.shared::cta.b64 p0, [r8], q0;"          \
      " selp.u32 d, 1, 0, p0; }", 1)                                           \
    X(dropped, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 2;"            \
      " mbarrier.arrive_drop.shared.b64 q0, [r8];"                             \
      " mbarrier.arrive.shared.b64 q0, [r8];"                                  \
      " mbarrier.arrive.shared.b64 q1, [r8];"                                  \
      " mbarrier.test_wait.shared.b64 p0, [r8], q1; selp.u32 d, 1, 0, p0; }",  \
      1)                                                                       \
    X(reused, "rr", "{" OWN(8) "mbarrier.init.shared.b64 [r8], 1;"             \
      " mbarrier.inval.shared.b64 [r8]; st.shared.b32 [r8], a;"                \
      " ld.shared.b32 d, [r8]; }", a)                                          \
    X(generic, "rr", "{" OWN(8) "cvt.u64.u32 q2, r8; cvta.shared.u64 q2, q2;"  \
      " mbarrier.init.b64 [q2], 1; mbarrier.arrive.b64 q0, [q2];"              \
      " mbarrier.test_wait.b64 p0, [q2], q0; selp.u32 d, 1, 0, p0; }", 1)

#define COPIES(X)                                                              \
    X(async_4, "rr", "{" OWN(16)                                               \
      "cp.async.ca.shared.global [r8], [from], 4; cp.async.wait_all;"          \
      " ld.shared.b32 d, [r8]; }", a)                                          \
    X(async_8, "qq", "{" OWN(16)                                               \
      "cp.async.ca.shared.global [r8+8], [from], 8; cp.async.commit_group;"    \
      " cp.async.wait_group 0; ld.shared.b64 d, [r8+8]; }", a)                 \
    X(async_part, "qq", "{" OWN(16)                                            \
      "cp.async.ca.shared.global [r8], [from], 8, 4; cp.async.wait_all;"       \
      " ld.shared.b64 d, [r8]; }", a & 0xffffffff)                             \
    X(async_none, "qq", "{" OWN(16) "setp.eq.u32 p0, r9, r9;"                  \
      " cp.async.ca.shared.global [r8], [from], 8, p0; cp.async.wait_all;"     \
      " ld.shared.b64 d, [r8]; }", 0)                                          \
    X(async_groups, "qq", "{" OWN(16)                                          \
      "cp.async.ca.shared.global [r8], [from], 8; cp.async.commit_group;"      \
      " cp.async.ca.shared.global [r8+8], [from], 4; cp.async.commit_group;"   \
      " cp.async.wait_group 1; ld.shared.b64 d, [r8];"                         \
      " cp.async.wait_group 0; }", a)                                          \
    X(async_arrive, "qq", "{" OWN(16) "mbarrier.init.shared.b64 [r8], 1;"      \
      " cp.async.ca.shared.global [r8+8], [from], 8;"                          \
      " cp.async.mbarrier.arrive.noinc.shared.b64 [r8];"                       \
      " AGAIN: mbarrier.try_wait.parity.shared.b64 p0, [r8], 0;"               \
      " @!p0 bra AGAIN; ld.shared.b64 d, [r8+8]; }", a)                        \
    X(bulk_prefetch, "rr", "setp.eq.u32 p0, a, a; @!p0"                        \
      " cp.async.bulk.prefetch.L2.global [from], 16; mov.u32 d, a;", a)        \
    X(mapped, "rr", "{" OWN(16) "st.shared.b32 [r8], a;"                       \
      " mapa.shared::cluster.u32 r0, r8, 0; ld.shared::cluster.b32 d, [r0];"   \
      " getctarank.shared::cluster.u32 r1, r0; add.u32 d, d, r1; }", a)        \
    X(cluster_barrier, "rr", "barrier.cluster.arrive.release.aligned;"         \
      " barrier.cluster.wait.acquire.aligned; mov.u32 d, %cluster_nctarank;",  \
      1)

/* Lane l holds elements 2 (l mod 4) and + 1 of row l / 4: a transposition
 * twice is the identity, and so is a store followed by a load. */
#define MATRICES(X)                                                            \
    X(transposed_twice, "rr",                                                  \
      "movmatrix.sync.aligned.m8n8.trans.b16 r0, a;"                           \
      " movmatrix.sync.aligned.m8n8.trans.b16 d, r0;", a)                      \
    X(stored_and_loaded, "rr", "{ .shared .align 16 .b8 m[8192];"              \
      " mov.u32 r0, %tid.x; shl.b32 r0, r0, 4; mov.u32 r1, m;"                 \
      " add.u32 r0, r0, r1;"                                                   \
      " stmatrix.sync.aligned.m8n8.x1.shared.b16 [r0], {a};"                   \
      " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {d}, [r0]; }", a)             \
    X(four_matrices, "rr", "{ .shared .align 16 .b8 m[8192];"                  \
      " mov.u32 r0, %tid.x; shl.b32 r0, r0, 4; mov.u32 r1, m;"                 \
      " add.u32 r0, r0, r1; prmt.b32 r2, a, a, 0x1032;"                        \
      " stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [r0], {a, r2, a, r2};"  \
      " ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"                        \
      " {r4, d, r5, r6}, [r0]; }", half_swap(a))                               \
    X(loaded_transposed, "rr", "{ .shared .align 16 .b8 m[8192];"              \
      " mov.u32 r0, %tid.x; shl.b32 r0, r0, 4; mov.u32 r1, m;"                 \
      " add.u32 r0, r0, r1;"                                                   \
      " stmatrix.sync.aligned.m8n8.x2.shared.b16 [r0], {a, a};"                \
      " ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {r2, r3}, [r0];"        \
      " movmatrix.sync.aligned.m8n8.trans.b16 d, r3; }", a)

/* Accepted, without an effect on values. */
#define ORDER(X)                                                               \
    X(fences, "rr", "fence.sc.sys; fence.acq_rel.gpu; fence.acq_rel.cta;"      \
      " fence.acq_rel.cluster; membar.gl; membar.cta; membar.sys;"             \
      " fence.proxy.async; fence.proxy.async.shared::cta;"                     \
      " fence.proxy.async.global; fence.proxy.alias;"                          \
      " fence.mbarrier_init.release.cluster; mov.u32 d, a;", a)                \
    X(advice, "rr", "prefetch.global.L2 [from]; prefetch.global.L1 [from];"    \
      " prefetchu.L1 [from]; nanosleep.u32 20; pmevent 3; mov.u32 d, a;", a)   \
    X(policies, "rr",                                                          \
      "createpolicy.fractional.L2::evict_first.b64 q0, 1.0;"                   \
      " ld.global.L2::cache_hint.b32 d, [from], q0;", a)                       \
    X(registers, "rr", "setmaxnreg.inc.sync.aligned.u32 240;"                  \
      " setmaxnreg.dec.sync.aligned.u32 24; mov.u32 d, a;", a)                 \
    X(dependents, "rr", "griddepcontrol.launch_dependents;"                    \
      " griddepcontrol.wait; mov.u32 d, a;", a)                                \
    X(warpgroups, "rr", "wgmma.fence.sync.aligned;"                            \
      " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"     \
      " mov.u32 d, a;", a)                                                     \
    X(warp_barrier, "rr", "bar.warp.sync -1; barrier.sync.aligned 1;"          \
      " bar.sync 2, 512; barrier.cta.sync 3; mov.u32 d, a;", a)                \
    X(named_arrive, "rr", "mov.u32 r0, %tid.x; setp.lt.u32 p0, r0, 256;"       \
      " @p0 bar.arrive 1, 512; @!p0 bar.sync 1, 512; mov.u32 d, a;", a)
/* clang-format on */

#define X(id, letters, ptx, value)                                             \
    static uint64_t want_##id(const void *data, const uint64_t *s)             \
    {                                                                          \
        uint64_t a = s[0];                                                     \
        (void)data, (void)a;                                                   \
        return (uint64_t)(value);                                              \
    }
MBARRIERS(X)
COPIES(X)
MATRICES(X)
ORDER(X)
#undef X

#define X(id, letters, ptx, value) { ptx, letters, want_##id, NULL, NULL },
static const row mbarriers[] = { MBARRIERS(X) };
static const row copies[] = { COPIES(X) };
static const row matrices[] = { MATRICES(X) };
static const row order[] = { ORDER(X) };
#undef X

Test(async, mbarriers)
{
    cr_assert_eq(rows_run(mbarriers, RF_COUNTOF(mbarriers)), 0);
}

Test(async, copies)
{
    cr_assert_eq(rows_run(copies, RF_COUNTOF(copies)), 0);
}

Test(async, matrices)
{
    cr_assert_eq(rows_run(matrices, RF_COUNTOF(matrices)), 0);
}

Test(async, order_and_advice)
{
    cr_assert_eq(rows_run(order, RF_COUNTOF(order)), 0);
}
