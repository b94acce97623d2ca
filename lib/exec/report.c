/* Reports of traffic and instruction counts; the log of --compare. */
#include "exec/device.h"

void rf_machine_print_report(const rf_machine *m, FILE *out, bool json)
{
    (void)m, (void)out, (void)json;
}

void rf_machine_log(const rf_machine *m, FILE *out, const char *kind,
                    const char *kernel, uint64_t address, size_t size,
                    const void *bytes)
{
    (void)m, (void)out, (void)kind, (void)kernel, (void)address, (void)size;
    (void)bytes;
}
