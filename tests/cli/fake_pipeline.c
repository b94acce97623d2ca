/* A pipeline for the tests of the command line: it fuses by rote.
 *
 * A mark stands on a line of its own; the statement is the line below it (in a
 * guard: the author's). Words of the mark choose what happens:
 *
 *     #pragma rf cascade            the line becomes "fused(VERSION);"
 *     #pragma rf cascade launch     and the first later "launch" line changes
 *     #pragma rf cascade replace    keep is false
 *     #pragma rf cascade refuse     refused: rf-alias, with a note
 *     #pragma rf cascade wrong      an error in the mark
 *     #pragma rf cascade crash      the process ends
 *
 * VERSION is the environment's RF_FAKE, "1" without. */
#include "pipeline.h"

#include "report/report.h"

#include <string.h>

typedef struct {
    const rf_source *source;
    rf_report_file file;
    rf_outcomes *out;
    rf_diags *diags;
} fake;

static rf_place place(const fake *f, size_t offset)
{
    rf_place at = { .file = f->source->path, .offset = (uint32_t)offset };
    rf_place_complete(&f->file, &at);
    return at;
}

static size_t line_end(const fake *f, size_t at)
{
    size_t len;
    const char *line = rf_report_line(&f->file, at, &len);
    return (size_t)(line - f->source->bytes) + len;
}

static size_t next_line(const fake *f, size_t at)
{
    const char *nl = strchr(f->source->bytes + at, '\n');
    return nl ? (size_t)(nl - f->source->bytes) + 1 : f->source->len;
}

static bool has(const fake *f, const rf_outcome *r, const char *word)
{
    return memmem(f->source->bytes + r->edit.mark_begin,
                  r->edit.mark_end - r->edit.mark_begin, word, strlen(word));
}

static size_t solid(const fake *f, size_t at)
{
    return at + strspn(f->source->bytes + at, " \t");
}

static rf_edit_part part_at(const fake *f, size_t line, const char *text)
{
    return (rf_edit_part){ .begin = solid(f, line),
                           .end = line_end(f, line),
                           .text = text };
}

static void fuse(fake *f, rf_outcome *r)
{
    const char *version = getenv("RF_FAKE") ? getenv("RF_FAKE") : "1";
    size_t line = next_line(f, r->edit.mark_begin);
    if (!strncmp(f->source->bytes + line, "#ifdef RF_REF", 13))
        line = next_line(f, line);
    r->status = RF_REGION_FUSED;
    r->reason = RF_DIAG_CASCADE;
    r->title = "cascade max -> sum";
    r->function = "f";
    r->passes_before = 3;
    r->passes_after = 1;
    r->explain = "## cascade max -> sum\n";
    r->edit.parts = RF_NEW_ARRAY(f->out->arena, 2, rf_edit_part);
    r->edit.parts[r->edit.n_parts++] = part_at(
        f, line,
        rf_arena_printf(f->out->arena, "fused(%s); // one loop\n", version));
    const char *launch = strstr(f->source->bytes + line, "launch");
    if (has(f, r, "launch") && launch) {
        r->edit.parts[1] =
            part_at(f, (size_t)(launch - f->source->bytes), "relaunch();");
        r->edit.parts[1].words = "launch";
        r->edit.n_parts++;
    }
    r->edit.words = "fused, 3 passes -> 1, proof 7/7";
    r->edit.hash_input = "fake";
    r->edit.keep = !has(f, r, "replace");
    rf_diag_add(f->diags, RF_WARNING, RF_DIAG_CASCADE, r->at,
                "cascade max -> sum reads 'x' 2 times; fusing reads it once");
}

static void refuse(fake *f, rf_outcome *r)
{
    r->status = RF_REGION_REFUSED;
    r->reason = RF_DIAG_ALIAS;
    rf_diag_add(f->diags, RF_WARNING, RF_DIAG_ALIAS, r->at,
                "not fused: 'x' and 'out' may overlap");
    rf_diag_note_add(f->diags, place(f, next_line(f, r->edit.mark_begin)),
                     "'out' is written here");
}

static void wrong(fake *f, rf_outcome *r)
{
    r->status = RF_REGION_ERROR;
    r->reason = RF_DIAG_PRAGMA;
    rf_diag_add(f->diags, RF_ERROR, RF_DIAG_PRAGMA, r->at,
                "unknown clause 'wrong'");
}

static void read_mark(fake *f, size_t begin)
{
    rf_outcome r = { .at = place(f, begin) };
    r.finding = (ptrdiff_t)f->diags->list.len;
    r.edit.mark_begin = begin;
    r.edit.mark_end = line_end(f, begin);
    if (has(f, &r, "crash"))
        abort();
    if (has(f, &r, "refuse"))
        refuse(f, &r);
    else if (has(f, &r, "wrong"))
        wrong(f, &r);
    else
        fuse(f, &r);
    RF_PUSH(f->out->list, r);
}

int rf_pipeline_run(const rf_options *options, const rf_source *source,
                    rf_outcomes *out, rf_diags *diags)
{
    fake f = { .source = source,
               .file = { source->path, source->bytes, source->len },
               .out = out,
               .diags = diags };
    const char *at = source->bytes;
    while ((at = strstr(at, "#pragma rf cascade"))) {
        read_mark(&f, (size_t)(at - source->bytes));
        at++;
    }
    if (options->dump)
        rf_buf_printf(&out->dump, "%s: %zu marks, %zu flags\n", options->dump,
                      out->list.len, source->n_flags);
    for (size_t i = 0; options->dump && i < source->n_flags; i++)
        rf_buf_printf(&out->dump, "flag %s\n", source->flags[i]);
    return 0;
}
