/* The chains that published work measures: GEMM chains (G), gated layers (S),
 * pairs of convolutions as products (C); m is 128, or the pixels. */
#ifndef TESTS_PLAN_WORKLOADS_H
#define TESTS_PLAN_WORKLOADS_H

#include "plan/gemm.h"

typedef struct {
    const char *name;
    int64_t m, n, k, l;
    int firsts;
} workload;

static const workload workloads[] = {
    { "G1", 128, 512, 32, 256, 1 },        { "G2", 128, 256, 512, 64, 1 },
    { "G3", 128, 512, 416, 256, 1 },       { "G4", 128, 3072, 768, 768, 1 },
    { "G5", 128, 16384, 4096, 4096, 1 },   { "G6", 128, 4096, 1024, 1024, 1 },
    { "G7", 128, 768, 768, 768, 1 },       { "G8", 128, 8192, 2048, 2048, 1 },
    { "G9", 128, 2048, 512, 512, 1 },      { "G10", 128, 1536, 384, 384, 1 },
    { "S1", 128, 8192, 3072, 3072, 2 },    { "S2", 128, 5632, 2048, 2048, 2 },
    { "S3", 128, 11008, 4096, 4096, 2 },   { "S4", 128, 8192, 2048, 2048, 2 },
    { "S5", 128, 11008, 2048, 2048, 2 },   { "S6", 128, 8960, 1536, 1536, 2 },
    { "S7", 128, 9728, 2560, 2560, 2 },    { "S8", 128, 3072, 1024, 1024, 2 },
    { "C1", 56 * 56, 256, 64, 64, 1 },     { "C2", 28 * 28, 512, 128, 128, 1 },
    { "C3", 14 * 14, 1024, 256, 256, 1 },  { "C4", 7 * 7, 2048, 512, 512, 1 },
    { "C5", 56 * 56, 64, 576, 256, 1 },    { "C6", 28 * 28, 128, 1152, 512, 1 },
    { "C7", 14 * 14, 256, 2304, 1024, 1 }, { "C8", 7 * 7, 512, 4608, 2048, 1 },
};

enum { RF_WORKLOADS = sizeof workloads / sizeof *workloads };

#endif
