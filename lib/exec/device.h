/* The device: heap, launches, messages. */
#ifndef RF_EXEC_DEVICE_H
#define RF_EXEC_DEVICE_H

#include "exec/module.h"

/* A buffer of the heap. Addresses are never used twice, so that a stale
 * pointer is recognised. */
typedef struct {
    uint64_t start;
    size_t size;
    bool live, module;
    uint32_t serial;  /* among the program's own, from 1 */
    const char *name; /* owned by the machine's arena */
    uint8_t element;  /* rf_type that kernels stored, NONE: unknown */
    rf_traffic traffic;
} rf_alloc;

enum { RF_CHUNK = 256, RF_PAGE = 4096, RF_PARAM_BYTES = 32768 };

typedef struct {
    uint8_t *base;
    size_t size, used;
    uint32_t *owner; /* a chunk: number of its buffer, 0: none */
    rf_alloc *allocs;
    uint32_t n_allocs, max_allocs;
    size_t live_bytes;
    rf_shadow shadow;
} rf_heap;

/* Messages already printed for one place. */
typedef struct {
    const rf_instr *in;
    rf_check check;
    uint32_t count;
} rf_seen;

/* Totals of one kernel over its launches. */
typedef struct {
    rf_kernel *kernel;
    uint64_t launches, blocks, instructions, warp_instructions;
    uint64_t barriers, cluster_barriers, classes[RF_CLASS_COUNT];
    rf_traffic global, shared, remote;
    double seconds; /* of the host */
} rf_totals;

struct rf_machine {
    rf_exec_options options;
    rf_arena *arena;
    RF_ARRAY(rf_module *) modules;
    rf_heap heap;
    uint32_t clock; /* the last one any launch used */
    uint32_t launches, n_buffers;
    uint64_t params, workspace; /* buffers for launches */
    pthread_mutex_t lock;       /* messages, the heap's table */
    RF_ARRAY(rf_seen) seen;
    size_t reports[RF_CHECK_COUNT];
    RF_ARRAY(rf_totals) totals;
};

/* A place in global memory by which clusters synchronise (far.c). */
typedef struct {
    uint64_t address; /* 0: an empty place of the table */
    rf_known *known;  /* what its writers knew */
} rf_flag;

/* One launch. */
struct rf_grid {
    rf_machine *machine;
    rf_kernel *kernel;
    rf_dim3 grid, block, cluster;
    uint32_t n_threads, n_warps; /* of a block */
    uint32_t dynamic_shared, shared_size;
    uint64_t n_clusters;
    uint64_t params, workspace;
    uint32_t serial;
    bool cooperative;
    uint32_t base_clock; /* earlier accesses precede this launch */
    uint64_t next;       /* cluster to start, atomic */
    int stop;            /* a fault happened, atomic */
    int busy;            /* workers that are not stuck, atomic */
    rf_status status;
    uint32_t checks; /* bit c: check c is on */
    bool count;      /* traffic is counted */
    rf_flag *flags;  /* hash table, only if blocks run in order */
    uint64_t n_flags, max_flags;
};

static inline bool rf_checks(const rf_warp *w, rf_check c)
{
    return w->worker->grid->checks >> c & 1;
}

/* ---- heap.c ---- */
void rf_heap_init(rf_heap *heap);
void rf_heap_free(rf_heap *heap);
uint64_t rf_heap_alloc(rf_heap *heap, size_t size, uint8_t poison);
bool rf_heap_release(rf_heap *heap, uint64_t address);
/* The buffer whose chunk holds "address", or NULL. */
static inline rf_alloc *rf_heap_at(const rf_heap *heap, uint64_t address)
{
    uint64_t offset = address - (uint64_t)heap->base;
    if (offset >= heap->size)
        return NULL;
    uint32_t owner = heap->owner[offset / RF_CHUNK];
    return owner ? &heap->allocs[owner] : NULL;
}
/* The buffer nearest below "address", live or not, or NULL. */
const rf_alloc *rf_heap_near(const rf_heap *heap, uint64_t address);
void rf_shadow_init(rf_shadow *shadow, uint64_t base, size_t size);
void rf_shadow_free(rf_shadow *shadow);

/* ---- messages.c ---- */

/* Report that check "c" fired for "lane" of "w" at "in". */
void rf_report(const rf_warp *w, const rf_instr *in, int lane, rf_check c,
               const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Report and end the launch with "status". */
_Noreturn void rf_fault(const rf_warp *w, const rf_instr *in, int lane,
                        rf_check c, rf_status status, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Add "file:line" of an instruction to "text". */
void rf_place_add(rf_buf *text, const rf_module *module, const rf_instr *in);
/* Add the name of a function, as in the source if that can be told. */
void rf_name_add(rf_buf *text, const char *name);
void rf_thread_add(rf_buf *text, const rf_warp *w, int lane);
/* A short description of a buffer: its name or "buffer 3". */
void rf_alloc_add(rf_buf *text, const rf_alloc *a);

/* ---- access.c ---- */
/* RF_SYNC: an mbarrier, ordered by itself. */
typedef enum { RF_LOAD, RF_STORE, RF_ATOMIC_RMW, RF_SYNC } rf_use;

/* Check the accesses of the lanes of "mask" to "n" bytes each at "address" in
 * in->space and return host pointers. "values" holds the bytes to be stored,
 * "stride" apart, or is NULL. */
void rf_resolve(rf_warp *w, const rf_instr *in, uint32_t mask, rf_space space,
                const uint64_t *address, uint32_t n, rf_use use,
                const uint8_t *values, uint32_t stride, uint8_t **pointer);
/* The same for one lane. */
uint8_t *rf_resolve_one(rf_warp *w, const rf_instr *in, int lane,
                        rf_space space, uint64_t address, uint32_t n,
                        rf_use use, const uint8_t *value);
/* traffic.c: count one access of the lanes of "mask", all in one space. */
void rf_traffic_count(rf_warp *w, uint32_t mask, rf_space space,
                      const uint64_t *address, uint32_t n, rf_use use);
/* Remember which type "in" stores in the buffer at "address". */
void rf_element_note(rf_warp *w, const rf_instr *in, uint64_t address);
void rf_traffic_add(rf_traffic *to, const rf_traffic *t);
/* One lane's view of memory for tensor copies and the like. */
typedef struct {
    rf_warp *w;
    const rf_instr *in;
    int lane;
} rf_lane_context;
rf_access rf_lane_access(rf_lane_context *context);

/* ---- decode_wgmma.c ---- */

/* The warp has exited: report products that nobody waited for. */
void rf_products_end(rf_warp *w);

/* ---- sched.c ---- */

/* Run "w" until it waits or "quantum" instructions are over. */
uint64_t rf_warp_run(rf_warp *w, uint64_t quantum);
/* The frame of "f" at call depth "depth". */
rf_frame *rf_frame_of(rf_warp *w, uint32_t depth, const rf_function *f);
/* Make room for calls "n" deep. */
void rf_depth_reserve(rf_warp *w, uint32_t n);
/* Make the lanes' local memory at least "size" bytes. */
void rf_local_reserve(rf_warp *w, uint32_t size);

/* Words of a frame of "f". */
static inline size_t rf_function_words(const rf_function *f)
{
    return f->frame_words;
}

/* livelock.c: nothing was stored since long; is "w" back in a state in which
 * it was before? Then it will never leave it by itself. */
bool rf_warp_spins(rf_warp *w);

/* cluster.c: the last thread of "b" has exited. */
void rf_block_exit(rf_block *b);

/* ---- builtin.c: vprintf, malloc, ... ---- */
/* Run the built-in function "name" for a call; its arguments lie in the
 * caller's local memory. */
void rf_builtin_run(rf_warp *w, const rf_instr *in, const char *name,
                    uint32_t mask);

#endif
