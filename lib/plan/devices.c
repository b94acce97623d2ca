/* The table of devices.
 *
 * Sources. SMs, clocks, sizes of memories, DRAM and peak rates: NVIDIA's
 * whitepapers "A100 Tensor Core GPU Architecture", "NVIDIA Ampere GA102 GPU
 * Architecture", "NVIDIA ADA GPU Architecture", "H100 Tensor Core GPU
 * Architecture", "Blackwell Architecture Technical Brief"; shared memory per
 * block: CUDA C++ Programming Guide, table of technical specifications.
 * Shared memory moves 128 bytes a clock and SM, a port into an SM 64.
 * L2: 5120 bytes a clock on A100 (whitepaper) and 64 bytes a clock and slice
 * elsewhere. Distributed shared memory of H100 at 2 and 4 blocks: Luo et al.,
 * "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via
 * Microbenchmarking", arXiv 2402.13499 (3.27 and 2.65 TB/s).
 * No published figure was at hand for 8 and 16 blocks (the decline from 2 to
 * 4 is continued), for sm_100 (as sm_90), for launches and barriers (usual
 * values of microbenchmarks). */
#include "plan/devices.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KB 1024
#define MB (1024 * 1024)

static const rf_device table[] = {
    { .arch = "sm_80",
      .name = "A100 SXM 80 GB",
      .sms = 108,
      .clock = 1.41e9,
      .register_bytes = 256 * KB,
      .shared_block = 163 * KB,
      .shared_sm = 164 * KB,
      .l2_bytes = 40 * MB,
      .dram = 2.039e12,
      .l2 = 7.2e12,
      .shared = 19.5e12,
      .sm_port = 90e9,
      .fma32 = 19.5e12,
      .fma64 = 9.7e12,
      .tensor16 = 312e12,
      .launch = 3e-6,
      .barrier = 2e-8,
      .max_cluster = 1 },
    { .arch = "sm_86",
      .name = "RTX 3090",
      .sms = 82,
      .clock = 1.695e9,
      .register_bytes = 256 * KB,
      .shared_block = 99 * KB,
      .shared_sm = 100 * KB,
      .l2_bytes = 6 * MB,
      .dram = 0.936e12,
      .l2 = 5.2e12,
      .shared = 17.8e12,
      .sm_port = 108e9,
      .fma32 = 35.6e12,
      .fma64 = 0.56e12,
      .tensor16 = 71e12,
      .launch = 3e-6,
      .barrier = 2e-8,
      .max_cluster = 1 },
    { .arch = "sm_89",
      .name = "L40S",
      .sms = 142,
      .clock = 2.52e9,
      .register_bytes = 256 * KB,
      .shared_block = 99 * KB,
      .shared_sm = 100 * KB,
      .l2_bytes = 96 * MB,
      .dram = 0.864e12,
      .l2 = 7.7e12,
      .shared = 45.8e12,
      .sm_port = 161e9,
      .fma32 = 91.6e12,
      .fma64 = 1.4e12,
      .tensor16 = 362e12,
      .launch = 3e-6,
      .barrier = 2e-8,
      .max_cluster = 1 },
    { .arch = "sm_90",
      .name = "H100 SXM",
      .sms = 132,
      .clock = 1.83e9,
      .register_bytes = 256 * KB,
      .shared_block = 227 * KB,
      .shared_sm = 228 * KB,
      .l2_bytes = 50 * MB,
      .dram = 3.35e12,
      .l2 = 11.2e12,
      .shared = 30.9e12,
      .dsm = { 0, 3.27e12, 2.65e12, 2.15e12, 1.74e12 },
      .sm_port = 117e9,
      .fma32 = 66.9e12,
      .fma64 = 33.5e12,
      .tensor16 = 989e12,
      .launch = 3e-6,
      .barrier = 2e-8,
      .cluster_barrier = 2e-7,
      .max_cluster = 16 },
    { .arch = "sm_100",
      .name = "B200",
      .sms = 148,
      .clock = 1.85e9,
      .register_bytes = 256 * KB,
      .shared_block = 227 * KB,
      .shared_sm = 228 * KB,
      .l2_bytes = 126 * MB,
      .dram = 8.0e12,
      .l2 = 18.9e12,
      .shared = 35.0e12,
      .dsm = { 0, 3.27e12, 2.65e12, 2.15e12, 1.74e12 },
      .sm_port = 118e9,
      .fma32 = 75e12,
      .fma64 = 37e12,
      .tensor16 = 2250e12,
      .launch = 3e-6,
      .barrier = 2e-8,
      .cluster_barrier = 2e-7,
      .max_cluster = 16 },
};

enum { COUNT = sizeof table / sizeof *table };

#define AT(field) offsetof(rf_device, field)

const rf_figure rf_figures[] = {
    { "sms", RF_FIGURE_INT, AT(sms), 1, "streaming multiprocessors" },
    { "clock", RF_FIGURE_REAL, AT(clock), 1, "Hz" },
    { "register_bytes", RF_FIGURE_BYTES, AT(register_bytes), 1, "of an SM" },
    { "shared_block", RF_FIGURE_BYTES, AT(shared_block), 1,
      "shared memory that a block may use, in bytes" },
    { "shared_sm", RF_FIGURE_BYTES, AT(shared_sm), 1,
      "shared memory of an SM, in bytes" },
    { "l2_bytes", RF_FIGURE_BYTES, AT(l2_bytes), 1, "L2 cache" },
    { "dram", RF_FIGURE_REAL, AT(dram), 1, "bytes a second" },
    { "l2", RF_FIGURE_REAL, AT(l2), 1, "bytes a second" },
    { "shared", RF_FIGURE_REAL, AT(shared), 1, "bytes a second, all SMs" },
    { "dsm", RF_FIGURE_REAL, AT(dsm), RF_CLUSTER_SIZES,
      "bytes a second between SMs, for clusters of 1, 2, 4, 8, 16 blocks" },
    { "sm_port", RF_FIGURE_REAL, AT(sm_port), 1, "bytes a second into an SM" },
    { "fma32", RF_FIGURE_REAL, AT(fma32), 1, "operations a second" },
    { "fma64", RF_FIGURE_REAL, AT(fma64), 1, "operations a second" },
    { "tensor16", RF_FIGURE_REAL, AT(tensor16), 1,
      "operations a second on tensor cores, 16-bit data" },
    { "launch", RF_FIGURE_REAL, AT(launch), 1, "seconds" },
    { "barrier", RF_FIGURE_REAL, AT(barrier), 1, "seconds, of a block" },
    { "cluster_barrier", RF_FIGURE_REAL, AT(cluster_barrier), 1, "seconds" },
    { "max_cluster", RF_FIGURE_INT, AT(max_cluster), 1, "blocks; 1: none" },
};

const size_t rf_figure_count = sizeof rf_figures / sizeof *rf_figures;

bool rf_figure_set(rf_device *device, const rf_figure *figure, unsigned i,
                   double value)
{
    void *at = (char *)device + figure->field;
    double most = figure->kind == RF_FIGURE_INT ? INT_MAX : 1e18;
    bool whole = figure->kind == RF_FIGURE_REAL || value == floor(value);
    bool zero = figure->n > 1 && value == 0; /* blocks of no cluster */
    if (!(value > 0 || zero) || !(value <= most) || !whole)
        return false;
    if (figure->kind == RF_FIGURE_INT)
        ((int *)at)[i] = (int)value;
    else if (figure->kind == RF_FIGURE_BYTES)
        ((int64_t *)at)[i] = (int64_t)value;
    else
        ((double *)at)[i] = value;
    return true;
}

long rf_device_number(const char *arch)
{
    const char *digits = arch + strcspn(arch, "0123456789");
    return strtol(digits, NULL, 10);
}

const rf_device *rf_device_find(const char *arch)
{
    long want = arch ? rf_device_number(arch) : 90;
    const rf_device *best = &table[0];
    for (int i = 0; i < COUNT; i++)
        if (rf_device_number(table[i].arch) <= want)
            best = &table[i];
    return best;
}

const rf_device *rf_device_at(unsigned i)
{
    return i < COUNT ? &table[i] : NULL;
}

double rf_device_dsm(const rf_device *device, int blocks)
{
    int i = 0;
    while (i + 1 < RF_CLUSTER_SIZES && (1 << i) < blocks)
        i++;
    return device->dsm[i];
}
