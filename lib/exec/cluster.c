/* Blocks, warps and clusters: their memory and their state at the start. */
#include "exec/cluster.h"
#include "exec/copy.h"
#include "exec/race.h"
#include "exec/special.h"

#include <string.h>

/* ---- memory ---- */

static void warp_init(rf_warp *w, rf_block *b, uint32_t id)
{
    rf_worker *k = b->cluster->worker;
    size_t columns = RF_SPECIAL_COUNT + k->grid->kernel->module->n_shared;
    *w = (rf_warp){ .block = b, .worker = k, .id = id };
    rf_depth_reserve(w, 1);
    w->bank[RF_BANK_CONST] = k->grid->kernel->module->literals;
    w->bank[RF_BANK_SPECIAL] = aligned_alloc(64, columns * sizeof(rf_column));
    w->bank[RF_BANK_SCRATCH] = k->scratch;
    rf_actor_init(&w->actor, b->cluster, b->rank * k->grid->n_warps + id);
}

static void warp_free(rf_warp *w)
{
    for (uint32_t d = 0; d < w->n_depth; d++)
        for (rf_frame *p = w->depth[d].frames, *next; p; p = next) {
            next = p->next;
            free(p->columns);
            free(p);
        }
    free(w->depth);
    free(w->history);
    free(w->local);
    free(w->bank[RF_BANK_SPECIAL]);
    free(w->actor.vc);
    RF_CLEAR(w->copies);
    RF_CLEAR(w->products);
}

static void block_init(rf_block *b, rf_cluster *c, uint32_t rank)
{
    rf_grid *g = c->grid;
    size_t size = RF_SHARED_START + (size_t)g->shared_size;
    *b = (rf_block){ .cluster = c, .rank = rank, .n_warps = g->n_warps };
    b->shared = aligned_alloc(1024, (size + 2047) & ~(size_t)1023);
    rf_block_shadow_init(b, size);
    b->warps = rf_malloc(g->n_warps * sizeof *b->warps);
    for (uint32_t q = 0; q < g->n_warps; q++)
        warp_init(&b->warps[q], b, q);
    for (int i = 0; i < RF_BARRIERS; i++)
        b->barriers[i].vc = rf_clocks_new(c);
}

static void block_free(rf_block *b)
{
    for (uint32_t q = 0; q < b->n_warps; q++)
        warp_free(&b->warps[q]);
    for (int i = 0; i < RF_BARRIERS; i++)
        free(b->barriers[i].vc);
    rf_block_shadow_free(b);
    free(b->warps);
    free(b->shared);
}

rf_cluster *rf_cluster_new(rf_worker *k)
{
    rf_grid *g = k->grid;
    rf_cluster *c = rf_malloc(sizeof *c);
    uint32_t n = g->cluster.x * g->cluster.y * g->cluster.z;
    *c = (rf_cluster){ .grid = g,
                       .worker = k,
                       .n_blocks = n,
                       .n_warps = n * g->n_warps,
                       .n_actors = n * g->n_warps + 1 };
    c->arrive_vc = rf_clocks_new(c);
    c->release_vc = rf_clocks_new(c);
    rf_actor_init(&c->engine, c, c->n_warps);
    c->blocks = rf_malloc(n * sizeof *c->blocks);
    for (uint32_t r = 0; r < n; r++)
        block_init(&c->blocks[r], c, r);
    return c;
}

void rf_cluster_free(rf_cluster *c)
{
    if (!c)
        return;
    for (uint32_t r = 0; r < c->n_blocks; r++)
        block_free(&c->blocks[r]);
    rf_syncs_clear(c);
    rf_copies_end(c);
    RF_CLEAR(c->syncs);
    RF_CLEAR(c->copies);
    free(c->arrive_vc);
    free(c->release_vc);
    free(c->engine.vc);
    rf_far_clear(c);
    RF_CLEAR(c->acquired);
    free(c->blocks);
    free(c);
}

/* ---- state at the start ---- */

static void special_fill(rf_warp *w)
{
    rf_grid *g = w->worker->grid;
    rf_column *s = (rf_column *)w->bank[RF_BANK_SPECIAL];
    rf_dim3 B = g->block, G = g->grid, C = g->cluster, b = w->block->index;
    for (uint32_t i = 0; i < RF_LANES; i++) {
        uint32_t t = w->id * RF_LANES + i;
#define X(id, name, value) s[RF_SPECIAL_##id][i] = (uint32_t)(value);
        RF_SPECIALS(X)
#undef X
    }
    bool cluster = g->kernel->explicit_cluster || C.x * C.y * C.z > 1;
    s[RF_SPECIAL_EXPLICIT_CLUSTER][0] = cluster ? RF_FULL_MASK : 0;
}

/* Addresses of shared variables, one column each. */
static void shared_fill(rf_warp *w)
{
    rf_kernel *k = w->worker->grid->kernel;
    rf_column *s = (rf_column *)w->bank[RF_BANK_SPECIAL] + RF_SPECIAL_COUNT;
    for (uint32_t v = 0; v < k->module->n_shared; v++)
        for (int i = 0; i < RF_LANES; i++)
            s[v][i] = (uint64_t)w->block->rank << 24 |
                      (RF_SHARED_START + k->shared_offset[v]);
}

static void warp_start(rf_warp *w)
{
    rf_grid *g = w->worker->grid;
    const rf_function *f = g->kernel->f;
    uint32_t n = g->n_threads - w->id * RF_LANES;
    w->full = n >= RF_LANES ? RF_FULL_MASK : (1u << n) - 1;
    w->alive = w->ready = w->full;
    w->carry = w->starved = w->product_group = 0;
    w->products.len = 0;
    w->stalled = false;
    memset(w->wait, 0, sizeof w->wait);
    memset(w->cluster_phase, 0, sizeof w->cluster_phase);
    memset(w->copy_group, 0, sizeof w->copy_group);
    memset(w->bulk_group, 0, sizeof w->bulk_group);
    for (int i = 0; i < RF_LANES; i++) {
        w->key[i] = rf_key(0, f->start);
        w->local_top[i] = f->local_bytes;
        w->depth[0].local[i] = 0;
    }
    rf_local_reserve(w, f->local_bytes);
    special_fill(w);
    shared_fill(w);
    rf_actor_start(w);
}

static void block_start(rf_block *b)
{
    rf_cluster *c = b->cluster;
    rf_grid *g = c->grid;
    rf_dim3 C = g->cluster;
    b->index = (rf_dim3){ c->index.x * C.x + b->rank % C.x,
                          c->index.y * C.y + b->rank / C.x % C.y,
                          c->index.z * C.z + b->rank / C.x / C.y };
    b->threads_alive = g->n_threads;
    b->exited = false;
    memset(b->shared, g->machine->options.poison,
           RF_SHARED_START + g->shared_size);
    rf_block_shadow_start(b);
    for (int i = 0; i < RF_BARRIERS; i++) {
        uint32_t *vc = b->barriers[i].vc;
        b->barriers[i] = (rf_barrier){ .all = true, .vc = vc };
        rf_clocks_clear(c, vc);
    }
    for (uint32_t q = 0; q < b->n_warps; q++)
        warp_start(&b->warps[q]);
}

void rf_cluster_start(rf_cluster *c, uint64_t number)
{
    rf_grid *g = c->grid;
    uint64_t gx = g->grid.x / g->cluster.x, gy = g->grid.y / g->cluster.y;
    c->number = number;
    c->index = (rf_dim3){ (uint32_t)(number % gx), (uint32_t)(number / gx % gy),
                          (uint32_t)(number / gx / gy) };
    c->first_actor = (uint32_t)(number * c->n_actors);
    c->alive = c->n_blocks * g->n_threads;
    c->arrived = c->phase = 0;
    c->live = true;
    rf_syncs_clear(c);
    rf_clocks_clear(c, c->arrive_vc);
    rf_clocks_clear(c, c->release_vc);
    rf_cluster_clock_start(c);
    for (uint32_t r = 0; r < c->n_blocks; r++)
        block_start(&c->blocks[r]);
}

void rf_block_exit(rf_block *b)
{
    b->exited = true;
    rf_block_exit_check(b);
}
