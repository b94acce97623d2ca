/* cp.async, cp.async.bulk, tensor copies, st.async, red.async. */
#include "exec/copy.h"
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/mbarrier.h"
#include "exec/race.h"
#include "exec/steps.h"

#include <string.h>

/* ---- cp.async: deferred until the lane waits ---- */

/* o[0] destination, o[1] source, o[2] bytes of the source or o[3] "ignore";
 * imm[0] bytes, imm[1] offset of the source. */
static void step_cp_async(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint32_t bytes = (uint32_t)in->imm[0];
    RF_EACH_LANE(i, mask)
    {
        rf_late_copy x = {
            .in = in, .lane = i, .bytes = bytes, .from_bytes = bytes
        };
        x.to = (uint32_t)(rf_get(w, &in->o[0], i) + (uint64_t)in->offset);
        x.from = rf_get(w, &in->o[1], i) + in->imm[1];
        if (in->o[2].bank != RF_BANK_NONE)
            x.from_bytes = (uint32_t)rf_get(w, &in->o[2], i);
        if (in->o[3].bank != RF_BANK_NONE && rf_get(w, &in->o[3], i))
            x.from_bytes = 0;
        if (x.from_bytes > bytes)
            x.from_bytes = bytes;
        RF_PUSH(w->copies, x);
    }
}

static void land(rf_warp *w, const rf_late_copy *x)
{
    uint8_t bytes[16] = { 0 };
    if (x->from_bytes) {
        rf_lane_context c = { w, x->in, x->lane };
        rf_access access = rf_lane_access(&c);
        if (x->from & (x->bytes - 1))
            rf_fault(w, x->in, x->lane, RF_CHECK_MISALIGNED, RF_MISALIGNED,
                     "cp.async of %u bytes from misaligned 0x%llx", x->bytes,
                     (unsigned long long)x->from);
        access.read(&c, RF_SPACE_GLOBAL, x->from, bytes, x->from_bytes);
    }
    uint8_t *p = rf_resolve_one(w, x->in, x->lane, RF_SPACE_SHARED, x->to,
                                x->bytes, RF_STORE, bytes);
    memcpy(p, bytes, x->bytes);
    w->worker->progress++;
}

/* Land the copies of "lane" whose group is at most "last"; with "all" also
 * those that are in no group. */
static void land_until(rf_warp *w, int lane, uint32_t last, bool all)
{
    size_t kept = 0;
    for (size_t k = 0; k < w->copies.len; k++) {
        rf_late_copy x = w->copies.data[k];
        bool due = x.group ? x.group <= last : all;
        if (x.lane == lane && due)
            land(w, &x);
        else
            w->copies.data[kept++] = x;
    }
    w->copies.len = kept;
}

static void step_commit(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    (void)in;
    RF_EACH_LANE(i, mask)
    {
        w->copy_group[i]++;
    }
    for (size_t k = 0; k < w->copies.len; k++) {
        rf_late_copy *x = &w->copies.data[k];
        if (mask >> x->lane & 1 && !x->group)
            x->group = w->copy_group[x->lane];
    }
}

/* imm[0]: groups that may stay in flight; imm[1]: wait for all copies. */
static void step_wait_group(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint32_t keep = (uint32_t)in->imm[0];
    RF_EACH_LANE(i, mask)
    {
        uint32_t n = w->copy_group[i];
        land_until(w, i, n > keep ? n - keep : 0, in->imm[1]);
    }
}

static void step_cp_arrive(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        land_until(w, i, UINT32_MAX, true);
        uint64_t a = rf_get(w, &in->o[0], i) + (uint64_t)in->offset;
        rf_mbarrier_arrive(w, in, i, (rf_space)in->space,
                           in->space == RF_SPACE_GENERIC ? a : (uint32_t)a,
                           !in->sub);
    }
}

static bool decode_group(rf_reader *r, const rf_statement *s, rf_step *step,
                         rf_kind kind)
{
    rf_instr *in = rf_emit(r, s, step, kind, RF_CLASS_ASYNC);
    in->imm[0] = s->n ? s->arg[0].value : 0;
    in->imm[1] = rf_has(s, "wait_all");
    return true;
}

static bool decode_cp_arrive(rf_reader *r, const rf_statement *s)
{
    int64_t offset;
    rf_operand base = rf_operand_base(r, s, &s->arg[0], &offset);
    rf_instr *in = rf_emit(r, s, step_cp_arrive, RF_KIND_STEP, RF_CLASS_ASYNC);
    in->o[0] = base;
    in->offset = offset;
    in->space = (uint8_t)rf_space_of(s);
    in->sub = rf_has(s, "noinc");
    return true;
}

/* cp.async.ca.shared.global [to], [from], bytes{, from_bytes | ignore} */
static bool decode_cp_plain(rf_reader *r, const rf_statement *s)
{
    int64_t to_offset, from_offset;
    rf_operand size = rf_operand_none(), ignore = rf_operand_none();
    if (s->n < 3 || s->arg[2].kind != RF_ARG_NUMBER)
        return false;
    rf_operand to = rf_operand_base(r, s, &s->arg[0], &to_offset);
    rf_operand from = rf_operand_base(r, s, &s->arg[1], &from_offset);
    if (s->n > 3 && !rf_has(s, "L2::cache_hint")) {
        rf_operand o = rf_operand_of(r, s, &s->arg[3], RF_T_B32);
        *(o.predicate ? &ignore : &size) = o;
    }
    if (s->n > 4) /* a size and a cache policy */
        size = rf_operand_of(r, s, &s->arg[3], RF_T_B32);
    rf_instr *in = rf_emit(r, s, step_cp_async, RF_KIND_STEP, RF_CLASS_ASYNC);
    in->o[0] = to;
    in->o[1] = from;
    in->o[2] = size;
    in->o[3] = ignore;
    in->offset = to_offset;
    in->imm[0] = s->arg[2].value;
    in->imm[1] = (uint64_t)from_offset;
    return true;
}

/* ---- bulk copies: o[0] to, o[1] from, o[2] size, o[3] barrier, o[4] ranks -
 */

static uint64_t narrow(rf_space space, uint64_t a)
{
    return space == RF_SPACE_SHARED || space == RF_SPACE_CLUSTER ? (uint32_t)a
                                                                 : a;
}

static uint64_t barrier_of(const rf_warp *w, const rf_instr *in, int i)
{
    return in->o[3].bank == RF_BANK_NONE ? 0
                                         : (uint32_t)rf_get(w, &in->o[3], i);
}

static uint32_t ranks_of(const rf_warp *w, const rf_instr *in, int i)
{
    return in->o[4].bank == RF_BANK_NONE
               ? 0
               : (uint32_t)rf_get(w, &in->o[4], i) & 0xffff;
}

static void step_bulk(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        rf_bulk_copy b = { .to_space = (rf_space)in->space,
                           .from_space = (rf_space)in->space2,
                           .size = (uint32_t)rf_get(w, &in->o[2], i),
                           .reduce = in->sub,
                           .op = (rf_atomic)in->imm[0],
                           .type = (rf_type)in->type };
        b.to =
            narrow(b.to_space, rf_get(w, &in->o[0], i) + (uint64_t)in->offset);
        b.from = narrow(b.from_space, rf_get(w, &in->o[1], i) + in->imm[1]);
        if ((b.to | b.from | b.size) & 15)
            rf_fault(w, in, i, RF_CHECK_MISALIGNED, RF_MISALIGNED,
                     "a bulk copy of %u bytes from 0x%llx to 0x%llx: all "
                     "three must be multiples of 16",
                     b.size, (unsigned long long)b.from,
                     (unsigned long long)b.to);
        rf_copy_issue(&(rf_copy){ .kind = RF_COPY_BULK,
                                  .w = w,
                                  .in = in,
                                  .lane = i,
                                  .barrier = barrier_of(w, in, i),
                                  .ranks = ranks_of(w, in, i),
                                  .bulk = b });
    }
}

static bool decode_bulk(rf_reader *r, const rf_statement *s, bool reduce)
{
    int64_t to_offset, from_offset, ignored;
    bool barrier = rf_has(s, "mbarrier::complete_tx::bytes");
    bool many = rf_has(s, "multicast::cluster");
    if (s->n < (barrier ? 4u : 3u) + many)
        return false;
    rf_operand none = rf_operand_none();
    rf_operand to = rf_operand_base(r, s, &s->arg[0], &to_offset);
    rf_operand from = rf_operand_base(r, s, &s->arg[1], &from_offset);
    rf_operand size = rf_operand_of(r, s, &s->arg[2], RF_T_U32);
    rf_operand bar =
        barrier ? rf_operand_base(r, s, &s->arg[3], &ignored) : none;
    rf_operand ranks = many ? rf_operand_of(r, s, &s->arg[4], RF_T_B16) : none;
    rf_instr *in = rf_emit(r, s, step_bulk, RF_KIND_STEP, RF_CLASS_ASYNC);
    rf_operand o[] = { to, from, size, bar, ranks };
    memcpy(in->o, o, sizeof o);
    in->offset = to_offset;
    in->imm[0] = rf_atomic_of(s);
    in->imm[1] = (uint64_t)from_offset;
    in->space = (uint8_t)rf_nth_space(s, 0);
    in->space2 = (uint8_t)rf_nth_space(s, 1);
    in->sub = reduce;
    in->type = (uint8_t)rf_last_type(s);
    return true;
}

/* The wait stalls the warp until the lanes' groups are done. */
static void step_bulk_wait(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        if (!rf_copy_groups_done(w, i, (uint32_t)in->imm[0]))
            w->stalled = true;
    }
    if (!w->stalled)
        rf_engine_acquire(w);
}

static void step_bulk_commit(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    (void)in;
    RF_EACH_LANE(i, mask)
    {
        rf_copy_commit(w, i);
    }
}

/* ---- tensor copies: o[0] shared, o[1] map, o[3] barrier, o[4] ranks;
 * vec[0] coordinates, vec[1] im2col offsets ---- */

static void fetch_map(rf_warp *w, const rf_instr *in, int i, uint64_t address,
                      rf_tensor_map *map)
{
    uint8_t bytes[128];
    rf_lane_context c = { w, in, i };
    rf_access access = rf_lane_access(&c);
    access.read(&c, RF_SPACE_GENERIC, address, bytes, sizeof bytes);
    if (!rf_tensor_map_valid(bytes))
        rf_fault(w, in, i, RF_CHECK_FAULT, RF_ILLEGAL_INSTRUCTION,
                 "0x%llx does not hold a tensor map",
                 (unsigned long long)address);
    memcpy(map, bytes, sizeof *map);
}

static void step_tensor(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        rf_copy x = { .kind = RF_COPY_TENSOR,
                      .w = w,
                      .in = in,
                      .lane = i,
                      .barrier = barrier_of(w, in, i),
                      .ranks = ranks_of(w, in, i) };
        rf_tensor_copy *t = &x.tensor.copy;
        fetch_map(w, in, i, rf_get(w, &in->o[1], i) + in->imm[1],
                  &x.tensor.map);
        if (x.tensor.map.rank != in->vec[0].n)
            rf_fault(w, in, i, RF_CHECK_FAULT, RF_ILLEGAL_INSTRUCTION,
                     "a tensor map of rank %u used with %u coordinates",
                     x.tensor.map.rank, in->vec[0].n);
        t->direction = (rf_direction)in->sub;
        t->op = (rf_atomic)in->imm[0];
        t->space = RF_SPACE_CLUSTER;
        t->shared = (uint32_t)(rf_get(w, &in->o[0], i) + (uint64_t)in->offset);
        if (t->shared & 127)
            rf_fault(w, in, i, RF_CHECK_MISALIGNED, RF_MISALIGNED,
                     "the shared address of a tensor copy is not a multiple "
                     "of 128");
        for (uint32_t k = 0; k < in->vec[0].n; k++)
            t->at[k] = (int32_t)rf_get(w, &in->vec[0].at[k], i);
        for (uint32_t k = 0; k < in->vec[1].n && k < 3; k++)
            t->offset[k] = (uint16_t)rf_get(w, &in->vec[1].at[k], i);
        rf_copy_issue(&x);
    }
}

/* load:  [shared], [map, {coordinates}], [barrier]{, {offsets}}{, ranks}
 * store: [map, {coordinates}], [shared] */
static bool decode_tensor(rf_reader *r, const rf_statement *s, bool reduce)
{
    int64_t offset, map_offset, ignored;
    bool load = rf_has(s, "mbarrier::complete_tx::bytes");
    bool many = rf_has(s, "multicast::cluster");
    uint32_t k = 3;
    const rf_arg *map = &s->arg[load ? 1 : 0], *shared = &s->arg[load ? 0 : 1];
    if (s->n < (load ? 3u : 2u) || map->n != 2)
        return false;
    rf_operand none = rf_operand_none();
    rf_operand o[5] = { none, none, none, none, none };
    rf_operands offsets = { 0 };
    o[0] = rf_operand_base(r, s, shared, &offset);
    o[1] = rf_operand_base(r, s, map, &map_offset);
    rf_operands at = rf_operands_of(r, s, &map->at[1], RF_T_B32);
    if (load)
        o[3] = rf_operand_base(r, s, &s->arg[2], &ignored);
    if (load && k < s->n && s->arg[k].kind == RF_ARG_VECTOR)
        offsets = rf_operands_of(r, s, &s->arg[k++], RF_T_B16);
    if (many && k < s->n)
        o[4] = rf_operand_of(r, s, &s->arg[k], RF_T_B16);
    rf_instr *in = rf_emit(r, s, step_tensor, RF_KIND_STEP, RF_CLASS_ASYNC);
    memcpy(in->o, o, sizeof o);
    in->vec[0] = at;
    in->vec[1] = offsets;
    in->offset = offset;
    in->imm[0] = rf_atomic_of(s);
    in->imm[1] = (uint64_t)map_offset;
    in->sub = load     ? RF_TENSOR_LOAD
              : reduce ? RF_TENSOR_REDUCE
                       : RF_TENSOR_STORE;
    return true;
}

bool rf_decode_cp(rf_reader *r, const rf_statement *s)
{
    bool bulk = rf_has(s, "bulk"), reduce = rf_has(s, "reduce");
    if (rf_has(s, "prefetch"))
        return rf_decode_hint(r, s);
    if (rf_has(s, "commit_group"))
        return decode_group(r, s, bulk ? step_bulk_commit : step_commit,
                            RF_KIND_STEP);
    if (rf_has(s, "wait_group") || rf_has(s, "wait_all"))
        return decode_group(r, s, bulk ? step_bulk_wait : step_wait_group,
                            bulk ? RF_KIND_WAIT : RF_KIND_STEP);
    if (rf_has(s, "mbarrier") && !bulk)
        return decode_cp_arrive(r, s);
    if (rf_has(s, "tensor"))
        return decode_tensor(r, s, reduce);
    return bulk ? decode_bulk(r, s, reduce) : decode_cp_plain(r, s);
}

/* ---- st.async, red.async: o[0] address, o[1] barrier, vec[0] values ---- */

static void step_st_async(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint32_t size = rf_type_bytes((rf_type)in->type);
    RF_EACH_LANE(i, mask)
    {
        rf_copy x = { .kind = RF_COPY_STORE, .w = w, .in = in, .lane = i };
        x.barrier = (uint32_t)rf_get(w, &in->o[1], i);
        x.store.to = (uint32_t)(rf_get(w, &in->o[0], i) + (uint64_t)in->offset);
        x.store.size = size * in->vec[0].n;
        x.store.reduce = in->sub != RF_ATOM_COUNT;
        x.store.op = (rf_atomic)in->sub;
        x.store.type = (rf_type)in->type;
        for (uint32_t k = 0; k < in->vec[0].n; k++) {
            uint64_t v = rf_get(w, &in->vec[0].at[k], i);
            memcpy(x.store.bytes + k * size, &v, size);
        }
        rf_copy_issue(&x);
    }
}

bool rf_decode_st_async(rf_reader *r, const rf_statement *s)
{
    int64_t offset, ignored;
    rf_type type = rf_last_type(s);
    bool red = s->part[0][0] == 'r';
    if (s->n < 3 || rf_type_bytes(type) > 8)
        return false;
    rf_operand to = rf_operand_base(r, s, &s->arg[0], &offset);
    rf_operands v = rf_operands_of(r, s, &s->arg[1], type);
    rf_operand bar = rf_operand_base(r, s, &s->arg[2], &ignored);
    rf_instr *in = rf_emit(r, s, step_st_async, RF_KIND_STEP, RF_CLASS_ASYNC);
    in->o[0] = to;
    in->o[1] = bar;
    in->vec[0] = v;
    in->offset = offset;
    in->type = (uint8_t)type;
    in->sub = (uint8_t)(red ? rf_atomic_of(s) : RF_ATOM_COUNT);
    return true;
}

/* ---- addresses in a cluster ---- */

/* Put rank o[2] into the address o[1]. */
static void step_mapa(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint32_t n = w->block->cluster->n_blocks;
    RF_EACH_LANE(i, mask)
    {
        uint64_t a = rf_get(w, &in->o[1], i), rank = rf_get(w, &in->o[2], i);
        if (rank >= n)
            rf_fault(w, in, i, RF_CHECK_BOUNDS, RF_ILLEGAL_ADDRESS,
                     "mapa to rank %llu in a cluster of %u blocks",
                     (unsigned long long)rank, n);
        rf_set(w, &in->o[0], i, (a & ~0xff000000ull) | rank << 24);
    }
}

static void step_rank(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        rf_set(w, &in->o[0], i, rf_get(w, &in->o[1], i) >> 24 & 0xff);
    }
}

static bool in_space(const rf_warp *w, rf_space space, uint64_t a)
{
    bool shared = (a & RF_WINDOW_MASK) == RF_WINDOW_SHARED;
    bool local = (a & RF_WINDOW_MASK) == RF_WINDOW_LOCAL;
    switch (space) {
    case RF_SPACE_SHARED:
        return shared && (a >> 24 & 0xff) == w->block->rank;
    case RF_SPACE_CLUSTER:
        return shared;
    case RF_SPACE_LOCAL:
        return local;
    default:
        return !shared && !local;
    }
}

static void step_isspacep(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint32_t r = 0;
    RF_EACH_LANE(i, mask)
    {
        r |= (uint32_t)in_space(w, (rf_space)in->space, rf_get(w, &in->o[1], i))
             << i;
    }
    rf_set_pred(w, &in->o[0], r, mask);
}

static bool decode_address(rf_reader *r, const rf_statement *s, rf_step *step,
                           rf_type result)
{
    rf_operand o[3];
    if (s->n > 3)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], i ? RF_T_B64 : result);
    rf_instr *in = rf_emit(r, s, step, RF_KIND_STEP, RF_CLASS_INT);
    memcpy(in->o, o, s->n * sizeof *o);
    in->space = (uint8_t)rf_space_of(s);
    return true;
}

bool rf_decode_mapa(rf_reader *r, const rf_statement *s)
{
    return s->n == 3 && decode_address(r, s, step_mapa, RF_T_B64);
}

bool rf_decode_getctarank(rf_reader *r, const rf_statement *s)
{
    return s->n == 2 && decode_address(r, s, step_rank, RF_T_B32);
}

bool rf_decode_isspacep(rf_reader *r, const rf_statement *s)
{
    return s->n == 2 && decode_address(r, s, step_isspacep, RF_T_PRED);
}
