/* Order between clusters: flags in global memory, by which threads synchronise
 * without a barrier.
 *
 * What a thread knows of other clusters is a map from cluster to the clocks of
 * its actors (race.h). A strong write after a fence joins the writer's map, and
 * its own clocks, to the map of the address; a strong read is an acquisition:
 * the reader's warp joins the map of the address to its own. Acquisitions stay
 * with the cluster, each under the warp and the clock at which it happened, so
 * actor x has the knowledge of one by warp a at clock k exactly if k <=
 * vc_x[a]: barriers inside the cluster hand it on without carrying maps.
 *
 * Maps are trees with 16 kids a node that never change and share what is
 * equal, so that joining two costs no more than what differs between them.
 * They are counted without locks: a kernel that has flags runs on one host
 * thread. */
#include "exec/race.h"

#include <string.h>

enum { KID_BITS = 4, KIDS = 1 << KID_BITS };

/* Level 0 are the leaves: clocks of all actors of a cluster. */
struct rf_known {
    uint32_t refs;
    void *of[]; /* KIDS maps, or the clocks */
};

static rf_known **kids(rf_known *k)
{
    return (rf_known **)k->of;
}

static uint32_t *clocks(rf_known *k)
{
    return (uint32_t *)k->of;
}

static uint32_t levels_of(const rf_grid *g)
{
    uint32_t n = 0;
    while (g->n_clusters > 1ull << n * KID_BITS)
        n++;
    return n;
}

static rf_known *hold(rf_known *k)
{
    if (k)
        k->refs++;
    return k;
}

static void drop(rf_known *k, uint32_t level)
{
    if (!k || --k->refs)
        return;
    for (int i = 0; level && i < KIDS; i++)
        drop(kids(k)[i], level - 1);
    free(k);
}

static rf_known *node_new(void)
{
    rf_known *k = calloc(1, sizeof *k + KIDS * sizeof k->of[0]);
    k->refs = 1;
    return k;
}

static rf_known *leaf_new(const rf_cluster *c, const uint32_t *clock)
{
    size_t size = c->n_actors * sizeof *clock;
    rf_known *k = rf_malloc(sizeof *k + size);
    k->refs = 1;
    memcpy(k->of, clock, size);
    return k;
}

/* Does "a" know all that "b" knows? */
static bool covers(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] < b[i])
            return false;
    return true;
}

static rf_known *join_leaves(const rf_cluster *c, rf_known *a, rf_known *b)
{
    const uint32_t *x = clocks(a), *y = clocks(b);
    if (covers(x, y, c->n_actors))
        return hold(a);
    if (covers(y, x, c->n_actors))
        return hold(b);
    rf_known *k = leaf_new(c, x);
    for (uint32_t i = 0; i < c->n_actors; i++)
        if (y[i] > x[i])
            clocks(k)[i] = y[i];
    return k;
}

/* A map with what either knows; it may be one of the two. */
static rf_known *join(const rf_cluster *c, rf_known *a, rf_known *b,
                      uint32_t level)
{
    if (a == b || !b)
        return hold(a);
    if (!a)
        return hold(b);
    if (!level)
        return join_leaves(c, a, b);
    rf_known *k = node_new();
    for (int i = 0; i < KIDS; i++)
        kids(k)[i] = join(c, kids(a)[i], kids(b)[i], level - 1);
    size_t size = KIDS * sizeof k->of[0];
    rf_known *same = !memcmp(k->of, a->of, size)   ? a
                     : !memcmp(k->of, b->of, size) ? b
                                                   : NULL;
    if (!same)
        return k;
    drop(k, level);
    return hold(same);
}

static rf_known *single(const rf_cluster *c, const uint32_t *clock,
                        uint32_t level)
{
    if (!level)
        return leaf_new(c, clock);
    rf_known *k = node_new();
    uint64_t place = c->number >> (level - 1) * KID_BITS & (KIDS - 1);
    kids(k)[place] = single(c, clock, level - 1);
    return k;
}

static const uint32_t *clocks_of(rf_known *k, uint32_t level, uint64_t cluster)
{
    for (; k && level; level--)
        k = kids(k)[cluster >> (level - 1) * KID_BITS & (KIDS - 1)];
    return k ? clocks(k) : NULL;
}

static void join_to(const rf_cluster *c, rf_known **to, rf_known *k)
{
    uint32_t level = levels_of(c->grid);
    rf_known *old = *to;
    *to = join(c, old, k, level);
    drop(old, level);
}

/* ---- acquisitions ---- */

static bool visible(const rf_actor *a, const rf_acquired *q)
{
    return q->actor == a->index ? q->clock <= a->clock
                                : q->clock <= a->vc[q->actor];
}

static bool visible_to_all(const rf_cluster *c, const rf_acquired *q)
{
    for (uint32_t r = 0; r < c->n_blocks; r++)
        for (uint32_t w = 0; w < c->blocks[r].n_warps; w++)
            if (!visible(&c->blocks[r].warps[w].actor, q))
                return false;
    return true;
}

static void forget(rf_acquired *q, uint32_t level)
{
    drop(q->known, level);
    drop(q->from, level);
}

/* What all warps know becomes common and leaves the list. */
static void tidy(rf_cluster *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->acquired.len; i++) {
        rf_acquired q = c->acquired.data[i];
        if (visible_to_all(c, &q)) {
            join_to(c, &c->common, q.known);
            forget(&q, levels_of(c->grid));
        } else {
            c->acquired.data[n++] = q;
        }
    }
    c->acquired.len = n;
}

enum { MAX_ACTORS = 1024, PER_ACTOR = 4 };

typedef struct {
    uint64_t bits[MAX_ACTORS / 64];
} actors;

/* Add "actor"; was it there? */
static bool add_actor(actors *set, uint32_t actor)
{
    uint64_t *word = &set->bits[actor / 64 % (MAX_ACTORS / 64)];
    uint64_t bit = 1ull << actor % 64, old = *word;
    *word |= bit;
    return old & bit;
}

/* All that "a" knows of other clusters; the caller drops it. An acquisition
 * includes the earlier ones of the same actor. */
static rf_known *known_of(const rf_cluster *c, const rf_actor *a)
{
    rf_known *k = hold(c->common);
    actors seen = { 0 };
    for (size_t i = c->acquired.len; i-- > 0;) {
        const rf_acquired *q = &c->acquired.data[i];
        if (visible(a, q) && !add_actor(&seen, q->actor))
            join_to(c, &k, q->known);
    }
    return k;
}

/* Has "a" taken this very map before? */
static bool has_taken(const rf_cluster *c, const rf_actor *a, const rf_known *k)
{
    if (k == c->common)
        return true;
    for (size_t i = c->acquired.len; i-- > 0;) {
        const rf_acquired *q = &c->acquired.data[i];
        bool own = q->actor == a->index && q->from == k;
        if (own || (q->known == k && visible(a, q)))
            return true;
    }
    return false;
}

/* Nothing new came from "k": the last acquisition stands for it too. */
static void note_taken(rf_cluster *c, uint32_t actor, rf_known *k)
{
    for (size_t i = c->acquired.len; i-- > 0;) {
        rf_acquired *q = &c->acquired.data[i];
        if (q->actor != actor)
            continue;
        drop(q->from, levels_of(c->grid));
        q->from = hold(k);
        return;
    }
}

/* Keep the list short: the oldest acquisition of an actor that has many takes
 * the map of its next. That can hide a race, never invent one. */
static void shorten(rf_cluster *c, uint32_t actor)
{
    size_t found[PER_ACTOR + 1], n = 0;
    for (size_t i = 0; i < c->acquired.len && n <= PER_ACTOR; i++)
        if (c->acquired.data[i].actor == actor)
            found[n++] = i;
    if (n <= PER_ACTOR)
        return;
    rf_acquired *list = c->acquired.data;
    forget(&list[found[0]], levels_of(c->grid));
    list[found[0]].known = list[found[1]].known;
    list[found[0]].from = list[found[1]].from;
    memmove(&list[found[1]], &list[found[1] + 1],
            (--c->acquired.len - found[1]) * sizeof *list);
}

void rf_far_clear(rf_cluster *c)
{
    uint32_t level = levels_of(c->grid);
    for (size_t i = 0; i < c->acquired.len; i++)
        forget(&c->acquired.data[i], level);
    drop(c->common, level);
    c->acquired.len = 0;
    c->common = NULL;
}

bool rf_far_knows(const rf_cluster *c, const rf_actor *a, uint64_t cluster,
                  uint32_t actor, uint32_t clock)
{
    uint32_t level = levels_of(c->grid);
    const uint32_t *known = clocks_of(c->common, level, cluster);
    if (known && known[actor] >= clock)
        return true;
    for (size_t i = 0; i < c->acquired.len; i++) {
        const rf_acquired *q = &c->acquired.data[i];
        known = visible(a, q) ? clocks_of(q->known, level, cluster) : NULL;
        if (known && known[actor] >= clock)
            return true;
    }
    return false;
}

/* ---- flags ---- */

static uint64_t slot_of(const rf_grid *g, uint64_t address)
{
    uint64_t n = g->max_flags;
    uint64_t i = (address >> 2) * 0x9e3779b97f4a7c15 >> 20 & (n - 1);
    while (g->flags[i].address && g->flags[i].address != address)
        i = (i + 1) & (n - 1);
    return i;
}

static void grow(rf_grid *g)
{
    rf_flag *old = g->flags;
    uint64_t n = g->max_flags;
    g->max_flags = n ? 2 * n : 64;
    g->flags = calloc(g->max_flags, sizeof *g->flags);
    for (uint64_t i = 0; i < n; i++)
        if (old[i].address)
            g->flags[slot_of(g, old[i].address)] = old[i];
    free(old);
}

/* The flag at "address", NULL if there is none and "make" is not set. */
static rf_flag *flag_at(rf_grid *g, uint64_t address, bool make)
{
    if (make && 2 * g->n_flags >= g->max_flags)
        grow(g);
    if (!g->max_flags)
        return NULL;
    rf_flag *f = &g->flags[slot_of(g, address)];
    if (!f->address && !make)
        return NULL;
    g->n_flags += !f->address;
    f->address = address;
    return f;
}

void rf_flags_free(rf_grid *g)
{
    for (uint64_t i = 0; i < g->max_flags; i++)
        drop(g->flags[i].known, levels_of(g));
    free(g->flags);
}

/* Do the maps say the same of all clusters but "number"? */
static bool same_but(rf_known *a, rf_known *b, uint32_t level, uint64_t number)
{
    if (a == b || !level)
        return true;
    if (!a || !b)
        return false;
    uint64_t place = number >> --level * KID_BITS & (KIDS - 1);
    for (uint64_t i = 0; i < KIDS; i++)
        if (i != place && kids(a)[i] != kids(b)[i])
            return false;
    return same_but(kids(a)[place], kids(b)[place], level, number);
}

static void acquire(rf_warp *w, const rf_flag *f)
{
    rf_cluster *c = w->block->cluster;
    uint32_t level = levels_of(c->grid);
    if (has_taken(c, &w->actor, f->known))
        return;
    const uint32_t *own = clocks_of(f->known, level, c->number);
    rf_known *before = known_of(c, &w->actor);
    rf_known *after = join(c, before, f->known, level);
    bool news = !same_but(before, after, level, c->number);
    drop(before, level);
    if (own && !covers(w->actor.vc, own, c->n_actors))
        rf_actor_acquire(w, own);
    if (!news) {
        drop(after, level);
        note_taken(c, w->actor.index, f->known);
        return;
    }
    if (c->acquired.len >= 8)
        tidy(c);
    rf_actor_tick(w);
    RF_PUSH(c->acquired, (rf_acquired){ w->actor.index, w->actor.clock, after,
                                        hold(f->known) });
    shorten(c, w->actor.index);
}

static void release(rf_warp *w, rf_flag *f)
{
    rf_cluster *c = w->block->cluster;
    rf_known *k = known_of(c, &w->actor);
    rf_known *own = single(c, w->actor.vc, levels_of(c->grid));
    join_to(c, &k, own);
    join_to(c, &f->known, k);
    drop(own, levels_of(c->grid));
    drop(k, levels_of(c->grid));
    rf_actor_tick(w);
}

void rf_flag_touch(rf_warp *w, uint64_t address, rf_use use, bool gives)
{
    rf_grid *g = w->worker->grid;
    if (!g->kernel->ordered)
        return;
    rf_flag *f = flag_at(g, address, gives);
    if (f && use != RF_STORE)
        acquire(w, f);
    if (gives)
        release(w, f);
}
