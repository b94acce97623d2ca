/* Counting traffic: bytes, requests, and sectors of 32 bytes, which are what a
 * warp's access to global memory is split into. */
#include "exec/device.h"

enum { SECTOR = 32, MAX_SECTORS = 128 };

typedef struct {
    uint64_t seen[MAX_SECTORS], top; /* top: one more than the greatest */
    uint32_t count;
} sector_set;

static void add_sector(sector_set *set, uint64_t s)
{
    uint32_t k = s >= set->top ? set->count : 0;
    while (k < set->count && set->seen[k] != s)
        k++;
    if (k < set->count || k == MAX_SECTORS)
        return;
    set->seen[set->count++] = s;
    set->top = s >= set->top ? s + 1 : set->top;
}

/* Distinct sectors that the lanes touch; lanes mostly go upwards. */
static uint32_t sectors_of(uint32_t mask, const uint64_t *address, uint32_t n)
{
    sector_set set;
    set.count = 0;
    set.top = 0;
    RF_EACH_LANE(i, mask)
    {
        uint64_t last = (address[i] + n - 1) / SECTOR;
        if (set.top == last + 1 && address[i] / SECTOR == last)
            continue; /* the sector of the lane before */
        for (uint64_t s = address[i] / SECTOR; s <= last; s++)
            add_sector(&set, s);
    }
    return set.count;
}

static void add(rf_traffic *t, uint32_t lanes, uint32_t n, uint32_t sectors,
                rf_use use)
{
    t->requests++;
    if (use != RF_STORE) {
        t->loads += lanes;
        t->bytes_loaded += (uint64_t)lanes * n;
        t->sectors_loaded += sectors;
    }
    if (use != RF_LOAD) {
        t->stores += lanes;
        t->bytes_stored += (uint64_t)lanes * n;
        t->sectors_stored += sectors;
    }
}

static void count_global(rf_warp *w, uint32_t mask, const uint64_t *address,
                         uint32_t n, rf_use use)
{
    const rf_heap *h = &w->worker->machine->heap;
    uint32_t sectors = sectors_of(mask, address, n);
    add(&w->worker->global, (uint32_t)__builtin_popcount(mask), n, sectors,
        use);
    while (mask) {
        rf_alloc *a = rf_heap_at(h, address[__builtin_ctz(mask)]);
        uint32_t group = 0;
        RF_EACH_LANE(i, mask)
        {
            group |= (uint32_t)(rf_heap_at(h, address[i]) == a) << i;
        }
        if (a)
            add(&a->traffic, (uint32_t)__builtin_popcount(group), n,
                sectors_of(group, address, n), use);
        mask &= ~group;
    }
}

static void count_shared(rf_warp *w, uint32_t mask, const uint64_t *address,
                         uint32_t n, rf_use use)
{
    uint32_t own = 0;
    RF_EACH_LANE(i, mask)
    {
        own += (address[i] >> 24 & 0xff) == w->block->rank;
    }
    uint32_t others = (uint32_t)__builtin_popcount(mask) - own;
    if (own)
        add(&w->worker->shared, own, n, 0, use);
    if (others)
        add(&w->worker->remote, others, n, 0, use);
}

void rf_traffic_count(rf_warp *w, uint32_t mask, rf_space space,
                      const uint64_t *address, uint32_t n, rf_use use)
{
    switch (space) {
    case RF_SPACE_LOCAL:
    case RF_SPACE_PARAM:
        return;
    case RF_SPACE_SHARED:
    case RF_SPACE_CLUSTER:
        count_shared(w, mask, address, n, use);
        return;
    default:
        count_global(w, mask, address, n, use);
    }
}

void rf_traffic_add(rf_traffic *to, const rf_traffic *t)
{
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)t;
    for (size_t i = 0; i < sizeof *t / sizeof *a; i++)
        a[i] += b[i];
}

/* Floating types win, because integers also store bits of floats. */
void rf_element_note(rf_warp *w, const rf_instr *in, uint64_t address)
{
    rf_alloc *a = rf_heap_at(&w->worker->machine->heap, address);
    char class = rf_type_class((rf_type)in->type2);
    if (a && a->element != in->type2 && (class == 'f' || !a->element))
        a->element = in->type2;
}
