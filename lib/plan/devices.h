/* What the planner knows of a device: sizes and bandwidths, as data. */
#ifndef RF_PLAN_DEVICES_H
#define RF_PLAN_DEVICES_H

#include <stdbool.h>
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

/* The device for "arch" ("sm_90", "sm_90a", "90"); NULL: the newest one that
 * is not newer, sm_90 for NULL. */
const rf_device *rf_device_find(const char *arch);
const rf_device *rf_device_at(unsigned i); /* NULL past the last */
/* Bandwidth of distributed shared memory for clusters of "blocks". */
double rf_device_dsm(const rf_device *device, int blocks);

#endif
