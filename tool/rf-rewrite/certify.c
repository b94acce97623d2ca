/* The rewritten file as one string, its windows, and the proof over both. */
#include "certify.h"

#include "explain.h"
#include "manifest.h"

#include <string.h>

static const char *splice(rf_arena *arena, const rf_certificate *c)
{
    rf_range whole = rf_region_range(c->region);
    rf_buf text = { 0 };
    rf_buf_add(&text, c->unit->bytes, whole.begin);
    rf_buf_puts(&text, c->text);
    rf_buf_puts(&text, c->unit->bytes + whole.end);
    const char *copy = rf_arena_strdup(arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}

static rf_proof_window *windows(rf_arena *arena, const rf_certificate *c,
                                size_t *n_windows)
{
    rf_proof_window *list = RF_NEW_ARRAY(arena, c->n, rf_proof_window);
    ptrdiff_t moved = 0;
    *n_windows = 0;
    for (size_t i = 0; i < c->n; i++) {
        const rf_emitted *e = &c->parts[i];
        size_t n = strlen(e->text);
        size_t begin = (size_t)(e->begin + moved);
        rf_range all = { (uint32_t)begin, (uint32_t)(begin + n) };
        rf_range inner = { (uint32_t)(begin + e->inner_begin),
                           (uint32_t)(begin + e->inner_end) };
        if (n)
            list[(*n_windows)++] =
                (rf_proof_window){ .source = { e->begin, e->end },
                                   .emitted = e->inner_end ? inner : all,
                                   .has_two_versions = e->inner_end };
        moved += (ptrdiff_t)n - (ptrdiff_t)(e->end - e->begin);
    }
    return list;
}

/* What the edges show is about the author's numbers; a question that is left
 * open is one about the form of the code; else the tool is wrong. */
static const char *explain(rf_arena *arena, rf_certificate *c,
                           const rf_proof_item *failed)
{
    bool is_edge = !strcmp(failed->equation, "T-7");
    bool is_refuted = failed->verdict == RF_REFUTED;
    c->at = failed->at.begin;
    c->name = is_edge && is_refuted ? RF_DIAG_ROUNDING : RF_DIAG_UNSUPPORTED;
    if (is_edge && is_refuted)
        return failed->text;
    return rf_arena_printf(
        arena, "%s %s [%s]",
        is_refuted ? "internal: the emitted code could not be proven:"
                   : "the form is not supported: no proof was found that",
        failed->text, failed->equation);
}

static void write_manifest(rf_arena *arena, const rf_certificate *c,
                           const rf_proof *proof, const char **why)
{
    rf_manifest m = { .unit = c->unit,
                      .region = c->region,
                      .text = c->text,
                      .proof = proof,
                      .bounds = c->bounds,
                      .n_bounds = c->n_bounds };
    rf_manifest_write(arena, c->folder, &m, why);
}

const char *rf_certify(rf_arena *arena, rf_certificate *c)
{
    size_t n = 1;
    const rf_proof_window *list = c->window ? c->window : windows(arena, c, &n);
    rf_proof_task task = { .source = c->unit,
                           .region = c->region,
                           .n_windows = n,
                           .windows = list,
                           .front = c->front,
                           .wants_smt = c->folder != NULL };
    task.bytes = c->bytes ? c->bytes : splice(arena, c);
    task.size = strlen(task.bytes);
    rf_proof proof = { 0 };
    rf_buf dump = { 0 };
    rf_prove(arena, &task, &proof);
    rf_proof_dump(&dump, &proof);
    if (proof.failed)
        rf_buf_printf(&dump, "  in this text:\n%s\n", c->text);
    c->dump = rf_arena_strdup(arena, rf_buf_text(&dump));
    c->table = rf_explain_proof(arena, &proof);
    c->n_items = proof.n_proven;
    const char *why = NULL;
    c->is_refuted = proof.failed && proof.failed->verdict == RF_REFUTED;
    if (proof.failed)
        why = explain(arena, c, proof.failed);
    if (c->folder && !why)
        write_manifest(arena, c, &proof, &why);
    rf_buf_free(&dump);
    rf_proof_free(&proof);
    return why;
}
