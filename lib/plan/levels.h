/* Which team should fold a row: the schedules that are possible, their traffic
 * and a model of their time. */
#ifndef RF_PLAN_LEVELS_H
#define RF_PLAN_LEVELS_H

#include "plan/devices.h"
#include "plan/plan.h"

/* What a schedule has to do, for all rows. */
typedef struct {
    int64_t rows, length;
    double streamed, least; /* bytes an element: merged loops; kept */
    unsigned words;         /* registers of an element that is kept */
    unsigned source_reads;  /* loops of the source that read the row */
    unsigned fused_reads;   /* ... when merged loops stream it; 0: no merge */
    bool may_keep;          /* the length is a bound, not an assumption */
    bool has_rows;          /* so many are launched, it is no assumption */
} rf_row_work;

typedef struct {
    rf_level level;
    unsigned blocks, threads; /* of a team; threads of a block */
    bool is_kept;             /* the row stays in registers */
    double row_bytes;         /* loaded and stored */
    double seconds;
    const char *limit; /* what the time is: "memory" or "latency" */
} rf_level_choice;

enum { RF_LEVEL_CHOICES = 16 };

/* All schedules that fit "device", best first; returns how many. */
unsigned rf_levels_rank(const rf_device *device, const rf_row_work *work,
                        rf_level_choice *out);
/* The best five as a Markdown table, with why the others lost. */
void rf_levels_explain(rf_buf *out, const rf_device *device,
                       const rf_row_work *work);
/* What the rows of "streamed" and "kept", two plans of one region of which one
 * may be NULL, have to do; as many as "unit" launches where that is known. */
rf_row_work rf_levels_work(const rf_unit *unit, const rf_plan *streamed,
                           const rf_plan *kept);

#endif
