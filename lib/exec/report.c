/* Reports of traffic and instruction counts, as text and JSON; the list of
 * checks that fired. */
#include "exec/device.h"

#include <string.h>

static const char *const class_names[] = {
#define X(id, spelling) spelling,
    RF_CLASSES(X)
#undef X
};

/* field of rf_traffic, name */
#define FIELDS(X)                                                              \
    X(bytes_loaded, "bytes loaded")                                            \
    X(distinct_loaded, "distinct bytes loaded")                                \
    X(sectors_loaded, "sectors loaded")                                        \
    X(bytes_stored, "bytes stored")                                            \
    X(distinct_stored, "distinct bytes stored")                                \
    X(sectors_stored, "sectors stored")                                        \
    X(requests, "requests")

/* ---- text ---- */

static void text_number(FILE *out, const char *name, uint64_t value)
{
    if (value)
        fprintf(out, "    %-24s%14llu\n", name, (unsigned long long)value);
}

/* 32 bytes a sector: a coalesced access; more: lanes share sectors. */
static void text_ratio(FILE *out, const char *name, uint64_t a, uint64_t b)
{
    if (b)
        fprintf(out, "    %-24s%14.1f\n", name, (double)a / (double)b);
}

static void text_traffic(FILE *out, const char *title, const rf_traffic *t)
{
    if (!t->requests)
        return;
    fprintf(out, "  %s\n", title);
#define X(field, name) text_number(out, name, t->field);
    FIELDS(X)
#undef X
    text_ratio(out, "bytes a loaded sector", t->bytes_loaded,
               t->sectors_loaded);
    text_ratio(out, "bytes a stored sector", t->bytes_stored,
               t->sectors_stored);
}

static void text_kernel(FILE *out, const rf_totals *t)
{
    rf_buf name = { 0 };
    rf_name_add(&name, t->kernel->f->name);
    fprintf(out, "kernel %s: %llu launches, %llu blocks\n", rf_buf_text(&name),
            (unsigned long long)t->launches, (unsigned long long)t->blocks);
    rf_buf_free(&name);
    text_traffic(out, "global memory", &t->global);
    text_traffic(out, "shared memory", &t->shared);
    text_traffic(out, "remote shared memory", &t->remote);
    fputs("  instructions\n", out);
    text_number(out, "executed by threads", t->instructions);
    text_number(out, "executed by warps", t->warp_instructions);
    for (int c = 0; c < RF_CLASS_COUNT; c++)
        text_number(out, class_names[c], t->classes[c]);
    text_number(out, "block barriers", t->barriers);
    text_number(out, "cluster barriers", t->cluster_barriers);
    if (t->seconds > 0)
        fprintf(out, "    %.3f s on the host, %.1f M warp instructions/s\n",
                t->seconds, (double)t->warp_instructions / t->seconds / 1e6);
}

static void text_buffer(FILE *out, const rf_alloc *a)
{
    rf_buf title = { 0 };
    rf_alloc_add(&title, a);
    if (a->element)
        rf_buf_printf(&title, " of %s", rf_type_spelling((rf_type)a->element));
    text_traffic(out, rf_buf_text(&title), &a->traffic);
    rf_buf_free(&title);
}

static void print_text(const rf_machine *m, FILE *out)
{
    for (size_t i = 0; i < m->totals.len; i++)
        text_kernel(out, &m->totals.data[i]);
    fputs("buffers\n", out);
    for (uint32_t i = 1; i < m->heap.n_allocs; i++)
        text_buffer(out, &m->heap.allocs[i]);
}

/* ---- JSON ---- */

static void json_key(FILE *out, const char *name)
{
    fputc('"', out);
    for (; *name; name++)
        fputc(*name == ' ' ? '_' : *name, out);
    fputs("\": ", out);
}

static void json_number(FILE *out, const char *name, uint64_t value, bool more)
{
    json_key(out, name);
    fprintf(out, "%llu%s", (unsigned long long)value, more ? ", " : "");
}

static void json_traffic(FILE *out, const char *name, const rf_traffic *t)
{
    json_key(out, name);
    fputc('{', out);
#define X(field, title) json_number(out, title, t->field, true);
    FIELDS(X)
#undef X
    json_number(out, "loads", t->loads, true);
    json_number(out, "stores", t->stores, false);
    fputc('}', out);
}

static void json_kernel(FILE *out, const rf_totals *t)
{
    fprintf(out, "    {\"kernel\": \"%s\", ", t->kernel->f->name);
    json_number(out, "launches", t->launches, true);
    json_number(out, "blocks", t->blocks, true);
    json_number(out, "instructions", t->instructions, true);
    json_number(out, "warp instructions", t->warp_instructions, true);
    json_number(out, "block barriers", t->barriers, true);
    json_number(out, "cluster barriers", t->cluster_barriers, true);
    json_traffic(out, "global", &t->global);
    fputs(", ", out);
    json_traffic(out, "shared", &t->shared);
    fputs(", ", out);
    json_traffic(out, "remote", &t->remote);
    fputs(", \"classes\": {", out);
    for (int c = 0; c < RF_CLASS_COUNT; c++)
        json_number(out, class_names[c], t->classes[c], c + 1 < RF_CLASS_COUNT);
    fputs("}}", out);
}

static void json_buffer(FILE *out, const rf_alloc *a)
{
    fputs("    {\"name\": \"", out);
    if (a->name)
        fputs(a->name, out);
    else
        fprintf(out, "buffer %u", a->serial);
    fprintf(out, "\", \"size\": %zu, \"element\": \"%s\", ", a->size,
            a->element ? rf_type_spelling((rf_type)a->element) : "b8");
    json_traffic(out, "traffic", &a->traffic);
    fputc('}', out);
}

static void print_json(const rf_machine *m, FILE *out)
{
    const char *comma = "";
    fputs("{\"kernels\": [\n", out);
    for (size_t i = 0; i < m->totals.len; i++) {
        fputs(i ? ",\n" : "", out);
        json_kernel(out, &m->totals.data[i]);
    }
    fputs("\n  ],\n  \"buffers\": [\n", out);
    for (uint32_t i = 1; i < m->heap.n_allocs; i++) {
        if (!m->heap.allocs[i].traffic.requests)
            continue;
        fputs(comma, out);
        json_buffer(out, &m->heap.allocs[i]);
        comma = ",\n";
    }
    fputs("\n  ],\n  \"checks\": {", out);
    for (int c = 0; c < RF_CHECK_COUNT; c++)
        fprintf(out, "%s\"%s\": %zu", c ? ", " : "",
                rf_check_spelling((rf_check)c), m->reports[c]);
    fputs("}}\n", out);
}

void rf_machine_print_report(const rf_machine *m, FILE *out, bool json)
{
    if (json)
        print_json(m, out);
    else
        print_text(m, out);
}

/* ---- checks that fired ---- */

void rf_machine_print_checks(const rf_machine *m, FILE *out)
{
    for (size_t i = 0; i < m->seen.len; i++) {
        const rf_seen *s = &m->seen.data[i];
        fprintf(out, "%u %s %s\n", s->count, rf_check_spelling(s->check),
                s->in->function->name);
    }
}
