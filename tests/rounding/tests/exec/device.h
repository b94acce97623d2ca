/* A device for tests: one module, messages kept as text. */
#ifndef RF_TESTS_EXEC_DEVICE_H
#define RF_TESTS_EXEC_DEVICE_H

#include "exec/exec.h"

typedef struct {
    rf_machine *machine;
    rf_module *module;
    char *messages; /* what checks printed; valid after device_messages */
    size_t length;
    FILE *stream;
} device;

/* Load a module from the text of its entries (header lines are added). */
device device_new(const char *ptx);
/* The same with options changed by "change" (may be NULL). */
device device_with(const char *ptx, void (*change)(rf_exec_options *));
void device_free(device *d);

/* Launch the first kernel; "args" are 64-bit values, cut to the parameters'
 * sizes. */
rf_status device_run(device *d, unsigned blocks, unsigned threads,
                     const uint64_t *args);
rf_status device_run_cluster(device *d, unsigned blocks, unsigned cluster,
                             unsigned threads, unsigned shared,
                             const uint64_t *args);
/* A buffer of "bytes" that holds zeros, written. */
uint64_t device_zeros(device *d, size_t bytes);
/* Everything that checks printed so far. */
const char *device_messages(device *d);
/* How often check "c" fired. */
size_t device_reports(const device *d, rf_check c);

static inline uint32_t *device_words(uint64_t address)
{
    return (uint32_t *)address;
}

#endif
