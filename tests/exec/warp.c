/* Operations between the lanes of a warp, and atomics.
 *
 * A row's threads see one another's sources: want() gets the sources of the
 * whole block through a global, set before the rows run. */
#include "rows.h"

#include "support/array.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static uint64_t sources[ROW_SOURCES][ROW_THREADS];

/* The thread whose sources are "s": rows are checked in order. */
typedef struct {
    int next;
    int type; /* letter of the sources */
} cursor;

static int lane_of(const void *data)
{
    cursor *c = (cursor *)data;
    return c->next++ % ROW_THREADS;
}

static void load_sources(const char *types)
{
    for (int s = 0; types[s + 1]; s++)
        row_values(types[s + 1], sources[s], ROW_THREADS, 17 + s);
}

#define A(i)    sources[0][(i)]
#define LANE(i) ((i) % 32)
#define BASE(i) ((i) / 32 * 32)

static uint64_t shuffle(int i, int source, bool inside)
{
    return inside ? A(BASE(i) + source) : A(i);
}

static uint64_t xor_lanes(int i)
{
    return shuffle(i, LANE(i) ^ 5, true);
}

static uint32_t ballot(int i, uint32_t bit)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++)
        r |= (uint32_t)(A(BASE(i) + k) >> bit & 1) << k;
    return r;
}

static uint32_t same_as(int i, uint64_t mask)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++)
        r |= (uint32_t)((A(BASE(i) + k) & mask) == (A(i) & mask)) << k;
    return r;
}

static uint64_t reduce(int i, char op)
{
    uint32_t r = (uint32_t)A(BASE(i));
    for (int k = 1; k < 32; k++) {
        uint32_t v = (uint32_t)A(BASE(i) + k);
        switch (op) {
        case '+':
            r += v;
            break;
        case '&':
            r &= v;
            break;
        case '|':
            r |= v;
            break;
        case '^':
            r ^= v;
            break;
        case 'u':
            r = v < r ? v : r;
            break;
        case 'U':
            r = v > r ? v : r;
            break;
        case 's':
            r = (int32_t)v < (int32_t)r ? v : r;
            break;
        default:
            r = (int32_t)v > (int32_t)r ? v : r;
        }
    }
    return r;
}

/* clang-format off */
#define WARP(X)                                                                \
    X(shfl_bfly, "rr", "shfl.sync.bfly.b32 d, a, 5, 31, -1;", xor_lanes(i))    \
    X(shfl_up, "rr", "shfl.sync.up.b32 d, a, 3, 0, -1;",                       \
      shuffle(i, LANE(i) - 3, LANE(i) >= 3))                                   \
    X(shfl_down, "rr", "shfl.sync.down.b32 d, a, 9, 31, -1;",                  \
      shuffle(i, LANE(i) + 9, LANE(i) + 9 < 32))                               \
    X(shfl_idx, "rr", "shfl.sync.idx.b32 d, a, 7, 31, -1;",                    \
      shuffle(i, 7, true))                                                     \
    X(shfl_width8, "rr", "shfl.sync.idx.b32 d, a, 3, 0x181f, -1;",             \
      shuffle(i, LANE(i) / 8 * 8 + 3, true))                                   \
    X(shfl_down8, "rr", "shfl.sync.down.b32 d, a, 2, 0x181f, -1;",             \
      shuffle(i, LANE(i) + 2, LANE(i) % 8 < 6))                                \
    X(shfl_pred, "rr", "shfl.sync.down.b32 r0|p0, a, 9, 31, -1;"               \
      " selp.u32 d, 1, 0, p0;", LANE(i) + 9 < 32)                              \
    X(vote_ballot, "rr", "and.b32 r0, a, 1; setp.ne.u32 p0, r0, 0;"            \
      " vote.sync.ballot.b32 d, p0, -1;", ballot(i, 0))                        \
    X(vote_any, "rr", "and.b32 r0, a, 0x80; setp.ne.u32 p0, r0, 0;"            \
      " vote.sync.any.pred p1, p0, -1; selp.u32 d, 1, 0, p1;",                 \
      ballot(i, 7) != 0)                                                       \
    X(vote_all, "rr", "and.b32 r0, a, 1; setp.eq.u32 p0, r0, 0;"               \
      " vote.sync.all.pred p1, p0, -1; selp.u32 d, 1, 0, p1;",                 \
      ballot(i, 0) == 0)                                                       \
    X(vote_uni, "rr", "and.b32 r0, a, 2; setp.eq.u32 p0, r0, 0;"               \
      " vote.sync.uni.pred p1, p0, -1; selp.u32 d, 1, 0, p1;",                 \
      ballot(i, 1) == 0 || ballot(i, 1) == ~0u)                                \
    X(match_any, "rr", "and.b32 r0, a, 3; match.any.sync.b32 d, r0, -1;",      \
      same_as(i, 3))                                                           \
    X(match_any64, "rq", "and.b64 q0, a, 1;"                                   \
      " match.any.sync.b64 d, q0, -1;", same_as(i, 1))                         \
    X(match_all, "rr",                                                         \
      "match.all.sync.b32 r1|p0, 7, -1; selp.u32 d, 1, 0, p0;"                 \
      " xor.b32 d, d, r1;", 0xfffffffe)                                        \
    X(match_none, "rr", "mov.u32 r0, %laneid;"                                 \
      " match.all.sync.b32 r1|p0, r0, -1; selp.u32 d, 1, 0, p0;"               \
      " or.b32 d, d, r1;", 0)                                                  \
    X(redux_add, "rr", "redux.sync.add.u32 d, a, -1;", reduce(i, '+'))         \
    X(redux_min, "rr", "redux.sync.min.u32 d, a, -1;", reduce(i, 'u'))         \
    X(redux_max, "rr", "redux.sync.max.u32 d, a, -1;", reduce(i, 'U'))         \
    X(redux_mins, "rr", "redux.sync.min.s32 d, a, -1;", reduce(i, 's'))        \
    X(redux_maxs, "rr", "redux.sync.max.s32 d, a, -1;", reduce(i, 'S'))        \
    X(redux_and, "rr", "redux.sync.and.b32 d, a, -1;", reduce(i, '&'))         \
    X(redux_or, "rr", "redux.sync.or.b32 d, a, -1;", reduce(i, '|'))           \
    X(redux_xor, "rr", "redux.sync.xor.b32 d, a, -1;", reduce(i, '^'))         \
    X(activemask, "rr", "mov.u32 r0, %laneid; setp.lt.u32 p0, r0, 8;"          \
      " mov.u32 d, 0; @p0 bra LOW; bra DONE; LOW: activemask.b32 d; DONE:",    \
      LANE(i) < 8 ? 0xff : 0)                                                  \
    X(half_masks, "rr", "mov.u32 r0, %laneid; setp.lt.u32 p0, r0, 16;"         \
      " @p0 bra LOW; redux.sync.add.u32 d, 2, 0xffff0000; bra DONE;"           \
      " LOW: redux.sync.add.u32 d, 1, 0xffff; DONE:",                          \
      LANE(i) < 16 ? 16 : 32)                                                  \
    X(elect, "rr", "elect.sync r0|p0, -1; selp.u32 d, 1, 0, p0;"               \
      " add.u32 d, d, r0;", LANE(i) == 0)                                      \
    X(bar_popc, "rr", "and.b32 r0, a, 1; setp.ne.u32 p0, r0, 0;"               \
      " barrier.sync.aligned 0; bar.red.popc.u32 d, 0, p0;", odd_count())      \
    X(bar_and, "rr", "setp.ge.u32 p0, a, 0; bar.red.and.pred p1, 0, p0;"       \
      " selp.u32 d, 1, 0, p1;", 1)                                             \
    X(bar_or, "rr", "setp.lt.u32 p0, a, 0; bar.red.or.pred p1, 0, p0;"         \
      " selp.u32 d, 1, 0, p1;", 0)
/* clang-format on */

static int odd_count(void)
{
    int n = 0;
    for (int i = 0; i < ROW_THREADS; i++)
        n += A(i) & 1;
    return n;
}

#define X(id, letters, ptx, value)                                             \
    static uint64_t want_##id(const void *data, const uint64_t *s)             \
    {                                                                          \
        int i = lane_of(data);                                                 \
        (void)s, (void)i;                                                      \
        return (uint64_t)(value);                                              \
    }
WARP(X)
#undef X

#define X(id, letters, ptx, value) { ptx, letters, want_##id, NULL, NULL },
static const row warp_rows[] = { WARP(X) };
#undef X

Test(warp, collectives)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(warp_rows); i++) {
        cursor c = { 0 };
        row r = warp_rows[i];
        r.data = &c;
        load_sources(r.types);
        failed += !row_run(&r);
    }
    cr_assert_eq(failed, 0);
}
