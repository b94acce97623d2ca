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

/* ---- what rounding does to each element ---- */

typedef struct {
    cursor at;
    record r;
    bool fused, live;
} sample;

typedef struct {
    sample *at; /* owned */
    size_t n;
    double *moved; /* s of each element of the record in hand, owned */
} spread;

enum { FACTOR = 4, LUCK = 8, NEIGHBOURS = 8 }; /* K, L, W */

static double distance(const element *e, uint64_t a, uint64_t b)
{
    double d = fabs(value_of(e, a) - value_of(e, b));
    return isfinite(d) ? d : 0;
}

static double moved_by(const spread *s, const element *e, size_t i,
                       const record *a, const record *b)
{
    double most = 0;
    for (size_t k = 0; k < s->n; k++) {
        const sample *q = &s->at[k];
        const record *base = q->fused ? b : a;
        if (!q->live || !written(q->r.valid + i, e->bytes))
            continue;
        double d = distance(e, bits_at(q->r.bytes + i, e->bytes),
                            bits_at(base->bytes + i, e->bytes));
        most = d > most ? d : most;
    }
    return most;
}

static void measure(spread *s, const element *e, const record *a,
                    const record *b)
{
    size_t n = a->size / e->bytes;
    free(s->moved);
    s->moved = rf_malloc((n + 1) * sizeof *s->moved);
    for (size_t i = 0; i < n; i++)
        s->moved[i] = moved_by(s, e, i * e->bytes, a, b);
}

/* n of compare.h for element "i". */
static double near_by(const spread *s, const element *e, size_t i,
                      const record *a)
{
    size_t n = a->size / e->bytes, first = i < NEIGHBOURS ? 0 : i - NEIGHBOURS;
    double x = fabs(value_of(e, bits_at(a->bytes + i * e->bytes, e->bytes)));
    double most = 0;
    for (size_t j = first; j < n && j <= i + NEIGHBOURS; j++) {
        double y =
            fabs(value_of(e, bits_at(a->bytes + j * e->bytes, e->bytes)));
        double share = s->moved[j] * (y > x ? x / y : 1);
        most = share > most ? share : most;
    }
    return most;
}

/* The distance from x to the next larger magnitude. */
static double unit_of(const element *e, uint64_t x)
{
    return distance(e, x, x + 1);
}

/* ---- one element ---- */

static double allowed(const spread *s, const element *e, size_t i,
                      const record *a, rf_tolerance t, rf_comparison *total)
{
    uint64_t bits = bits_at(a->bytes + i * e->bytes, e->bytes);
    double x = fabs(value_of(e, bits));
    if (!s->n)
        return e->is_float ? fmax(t.absolute, t.relative * x) : 0;
    if (!e->is_float)
        return s->moved[i];
    double own = s->moved[i], unit = unit_of(e, bits);
    double near = near_by(s, e, i, a);
    if (!near)
        return 0;
    double limit = FACTOR * fmax(own, fmin(LUCK * (own + unit), near)) + unit;
    total->moved++;
    total->undecided += limit > x / 16;
    return limit;
}

static bool accepted(const spread *s, const element *e, size_t i,
                     const record *a, const record *b, rf_tolerance t,
                     rf_comparison *total)
{
    uint64_t x = bits_at(a->bytes + i * e->bytes, e->bytes);
    uint64_t y = bits_at(b->bytes + i * e->bytes, e->bytes);
    double limit = allowed(s, e, i, a, t, total);
    if (x == y)
        return true;
    if (e->is_float && rf_float_is_nan(e->format, x) &&
        rf_float_is_nan(e->format, y))
        return true;
    double v = value_of(e, x), d = fabs(v - value_of(e, y));
    if (!limit || !isfinite(d) || d > limit)
        return false;
    if (v != 0 && d / fabs(v) > total->worst_relative && d > t.absolute)
        total->worst_relative = d / fabs(v);
    return true;
}

/* Compare two records of the same shape; how many elements differ. */
static uint64_t compare(spread *s, const record *a, const record *b,
                        rf_tolerance t, rf_difference *d, rf_comparison *total)
{
    element e = element_of(a, b);
    if (s->n)
        measure(s, &e, a, b);
    for (size_t i = 0; (i + 1) * e.bytes <= a->size; i++) {
        size_t at = i * e.bytes;
        if (!written(a->valid + at, e.bytes) ||
            !written(b->valid + at, e.bytes))
            continue;
        d->compared++;
        if (accepted(s, &e, i, a, b, t, total))
            continue;
        if (!d->differing++)
            fill(d, &e, a->offset / e.bytes + i,
                 bits_at(a->bytes + at, e.bytes),
                 bits_at(b->bytes + at, e.bytes));
    }
    d->element = rf_type_spelling(e.type);
    return d->differing;
}

static bool same_shape(const record *a, const record *b)
{
    return !strcmp(a->kind, b->kind) && a->size == b->size &&
           a->offset == b->offset;
}

static bool same_place(const record *a, const record *b)
{
    return same_shape(a, b) && a->buffer == b->buffer;
}

/* The buffers of one program in those of the other, by the order in which they
 * are copied: either may have more, for itself. */
typedef RF_ARRAY(unsigned) pairs; /* reference, fused, reference ... */

static bool same_buffer(pairs *known, const record *a, const record *b)
{
    for (size_t i = 0; i < known->len; i += 2)
        if (known->data[i] == a->buffer || known->data[i + 1] == b->buffer)
            return known->data[i] == a->buffer &&
                   known->data[i + 1] == b->buffer;
    if (!a->buffer != !b->buffer)
        return false;
    RF_PUSH(*known, a->buffer);
    RF_PUSH(*known, b->buffer);
    return true;
}

/* ---- logs ---- */

static void spread_start(spread *s, rf_tolerance t)
{
    s->n = t.n_samples;
    s->at = rf_malloc((s->n + 1) * sizeof *s->at);
    for (size_t i = 0; i < s->n; i++) {
        const rf_sample *q = &t.samples[i];
        s->at[i] = (sample){ .at = { q->bytes, q->bytes + q->size },
                             .fused = q->fused,
                             .live = q->bytes != NULL };
    }
}

/* A sample that went another way than its program says nothing any more. */
static void spread_next(spread *s, const record *a, const record *b)
{
    for (size_t i = 0; i < s->n; i++) {
        sample *q = &s->at[i];
        q->live = q->live && next_record(&q->at, &q->r) &&
                  same_place(&q->r, q->fused ? b : a);
    }
}

static const char *shapes_differ(rf_arena *arena, const record *a,
                                 const record *b)
{
    return rf_arena_printf(arena,
                           "%s of %zu bytes of buffer %u against %s of %zu "
                           "bytes of buffer %u",
                           a->kind, a->size, a->buffer, b->kind, b->size,
                           b->buffer);
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
    spread s = { 0 };
    pairs known = { 0 };
    record a, b;
    spread_start(&s, tolerance);
    while (!r.mismatch) {
        bool more = next_record(&x, &a), also = next_record(&y, &b);
        if (more != also)
            r.mismatch = more ? "the fused program copied less memory"
                              : "the fused program copied more memory";
        if (!more || !also)
            break;
        if (!same_shape(&a, &b) || !same_buffer(&known, &a, &b)) {
            r.mismatch = shapes_differ(arena, &a, &b);
            break;
        }
        spread_next(&s, &a, &b);
        rf_difference d = { .kind = rf_arena_strdup(arena, b.kind),
                            .kernel = rf_arena_strdup(arena, b.kernel),
                            .buffer = b.buffer };
        r.records++;
        if (compare(&s, &a, &b, tolerance, &d, &r)) {
            r.differing++;
            if (report)
                report(context, &d);
        }
        r.elements += d.compared;
    }
    free(s.at);
    free(s.moved);
    RF_CLEAR(known);
    return r;
}
