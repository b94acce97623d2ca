/* The dataflow of a chain of two matrix products (THEORY 9): which loops the
 * grid runs, in what order a cluster walks the rest, how large its blocks'
 * tiles are, where the intermediate stays, what that moves at every level of
 * memory and how long it takes.
 *
 *     C[m,n] = SUM_k A[m,k] B[k,n]    P = act(C)    E[m,l] = SUM_n P[m,n]
 * D[n,l]
 */
#ifndef RF_PLAN_GEMM_H
#define RF_PLAN_GEMM_H

#include "plan/devices.h"
#include "support/buf.h"

typedef enum { RF_DIM_M, RF_DIM_N, RF_DIM_K, RF_DIM_L, RF_DIMS } rf_dim;

typedef struct {
    int64_t size[RF_DIMS];
    int64_t batch; /* independent chains */
    int firsts;    /* first products: 2 for a gated layer */
    int bytes;     /* of an element of A, B, D, E and P */
    bool tensor;   /* on tensor cores; else f32 arithmetic */
    bool stores_p; /* P is visible afterwards and must be written */
} rf_gemm_shape;

/* Loops over cluster tiles: those of "spatial" (bit 1 << dim) are the grid,
 * the others run in a cluster, outermost first. */
typedef struct {
    unsigned spatial;
    int n_loops;
    rf_dim order[RF_DIMS];
} rf_gemm_schedule;

/* Blocks of a cluster along each dimension; l: in the second product, which
 * the same m * n * k blocks compute. */
typedef struct {
    int size[RF_DIMS];
} rf_gemm_cluster;

typedef struct {
    rf_gemm_schedule schedule;
    rf_gemm_cluster cluster;
    int64_t tile[RF_DIMS]; /* of one block */
} rf_gemm_candidate;

typedef enum {
    RF_AT_REGISTERS,
    RF_AT_SHARED,
    RF_AT_DSM,
    RF_AT_GLOBAL,
    RF_PLACES
} rf_place_of;

/* Bytes that all clusters together move, and what follows from them. */
typedef struct {
    double a, b, d, e, p; /* global memory, by tensor */
    double global, dram;  /* their sum; what of it misses the L2 */
    double exchange, shuffle, scatter, dsm; /* THEORY 9; dsm: their sum */
    double shared;                          /* shared memory of the own block */
    double flops;
    int64_t blocks, waves;
    double strip[RF_PLACES]; /* bytes a block keeps of P or of partial E */
    int64_t shared_bytes, register_bytes; /* of a block, without the strip */
    double time;                          /* seconds */
    const char *limit;                    /* what takes that long */
} rf_gemm_cost;

typedef struct {
    rf_gemm_candidate best;
    rf_gemm_cost cost;
    bool found;
    uint64_t evaluated;
    double left[6]; /* candidates at first and after each pruning rule */
} rf_gemm_plan;

/* ---- the space: gemm_space.c ---- */

enum { RF_GEMM_UNIT = 16, RF_GEMM_SCHEDULES = 41, RF_GEMM_TUPLES = 70 };

/* All loop schedules with at least one spatial loop. */
int rf_gemm_schedules(rf_gemm_schedule out[RF_GEMM_SCHEDULES]);
/* Is "c" one of the tuples over {1,2,4,8,16}^4 that a cluster can have?
 * m * n * k <= 16, and cls_shuffle = l / k and cls_reduce = n k / l whole. */
bool rf_gemm_is_consistent(const rf_gemm_cluster *c);
int rf_gemm_clusters(rf_gemm_cluster out[RF_GEMM_TUPLES]);
int rf_gemm_cluster_blocks(const rf_gemm_cluster *c);
int rf_gemm_shuffle(const rf_gemm_cluster *c);
int rf_gemm_reduce(const rf_gemm_cluster *c);
/* Tile sizes of a dimension that divide it: units of 16 (rule 1). */
int rf_gemm_tiles(int64_t size, int64_t *out, int room);
int64_t rf_gemm_padded(int64_t size);
/* Sums are complete before act: k is no grid loop and lies inside m and n
 * (rule 3). */
bool rf_gemm_is_active(const rf_gemm_schedule *s);
/* No loop that runs once stands anywhere but in the one place (rule 4). */
bool rf_gemm_is_canonical(const rf_gemm_shape *shape,
                          const rf_gemm_candidate *c);
/* cls * tile divides the dimension (rule 2, with rf_gemm_is_consistent). */
bool rf_gemm_divides(const rf_gemm_shape *shape, const rf_gemm_candidate *c);
int64_t rf_gemm_trips(const rf_gemm_shape *shape, const rf_gemm_candidate *c,
                      rf_dim d);

/* ---- traffic and time: gemm_traffic.c ---- */

/* False: it does not fit the device (rule 5). */
bool rf_gemm_cost_of(const rf_device *device, const rf_gemm_shape *shape,
                     const rf_gemm_candidate *c, rf_gemm_cost *out);
/* Bytes that two kernels move: P is written and read. */
double rf_gemm_unfused(const rf_gemm_shape *shape);
/* Bytes that any kernel moves: every input read, every output written. */
double rf_gemm_compulsory(const rf_gemm_shape *shape);
double rf_gemm_unfused_time(const rf_device *device,
                            const rf_gemm_shape *shape);

/* ---- search: gemm_search.c ---- */

/* Branch and bound; "counts": also count what each rule leaves. */
rf_gemm_plan rf_gemm_search(const rf_device *device, const rf_gemm_shape *shape,
                            bool counts);
/* Evaluate every candidate of rule 1: for small spaces, to check the search. */
rf_gemm_plan rf_gemm_brute_force(const rf_device *device,
                                 const rf_gemm_shape *shape);

/* ---- words: gemm_explain.c ---- */

/* The plan as a picture of the dataflow with bytes at every level. */
void rf_gemm_explain(rf_buf *out, const rf_device *device,
                     const rf_gemm_shape *shape, const rf_gemm_plan *plan);

#endif
