/* Launching a grid: workers take clusters, run them to their end, and bring in
 * more of them when all they have are stuck.
 *
 * One worker runs the grid when the order of blocks can show in the results
 * (atomics whose order matters, fences, cooperation); its result is then
 * always the same. Otherwise every core has a worker. */
#include "exec/cluster.h"
#include "exec/copy.h"
#include "exec/device.h"
#include "exec/race.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    QUANTUM = 256,
    ROUND_QUANTUM = 20000,
    SPIN_CHECK = 200000,
    CHECK_EVERY = 32
};

/* ---- deadlock ---- */

static const char *wait_name(const rf_warp *w, int lane)
{
    static const char *const names[] = { "runs", "waits at a barrier",
                                         "waits for other lanes",
                                         "waits at the cluster's barrier",
                                         "waits for a copy" };
    return names[w->wait[lane]];
}

/* Lanes of "w" at the place of "lane". */
static uint32_t same_place(const rf_warp *w, int lane)
{
    uint32_t mask = 0;
    for (int i = 0; i < RF_LANES; i++)
        mask |= (uint32_t)(w->alive >> i & 1 && w->key[i] == w->key[lane] &&
                           w->wait[i] == w->wait[lane])
                << i;
    return mask;
}

static int stuck_warp(const rf_warp *w, rf_buf *text, int room)
{
    const rf_module *m = w->worker->grid->kernel->module;
    uint32_t rest = w->alive;
    rf_dim3 b = w->block->index;
    while (rest && room-- > 0) {
        int lane = __builtin_ctz(rest);
        const rf_instr *in = &m->code.data[rf_pc(w, lane)];
        uint32_t group = same_place(w, lane);
        rf_buf_printf(text,
                      "\n    block (%u,%u,%u) warp %u lanes 0x%08x %s "
                      "at ",
                      b.x, b.y, b.z, w->id, group, wait_name(w, lane));
        rf_place_add(text, m, in);
        rf_buf_printf(text, ": `%.*s`", (int)strcspn(in->text, ";\n"),
                      in->text);
        rest &= ~group;
    }
    return room < 0 ? 0 : room;
}

static void report_stuck(rf_worker *k, const char *what)
{
    rf_buf text = { 0 };
    int room = 16;
    rf_warp *first = NULL;
    for (size_t i = 0; i < k->live.len; i++)
        for (uint32_t r = 0; r < k->live.data[i]->n_blocks; r++)
            for (uint32_t q = 0; q < k->grid->n_warps; q++) {
                rf_warp *w = &k->live.data[i]->blocks[r].warps[q];
                if (!first && w->alive)
                    first = w;
                room = stuck_warp(w, &text, room);
            }
    int lane = __builtin_ctz(first->alive);
    const rf_instr *in =
        &k->grid->kernel->module->code.data[rf_pc(first, lane)];
    rf_report(first, in, lane, RF_CHECK_DEADLOCK, "%s%s", what,
              rf_buf_text(&text));
    rf_buf_free(&text);
    k->status = RF_LAUNCH_TIMEOUT;
}

/* ---- a worker ---- */

static uint64_t quantum_of(const rf_worker *k)
{
    const rf_exec_options *o = &k->machine->options;
    if (o->quantum)
        return o->quantum;
    if (o->schedule == RF_SCHED_RUN || o->schedule == RF_SCHED_REVERSE)
        return ROUND_QUANTUM;
    return QUANTUM;
}

static uint64_t next_random(rf_worker *k)
{
    k->random ^= k->random << 13;
    k->random ^= k->random >> 7;
    k->random ^= k->random << 17;
    return k->random;
}

/* The warp whose turn is number "j". */
static rf_warp *warp_at(rf_cluster *c, uint32_t j, uint32_t rotation)
{
    uint32_t n = c->n_warps, per = c->grid->n_warps;
    uint32_t q = c->grid->machine->options.schedule == RF_SCHED_REVERSE
                     ? n - 1 - j
                     : (j + rotation) % n;
    return &c->blocks[q / per].warps[q % per];
}

static uint64_t run_cluster(rf_worker *k, rf_cluster *c)
{
    bool chance = k->machine->options.schedule == RF_SCHED_RANDOM;
    uint32_t rotation = chance ? (uint32_t)(next_random(k) % c->n_warps) : 0;
    uint64_t n = c->copies.len ? rf_copies_poll(c, false) : 0;
    for (uint32_t j = 0; j < c->n_warps; j++) {
        rf_warp *w = warp_at(c, j, rotation);
        uint64_t quantum = quantum_of(k);
        if (!w->ready)
            continue;
        if (chance)
            quantum = 1 + next_random(k) % 200;
        n += rf_warp_run(w, quantum);
    }
    k->executed += n;
    return n;
}

static void retire(rf_worker *k, size_t i)
{
    rf_cluster *c = k->live.data[i];
    rf_copies_end(c);
    c->live = false;
    k->live.data[i] = RF_LAST(k->live);
    k->live.len--;
    if (k->spare)
        rf_cluster_free(c);
    else
        k->spare = c;
}

static bool start_one(rf_worker *k)
{
    rf_grid *g = k->grid;
    uint64_t number = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED);
    if (number >= g->n_clusters)
        return false;
    rf_cluster *c = k->spare ? k->spare : rf_cluster_new(k);
    k->spare = NULL;
    RF_PUSH(k->live, c);
    rf_cluster_start(c, number);
    return true;
}

/* One round over all live clusters; how many instructions ran. */
static uint64_t round_of(rf_worker *k)
{
    uint64_t n = 0;
    k->turn++;
    for (size_t i = 0; i < k->live.len; i++)
        n += run_cluster(k, k->live.data[i]);
    for (size_t i = k->live.len; i-- > 0;)
        if (!k->live.data[i]->alive)
            retire(k, i);
    return n;
}

static uint64_t force_copies(rf_worker *k)
{
    uint64_t n = 0;
    for (size_t i = 0; i < k->live.len; i++)
        n += rf_copies_poll(k->live.data[i], true);
    return n;
}

static bool copies_pending(const rf_worker *k)
{
    for (size_t i = 0; i < k->live.len; i++)
        if (k->live.data[i]->copies.len)
            return true;
    return false;
}

static bool all_spin(const rf_worker *k)
{
    bool all = true;
    for (size_t i = 0; i < k->live.len; i++)
        for (uint32_t r = 0; r < k->live.data[i]->n_blocks; r++)
            for (uint32_t q = 0; q < k->grid->n_warps; q++) {
                rf_warp *w = &k->live.data[i]->blocks[r].warps[q];
                all &= !w->ready || rf_warp_spins(w);
            }
    return all;
}

/* Stuck: no lane is ready. Livelock: nothing has been stored for long, and
 * every warp that is ready repeats itself. */
static const char *why_stuck(rf_worker *k, uint64_t ran, uint64_t idle)
{
    if (!k->live.len)
        return NULL;
    if (!ran)
        return "deadlock: no thread can go on";
    bool look = idle > SPIN_CHECK && k->turn % CHECK_EVERY == 0;
    if (idle > k->machine->options.spin || (look && all_spin(k)))
        return "livelock: threads spin and nothing changes";
    return NULL;
}

static void set_stuck(rf_worker *k, bool stuck)
{
    if (k->stuck != stuck)
        __atomic_fetch_add(&k->grid->busy, stuck ? -1 : 1, __ATOMIC_SEQ_CST);
    k->stuck = stuck;
}

/* Nothing moves here. Is there hope: a cluster to start, another worker whose
 * stores may help? The last one to give up looks once more, for what others
 * stored before they gave up. */
static bool hope(rf_worker *k)
{
    if (start_one(k)) {
        k->progress++;
        return true;
    }
    set_stuck(k, true);
    if (__atomic_load_n(&k->grid->busy, __ATOMIC_SEQ_CST) == 0 && k->warned)
        return false;
    k->warned = __atomic_load_n(&k->grid->busy, __ATOMIC_SEQ_CST) == 0;
    k->progress++;
    sched_yield();
    return true;
}

static void run_clusters(rf_worker *k)
{
    rf_grid *g = k->grid;
    uint64_t idle = 0;
    while (!__atomic_load_n(&g->stop, __ATOMIC_RELAXED)) {
        while (g->cooperative && start_one(k))
            ;
        if (!k->live.len && !start_one(k))
            return;
        uint64_t before = k->progress, n = round_of(k);
        idle = k->progress == before ? idle + n : 0;
        if (copies_pending(k) && (!n || idle > ROUND_QUANTUM)) {
            n += force_copies(k);
            idle = 0;
        }
        const char *why = why_stuck(k, n, idle);
        if (why && !hope(k)) {
            report_stuck(k, why);
            return;
        }
        if (!why && !idle) {
            set_stuck(k, false);
            k->warned = false;
        }
    }
}

static void *work(void *argument)
{
    rf_worker *k = argument;
    rf_grid *g = k->grid;
    if (!setjmp(k->fault))
        run_clusters(k);
    set_stuck(k, true);
    if (k->status)
        __atomic_store_n(&g->stop, 1, __ATOMIC_RELAXED);
    while (k->live.len) {
        rf_cluster *c = RF_POP(k->live);
        rf_cluster_free(c);
    }
    rf_cluster_free(k->spare);
    RF_CLEAR(k->live);
    return NULL;
}

static void worker_init(rf_worker *k, rf_grid *g, uint32_t number)
{
    size_t n = g->kernel->module->code.len;
    *k = (rf_worker){ .machine = g->machine, .grid = g };
    k->clock = g->base_clock;
    k->random = 88172645463325252ull ^
                (g->machine->options.seed + number) * 0x9e3779b97f4a7c15ull;
    if (g->count) {
        k->hits = calloc(n, sizeof *k->hits);
        k->warp_hits = calloc(n, sizeof *k->warp_hits);
    }
    k->scratch = aligned_alloc(64, 16 * sizeof(rf_column));
}

static rf_totals *totals_of(rf_machine *m, rf_kernel *kernel)
{
    for (size_t i = 0; i < m->totals.len; i++)
        if (m->totals.data[i].kernel == kernel)
            return &m->totals.data[i];
    RF_PUSH(m->totals, (rf_totals){ .kernel = kernel });
    return &RF_LAST(m->totals);
}

static void worker_finish(rf_worker *k, rf_totals *t)
{
    const rf_module *m = k->grid->kernel->module;
    for (size_t i = 0; k->hits && i < m->code.len; i++) {
        t->classes[m->code.data[i].class] += k->hits[i];
        t->instructions += k->hits[i];
        t->warp_instructions += k->warp_hits[i];
    }
    t->barriers += k->barriers;
    t->cluster_barriers += k->cluster_barriers;
    rf_traffic_add(&t->global, &k->global);
    rf_traffic_add(&t->shared, &k->shared);
    rf_traffic_add(&t->remote, &k->remote);
    if (k->status && !k->grid->status)
        k->grid->status = k->status;
    if (k->clock > k->machine->clock)
        k->machine->clock = k->clock;
    free(k->hits);
    free(k->warp_hits);
    free(k->scratch);
}

static uint32_t threads_of(const rf_grid *g)
{
    uint32_t n = g->machine->options.threads;
    if (g->cooperative || g->kernel->ordered || g->count ||
        g->machine->options.schedule == RF_SCHED_RANDOM)
        return 1;
    if (!n)
        n = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    return n > g->n_clusters ? (uint32_t)g->n_clusters : n;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_grid(rf_grid *g)
{
    double start = now();
    uint32_t n = threads_of(g);
    rf_worker *workers = rf_malloc(n * sizeof *workers);
    pthread_t *threads = rf_malloc(n * sizeof *threads);
    g->busy = (int)n;
    for (uint32_t i = 0; i < n; i++)
        worker_init(&workers[i], g, i);
    for (uint32_t i = 1; i < n; i++)
        pthread_create(&threads[i], NULL, work, &workers[i]);
    work(&workers[0]);
    for (uint32_t i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    rf_totals *t = totals_of(g->machine, g->kernel);
    t->launches++;
    t->blocks += g->n_clusters * g->cluster.x * g->cluster.y * g->cluster.z;
    for (uint32_t i = 0; i < n; i++)
        worker_finish(&workers[i], t);
    t->seconds += now() - start;
    free(threads);
    free(workers);
}

/* ---- the launch ---- */

static uint64_t volume(rf_dim3 d)
{
    return (uint64_t)d.x * d.y * d.z;
}

static rf_status check_shape(const rf_launch *l, rf_dim3 cluster)
{
    uint64_t threads = volume(l->block), blocks = volume(cluster);
    if (!volume(l->grid) || !threads || threads > 1024 || l->block.z > 64 ||
        l->grid.y > 65535 || l->grid.z > 65535)
        return RF_INVALID_CONFIGURATION;
    if (l->kernel->max_threads && threads > l->kernel->max_threads)
        return RF_INVALID_CONFIGURATION;
    if (!blocks || blocks > 16 || l->grid.x % cluster.x ||
        l->grid.y % cluster.y || l->grid.z % cluster.z)
        return RF_INVALID_CLUSTER;
    if (l->kernel->f->param_bytes > RF_PARAM_BYTES)
        return RF_INVALID_VALUE;
    if (l->kernel->static_shared + (uint64_t)l->dynamic_shared > RF_SHARED_MAX)
        return RF_INVALID_VALUE;
    return RF_OK;
}

static void copy_params(const rf_grid *g, void *const *args)
{
    const rf_function *f = g->kernel->f;
    for (uint32_t i = 0; i < f->n_params; i++)
        memcpy((uint8_t *)g->params + f->params[i].offset, args[i],
               f->params[i].size);
}

static void write_workspace(const rf_grid *g)
{
    uint32_t *words = (uint32_t *)g->workspace;
    memset(words, 0, RF_CHUNK);
    words[0] = (uint32_t)volume(g->grid);
    rf_machine_wrote(g->machine, g->workspace, RF_CHUNK);
}

rf_status rf_machine_launch(rf_machine *m, const rf_launch *l)
{
    rf_kernel *kernel = (rf_kernel *)l->kernel;
    rf_dim3 cluster = l->cluster.x        ? l->cluster
                      : kernel->cluster.x ? kernel->cluster
                                          : (rf_dim3){ 1, 1, 1 };
    rf_status status = check_shape(l, cluster);
    if (status)
        return status;
    rf_grid g = { .machine = m,
                  .kernel = kernel,
                  .grid = l->grid,
                  .block = l->block,
                  .cluster = cluster,
                  .n_threads = (uint32_t)volume(l->block),
                  .dynamic_shared = l->dynamic_shared,
                  .cooperative = l->cooperative,
                  .params = m->params,
                  .workspace = m->workspace,
                  .serial = ++m->launches,
                  .base_clock = m->clock + 1,
                  .checks = ~m->options.disabled,
                  .count = m->options.report };
    g.n_warps = (g.n_threads + RF_LANES - 1) / RF_LANES;
    g.shared_size = kernel->dynamic_start + l->dynamic_shared;
    g.n_clusters = volume(l->grid) / volume(cluster);
    copy_params(&g, l->args);
    write_workspace(&g);
    fflush(stdout);
    run_grid(&g);
    rf_flags_free(&g);
    fflush(stdout);
    return g.status;
}
