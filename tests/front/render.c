/* A parsed file as text: places without the path, regions with the first and
 * last words of what they cover. */
#include "render.h"

#include <string.h>

static void render_diag(rf_buf *out, const rf_diag *d)
{
    rf_buf_printf(out, "%u:%u: %s: %s [%s]\n", d->at.line, d->at.column,
                  rf_severity_spelling(d->severity), d->text,
                  rf_diag_spelling(d->name));
}

/* Append at most "n" bytes of "text", line ends as blanks. */
static void render_bytes(rf_buf *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rf_buf_putc(out, text[i] == '\n' || text[i] == '\r' ? ' ' : text[i]);
}

static void render_slice(rf_buf *out, const rf_unit *unit, rf_range at)
{
    const char *text = unit->bytes + at.begin;
    size_t n = at.end - at.begin;
    rf_buf_putc(out, '`');
    if (n <= 50) {
        render_bytes(out, text, n);
    } else {
        render_bytes(out, text, 28);
        rf_buf_puts(out, " ... ");
        render_bytes(out, text + n - 16, 16);
    }
    rf_buf_putc(out, '`');
}

static void render_clauses(rf_buf *out, const rf_mark *m)
{
    static const char *const levels[] = { "auto",  "thread",  "warp",
                                          "block", "cluster", "grid" };
    if (m->level)
        rf_buf_printf(out, " level=%s", levels[m->level]);
    if (m->cluster)
        rf_buf_printf(out, " cluster=%d", m->cluster);
    if (m->threads)
        rf_buf_printf(out, " threads=%d", m->threads);
    for (unsigned i = 0; i < m->n_tiles; i++)
        rf_buf_printf(out, " tile=%s:%lld", m->tiles[i].name,
                      (long long)m->tiles[i].size);
    if (m->axis)
        rf_buf_printf(out, " axis=%s", m->axis);
    if (m->rows)
        rf_buf_printf(out, " rows=%s", m->rows);
    for (unsigned i = 0; i < m->n_predicates; i++)
        rf_buf_printf(out, " assume=`%s`", m->predicates[i]);
    rf_buf_printf(out, "%s%s%s%s%s%s%s%s", m->noalias ? " noalias" : "",
                  m->finite ? " finite" : "", m->rounding ? " rounding" : "",
                  m->atomics ? " atomics" : "", m->strict ? " strict" : "",
                  m->masked_zero ? " masked=zero" : "",
                  m->scale_running ? " scale=running" : "",
                  m->replace ? " replace" : "");
}

static void render_region(rf_buf *out, const rf_unit *unit, const rf_region *r)
{
    static const char *const kinds[] = { "cascade", "gemm_chain", "off" };
    rf_buf_printf(out, "\n(region %u:%u %s", r->mark.place.line,
                  r->mark.place.column, kinds[r->mark.kind]);
    render_clauses(out, &r->mark);
    rf_buf_printf(out, " in %s", r->func->name);
    rf_buf_puts(out, r->whole_function ? " whole " : " ");
    render_slice(out, unit, r->whole_function ? r->func->at : r->stmt->at);
    if (r->has_directive)
        rf_buf_printf(out, " directive %u:%u", r->directive.line,
                      r->directive.column);
    rf_buf_puts(out, ")\n");
}

void render(rf_buf *out, const rf_unit *unit, const rf_diags *diags)
{
    for (size_t i = 0; i < diags->list.len; i++)
        render_diag(out, &diags->list.data[i]);
    for (size_t i = 0; unit && i < unit->funcs.len; i++)
        rf_func_dump(out, unit->funcs.data[i]);
    for (size_t i = 0; unit && i < unit->regions.len; i++)
        render_region(out, unit, &unit->regions.data[i]);
}
