/* Shadow memory: what each byte has seen.
 *
 * A page of 4096 bytes is divided into cells of 1, 2 or 4 bytes, the smallest
 * access it has met; a smaller one divides its cells again. The cell of byte
 * b of a page is number b / 4 of quarter b mod 4: what divides a page fills
 * quarters and moves no cell, so other workers may go on. A cell holds three
 * epochs (race.h): the last write, a read since then that nothing orders
 * before the next reader, and the latest read. Whoever writes without an order
 * to all readers is without one to the first or to the latest of them, unless
 * part of the readers are ordered, so two are enough in practice. */
#include "exec/race.h"

#include <string.h>

typedef struct {
    rf_warp *w;
    const rf_instr *in;
    int lane;
    rf_block *b; /* NULL: global memory */
    rf_shadow *s;
    uint64_t offset; /* in the shadow */
    uint32_t n;
    rf_use use;
    bool strong;
} touch;

enum { ACTOR_BITS = 26, ACTOR_MASK = (1 << ACTOR_BITS) - 1 };

#define NO_CELL UINT64_MAX

/* clock:32 actor:26 lane:5 strong:1 */
static uint64_t epoch_of(rf_warp *w, int lane, bool strong)
{
    const rf_actor *a = rf_actor_of(w);
    uint64_t actor = (w->block->cluster->first_actor + a->index) & ACTOR_MASK;
    return (uint64_t)a->clock << 32 | actor << 6 | (uint64_t)lane << 1 | strong;
}

static uint32_t clock_of(uint64_t epoch)
{
    return (uint32_t)(epoch >> 32);
}

/* Clocks up to here are ordered before any access of "w" now. */
static uint32_t limit_of(rf_warp *w, const rf_block *b)
{
    return b ? rf_actor_of(w)->seen : w->worker->grid->base_clock - 1;
}

static bool far_ordered(const touch *t, uint64_t epoch)
{
    const rf_cluster *c = t->w->block->cluster;
    uint64_t actor = epoch >> 6 & ACTOR_MASK;
    return rf_far_knows(c, rf_actor_of(t->w), actor / c->n_actors,
                        (uint32_t)(actor % c->n_actors), clock_of(epoch));
}

static bool ordered(const touch *t, uint64_t epoch)
{
    const rf_cluster *c = t->w->block->cluster;
    const rf_actor *a = rf_actor_of(t->w);
    uint32_t clock = clock_of(epoch);
    if (clock < (t->b ? c->start : c->grid->base_clock))
        return true;
    uint32_t index = ((uint32_t)(epoch >> 6) - c->first_actor) & ACTOR_MASK;
    if (index >= c->n_actors)
        return far_ordered(t, epoch);
    if (index == a->index && index < c->n_warps)
        return (int)(epoch >> 1 & 31) == t->lane || clock < a->clock;
    return clock <= a->vc[index];
}

/* ---- cells ---- */

enum { QUARTER = RF_PAGE / 4 };

/* The cell of 1 << shift bytes that holds the byte. */
static uint64_t cell_at(uint64_t offset, uint32_t shift)
{
    uint64_t at = offset & (RF_PAGE - 1) & ~0ull << shift;
    return (offset & ~(uint64_t)(RF_PAGE - 1)) | (at % 4 * QUARTER + at / 4);
}

/* Cells of 1 << from bytes become cells of 1 << to bytes. */
static void divide(rf_shadow *s, uint64_t page, uint32_t from, uint32_t to)
{
    for (uint64_t q = 1; q < 4; q++) {
        uint64_t source = q & ~0ull << from;
        if (q & ~(~0ull << to) || source == q)
            continue;
        uint64_t at = page + q * QUARTER, old = page + source * QUARTER;
        memcpy(s->writer + at, s->writer + old, QUARTER * 8);
        memcpy(s->reader + at, s->reader + old, QUARTER * 8);
        memcpy(s->reader2 + at, s->reader2 + old, QUARTER * 8);
        memcpy(s->writer_code + at, s->writer_code + old, QUARTER * 4);
    }
}

static uint32_t shift_for(uint64_t offset, uint32_t n)
{
    uint32_t bits = (uint32_t)offset | n | 4;
    return (uint32_t)__builtin_ctz(bits);
}

/* The page's cells are at most as large as the access; log2 of their size. */
static uint32_t granule(touch *t)
{
    uint8_t *place = &t->s->granule[t->offset / RF_PAGE];
    uint32_t want = shift_for(t->offset, t->n);
    uint32_t g = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (g && g - 1 <= want)
        return g - 1;
    pthread_mutex_t *lock = &t->w->worker->machine->lock;
    pthread_mutex_lock(lock);
    g = *place;
    if (g && g - 1 > want)
        divide(t->s, t->offset & ~(uint64_t)(RF_PAGE - 1), g - 1, want);
    if (!g || g - 1 > want)
        g = want + 1;
    __atomic_store_n(place, (uint8_t)g, __ATOMIC_RELEASE);
    pthread_mutex_unlock(lock);
    return g - 1;
}

/* ---- messages ---- */

static void name_place(rf_buf *text, const touch *t)
{
    if (!t->b) {
        const rf_alloc *a =
            rf_heap_at(&t->w->worker->machine->heap, t->s->base + t->offset);
        uint64_t at = t->s->base + t->offset;
        rf_buf_printf(text, "offset %llu of ",
                      (unsigned long long)(a ? at - a->start : at));
        if (a)
            rf_alloc_add(text, a);
        return;
    }
    rf_buf_printf(text, "offset %llu of the shared memory of block rank %u",
                  (unsigned long long)t->offset - RF_SHARED_START, t->b->rank);
}

/* Who left "epoch": "block (1,0,0), thread (3,0,0)". */
static void name_actor(rf_buf *text, const touch *t, uint64_t epoch)
{
    const rf_grid *g = t->w->worker->grid;
    const rf_cluster *c = t->w->block->cluster;
    uint64_t actor = epoch >> 6 & ACTOR_MASK;
    uint64_t number = actor / c->n_actors;
    uint32_t index = (uint32_t)(actor % c->n_actors);
    uint64_t gx = g->grid.x / g->cluster.x, gy = g->grid.y / g->cluster.y;
    if (index >= c->n_warps) {
        rf_buf_puts(text, "an asynchronous copy");
        return;
    }
    uint32_t rank = index / g->n_warps;
    uint32_t id = index % g->n_warps * RF_LANES + (epoch >> 1 & 31);
    rf_dim3 C = g->cluster, B = g->block;
    rf_buf_printf(text, "block (%u,%u,%u), thread (%u,%u,%u)",
                  (uint32_t)(number % gx) * C.x + rank % C.x,
                  (uint32_t)(number / gx % gy) * C.y + rank / C.x % C.y,
                  (uint32_t)(number / gx / gy) * C.z + rank / C.x / C.y,
                  id % B.x, id / B.x % B.y, id / B.x / B.y);
}

/* "cell" is that of a write that is reported, or NO_CELL. */
static void report_race(const touch *t, uint64_t epoch, const char *what,
                        uint64_t cell)
{
    const rf_module *m = t->w->worker->grid->kernel->module;
    rf_buf text = { 0 };
    rf_buf_printf(&text, "race: %s of %u bytes at ",
                  t->use == RF_LOAD ? "read" : "write", t->n);
    name_place(&text, t);
    rf_buf_printf(&text, ", unordered with the %s of ", what);
    name_actor(&text, t, epoch);
    if (cell != NO_CELL && t->s->writer_code[cell] < m->code.len) {
        rf_buf_puts(&text, " at ");
        rf_place_add(&text, m, &m->code.data[t->s->writer_code[cell]]);
    }
    rf_report(t->w, t->in, t->lane, RF_CHECK_RACE, "%s", rf_buf_text(&text));
    rf_buf_free(&text);
}

static void report_uninit(const touch *t)
{
    rf_buf text = { 0 };
    rf_buf_printf(&text, "read of %u bytes that nothing has written, at ",
                  t->n);
    name_place(&text, t);
    rf_report(t->w, t->in, t->lane, RF_CHECK_UNINIT, "%s", rf_buf_text(&text));
    rf_buf_free(&text);
}

/* ---- one access ---- */

static bool conflicts(const touch *t, uint64_t epoch)
{
    return epoch && !(t->strong && (epoch & 1)) && !ordered(t, epoch);
}

static bool same_value(const touch *t, const uint8_t *value)
{
    const uint8_t *p = t->b ? t->b->shared + t->offset
                            : (const uint8_t *)(t->s->base + t->offset);
    return value && !memcmp(p, value, t->n);
}

static void read_cell(const touch *t, uint64_t cell, uint64_t own,
                      bool *reported)
{
    rf_shadow *s = t->s;
    if (!*reported && conflicts(t, s->writer[cell])) {
        report_race(t, s->writer[cell], "write", cell);
        *reported = true;
    }
    uint64_t first = s->reader[cell];
    bool same = (uint32_t)first >> 6 == (uint32_t)own >> 6;
    if (same || ordered(t, first))
        s->reader[cell] = own;
    else
        s->reader2[cell] = own;
}

static void write_cell(const touch *t, uint64_t cell, uint64_t own,
                       const uint8_t *value, bool *reported)
{
    rf_shadow *s = t->s;
    const char *what = NULL;
    uint64_t epoch = s->writer[cell];
    if (!*reported && conflicts(t, epoch) && !same_value(t, value)) {
        what = "write";
    } else if (!*reported && conflicts(t, s->reader[cell])) {
        epoch = s->reader[cell];
        what = "read";
    } else if (!*reported && conflicts(t, s->reader2[cell])) {
        epoch = s->reader2[cell];
        what = "read";
    }
    if (what) {
        report_race(t, epoch, what, *what == 'w' ? cell : NO_CELL);
        *reported = true;
    }
    s->writer[cell] = own;
    s->writer_code[cell] = t->in->index;
}

static void check_written(const touch *t)
{
    uint8_t *valid = t->s->valid + t->offset;
    for (uint32_t i = 0; i < t->n; i++) {
        if (valid[i])
            continue;
        report_uninit(t);
        memset(valid, 1, t->n);
        return;
    }
}

static bool is_strong(const rf_instr *in)
{
    return in->flags & RF_FLAG_VOLATILE;
}

/* A compare-and-swap that finds another value only reads. */
static bool compare_fails(const touch *t, const uint8_t *p)
{
    if (t->use != RF_ATOMIC_RMW || t->in->sub != RF_ATOM_CAS ||
        t->in->vec[1].n != 1 || t->n > 8)
        return false;
    uint64_t wanted = rf_get(t->w, &t->in->vec[1].at[0], t->lane);
    return memcmp(p, &wanted, t->n) != 0;
}

/* Blocks of a cluster start one by one: a remote access needs to know of
 * something that the other block has done, or of a cluster barrier. */
static bool knows_block(const rf_actor *a, const rf_block *b)
{
    const rf_cluster *c = b->cluster;
    for (uint32_t q = 0; q < b->n_warps; q++)
        if (a->vc[b->warps[q].actor.index] >= c->start)
            return true;
    return c->phase > 0;
}

static void remember_remote(touch *t)
{
    const rf_actor *a = rf_actor_of(t->w);
    if (!t->b || t->b == t->w->block)
        return;
    if (!knows_block(a, t->b))
        rf_report(t->w, t->in, t->lane, RF_CHECK_STARTED,
                  "block rank %u may not have started: no barrier of the "
                  "cluster precedes this access to its shared memory",
                  t->b->rank);
    t->b->remote_clock[a->index] = a->clock;
    t->b->remote_instr[a->index] = t->in;
}

/* Count the bytes of cells that this launch touches for the first time. */
static void count_cells(rf_warp *w, uint64_t offset, uint64_t cell,
                        uint32_t cells, uint32_t bytes, rf_use use)
{
    rf_worker *k = w->worker;
    const rf_shadow *s = &k->machine->heap.shadow;
    uint32_t base = k->grid->base_clock, unread = 0, unwritten = 0;
    for (uint64_t c = cell; c < cell + cells; c++) {
        unread +=
            clock_of(s->reader[c]) < base && clock_of(s->reader2[c]) < base;
        unwritten += clock_of(s->writer[c]) < base;
    }
    uint64_t loaded = use == RF_STORE ? 0 : (uint64_t)unread * bytes;
    uint64_t stored = use == RF_LOAD ? 0 : (uint64_t)unwritten * bytes;
    rf_alloc *a = rf_heap_at(&k->machine->heap, s->base + offset);
    k->global.distinct_loaded += loaded;
    k->global.distinct_stored += stored;
    a->traffic.distinct_loaded += loaded;
    a->traffic.distinct_stored += stored;
}

static void touch_cells(touch *t, const uint8_t *value)
{
    uint32_t shift = granule(t), cells = t->n >> shift;
    uint64_t own = epoch_of(t->w, t->lane, t->strong);
    bool reported = !rf_checks(t->w, RF_CHECK_RACE);
    bool counted = t->w->worker->grid->count && !t->b;
    for (uint32_t i = 0; i < cells; i++) {
        uint64_t cell = cell_at(t->offset + ((uint64_t)i << shift), shift);
        if (counted)
            count_cells(t->w, t->offset, cell, 1, 1u << shift, t->use);
        if (t->use == RF_LOAD)
            read_cell(t, cell, own, &reported);
        else
            write_cell(t, cell, own, value, &reported);
    }
}

static bool nothing_to_check(const rf_grid *g)
{
    uint32_t shadows =
        1u << RF_CHECK_RACE | 1u << RF_CHECK_UNINIT | 1u << RF_CHECK_EXIT_ORDER;
    return !(g->checks & shadows) && !g->count;
}

void rf_shadow_touch(rf_warp *w, const rf_instr *in, int lane, rf_block *b,
                     uint64_t offset, uint32_t n, rf_use use,
                     const uint8_t *value)
{
    touch t = { w,
                in,
                lane,
                b,
                b ? &b->shadow : &w->worker->machine->heap.shadow,
                offset,
                n,
                use,
                is_strong(in) || use == RF_ATOMIC_RMW };
    uint8_t *p = b ? b->shared + offset : (uint8_t *)offset;
    if (!b)
        t.offset -= t.s->base;
    if (nothing_to_check(w->worker->grid)) {
        if (use != RF_LOAD)
            memset(t.s->valid + t.offset, 1, n);
        return;
    }
    remember_remote(&t);
    if (use == RF_SYNC) {
        memset(t.s->valid + t.offset, 1, n);
        return;
    }
    if (compare_fails(&t, p))
        use = RF_LOAD;
    if (is_strong(in) && b)
        rf_shared_flag_touch(w, in, b->rank, (uint32_t)offset, use);
    else if (is_strong(in))
        rf_global_flag_touch(w, in, offset, use);
    if (use != RF_STORE)
        check_written(&t);
    touch_cells(&t, value);
    if (use != RF_LOAD)
        memset(t.s->valid + t.offset, 1, n);
    if (value && use == RF_STORE)
        memcpy(p, value, n);
}

/* ---- a warp at once ---- */

/* Lane i at first + i * n, all in one page whose cells are 4 bytes. */
static bool contiguous(const rf_shadow *s, uint32_t mask,
                       const uint64_t *address, uint64_t offset, uint32_t n)
{
    uint64_t different = 0;
    if (mask != RF_FULL_MASK || n < 4 ||
        (offset & (RF_PAGE - 1)) + RF_LANES * n > RF_PAGE ||
        s->granule[offset / RF_PAGE] != 3)
        return false;
    for (uint32_t i = 0; i < RF_LANES; i++)
        different |= address[i] ^ (address[0] + i * n);
    return !different;
}

/* All cells were left by ordered accesses, or by the very same thread. */
static bool all_quiet(const uint64_t *cells, uint32_t count, uint64_t own,
                      uint32_t limit, uint32_t per)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t mine = own + (uint64_t)(i / per) * 2;
        uint32_t same = ((uint32_t)cells[i] | 1) == ((uint32_t)mine | 1);
        bad |= ((uint32_t)(cells[i] >> 32) > limit) & !same;
    }
    return !bad;
}

static void all_read(rf_shadow *s, uint64_t cell, uint32_t count, uint64_t own,
                     uint32_t limit, uint32_t per)
{
    uint64_t *first = s->reader + cell, *latest = s->reader2 + cell;
    uint32_t warp = (uint32_t)own >> 6;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t mine = own + (uint64_t)(i / per) * 2, old = first[i];
        bool take =
            (uint32_t)(old >> 32) <= limit || (uint32_t)old >> 6 == warp;
        first[i] = take ? mine : old;
        latest[i] = take ? latest[i] : mine;
    }
}

static void all_written(rf_shadow *s, uint64_t cell, uint32_t count,
                        uint64_t own, uint32_t per, uint32_t code)
{
    uint64_t *writer = s->writer + cell;
    for (uint32_t i = 0; i < count; i++) {
        writer[i] = own + (uint64_t)(i / per) * 2;
        s->writer_code[cell + i] = code;
    }
}

static bool all_valid(const uint8_t *valid, uint32_t n)
{
    uint8_t bad = 0;
    for (uint32_t i = 0; i < n; i++)
        bad |= valid[i] ^ 1;
    return !bad;
}

static bool quick(rf_warp *w, const rf_instr *in, rf_block *b, rf_shadow *s,
                  uint64_t offset, uint32_t n, rf_use use)
{
    uint32_t cells = RF_LANES * n / 4, per = n / 4, limit = limit_of(w, b);
    uint64_t cell = cell_at(offset, 2);
    uint64_t own = epoch_of(w, 0, false);
    bool counted = w->worker->grid->count && !b;
    if (!all_quiet(s->writer + cell, cells, own, limit, per))
        return false;
    if (use == RF_LOAD) {
        if (!all_valid(s->valid + offset, RF_LANES * n))
            return false;
        if (counted)
            count_cells(w, offset, cell, cells, 4, use);
        all_read(s, cell, cells, own, limit, per);
        return true;
    }
    if (!all_quiet(s->reader + cell, cells, own, limit, per) ||
        !all_quiet(s->reader2 + cell, cells, own, limit, per))
        return false;
    if (counted)
        count_cells(w, offset, cell, cells, 4, use);
    all_written(s, cell, cells, own, per, in->index);
    memset(s->valid + offset, 1, RF_LANES * n);
    return true;
}

static inline bool quiet_epoch(uint64_t epoch, uint64_t own, uint32_t limit)
{
    return clock_of(epoch) <= limit ||
           ((uint32_t)epoch | 1) == ((uint32_t)own | 1);
}

/* One lane, one cell of 4 bytes; false if there is more to do. */
static inline bool quiet_load(const rf_shadow *s, uint64_t offset, uint64_t own,
                              uint32_t limit)
{
    uint64_t cell = cell_at(offset, 2), old = s->reader[cell];
    uint32_t valid;
    memcpy(&valid, s->valid + offset, 4);
    if (valid != 0x01010101 || !quiet_epoch(s->writer[cell], own, limit))
        return false;
    bool take =
        clock_of(old) <= limit || (uint32_t)old >> 6 == (uint32_t)own >> 6;
    *(take ? &s->reader[cell] : &s->reader2[cell]) = own;
    return true;
}

static inline bool quiet_store(const rf_shadow *s, uint64_t offset,
                               uint64_t own, uint32_t limit, uint32_t code)
{
    uint64_t cell = cell_at(offset, 2);
    if (!quiet_epoch(s->writer[cell], own, limit) ||
        !quiet_epoch(s->reader[cell], own, limit) ||
        !quiet_epoch(s->reader2[cell], own, limit))
        return false;
    s->writer[cell] = own;
    s->writer_code[cell] = code;
    memset(s->valid + offset, 1, 4);
    return true;
}

/* One lane whose cells have 4 bytes and nobody near. */
static inline bool quiet_lane(const rf_shadow *s, uint64_t offset, uint32_t n,
                              uint64_t own, uint32_t limit, bool store,
                              uint32_t code)
{
    if (s->granule[offset / RF_PAGE] != 3)
        return false;
    for (uint32_t k = 0; k < n; k += 4)
        if (!(store ? quiet_store(s, offset + k, own, limit, code)
                    : quiet_load(s, offset + k, own, limit)))
            return false;
    return true;
}

/* Of neighbours that read the same place one stands for all. */
static uint32_t without_repeats(uint32_t mask, const uint64_t *offset)
{
    uint32_t repeats = 0;
    for (int i = 1; i < RF_LANES; i++)
        repeats |= (uint32_t)(offset[i] == offset[i - 1]) << i;
    return mask & ~(repeats & mask << 1);
}

/* Lanes at various places; returns those that need a closer look. */
static uint32_t quick_lanes(rf_warp *w, const rf_instr *in, uint32_t mask,
                            rf_block *b, const uint64_t *offset, uint32_t n,
                            bool store, const uint8_t *values, uint32_t stride)
{
    rf_shadow *s = b ? &b->shadow : &w->worker->machine->heap.shadow;
    uint8_t *base = b ? b->shared : (uint8_t *)s->base;
    uint32_t limit = limit_of(w, b), left = 0;
    uint64_t own = epoch_of(w, 0, false);
    RF_EACH_LANE(i, mask)
    {
        uint64_t mine = own + (uint64_t)i * 2;
        if (!quiet_lane(s, offset[i], n, mine, limit, store, in->index))
            left |= 1u << i;
        else if (store)
            memcpy(base + offset[i], values + i * stride, n);
    }
    return left;
}

static void mark_written(rf_shadow *s, uint32_t mask, const uint64_t *offset,
                         uint32_t n)
{
    RF_EACH_LANE(i, mask)
    {
        memset(s->valid + offset[i], 1, n);
    }
}

void rf_shadow_touch_all(rf_warp *w, const rf_instr *in, uint32_t mask,
                         rf_block *b, const uint64_t *address, uint32_t n,
                         rf_use use, const uint8_t *values, uint32_t stride)
{
    const rf_grid *g = w->worker->grid;
    rf_shadow *s = b ? &b->shadow : &w->worker->machine->heap.shadow;
    uint64_t keep = b ? 0xffffff : ~0ull;
    rf_column offset;
    for (int i = 0; i < RF_LANES; i++)
        offset[i] = (address[i] & keep) - s->base;
    if (nothing_to_check(g)) {
        if (use != RF_LOAD)
            mark_written(s, mask, offset, n);
        return;
    }
    bool plain = !is_strong(in) && use != RF_ATOMIC_RMW;
    if (plain && contiguous(s, mask, offset, offset[0], n) &&
        quick(w, in, b, s, offset[0], n, use))
        return;
    if (plain && use == RF_LOAD)
        mask = without_repeats(mask, offset);
    if (plain && n >= 4 && !(g->count && !b))
        mask = quick_lanes(w, in, mask, b, offset, n, use == RF_STORE, values,
                           stride);
    RF_EACH_LANE(i, mask)
    {
        rf_shadow_touch(w, in, i, b, address[i] & keep, n, use,
                        values ? values + i * stride : NULL);
    }
}

/* ---- shared memory of a block ---- */

void rf_block_shadow_init(rf_block *b, size_t size)
{
    size_t n = (size + RF_PAGE) & ~(size_t)(RF_PAGE - 1);
    b->shadow = (rf_shadow){ .size = size };
    b->shadow.valid = calloc(n, 1);
    b->shadow.writer = calloc(n, 8);
    b->shadow.reader = calloc(n, 8);
    b->shadow.reader2 = calloc(n, 8);
    b->shadow.writer_code = calloc(n, 4);
    b->shadow.granule = calloc(n / RF_PAGE + 1, 1);
    b->remote_clock = calloc(b->cluster->n_actors, sizeof *b->remote_clock);
    b->remote_instr = calloc(b->cluster->n_actors, sizeof *b->remote_instr);
}

void rf_block_shadow_free(rf_block *b)
{
    free(b->shadow.valid);
    free(b->shadow.writer);
    free(b->shadow.reader);
    free(b->shadow.reader2);
    free(b->shadow.writer_code);
    free(b->shadow.granule);
    free(b->remote_clock);
    free(b->remote_instr);
}

void rf_block_shadow_start(rf_block *b)
{
    memset(b->shadow.valid, 0, b->shadow.size);
    memset(b->remote_clock, 0, b->cluster->n_actors * sizeof *b->remote_clock);
}

static bool exit_ordered(const rf_block *b, uint32_t actor)
{
    for (uint32_t q = 0; q < b->n_warps; q++)
        if (b->warps[q].actor.vc[actor] >= b->remote_clock[actor])
            return true;
    return false;
}

void rf_block_exit_check(rf_block *b)
{
    const rf_cluster *c = b->cluster;
    for (uint32_t a = 0; a < c->n_actors; a++) {
        if (!b->remote_clock[a] || exit_ordered(b, a))
            continue;
        uint32_t per = c->grid->n_warps;
        const rf_warp *w =
            a < c->n_warps ? &c->blocks[a / per].warps[a % per] : &b->warps[0];
        rf_report(w, b->remote_instr[a], 0, RF_CHECK_EXIT_ORDER,
                  "block rank %u may exit before this access to its shared "
                  "memory: no barrier orders them",
                  b->rank);
    }
}
