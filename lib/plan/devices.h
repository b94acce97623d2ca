/* What the planner knows of a device: sizes and bandwidths, as data. */
#ifndef RF_PLAN_DEVICES_H
#define RF_PLAN_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RF_CLUSTER_SIZES = 5 }; /* 1, 2, 4, 8, 16 blocks */

typedef struct {
    const char *arch; /* "sm_90" */
    const char *name; /* the board that the figures are for */
    int sms;
    double clock;           /* Hz, boost */
    int64_t register_bytes; /* of one SM */
    int64_t shared_block;   /* bytes that one block may use */
    int64_t shared_sm;      /* bytes of one SM */
    int64_t l2_bytes;
    double dram, l2, shared;      /* bytes per second, whole device */
    double dsm[RF_CLUSTER_SIZES]; /* between SMs, by cluster size; 0: none */
    double sm_port;               /* bytes per second into one SM */
    double fma32, fma64; /* operations per second without tensor cores */
    double tensor16;     /* f16 or bf16, f32 sums, dense */
    double launch;       /* seconds for a kernel in a stream */
    double barrier, cluster_barrier; /* seconds */
    int max_cluster; /* 1: no clusters; 16: with the attribute */
} rf_device;

/* A row's figures by name, so that files can give them. */
typedef enum { RF_FIGURE_INT, RF_FIGURE_BYTES, RF_FIGURE_REAL } rf_figure_kind;

typedef struct {
    const char *name; /* "sms" */
    rf_figure_kind kind;
    size_t field; /* in rf_device */
    unsigned n;   /* numbers: more than 1 for a list */
    const char *help;
} rf_figure;

extern const rf_figure rf_figures[];
extern const size_t rf_figure_count;

/* Set number "i" of "figure"; false: it must be more than 0, and whole for
 * all but RF_FIGURE_REAL. */
bool rf_figure_set(rf_device *device, const rf_figure *figure, unsigned i,
                   double value);

/* 90 of "sm_90a", "compute_90", "90"; 0: no number. */
long rf_device_number(const char *arch);
/* The device for "arch" ("sm_90", "sm_90a", "90"); the newest one that is not
 * newer where there is none, sm_90 for NULL. */
const rf_device *rf_device_find(const char *arch);
const rf_device *rf_device_at(unsigned i); /* NULL past the last */
/* Bandwidth of distributed shared memory for clusters of "blocks". */
double rf_device_dsm(const rf_device *device, int blocks);

#endif
