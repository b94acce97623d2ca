/* Copies that land later: cp.async.bulk, tensor copies, st.async.
 *
 * A copy waits in its cluster's queue for some turns; then it reads its
 * source, writes its destination and completes: on a barrier in shared memory
 * or by its group, which the lane that issued it waits for. */
#ifndef RF_EXEC_COPY_H
#define RF_EXEC_COPY_H

#include "exec/device.h"
#include "exec/tma.h"

typedef enum { RF_COPY_BULK, RF_COPY_TENSOR, RF_COPY_STORE } rf_copy_kind;

struct rf_copy {
    rf_copy_kind kind;
    rf_warp *w; /* who issued it */
    const rf_instr *in;
    int lane;
    uint64_t due;     /* turn of the worker */
    uint64_t barrier; /* shared address, or 0: it is in a group */
    uint32_t group;   /* bulk group, 0: not committed yet */
    uint32_t ranks;   /* blocks that take it, bit r: rank r */
    uint32_t *vc;     /* what happened before it, owned */
    union {
        rf_bulk_copy bulk;
        struct {
            rf_tensor_map map;
            rf_tensor_copy copy;
        } tensor;
        struct {
            uint64_t to;
            uint8_t bytes[16];
            uint32_t size;
            bool reduce;
            rf_atomic op;
            rf_type type;
        } store;
    };
};

/* Put a copy into the queue of the issuing warp's cluster. */
void rf_copy_issue(const rf_copy *copy);
/* How many committed groups of "lane" have copies in flight, at most those
 * but the latest "keep". */
bool rf_copy_groups_done(const rf_warp *w, int lane, uint32_t keep);
/* The uncommitted bulk copies of "lane" become a group. */
void rf_copy_commit(rf_warp *w, int lane);

/* Complete the copies of "c" that are due; with "force" the oldest in any
 * case. Return how many were completed. */
uint32_t rf_copies_poll(rf_cluster *c, bool force);
/* The cluster has ended: report copies that are still in flight, drop them. */
void rf_copies_end(rf_cluster *c);

#endif
