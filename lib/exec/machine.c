/* The machine: options, memory as the host sees it, teardown. */
#include "exec/device.h"

#include <string.h>

rf_exec_options rf_exec_defaults(void)
{
    return (rf_exec_options){ .poison = 0xff,
                              .latency = 20,
                              .room = 16,
                              .spin = 4000000000,
                              .seed = 1,
                              .max_lines = 2 };
}

rf_machine *rf_machine_new(const rf_exec_options *options)
{
    rf_machine *m = rf_malloc(sizeof *m);
    memset(m, 0, sizeof *m);
    m->options = *options;
    m->arena = rf_arena_new();
    m->clock = 1;
    pthread_mutex_init(&m->lock, NULL);
    rf_heap_init(&m->heap);
    m->params = rf_heap_alloc(&m->heap, RF_PARAM_BYTES, 0);
    m->workspace = rf_heap_alloc(&m->heap, RF_CHUNK, 0);
    rf_heap_at(&m->heap, m->params)->module = true;
    rf_heap_at(&m->heap, m->workspace)->module = true;
    rf_machine_name(m, m->params, "the kernel's parameters");
    rf_machine_name(m, m->workspace, "the grid's workspace");
    rf_machine_wrote(m, m->params, RF_PARAM_BYTES);
    return m;
}

static void module_free(rf_module *m)
{
    for (size_t i = 0; i < m->functions.len; i++) {
        RF_CLEAR(m->functions.data[i]->callees);
        RF_CLEAR(m->functions.data[i]->shared);
    }
    RF_CLEAR(m->code);
    RF_CLEAR(m->literal_values);
    RF_CLEAR(m->functions);
    RF_CLEAR(m->variables);
    RF_CLEAR(m->kernels);
    RF_CLEAR(m->files);
    RF_CLEAR(m->locs);
    free(m->literals);
    rf_arena_free(m->arena);
}

void rf_machine_free(rf_machine *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->modules.len; i++)
        module_free(m->modules.data[i]);
    RF_CLEAR(m->modules);
    RF_CLEAR(m->seen);
    RF_CLEAR(m->totals);
    rf_heap_free(&m->heap);
    pthread_mutex_destroy(&m->lock);
    rf_arena_free(m->arena);
    free(m);
}

/* ---- memory ---- */

uint64_t rf_machine_alloc(rf_machine *m, size_t size)
{
    pthread_mutex_lock(&m->lock);
    uint64_t a = rf_heap_alloc(&m->heap, size, m->options.poison);
    if (a)
        rf_heap_at(&m->heap, a)->serial = ++m->n_buffers;
    pthread_mutex_unlock(&m->lock);
    return a;
}

bool rf_machine_release(rf_machine *m, uint64_t address)
{
    pthread_mutex_lock(&m->lock);
    bool ok = rf_heap_release(&m->heap, address);
    pthread_mutex_unlock(&m->lock);
    return ok;
}

bool rf_machine_buffer(const rf_machine *m, uint64_t address, uint64_t *start,
                       size_t *size)
{
    const rf_alloc *a = rf_heap_at(&m->heap, address);
    if (!a || !a->live || address >= a->start + a->size)
        return false;
    *start = a->start;
    *size = a->size;
    return true;
}

static uint8_t *valid_at(rf_machine *m, uint64_t address)
{
    return m->heap.shadow.valid + (address - m->heap.shadow.base);
}

void rf_machine_wrote(rf_machine *m, uint64_t address, size_t size)
{
    memset(valid_at(m, address), 1, size);
}

void rf_machine_copied(rf_machine *m, uint64_t to, uint64_t from, size_t size)
{
    memmove(valid_at(m, to), valid_at(m, from), size);
}

void rf_machine_name(rf_machine *m, uint64_t address, const char *name)
{
    rf_alloc *a = rf_heap_at(&m->heap, address);
    if (a)
        a->name = rf_arena_strdup(m->arena, name);
}

size_t rf_machine_buffers(const rf_machine *m, rf_buffer *out, size_t max)
{
    size_t n = 0;
    for (uint32_t i = 1; i < m->heap.n_allocs; i++) {
        const rf_alloc *a = &m->heap.allocs[i];
        if (!a->live || a->module)
            continue;
        if (out && n < max)
            out[n] =
                (rf_buffer){ .address = a->start,
                             .size = a->size,
                             .serial = a->serial,
                             .name = a->name,
                             .element = rf_type_spelling(
                                 a->element ? (rf_type)a->element : RF_T_B8) };
        n++;
    }
    return n;
}

/* ---- kernels and reports ---- */

rf_kernel_info rf_kernel_get_info(const rf_kernel *k)
{
    return (rf_kernel_info){ .name = k->f->name,
                             .n_params = k->f->n_params,
                             .param_bytes = k->f->param_bytes,
                             .static_shared = k->static_shared,
                             .local_bytes = k->f->local_bytes,
                             .max_threads = k->max_threads,
                             .cluster = k->cluster };
}

uint32_t rf_kernel_param_offset(const rf_kernel *k, uint32_t n)
{
    return k->f->params[n].offset;
}

uint32_t rf_kernel_param_size(const rf_kernel *k, uint32_t n)
{
    return k->f->params[n].size;
}

size_t rf_machine_reports(const rf_machine *m, rf_check c)
{
    size_t n = 0;
    for (int i = 0; i < RF_CHECK_COUNT; i++)
        if (c == RF_CHECK_COUNT || (int)c == i)
            n += m->reports[i];
    return n;
}
