/* Operations among the lanes of a warp. Each runs once all lanes of its member
 * mask are there (sched.c); the mask of the step is exactly those lanes. */
#include "exec/atomic.h"
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/race.h"
#include "exec/step_macros.h"

#include <string.h>

/* ---- shfl: d|p, a, b, c ---- */

enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

/* The lane that lane "i" reads; false if it is outside the segment. */
static bool shfl_source(u32 mode, int i, u32 b, u32 c, int *from)
{
    int segment = c >> 8 & 31, clamp = c & 31, n = b & 31;
    int lowest = i & segment, highest = lowest | (clamp & ~segment);
    switch (mode) {
    case SHFL_UP:
        *from = i - n;
        return *from >= highest;
    case SHFL_DOWN:
        *from = i + n;
        break;
    case SHFL_BFLY:
        *from = i ^ n;
        break;
    default:
        *from = lowest | (n & ~segment);
    }
    return *from <= highest;
}

static void step_shfl(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    const u64 *a = rf_col(w, &in->o[2]);
    const u64 *b = rf_col(w, &in->o[3]), *c = rf_col(w, &in->o[4]);
    rf_column result;
    u32 inside = 0;
    RF_EACH_LANE(i, mask)
    {
        int from;
        bool ok = shfl_source(in->sub, i, (u32)b[i], (u32)c[i], &from);
        inside |= (u32)ok << i;
        if (!ok)
            from = i;
        if (!(mask >> from & 1))
            rf_report(w, in, i, RF_CHECK_WARP,
                      "shfl reads lane %d, which does not take part (mask "
                      "0x%08x)",
                      from, mask);
        result[i] = (u32)a[from];
    }
    RF_EACH_LANE(i, mask)
    {
        d[i] = result[i];
    }
    rf_set_pred(w, &in->o[1], inside, mask);
}

/* ---- vote, match, redux, elect ---- */

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

static void step_vote(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u32 p = rf_pred(w, &in->o[1]) & mask;
    if (in->sub == VOTE_BALLOT) {
        u64 *d = rf_col(w, &in->o[0]);
        RF_LOOP(d, p);
        return;
    }
    bool r = in->sub == VOTE_ALL   ? p == mask
             : in->sub == VOTE_ANY ? p != 0
                                   : p == mask || !p;
    rf_set_pred(w, &in->o[0], r ? RF_FULL_MASK : 0, mask);
}

static void step_match(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    const u64 *a = rf_col(w, &in->o[2]);
    u64 keep = in->type == RF_T_B64 ? ~0ull : 0xffffffffu;
    u32 same[RF_LANES] = { 0 }, all = RF_FULL_MASK;
    RF_EACH_LANE(i, mask)
    {
        RF_EACH_LANE(j, mask)
        {
            same[i] |= (u32)((a[i] & keep) == (a[j] & keep)) << j;
        }
        all = same[i] == mask ? all : 0;
    }
    RF_EACH_LANE(i, mask)
    {
        rf_set(w, &in->o[0], i, in->sub ? all & mask : same[i]);
    }
    if (in->sub)
        rf_set_pred(w, &in->o[1], all, mask);
}

static void step_redux(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    const u64 *a = rf_col(w, &in->o[1]);
    u64 r = a[__builtin_ctz(mask)];
    RF_EACH_LANE(i, mask & (mask - 1))
    {
        r = in->type == RF_T_F32
                ? rf_float_op(in->sub == RF_ATOM_MIN ? RF_FOP_MIN : RF_FOP_MAX,
                              RF_F32, r, a[i], 0, RF_RN, (unsigned)in->imm[1])
                : rf_atomic_apply((rf_atomic)in->sub, (rf_type)in->type, r,
                                  a[i], 0, RF_RN);
    }
    u64 *d = rf_col(w, &in->o[0]);
    RF_LOOP(d, r);
}

static void step_elect(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    int leader = __builtin_ctz(mask);
    RF_EACH_LANE(i, mask)
    {
        rf_set(w, &in->o[0], i, (u64)leader);
    }
    rf_set_pred(w, &in->o[1], 1u << leader, mask);
}

static void step_activemask(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    u64 *d = rf_col(w, &in->o[0]);
    RF_LOOP(d, mask);
}

static void step_syncwarp(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    (void)in, (void)mask;
    rf_actor_tick(w);
}

/* ---- decoding ---- */

static rf_instr *emit_warp(rf_reader *r, const rf_statement *s, rf_step *step,
                           const rf_operand *o, u32 n, rf_operand member)
{
    rf_instr *in = rf_emit(r, s, step, RF_KIND_WARP, RF_CLASS_WARP);
    memcpy(in->o, o, n * sizeof *o);
    in->n = (u8)n;
    in->o[5] = member;
    in->type = (u8)rf_last_type(s);
    return in;
}

static int find_part(const rf_statement *s, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (rf_has(s, names[i]))
            return i;
    return -1;
}

bool rf_decode_shfl(rf_reader *r, const rf_statement *s)
{
    static const char *const modes[] = { "up", "down", "bfly", "idx" };
    int mode = find_part(s, modes, 4);
    if (mode < 0 || s->n < 4)
        return false;
    rf_operand o[5] = { rf_operand_of(r, s, &s->arg[0], RF_T_B32),
                        rf_operand_pair(r, s, &s->arg[0], RF_T_PRED) };
    for (u32 i = 1; i < 4; i++)
        o[i + 1] = rf_operand_of(r, s, &s->arg[i], RF_T_B32);
    rf_operand member = s->n > 4 ? rf_operand_of(r, s, &s->arg[4], RF_T_B32)
                                 : rf_operand_none();
    emit_warp(r, s, step_shfl, o, 5, member)->sub = (u8)mode;
    return true;
}

bool rf_decode_vote(rf_reader *r, const rf_statement *s)
{
    static const char *const modes[] = { "all", "any", "uni", "ballot" };
    int mode = find_part(s, modes, 4);
    if (mode < 0 || s->n < 2)
        return false;
    rf_type result = mode == VOTE_BALLOT ? RF_T_B32 : RF_T_PRED;
    rf_operand o[2] = { rf_operand_of(r, s, &s->arg[0], result),
                        rf_operand_of(r, s, &s->arg[1], RF_T_PRED) };
    rf_operand member = s->n > 2 ? rf_operand_of(r, s, &s->arg[2], RF_T_B32)
                                 : rf_operand_none();
    emit_warp(r, s, step_vote, o, 2, member)->sub = (u8)mode;
    return true;
}

bool rf_decode_match(rf_reader *r, const rf_statement *s)
{
    if (s->n != 3)
        return false;
    rf_operand o[3] = { rf_operand_of(r, s, &s->arg[0], RF_T_B32),
                        rf_operand_pair(r, s, &s->arg[0], RF_T_PRED),
                        rf_operand_of(r, s, &s->arg[1], rf_last_type(s)) };
    rf_operand member = rf_operand_of(r, s, &s->arg[2], RF_T_B32);
    emit_warp(r, s, step_match, o, 3, member)->sub = rf_has(s, "all");
    return true;
}

bool rf_decode_redux(rf_reader *r, const rf_statement *s)
{
    rf_atomic op = rf_atomic_of(s);
    if (s->n != 3 || op == RF_ATOM_COUNT)
        return false;
    rf_operand o[2] = { rf_operand_of(r, s, &s->arg[0], RF_T_B32),
                        rf_operand_of(r, s, &s->arg[1], RF_T_B32) };
    rf_operand member = rf_operand_of(r, s, &s->arg[2], RF_T_B32);
    if (rf_has(s, "abs"))
        return false;
    rf_instr *in = emit_warp(r, s, step_redux, o, 2, member);
    in->sub = (u8)op;
    in->imm[1] = rf_has(s, "NaN") ? RF_NAN : 0;
    return true;
}

bool rf_decode_elect(rf_reader *r, const rf_statement *s)
{
    if (s->n != 2)
        return false;
    rf_operand o[2] = { rf_operand_of(r, s, &s->arg[0], RF_T_B32),
                        rf_operand_pair(r, s, &s->arg[0], RF_T_PRED) };
    emit_warp(r, s, step_elect, o, 2,
              rf_operand_of(r, s, &s->arg[1], RF_T_B32));
    return true;
}

bool rf_decode_activemask(rf_reader *r, const rf_statement *s)
{
    if (s->n != 1)
        return false;
    rf_operand d = rf_operand_of(r, s, &s->arg[0], RF_T_B32);
    rf_instr *in = rf_emit(r, s, step_activemask, RF_KIND_STEP, RF_CLASS_WARP);
    in->o[0] = d;
    return true;
}

/* bar.warp.sync mask; */
bool rf_decode_warp_sync(rf_reader *r, const rf_statement *s)
{
    rf_operand none = rf_operand_none();
    if (s->n != 1)
        return false;
    emit_warp(r, s, step_syncwarp, &none, 1,
              rf_operand_of(r, s, &s->arg[0], RF_T_B32));
    return true;
}
