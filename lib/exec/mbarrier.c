/* mbarrier: an object of 64 bits in shared memory.
 *
 *     bits 0..19   arrivals still missing in this phase
 *     bits 20..39  arrivals that a phase expects
 *     bits 40..60  bytes still missing (signed: they may come first)
 *     bit 61       parity of the phase
 *     bits 62, 63  1 after init
 *
 * A phase is complete when no arrival and no byte is missing; then the parity
 * flips and the next phase expects as many arrivals. */
#include "exec/mbarrier.h"
#include "exec/decode.h"
#include "exec/race.h"

#include <string.h>

typedef struct {
    uint32_t missing, expected;
    int32_t bytes;
    bool parity, live;
} state;

enum { COUNT_BITS = 20, BYTE_BITS = 21, COUNT_MAX = (1 << COUNT_BITS) - 1 };

static state unpack(uint64_t v)
{
    return (state){ .missing = v & COUNT_MAX,
                    .expected = v >> COUNT_BITS & COUNT_MAX,
                    .bytes = (int32_t)((int64_t)(v << 3) >> 43),
                    .parity = v >> 61 & 1,
                    .live = v >> 62 == 1 };
}

static uint64_t pack(state s)
{
    uint64_t bytes = (uint64_t)(uint32_t)s.bytes & ((1 << BYTE_BITS) - 1);
    return s.missing | (uint64_t)s.expected << COUNT_BITS |
           bytes << 2 * COUNT_BITS | (uint64_t)s.parity << 61 |
           (uint64_t)s.live << 62;
}

/* An object and where it lies. */
typedef struct {
    rf_warp *w;
    const rf_instr *in;
    int lane;
    uint8_t *p;
    rf_sync *sync;
} object;

static object object_at(rf_warp *w, const rf_instr *in, int lane,
                        rf_space space, uint64_t address)
{
    uint8_t *p = rf_resolve_one(w, in, lane, space, address, 8, RF_SYNC, NULL);
    uint64_t window = address & RF_WINDOW_MASK;
    if (space == RF_SPACE_GENERIC && window != RF_WINDOW_SHARED)
        rf_fault(w, in, lane, RF_CHECK_MBARRIER, RF_ILLEGAL_ADDRESS,
                 "the mbarrier is not in shared memory");
    rf_sync *sync =
        rf_sync_at(w->block->cluster, address >> 24 & 0xff, address & 0xffffff);
    return (object){ w, in, lane, p, sync };
}

static state get(const object *o)
{
    uint64_t v;
    memcpy(&v, o->p, 8);
    state s = unpack(v);
    if (!s.live)
        rf_fault(o->w, o->in, o->lane, RF_CHECK_MBARRIER, RF_LAUNCH_FAILURE,
                 "the mbarrier was not initialised");
    return s;
}

static void put(const object *o, state s)
{
    if (!s.missing && !s.bytes) {
        s.parity = !s.parity;
        s.missing = s.expected;
        rf_sync_complete(o->w->block->cluster, o->sync);
    }
    uint64_t v = pack(s);
    memcpy(o->p, &v, 8);
    o->w->worker->progress++;
}

static void take_arrivals(const object *o, state *s, uint32_t n)
{
    if (n > s->missing)
        rf_fault(o->w, o->in, o->lane, RF_CHECK_MBARRIER, RF_LAUNCH_FAILURE,
                 "%u arrivals where the mbarrier expects %u more", n,
                 s->missing);
    rf_sync_release(o->w, o->sync);
    s->missing -= n;
}

void rf_mbarrier_complete(rf_warp *w, const rf_instr *in, int lane,
                          uint64_t address, uint32_t bytes)
{
    object o = object_at(w, in, lane, RF_SPACE_CLUSTER, address);
    state s = get(&o);
    rf_sync_release(w, o.sync);
    s.bytes -= (int32_t)bytes;
    put(&o, s);
}

void rf_mbarrier_arrive(rf_warp *w, const rf_instr *in, int lane,
                        rf_space space, uint64_t address, bool pending_first)
{
    object o = object_at(w, in, lane, space, address);
    state s = get(&o);
    if (pending_first)
        s.missing++;
    take_arrivals(&o, &s, 1);
    put(&o, s);
}

/* ---- instructions: o[0] address, o[1] count or bytes, o[2] state ---- */

typedef enum {
    INIT,
    INVAL,
    EXPECT,
    COMPLETE,
    ARRIVE,
    ARRIVE_EXPECT,
    DROP,
    DROP_EXPECT
} action;

static uint64_t address_of(const rf_warp *w, const rf_instr *in, int i)
{
    uint64_t a = rf_get(w, &in->o[0], i) + (uint64_t)in->offset;
    return in->space == RF_SPACE_GENERIC ? a : (uint32_t)a;
}

static void init(const object *o, uint64_t count)
{
    if (!count || count > COUNT_MAX)
        rf_fault(o->w, o->in, o->lane, RF_CHECK_MBARRIER, RF_LAUNCH_FAILURE,
                 "mbarrier.init with a count of %llu",
                 (unsigned long long)count);
    state s = { .missing = (uint32_t)count,
                .expected = (uint32_t)count,
                .live = true };
    uint64_t v = pack(s);
    memcpy(o->p, &v, 8);
    rf_sync_init(o->w, o->sync);
    o->w->worker->progress++;
}

static void act(rf_warp *w, const rf_instr *in, int i)
{
    object o = object_at(w, in, i, (rf_space)in->space, address_of(w, in, i));
    uint64_t n = in->o[1].bank == RF_BANK_NONE ? 1 : rf_get(w, &in->o[1], i);
    if (in->sub == INIT) {
        init(&o, (uint32_t)n);
        return;
    }
    state s = get(&o);
    uint64_t old = pack(s);
    bool expects =
        in->sub == EXPECT || in->sub == ARRIVE_EXPECT || in->sub == DROP_EXPECT;
    bool arrives = in->sub >= ARRIVE;
    if (expects)
        s.bytes += (int32_t)n;
    if (in->sub == COMPLETE)
        s.bytes -= (int32_t)n;
    if (in->sub == INVAL)
        s.live = false;
    if (in->sub >= DROP)
        s.expected--;
    if (arrives)
        take_arrivals(&o, &s,
                      in->sub == ARRIVE || in->sub == DROP ? (uint32_t)n : 1);
    put(&o, s);
    rf_set(w, &in->o[2], i, old);
}

static void step_mbarrier(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        act(w, in, i);
    }
}

/* o[2] the predicate, o[1] the state or (sub 1) the parity to wait for. */
static void step_wait(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint32_t done = 0;
    RF_EACH_LANE(i, mask)
    {
        object o =
            object_at(w, in, i, (rf_space)in->space, address_of(w, in, i));
        state s = get(&o);
        uint64_t v = rf_get(w, &in->o[1], i);
        bool phase = in->sub ? v & 1 : unpack(v).parity;
        if (s.parity == phase)
            continue;
        done |= 1u << i;
        rf_sync_acquire(w, o.sync);
    }
    rf_set_pred(w, &in->o[2], done, mask);
    w->stalled = done != mask;
}

static void step_pending(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        rf_set(w, &in->o[0], i, unpack(rf_get(w, &in->o[1], i)).missing);
    }
}

/* ---- decoding ---- */

static bool decode_wait(rf_reader *r, const rf_statement *s)
{
    int64_t offset;
    if (s->n < 3)
        return false;
    rf_operand p = rf_operand_of(r, s, &s->arg[0], RF_T_PRED);
    rf_operand base = rf_operand_base(r, s, &s->arg[1], &offset);
    rf_operand v = rf_operand_of(r, s, &s->arg[2], RF_T_B64);
    bool try = rf_has(s, "try_wait");
    rf_instr *in =
        rf_emit(r, s, step_wait, try ? RF_KIND_TRY_WAIT : RF_KIND_STEP,
                RF_CLASS_BARRIER);
    in->o[0] = base;
    in->o[1] = v;
    in->o[2] = p;
    in->offset = offset;
    in->space = (uint8_t)rf_space_of(s);
    in->sub = rf_has(s, "parity");
    return true;
}

static bool decode_pending(rf_reader *r, const rf_statement *s)
{
    rf_operand d = rf_operand_of(r, s, &s->arg[0], RF_T_U32);
    rf_operand a = rf_operand_of(r, s, &s->arg[1], RF_T_B64);
    rf_instr *in = rf_emit(r, s, step_pending, RF_KIND_STEP, RF_CLASS_BARRIER);
    in->o[0] = d;
    in->o[1] = a;
    return true;
}

static action action_of(const rf_statement *s)
{
    bool expect = rf_has(s, "expect_tx");
    if (rf_has(s, "init"))
        return INIT;
    if (rf_has(s, "inval"))
        return INVAL;
    if (rf_has(s, "complete_tx"))
        return COMPLETE;
    if (rf_has(s, "arrive"))
        return expect ? ARRIVE_EXPECT : ARRIVE;
    if (rf_has(s, "arrive_drop"))
        return expect ? DROP_EXPECT : DROP;
    return EXPECT;
}

/* The address is the first argument in brackets; a state may stand before it
 * and a count behind it. */
bool rf_decode_mbarrier(rf_reader *r, const rf_statement *s)
{
    int64_t offset;
    if (rf_has(s, "test_wait") || rf_has(s, "try_wait"))
        return decode_wait(r, s);
    if (rf_has(s, "pending_count"))
        return decode_pending(r, s);
    uint32_t k = s->n && s->arg[0].kind == RF_ARG_ADDRESS ? 0 : 1;
    if (s->n <= k || s->arg[k].kind != RF_ARG_ADDRESS)
        return false;
    rf_operand before =
        k ? rf_operand_of(r, s, &s->arg[0], RF_T_B64) : rf_operand_none();
    rf_operand base = rf_operand_base(r, s, &s->arg[k], &offset);
    rf_operand n = s->n > k + 1 ? rf_operand_of(r, s, &s->arg[k + 1], RF_T_U32)
                                : rf_operand_none();
    rf_instr *in = rf_emit(r, s, step_mbarrier, RF_KIND_STEP, RF_CLASS_BARRIER);
    in->o[0] = base;
    in->o[1] = n;
    in->o[2] = before;
    in->offset = offset;
    in->space = (uint8_t)rf_space_of(s);
    in->sub = (uint8_t)action_of(s);
    return true;
}
