/* Moves, packing, address arithmetic, loads and stores of every space and
 * width, branches and calls. */
#include "rows.h"

#include "support/array.h"

#include <criterion/criterion.h>

#define LOW(v)  ((v)&0xffffffff)
#define HIGH(v) ((v) >> 32)

static uint64_t sign_extended(uint64_t v, int bits)
{
    return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

/* clang-format off */
#define MOVES(X)                                                               \
    X(mov_b16, "hh", "mov.b16 d, a;", a)                                       \
    X(mov_b32, "rr", "mov.b32 d, a;", a)                                       \
    X(mov_b64, "qq", "mov.b64 d, a;", a)                                       \
    X(mov_pred, "pp", "mov.pred d, a;", a)                                     \
    X(mov_literal, "rr", "mov.f32 d, 0f40490FDB;", 0x40490fdb)                 \
    X(mov_literal64, "qq", "mov.f64 d, 0d400921FB54442D18;",                   \
      0x400921fb54442d18)                                                      \
    X(mov_join, "rhh", "mov.b32 d, {a, b};", a | b << 16)                      \
    X(mov_join64, "qrr", "mov.b64 d, {a, b};", a | b << 32)                    \
    X(mov_join4, "qhh", "mov.b64 d, {a, b, b, a};",                            \
      a | b << 16 | b << 32 | a << 48)                                         \
    X(mov_split, "hr", "mov.b32 {h0, d}, a;", a >> 16)                         \
    X(mov_split64, "rq", "mov.b64 {d, r0}, a;", LOW(a))                        \
    X(mov_split_sink, "rq", "mov.b64 {_, d}, a;", HIGH(a))                     \
    X(mov_split4, "hq", "mov.b64 {h0, h1, d, h2}, a;", a >> 32)                \
    X(mov_lane, "rr", "mov.u32 d, %laneid; mov.u32 r0, %tid.x;"                \
      " and.b32 r0, r0, 31; sub.u32 d, d, r0;", 0)                             \
    X(mov_mask, "rr", "mov.u32 d, %lanemask_le; mov.u32 r0, %lanemask_gt;"     \
      " add.u32 d, d, r0;", ~0u)                                               \
    X(guard, "rrrp", "mov.b32 d, a; @c mov.b32 d, b;", c ? b : a)              \
    X(guard_not, "rrrp", "mov.b32 d, a; @!c mov.b32 d, b;", c ? a : b)

#define MEMORY(X)                                                              \
    X(local_b8, "rr", "{ .local .b8 m[8]; mov.u64 q0, m;"                      \
      " st.local.b8 [q0+3], a; ld.local.u8 d, [q0+3]; }", a & 0xff)            \
    X(local_s8, "rr", "{ .local .b8 m[8]; mov.u64 q0, m;"                      \
      " st.local.b8 [q0+3], a; ld.local.s8 d, [q0+3]; }",                      \
      sign_extended(a, 8))                                                     \
    X(local_s16, "rr", "{ .local .align 4 .b8 m[8]; mov.u64 q0, m;"            \
      " st.local.b16 [q0+6], a; ld.local.s16 d, [q0+6]; }",                    \
      sign_extended(a, 16))                                                    \
    X(local_generic, "qq", "{ .local .align 8 .b8 m[16]; mov.u64 q0, m;"       \
      " cvta.local.u64 q0, q0; st.b64 [q0+8], a; ld.b64 d, [q0+8]; }", a)      \
    X(shared_b32, "rr", "{ .shared .align 4 .b32 m[512]; mov.u32 r0, %tid.x;"  \
      " shl.b32 r0, r0, 2; mov.u32 r1, m; add.u32 r0, r0, r1;"                 \
      " st.shared.b32 [r0], a; ld.shared.b32 d, [r0]; }", a)                   \
    X(shared_generic, "rr", "{ .shared .align 4 .b32 m[512]; mov.u64 q0, m;"   \
      " mov.u32 r0, %tid.x; mul.wide.u32 q1, r0, 4; add.u64 q0, q0, q1;"       \
      " cvta.shared.u64 q0, q0; st.b32 [q0], a; ld.b32 d, [q0]; }", a)         \
    X(shared_v4, "rrrr", "{ .shared .align 16 .b32 m[2048];"                   \
      " mov.u32 r0, %tid.x; shl.b32 r0, r0, 4; mov.u32 r1, m;"                 \
      " add.u32 r0, r0, r1; st.shared.v4.b32 [r0], {a, b, c, 7};"              \
      " ld.shared.v4.b32 {r2, r3, r4, r5}, [r0]; xor.b32 d, r2, r3;"           \
      " xor.b32 d, d, r4; xor.b32 d, d, r5; }", a ^ b ^ c ^ 7)                 \
    X(shared_v2_b64, "qqq", "{ .shared .align 16 .b64 m[1024];"                \
      " mov.u32 r0, %tid.x; shl.b32 r0, r0, 4; mov.u32 r1, m;"                 \
      " add.u32 r0, r0, r1; st.shared.v2.b64 [r0], {a, b};"                    \
      " ld.shared.v2.b64 {q1, q2}, [r0]; sub.u64 d, q1, q2; }", a - b)         \
    X(shared_v4_b8, "rr", "{ .shared .align 4 .b8 m[2048];"                    \
      " mov.u32 r0, %tid.x; shl.b32 r0, r0, 2; mov.u32 r1, m;"                 \
      " add.u32 r0, r0, r1; st.shared.b32 [r0], a;"                            \
      " ld.shared.v4.u8 {h0, h1, h2, h3}, [r0]; cvt.u32.u16 d, h1;"            \
      " cvt.u32.u16 r2, h3; shl.b32 r2, r2, 8; or.b32 d, d, r2; }",            \
      (a >> 8 & 0xff) | (a >> 24 & 0xff) << 8)                                 \
    X(global_v2, "rq", "ld.global.v2.b32 {r0, r1}, [from];"                    \
      " sub.u32 d, r1, r0;", HIGH(a) - LOW(a))                                 \
    X(global_nc, "rq", "ld.global.nc.u8 r0, [from+5];"                         \
      " ld.global.nc.L1::no_allocate.s16 d, [from+2]; xor.b32 d, d, r0;",      \
      (a >> 40 & 0xff) ^ LOW(sign_extended(a >> 16, 16)))                      \
    X(global_cache, "qq", "ld.volatile.global.b64 q0, [from];"                 \
      " ld.relaxed.gpu.global.b64 q1, [from]; ld.global.cg.b64 q2, [from];"    \
      " add.u64 d, q0, q1; add.u64 d, d, q2;", 3 * a)                          \
    X(isspacep, "rr", "{ .shared .b32 m; .local .b32 n; mov.u64 q0, m;"        \
      " cvta.shared.u64 q0, q0; mov.u64 q1, n; cvta.local.u64 q1, q1;"         \
      " isspacep.shared p0, q0; isspacep.local p1, q1;"                        \
      " isspacep.global p2, from; isspacep.global p3, q0;"                     \
      " selp.b32 d, 1, 0, p0; @p1 add.u32 d, d, 2; @p2 add.u32 d, d, 4;"       \
      " @p3 add.u32 d, d, 8; }", 7)                                            \
    X(cvta_to, "rr", "{ .shared .align 4 .b32 m[512]; mov.u64 q0, m;"          \
      " cvta.shared.u64 q0, q0; cvta.to.shared.u64 q0, q0;"                    \
      " mov.u32 r0, %tid.x; mul.wide.u32 q1, r0, 4; add.u64 q0, q0, q1;"       \
      " st.shared.b32 [q0], a; ld.shared.b32 d, [q0]; }", a)

#define CONTROL(X)                                                             \
    X(diverge, "rr", "and.b32 r0, a, 1; setp.eq.u32 p0, r0, 0; mov.u32 d, 5;"  \
      " @p0 bra EVEN; add.u32 d, d, 10; bra DONE; EVEN: add.u32 d, d, 20;"     \
      " DONE: add.u32 d, d, 1;", a & 1 ? 16 : 26)                              \
    X(loop, "rr", "and.b32 r0, a, 31; mov.u32 d, 0;"                           \
      " AGAIN: setp.eq.u32 p0, r0, 0; @p0 bra.uni DONE; add.u32 d, d, r0;"     \
      " sub.u32 r0, r0, 1; bra AGAIN; DONE:",                                  \
      (a & 31) * ((a & 31) + 1) / 2)                                           \
    X(table, "rr", "{ and.b32 r0, a, 3; targets: .branchtargets L0, L1, L2,"   \
      " L3; brx.idx r0, targets; L0: mov.u32 d, 11; bra DONE;"                 \
      " L1: mov.u32 d, 22; bra DONE; L2: mov.u32 d, 33; bra DONE;"             \
      " L3: mov.u32 d, 44; DONE: }", 11 * ((a & 3) + 1))
/* clang-format on */

#define X(id, letters, ptx, value)                                             \
    static uint64_t want_##id(const void *data, const uint64_t *s)             \
    {                                                                          \
        uint64_t a = s[0], b = s[1], c = s[2];                                 \
        (void)data, (void)a, (void)b, (void)c;                                 \
        return (uint64_t)(value);                                              \
    }
MOVES(X)
MEMORY(X)
CONTROL(X)
#undef X

#define X(id, letters, ptx, value) { ptx, letters, want_##id, NULL, NULL },
static const row moves[] = { MOVES(X) };
static const row memory[] = { MEMORY(X) };
static const row control[] = { CONTROL(X) };
#undef X

Test(move, registers)
{
    cr_assert_eq(rows_run(moves, RF_COUNTOF(moves)), 0);
}

Test(move, memory)
{
    cr_assert_eq(rows_run(memory, RF_COUNTOF(memory)), 0);
}

Test(move, control)
{
    cr_assert_eq(rows_run(control, RF_COUNTOF(control)), 0);
}
