/* The proof of one region: read back, trace both, and go through the
 * obligations. A proof stops at the first that does not hold. */
#include "proof/proof.h"
#include "algebra/algebra.h"
#include "proof/proving.h"

#include <string.h>

/* ---- obligations ---- */

static void add_item(rf_prover *p, const rf_proof_item *item)
{
    if (p->stopped)
        return;
    RF_PUSH(p->proof->items, *item);
    p->proof->n_proven += item->verdict == RF_PROVEN;
    p->proof->n_checked += item->verdict == RF_CHECKED;
    p->stopped = item->verdict > RF_CHECKED;
}

void rf_oblige(rf_prover *p, const char *equation, rf_range at,
               rf_verdict verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rf_proof_item item = { .equation = equation,
                           .text = rf_arena_vprintf(p->arena, format, args),
                           .at = at,
                           .verdict = verdict };
    va_end(args);
    add_item(p, &item);
}

static const char *print_smt(rf_prover *p, const rf_obligation *ob)
{
    rf_buf text = { 0 };
    unsigned cases = rf_smt_print(p->alg, &text, ob);
    const char *copy =
        cases ? rf_arena_strdup(p->arena, rf_buf_text(&text)) : NULL;
    rf_buf_free(&text);
    return copy;
}

bool rf_oblige_equal(rf_prover *p, const char *equation, rf_range at,
                     const rf_sym *a, const rf_sym *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = rf_arena_vprintf(p->arena, format, args);
    va_end(args);
    rf_obligation ob = { .name = rf_arena_printf(p->arena, "%s, %s", equation,
                                                 text),
                         .goal = rf_sym_eq(p->syms, a, b) };
    rf_truth truth = rf_algebra_equal(p->alg, a, b);
    rf_proof_item item = { .equation = equation,
                           .text = text,
                           .at = at,
                           .verdict = truth == RF_YES  ? RF_PROVEN
                                      : truth == RF_NO ? RF_REFUTED
                                                       : RF_UNDECIDED };
    if (item.verdict == RF_PROVEN && p->task->wants_smt)
        item.smt = print_smt(p, &ob);
    add_item(p, &item);
    return item.verdict == RF_PROVEN;
}

/* ---- the two programs ---- */

/* "data" has room for "n" elements more than the "len" in it. */
static void put_first(void *data, size_t len, const void *from, size_t n,
                      size_t size)
{
    memmove((char *)data + n * size, data, len * size);
    if (n)
        memcpy(data, from, n * size);
}

#define PUT_FIRST(to, from)                                                    \
    do {                                                                       \
        size_t len = (to).len;                                                 \
        for (size_t i = 0; i < (from).len; i++)                                \
            RF_PUSH(to, (from).data[i]);                                       \
        if (len)                                                               \
            put_first((to).data, len, (from).data, (from).len,                 \
                      sizeof *(to).data);                                      \
    } while (0)

/* One trace with the lists of both, the source's first. */
static void join(rf_prover *p, rf_trace *a, rf_trace *b)
{
    PUT_FIRST(b->stores, a->stores);
    PUT_FIRST(b->loads, a->loads);
    PUT_FIRST(b->updates, a->updates);
    PUT_FIRST(b->finals, a->finals);
    p->trace = b;
    p->n_stores = a->stores.len;
    p->n_loads = a->loads.len;
    p->n_updates = a->updates.len;
    p->n_finals = a->finals.len;
    p->n_reds = (unsigned)a->reds.len;
    p->n_own = b->declared.len;
    p->own = b->declared.data;
}

static bool trace_both(rf_prover *p)
{
    const rf_span *s = &p->source, *e = &p->emitted;
    rf_trace *a = rf_trace_beside(p->arena, s->unit, s->func, s->block,
                                  s->first, s->last, NULL);
    rf_forward_stores(p, a);
    rf_trace *b = rf_trace_beside(p->arena, e->unit, e->func, e->block,
                                  e->first, e->last, a);
    rf_forward_stores(p, b);
    if (a->refused || b->refused) {
        rf_oblige(p, "text", p->task->region->mark.at, RF_UNDECIDED,
                  "the %s code can be traced: %s",
                  a->refused ? "author's" : "emitted",
                  a->refused ? a->refusal.text : b->refusal.text);
        return false;
    }
    if (!rf_match_teams(p, a, b))
        return false;
    join(p, a, b);
    p->lanes = p->team || p->is_widened ? p->trace : NULL;
    return true;
}

static bool open_window(rf_prover *p, const rf_unit *emitted,
                        const rf_proof_window *w)
{
    p->condition = NULL;
    const rf_func *f = NULL;
    for (size_t i = 0; i < emitted->funcs.len; i++)
        if (emitted->funcs.data[i]->at.begin <= w->emitted.begin &&
            w->emitted.end <= emitted->funcs.data[i]->at.end)
            f = emitted->funcs.data[i];
    bool ok = f &&
              rf_find_span(&p->source, p->task->source, p->task->region->func,
                           w->source) &&
              rf_find_span(&p->emitted, emitted, f, w->emitted) &&
              (!w->has_two_versions || rf_open_versions(p)) &&
              rf_share_variables(p);
    if (!ok)
        rf_oblige(p, "text", p->task->region->mark.at, RF_UNDECIDED,
                  "the emitted statements stand where the author's were");
    return ok && trace_both(p);
}

static bool axis_always_runs(rf_prover *p)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].guard || p->acc.data[i].red->guard ||
            !rf_axis_runs(p, p->acc.data[i].loop))
            return false;
    return true;
}

static void prove_window(rf_prover *p)
{
    p->syms = rf_syms_new(p->arena);
    p->alg = rf_algebra_new(p->syms);
    p->reals = rf_reals_new(p->arena, p->syms, p->trace->vals,
                            p->task->region->mark.rounding);
    rf_take_assumptions(p);
    p->scene = RF_SCENE_FULL;
    rf_prove_stops(p);
    rf_prove_versions(p);
    rf_unify_domains(p);
    rf_list_accumulators(p);
    rf_match_recurrences(p);
    rf_prove_steps(p);
    rf_prove_moments(p);
    rf_prove_merges(p);
    rf_match_reductions(p);
    rf_prove_effects(p);
    if (!p->stopped && !axis_always_runs(p)) {
        p->scene = RF_SCENE_EMPTY;
        rf_prove_effects(p);
    }
    rf_prove_order(p);
    rf_prove_bounds(p);
    rf_prove_edges(p);
    RF_CLEAR(p->counterparts);
    RF_CLEAR(p->outside);
    RF_CLEAR(p->slots);
    RF_CLEAR(p->apart);
    RF_CLEAR(p->acc);
    rf_algebra_free(p->alg);
    rf_syms_free(p->syms);
}

void rf_prove(rf_arena *arena, const rf_proof_task *task, rf_proof *out)
{
    rf_prover p = { .arena = arena, .task = task, .proof = out };
    rf_unit *emitted = NULL;
    if (rf_read_back(&p, &emitted))
        for (size_t i = 0; i < task->n_windows && !p.stopped; i++)
            if (open_window(&p, emitted, &task->windows[i]))
                prove_window(&p);
    if (!out->items.len && !p.stopped)
        rf_oblige(&p, "T-4", task->region->mark.at, RF_UNDECIDED,
                  "something that is seen outside depends on the loops");
    out->failed = p.stopped ? &RF_LAST(out->items) : NULL;
}

void rf_proof_free(rf_proof *proof)
{
    RF_CLEAR(proof->items);
}

const char *rf_verdict_name(rf_verdict verdict)
{
    static const char *const words[] = { "proven", "checked", "refuted",
                                         "undecided" };
    return words[verdict];
}

void rf_proof_dump(rf_buf *out, const rf_proof *proof)
{
    for (size_t i = 0; i < proof->items.len; i++) {
        const rf_proof_item *item = &proof->items.data[i];
        rf_buf_printf(out, "  %-4s %-9s %s\n", item->equation,
                      rf_verdict_name(item->verdict), item->text);
    }
}
