/* Addresses to host pointers, with every check on the way.
 *
 * The common case is a whole warp in one buffer or in its block's shared
 * memory: the least and the greatest address decide for all lanes. */
#include "exec/device.h"
#include "exec/race.h"

#include <string.h>

/* ---- faults ---- */

_Noreturn static void misaligned(rf_warp *w, const rf_instr *in, int lane,
                                 uint64_t address, uint32_t n)
{
    rf_fault(w, in, lane, RF_CHECK_MISALIGNED, RF_MISALIGNED,
             "access of %u bytes at misaligned address 0x%llx", n,
             (unsigned long long)address);
}

_Noreturn static void bad_global(rf_warp *w, const rf_instr *in, int lane,
                                 uint64_t address, uint32_t n, rf_use use)
{
    const rf_heap *h = &w->worker->machine->heap;
    const rf_alloc *a = rf_heap_near(h, address);
    const char *verb = use == RF_LOAD ? "read" : "write";
    rf_buf text = { 0 };
    if (a)
        rf_alloc_add(&text, a);
    char near[120];
    snprintf(near, sizeof near, "%s", rf_buf_text(&text));
    rf_buf_free(&text);
    if (a && address < a->start + a->size && !a->live)
        rf_fault(w, in, lane, RF_CHECK_FREED, RF_ILLEGAL_ADDRESS,
                 "%s of %u bytes at offset %llu of freed %s", verb, n,
                 (unsigned long long)(address - a->start), near);
    if (a && address - a->start < 1u << 30)
        rf_fault(w, in, lane, RF_CHECK_BOUNDS, RF_ILLEGAL_ADDRESS,
                 "%s of %u bytes at offset %llu of %s", verb, n,
                 (unsigned long long)(address - a->start), near);
    rf_fault(w, in, lane, RF_CHECK_BOUNDS, RF_ILLEGAL_ADDRESS,
             "%s of %u bytes at 0x%llx, which is in no buffer", verb, n,
             (unsigned long long)address);
}

/* ---- one lane ---- */

static uint8_t *global_one(rf_warp *w, const rf_instr *in, int lane,
                           uint64_t address, uint32_t n, rf_use use)
{
    const rf_alloc *a = rf_heap_at(&w->worker->machine->heap, address);
    if (!a || !a->live || address + n > a->start + a->size)
        bad_global(w, in, lane, address, n, use);
    return (uint8_t *)address;
}

static uint8_t *shared_one(rf_warp *w, const rf_instr *in, int lane,
                           rf_space space, uint64_t address, uint32_t n)
{
    uint32_t rank = address >> 24 & 0xff, offset = address & 0xffffff;
    rf_cluster *c = w->block->cluster;
    uint32_t end = RF_SHARED_START + w->worker->grid->shared_size;
    if (rank >= c->n_blocks || offset < RF_SHARED_START || offset + n > end)
        rf_fault(w, in, lane, RF_CHECK_BOUNDS, RF_ILLEGAL_ADDRESS,
                 "access of %u bytes at offset %d of the shared memory of "
                 "rank %u (%u bytes a block, %u blocks in the cluster)",
                 n, (int)offset - RF_SHARED_START, rank, end - RF_SHARED_START,
                 c->n_blocks);
    rf_block *b = &c->blocks[rank];
    if (b != w->block && space == RF_SPACE_SHARED)
        rf_fault(w, in, lane, RF_CHECK_BOUNDS, RF_ILLEGAL_ADDRESS,
                 "a shared::cta access to the memory of rank %u", rank);
    if (b->exited)
        rf_fault(w, in, lane, RF_CHECK_EXITED, RF_ILLEGAL_ADDRESS,
                 "access to the shared memory of block rank %u, which has "
                 "exited",
                 rank);
    return b->shared + offset;
}

static uint8_t *local_one(rf_warp *w, const rf_instr *in, int lane,
                          uint64_t address, uint32_t n)
{
    uint32_t offset = (uint32_t)address;
    if (offset + (uint64_t)n > w->local_top[lane])
        rf_fault(w, in, lane, RF_CHECK_BOUNDS, RF_ILLEGAL_ADDRESS,
                 "access of %u bytes at offset %u of %u bytes of local memory",
                 n, offset, w->local_top[lane]);
    return w->local + (size_t)lane * w->local_size + offset;
}

static rf_space space_of(rf_space space, uint64_t address)
{
    if (space != RF_SPACE_GENERIC)
        return space;
    switch (address & RF_WINDOW_MASK) {
    case RF_WINDOW_SHARED:
        return RF_SPACE_CLUSTER;
    case RF_WINDOW_LOCAL:
        return RF_SPACE_LOCAL;
    default:
        return RF_SPACE_GLOBAL;
    }
}

static uint8_t *resolve_lane(rf_warp *w, const rf_instr *in, int lane,
                             rf_space space, uint64_t address, uint32_t n,
                             rf_use use, const uint8_t *value)
{
    uint8_t *p;
    space = space_of(space, address);
    if (!(n & (n - 1)) && address & (n - 1))
        misaligned(w, in, lane, address, n);
    switch (space) {
    case RF_SPACE_SHARED:
    case RF_SPACE_CLUSTER:
        p = shared_one(w, in, lane, space, address, n);
        rf_shadow_touch(w, in, lane,
                        &w->block->cluster->blocks[address >> 24 & 0xff],
                        address & 0xffffff, n, use, value);
        return p;
    case RF_SPACE_LOCAL:
        return local_one(w, in, lane, address, n);
    default:
        p = global_one(w, in, lane, address, n, use);
        rf_shadow_touch(w, in, lane, NULL, address, n, use, value);
        return p;
    }
}

uint8_t *rf_resolve_one(rf_warp *w, const rf_instr *in, int lane,
                        rf_space space, uint64_t address, uint32_t n,
                        rf_use use, const uint8_t *value)
{
    rf_column all;
    all[lane] = address;
    uint8_t *p = resolve_lane(w, in, lane, space, address, n, use, value);
    if (w->worker->grid->count)
        rf_traffic_count(w, 1u << lane, space_of(space, address), all, n, use);
    return p;
}

/* ---- a warp ---- */

typedef struct {
    uint64_t least, greatest, bits; /* bits: or of all addresses */
} extent;

static extent extent_of(uint32_t mask, const uint64_t *address)
{
    extent e = { ~0ull, 0, 0 };
    for (int i = 0; i < RF_LANES; i++) {
        bool on = mask >> i & 1;
        uint64_t lo = on ? address[i] : ~0ull, hi = on ? address[i] : 0;
        e.least = lo < e.least ? lo : e.least;
        e.greatest = hi > e.greatest ? hi : e.greatest;
        e.bits |= hi;
    }
    return e;
}

/* All lanes in one buffer: nothing more to look at. */
static bool global_all(rf_warp *w, extent e, uint32_t n)
{
    const rf_alloc *a = rf_heap_at(&w->worker->machine->heap, e.least);
    return a && a->live && e.greatest + n <= a->start + a->size;
}

static bool shared_all(rf_warp *w, extent e, uint32_t n)
{
    uint64_t start = (uint64_t)w->block->rank << 24 | RF_SHARED_START;
    return e.least >= start &&
           e.greatest + n <= start + w->worker->grid->shared_size;
}

static void slow(rf_warp *w, const rf_instr *in, uint32_t mask, rf_space space,
                 const uint64_t *address, uint32_t n, rf_use use,
                 const uint8_t *values, uint32_t stride, uint8_t **pointer)
{
    RF_EACH_LANE(i, mask)
    {
        pointer[i] = resolve_lane(w, in, i, space, address[i], n, use,
                                  values ? values + i * stride : NULL);
    }
}

/* Count what the lanes move, space by space. */
static void count(rf_warp *w, uint32_t mask, rf_space space,
                  const uint64_t *address, uint32_t n, rf_use use)
{
    uint32_t in_space[RF_SPACE_CONST + 1] = { 0 };
    RF_EACH_LANE(i, mask)
    {
        in_space[space_of(space, address[i])] |= 1u << i;
    }
    for (int s = 0; s <= RF_SPACE_CONST; s++)
        if (in_space[s])
            rf_traffic_count(w, in_space[s], (rf_space)s, address, n, use);
}

void rf_resolve(rf_warp *w, const rf_instr *in, uint32_t mask, rf_space space,
                const uint64_t *address, uint32_t n, rf_use use,
                const uint8_t *values, uint32_t stride, uint8_t **pointer)
{
    extent e = extent_of(mask, address);
    bool aligned = !(e.bits & (n - 1)) && !(n & (n - 1));
    if (w->worker->grid->count)
        count(w, mask, space, address, n, use);
    if (space == RF_SPACE_GENERIC &&
        !((e.least ^ e.greatest) & RF_WINDOW_MASK) &&
        !(e.bits & RF_WINDOW_MASK))
        space = RF_SPACE_GLOBAL;
    if (aligned && (space == RF_SPACE_GLOBAL || space == RF_SPACE_CONST) &&
        global_all(w, e, n)) {
        for (int i = 0; i < RF_LANES; i++)
            pointer[i] = (uint8_t *)address[i];
        rf_shadow_touch_all(w, in, mask, NULL, address, n, use, values, stride);
        return;
    }
    if (aligned && space == RF_SPACE_SHARED && shared_all(w, e, n)) {
        uint8_t *base = w->block->shared - ((uint64_t)w->block->rank << 24);
        for (int i = 0; i < RF_LANES; i++)
            pointer[i] = base + address[i];
        rf_shadow_touch_all(w, in, mask, w->block, address, n, use, values,
                            stride);
        return;
    }
    slow(w, in, mask, space, address, n, use, values, stride, pointer);
}

/* ---- a lane's memory as callbacks ---- */

/* The largest power of two up to n that divides the address. */
static uint32_t aligned_part(uint64_t address, uint32_t n)
{
    while (n & (n - 1) || address & (n - 1))
        n = n & (n - 1) ? n & (n - 1) : n / 2;
    return n;
}

static void access_read(void *context, rf_space space, uint64_t address,
                        void *bytes, uint32_t n)
{
    rf_lane_context *c = context;
    for (uint32_t i = 0; i < n;) {
        uint32_t part = aligned_part(address + i, n - i);
        uint8_t *p = rf_resolve_one(c->w, c->in, c->lane, space, address + i,
                                    part, RF_LOAD, NULL);
        memcpy((uint8_t *)bytes + i, p, part);
        i += part;
    }
}

static void access_write(void *context, rf_space space, uint64_t address,
                         const void *bytes, uint32_t n)
{
    rf_lane_context *c = context;
    for (uint32_t i = 0; i < n;) {
        uint32_t part = aligned_part(address + i, n - i);
        uint8_t *p = rf_resolve_one(c->w, c->in, c->lane, space, address + i,
                                    part, RF_STORE, (const uint8_t *)bytes + i);
        memcpy(p, (const uint8_t *)bytes + i, part);
        i += part;
    }
}

static void access_reduce(void *context, rf_space space, uint64_t address,
                          const void *bytes, uint32_t n, rf_atomic op,
                          rf_type type)
{
    rf_lane_context *c = context;
    uint32_t size = rf_type_bytes(type);
    for (uint32_t i = 0; i < n; i += size) {
        uint64_t old = 0, b = 0;
        uint8_t *p = rf_resolve_one(c->w, c->in, c->lane, space, address + i,
                                    size, RF_ATOMIC_RMW, NULL);
        memcpy(&old, p, size);
        memcpy(&b, (const uint8_t *)bytes + i, size);
        uint64_t new = rf_atomic_apply(op, type, old, b, 0, RF_RN);
        memcpy(p, &new, size);
    }
}

rf_access rf_lane_access(rf_lane_context *context)
{
    return (rf_access){ context, access_read, access_write, access_reduce };
}
