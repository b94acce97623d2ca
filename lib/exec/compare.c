/* Comparing two logs (compare.h). */
#include "exec/compare.h"
#include "exec/device.h"
#include "exec/steps.h"

#include <math.h>
#include <string.h>

/* ---- writing ---- */

void rf_machine_log(const rf_machine *m, FILE *out, const char *kind,
                    const char *kernel, uint64_t address, size_t size,
                    const void *bytes)
{
    const rf_alloc *a = rf_heap_at(&m->heap, address);
    if (!a)
        return;
    const uint8_t *valid =
        m->heap.shadow.valid + (address - m->heap.shadow.base);
    fprintf(out, "%s %s %u %llu %zu %s\n", kind, kernel ? kernel : "-",
            a->module ? 0 : a->serial, (unsigned long long)(address - a->start),
            size, rf_type_spelling(a->element ? (rf_type)a->element : RF_T_B8));
    fwrite(bytes, 1, size, out);
    fwrite(valid, 1, size, out);
}

/* ---- reading ---- */

typedef struct {
    char kind[16], kernel[512], element[16];
    unsigned buffer;
    unsigned long long offset;
    size_t size;
    const uint8_t *bytes, *valid;
} record;

typedef struct {
    const char *at, *end;
} cursor;

static bool next_record(cursor *c, record *r)
{
    const char *line = memchr(c->at, '\n', (size_t)(c->end - c->at));
    char head[700];
    if (!line || (size_t)(line - c->at) >= sizeof head)
        return false;
    memcpy(head, c->at, (size_t)(line - c->at));
    head[line - c->at] = 0;
    if (sscanf(head, "%15s %511s %u %llu %zu %15s", r->kind, r->kernel,
               &r->buffer, &r->offset, &r->size, r->element) != 6 ||
        (size_t)(c->end - line - 1) / 2 < r->size)
        return false;
    r->bytes = (const uint8_t *)line + 1;
    r->valid = r->bytes + r->size;
    c->at = (const char *)r->valid + r->size;
    return true;
}

/* ---- elements ---- */

typedef struct {
    rf_type type;
    uint32_t bytes;
    bool is_float;
    rf_ftype format;
} element;

static element element_of(const record *a, const record *b)
{
    rf_type t = rf_type_find(a->element), u = rf_type_find(b->element);
    element e = { .type = t };
    if (!rf_ftype_of(t, &e.format) && rf_ftype_of(u, &e.format))
        e.type = t = u;
    e.is_float = rf_ftype_of(t, &e.format);
    e.bytes =
        e.is_float ? (uint32_t)rf_float_bits(e.format) / 8 : rf_type_bytes(t);
    return e;
}

static uint64_t bits_at(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes > 8 ? 8 : bytes);
    return v;
}

static double value_of(const element *e, uint64_t bits)
{
    if (e->is_float)
        return rf_float_decode(e->format, bits);
    if (rf_type_class(e->type) == 's') {
        uint32_t up = 64 - 8 * e->bytes;
        return (double)((int64_t)(bits << up) >> up);
    }
    return (double)bits;
}

/* The place of a float on the line of its format: neighbours differ by 1. */
static double place_of(const element *e, uint64_t bits)
{
    uint64_t sign = 1ull << (e->bytes * 8 - 1);
    return bits & sign ? -(double)(bits & (sign - 1)) : (double)bits;
}

static bool accepted(const element *e, uint64_t a, uint64_t b, rf_tolerance t,
                     double *worst)
{
    if (a == b)
        return true;
    if (!e->is_float)
        return false;
    if (rf_float_is_nan(e->format, a) && rf_float_is_nan(e->format, b))
        return true;
    double x = value_of(e, a), y = value_of(e, b), d = fabs(x - y);
    if (!(t.relative || t.absolute) || !isfinite(d))
        return false;
    if (d > t.absolute && d > t.relative * fabs(x))
        return false;
    if (x != 0 && d / fabs(x) > *worst && d > t.absolute)
        *worst = d / fabs(x);
    return true;
}

static bool written(const uint8_t *valid, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!valid[i])
            return false;
    return true;
}

static void fill(rf_difference *d, const element *e, uint64_t index, uint64_t a,
                 uint64_t b)
{
    d->index = index;
    d->reference_bits = a;
    d->fused_bits = b;
    d->reference = value_of(e, a);
    d->fused = value_of(e, b);
    d->ulps = e->is_float ? fabs(place_of(e, a) - place_of(e, b)) : 0;
}

/* Compare two records of the same shape; how many elements differ. */
static uint64_t compare(const record *a, const record *b, rf_tolerance t,
                        rf_difference *d, rf_comparison *total)
{
    element e = element_of(a, b);
    for (size_t i = 0; i + e.bytes <= a->size; i += e.bytes) {
        if (!written(a->valid + i, e.bytes) || !written(b->valid + i, e.bytes))
            continue;
        uint64_t x = bits_at(a->bytes + i, e.bytes);
        uint64_t y = bits_at(b->bytes + i, e.bytes);
        d->compared++;
        if (accepted(&e, x, y, t, &total->worst_relative))
            continue;
        if (!d->differing++)
            fill(d, &e, (a->offset + i) / e.bytes, x, y);
    }
    d->element = rf_type_spelling(e.type);
    return d->differing;
}

static bool same_shape(const record *a, const record *b)
{
    return !strcmp(a->kind, b->kind) && a->size == b->size &&
           a->buffer == b->buffer && a->offset == b->offset;
}

rf_comparison
rf_compare_logs(rf_arena *arena, const char *reference, size_t reference_size,
                const char *fused, size_t fused_size, rf_tolerance tolerance,
                void (*report)(void *context, const rf_difference *difference),
                void *context)
{
    rf_comparison r = { 0 };
    cursor x = { reference, reference + reference_size };
    cursor y = { fused, fused + fused_size };
    record a, b;
    for (;;) {
        bool more = next_record(&x, &a), also = next_record(&y, &b);
        if (more != also)
            r.mismatch = more ? "the fused program copied less memory"
                              : "the fused program copied more memory";
        if (!more || !also)
            return r;
        if (!same_shape(&a, &b)) {
            r.mismatch = rf_arena_printf(
                arena,
                "%s of %zu bytes of buffer %u against %s of %zu bytes "
                "of buffer %u",
                a.kind, a.size, a.buffer, b.kind, b.size, b.buffer);
            return r;
        }
        rf_difference d = { .kind = rf_arena_strdup(arena, b.kind),
                            .kernel = rf_arena_strdup(arena, b.kernel),
                            .buffer = b.buffer };
        r.records++;
        if (compare(&a, &b, tolerance, &d, &r)) {
            r.differing++;
            if (report)
                report(context, &d);
        }
        r.elements += d.compared;
    }
}
