/* A device for tests. */
#include "device.h"

#include "support/buf.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

device device_with(const char *ptx, void (*change)(rf_exec_options *))
{
    device d = { 0 };
    rf_buf text = { 0 };
    char *error = NULL;
    rf_exec_options o = rf_exec_defaults();
    o.messages = tmpfile();
    d.stream = o.messages;
    if (change)
        change(&o);
    d.machine = rf_machine_new(&o);
    rf_buf_puts(&text, ".version 8.5\n.target sm_90a\n.address_size 64\n");
    rf_buf_puts(&text, ptx);
    d.module = rf_module_load(d.machine, text.data, &error);
    cr_assert(d.module, "%s", error);
    rf_buf_free(&text);
    return d;
}

device device_new(const char *ptx)
{
    return device_with(ptx, NULL);
}

void device_free(device *d)
{
    rf_machine_free(d->machine);
    fclose(d->stream);
    free(d->messages);
}

rf_status device_run_cluster(device *d, unsigned blocks, unsigned cluster,
                             unsigned threads, unsigned shared,
                             const uint64_t *args)
{
    void *pointers[16];
    for (int i = 0; i < 16; i++)
        pointers[i] = (void *)&args[i];
    return rf_machine_launch(
        d->machine, &(rf_launch){ .kernel = rf_module_kernel_at(d->module, 0),
                                  .grid = { blocks, 1, 1 },
                                  .block = { threads, 1, 1 },
                                  .cluster = { cluster, 1, 1 },
                                  .dynamic_shared = shared,
                                  .args = pointers });
}

rf_status device_run(device *d, unsigned blocks, unsigned threads,
                     const uint64_t *args)
{
    return device_run_cluster(d, blocks, 1, threads, 0, args);
}

uint64_t device_zeros(device *d, size_t bytes)
{
    uint64_t a = rf_machine_alloc(d->machine, bytes);
    memset((void *)a, 0, bytes);
    rf_machine_wrote(d->machine, a, bytes);
    return a;
}

const char *device_messages(device *d)
{
    long size = ftell(d->stream);
    free(d->messages);
    d->messages = calloc(1, (size_t)size + 1);
    rewind(d->stream);
    d->length = fread(d->messages, 1, (size_t)size, d->stream);
    return d->messages;
}

size_t device_reports(const device *d, rf_check c)
{
    return rf_machine_reports(d->machine, c);
}
