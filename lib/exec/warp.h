/* The state of a running grid: warps, blocks, clusters, workers.
 * Included by machine.h. */
#ifndef RF_EXEC_WARP_H
#define RF_EXEC_WARP_H

#include "exec/machine.h"

/* Who accesses memory, for race checks (race.h). "vc" holds, for every actor of
 * the cluster (its warps, then its copy engine), the clock up to which that
 * actor's accesses happened before now. Clocks are Lamport clocks: a join makes
 * the own clock larger than everything joined. */
typedef struct {
    uint32_t *vc;
    uint32_t index; /* in the cluster */
    uint32_t clock;
    uint32_t seen; /* whatever any warp did up to here is ordered */
} rf_actor;

/* One activation record: the columns of function "f" at one call depth. */
typedef struct rf_frame {
    struct rf_frame *next; /* another function at the same depth */
    const rf_function *f;
    uint64_t *columns;
} rf_frame;

enum { RF_MAX_DEPTH = 4096, RF_BARRIERS = 16 };

typedef enum {
    RF_WAIT_NONE,
    RF_WAIT_BARRIER,
    RF_WAIT_WARP,
    RF_WAIT_CLUSTER,
    RF_WAIT_COPY
} rf_wait;

/* The calls of one depth: where each lane returns to and its stack. */
typedef struct {
    rf_frame *frames;
    uint32_t back[RF_LANES];  /* index of the call instruction */
    uint32_t local[RF_LANES]; /* start of this depth's local memory */
    uint32_t top[RF_LANES];   /* its end when the next depth was entered */
} rf_depth;

/* A bulk or tensor copy in flight (copy.h). */
typedef struct rf_copy rf_copy;

/* Recent states of a warp that makes no progress (livelock.c). */
typedef struct rf_history rf_history;

/* A cp.async that its lane has not waited for. */
typedef struct {
    const rf_instr *in;
    int lane;
    uint32_t group; /* the group it belongs to, 0: not committed */
    uint32_t bytes, from_bytes;
    uint64_t to, from;
} rf_late_copy;

/* A wgmma that was issued and not yet waited for. */
typedef struct {
    const rf_instr *in;
    uint64_t a, b;  /* descriptors */
    uint32_t group; /* 0: not committed yet */
} rf_product;

struct rf_warp {
    uint64_t *bank[RF_BANK_COUNT];
    rf_block *block;
    rf_worker *worker;
    uint32_t id;                 /* in the block */
    uint32_t full, alive, ready; /* lanes: in the block, not exited, can run */
    /* Ready order: deepest call first, then lowest code index:
     * (0xffff - depth) << 32 | code index. */
    uint64_t key[RF_LANES];
    uint8_t wait[RF_LANES], wait_id[RF_LANES];
    uint32_t cluster_phase[RF_LANES]; /* phase that its arrive belongs to */
    rf_depth *depth;                  /* n_depth of them */
    uint32_t n_depth;
    uint8_t *local; /* lane i at i * local_size */
    uint32_t local_size;
    uint32_t local_top[RF_LANES];
    uint32_t carry; /* the condition code, bit i for lane i */
    rf_actor actor;
    bool fenced; /* it has executed a fence */
    RF_ARRAY(rf_late_copy) copies;
    uint32_t copy_group[RF_LANES]; /* committed cp.async groups */
    uint32_t bulk_group[RF_LANES]; /* committed groups of bulk copies */
    RF_ARRAY(rf_product) products;
    uint32_t product_group; /* committed groups of wgmma */
    uint32_t starved;
    bool stalled; /* its last turn ended in a failed wait */
    rf_history *history;
};

typedef struct {
    uint32_t arrived, expected, population;
    bool all, any;
    uint32_t *vc;  /* joined clocks of the arrivals */
    uint32_t code; /* code index of the first arrival */
} rf_barrier;

/* Shadow of a stretch of memory, see race.h. */
typedef struct {
    uint64_t base;
    size_t size;
    uint8_t *valid; /* one byte a byte: 1 when written */
    uint64_t *writer, *reader, *reader2;
    uint32_t *writer_code; /* which instruction wrote */
    uint8_t *granule;      /* a page: log2 of the bytes a cell stands for */
} rf_shadow;

struct rf_block {
    rf_cluster *cluster;
    uint32_t rank; /* in the cluster */
    rf_dim3 index;
    uint8_t *shared; /* RF_SHARED_START + the size of the launch */
    rf_shadow shadow;
    rf_warp *warps;
    uint32_t n_warps, threads_alive;
    rf_barrier barriers[RF_BARRIERS];
    bool exited, touched;
    uint32_t *remote_clock;        /* an actor: its last access from outside */
    const rf_instr **remote_instr; /* that access */
};

/* The clocks of one synchronisation object in shared memory. */
typedef struct {
    uint32_t rank, offset;
    uint32_t *pending, *released;
} rf_sync;

/* What is known of other clusters (far.c). */
typedef struct rf_known rf_known;

typedef struct {
    uint32_t actor, clock; /* who acquired it when */
    rf_known *known;       /* owned */
    rf_known *from;        /* what the flag held then, owned */
} rf_acquired;

struct rf_cluster {
    rf_grid *grid;
    rf_worker *worker;
    uint64_t number; /* in the grid */
    rf_dim3 index;
    uint32_t n_blocks, n_warps, n_actors, alive;
    rf_block *blocks;
    uint32_t first_actor; /* number of actor 0 in the grid */
    uint32_t start;       /* clocks before it belong to earlier clusters */
    bool engine_used;
    uint32_t arrived, phase;
    uint32_t *arrive_vc, *release_vc;
    RF_ARRAY(rf_sync) syncs;
    RF_ARRAY(rf_copy *) copies;     /* in flight */
    rf_actor engine;                /* the copy engine */
    RF_ARRAY(rf_acquired) acquired; /* of other clusters (far.c) */
    rf_known *common;               /* what all of its warps have acquired */
    bool live;
};

typedef struct {
    uint64_t loads, stores; /* instructions x lanes */
    uint64_t bytes_loaded, bytes_stored, distinct_loaded, distinct_stored;
    uint64_t sectors_loaded, sectors_stored, requests;
} rf_traffic;

/* A host thread that runs clusters. */
struct rf_worker {
    rf_machine *machine;
    rf_grid *grid;
    jmp_buf fault;
    rf_status status;
    RF_ARRAY(rf_cluster *) live;
    rf_cluster *spare;
    uint64_t random, progress, executed, turn;
    bool stuck, warned;  /* nothing moves here; all others say so too */
    uint32_t clock;      /* largest clock used */
    uint64_t *hits;      /* lanes that executed an instruction */
    uint64_t *warp_hits; /* times an instruction was executed */
    rf_traffic shared, remote, global;
    uint64_t barriers, cluster_barriers;
    uint64_t *scratch; /* RF_BANK_SCRATCH */
    rf_actor *acting;  /* who accesses memory if not the warp itself */
};

static inline uint64_t *rf_col(const rf_warp *w, const rf_operand *op)
{
    return w->bank[op->bank] + op->word;
}

static inline uint32_t rf_pred(const rf_warp *w, const rf_operand *op)
{
    uint32_t v = (uint32_t)*rf_col(w, op);
    return op->negated ? ~v : v;
}

static inline void rf_set_pred(const rf_warp *w, const rf_operand *op,
                               uint32_t value, uint32_t mask)
{
    if (op->bank == RF_BANK_NONE)
        return;
    uint64_t *p = rf_col(w, op);
    *p = (*p & ~(uint64_t)mask) | (value & mask);
}

/* Lane "i" of an operand, 0 or 1 for a predicate. */
static inline uint64_t rf_get(const rf_warp *w, const rf_operand *op, int i)
{
    if (op->predicate)
        return rf_pred(w, op) >> i & 1;
    return rf_col(w, op)[i];
}

static inline void rf_set(const rf_warp *w, const rf_operand *op, int i,
                          uint64_t value)
{
    if (op->bank == RF_BANK_NONE)
        return;
    if (op->predicate)
        rf_set_pred(w, op, value & 1 ? 1u << i : 0, 1u << i);
    else
        rf_col(w, op)[i] = value;
}

static inline uint32_t rf_pc(const rf_warp *w, int lane)
{
    return (uint32_t)w->key[lane];
}

static inline uint32_t rf_call_depth(const rf_warp *w, int lane)
{
    return 0xffffu - (uint32_t)(w->key[lane] >> 32);
}

static inline uint64_t rf_key(uint32_t depth, uint32_t pc)
{
    return (uint64_t)(0xffffu - depth) << 32 | pc;
}

#endif
