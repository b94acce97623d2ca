/* From a marked region to a chain of products: trace it, name its parts,
 * check that nothing else sees them (THEORY 9), or say what stands against
 * it. */
#include "plan/chaining.h"
#include "plan/plan.h"

#include <string.h>

bool rf_chain_refuse(rf_chaining *c, rf_diag_name name, rf_range at,
                     const char *format, ...)
{
    if (c->refused)
        return false;
    va_list args;
    va_start(args, format);
    c->refused = true;
    c->refusal = (rf_refusal){ .name = name,
                               .at = at,
                               .text = rf_arena_vprintf(c->arena, format, args),
                               .note_at = RF_NOWHERE };
    va_end(args);
    return false;
}

void rf_chain_note(rf_chaining *c, rf_range at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    c->refusal.note_at = at;
    c->refusal.note = rf_arena_vprintf(c->arena, format, args);
    va_end(args);
}

void rf_chain_clear(rf_chain *chain)
{
    RF_CLEAR(chain->batch);
    RF_CLEAR(chain->folded);
    RF_CLEAR(chain->firsts);
    RF_CLEAR(chain->kept);
    RF_CLEAR(chain->early);
    RF_CLEAR(chain->late);
}

/* ---- what is seen from outside ---- */

static bool check_finals(rf_chaining *c)
{
    const rf_chain *ch = c->chain;
    for (size_t i = 0; i < c->trace->finals.len; i++) {
        const rf_binding *f = &c->trace->finals.data[i];
        if (f->var->storage == RF_VAR_LOCAL &&
            rf_needed_after(ch->func, ch->block, ch->last, f->var))
            return rf_chain_refuse(c, RF_DIAG_ESCAPE, c->region->stmt->at,
                                   "'%s' is used after the chain",
                                   f->var->name);
    }
    return true;
}

static bool trace_chain(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    ch->trace = c->trace = rf_trace_block(c->arena, c->unit, ch->func,
                                          ch->block, ch->first, ch->last);
    if (!c->trace->refused)
        return true;
    c->refused = true;
    c->refusal = c->trace->refusal;
    return false;
}

/* ---- words ---- */

static const char *array_name(rf_chaining *c, const rf_val *v)
{
    const rf_val *load = v ? rf_val_first_load(v) : NULL;
    const rf_val *root = load ? rf_trace_root(c->trace, load->arg[0]) : NULL;
    return root && root->kind == RF_VAL_ENTRY ? root->var->name : "...";
}

/* The factor of "v" that varies with "loop". */
static const rf_val *factor_over(const rf_val *v, const rf_loop *loop)
{
    if (v->kind == RF_VAL_OP && v->op == RF_OP_MUL)
        return rf_chain_varies(v->arg[0], loop) ? factor_over(v->arg[0], loop)
                                                : factor_over(v->arg[1], loop);
    return v;
}

static const char *formula(rf_chaining *c)
{
    const rf_chain *ch = c->chain;
    rf_buf out = { 0 };
    for (size_t i = 0; i < ch->firsts.len; i++) {
        const rf_val *t = rf_chain_leaf(ch->firsts.data[i])->term;
        const rf_val *b = factor_over(t, ch->n);
        const rf_val *a = t->n == 2 && t->arg[0] == b ? t->arg[1] : t->arg[0];
        rf_buf_printf(&out, "%s%s * %s", i ? ", " : "", array_name(c, a),
                      array_name(c, b));
    }
    const rf_val *d = factor_over(ch->second->term, ch->l);
    rf_buf_printf(&out, " -> * %s", array_name(c, d));
    const char *text = rf_arena_strdup(c->arena, rf_buf_text(&out));
    rf_buf_free(&out);
    return text;
}

/* ---- the whole ---- */

static void report(rf_chaining *c, rf_diags *diags)
{
    const rf_refusal *r = &c->refusal;
    bool prefixed = !strncmp(r->text, "not fused", 9);
    rf_diag_add(diags, RF_WARNING, r->name, rf_unit_place(c->unit, r->at.begin),
                "%s%s", prefixed ? "" : "not fused: ", r->text);
    if (r->note_at.begin != UINT32_MAX && r->note)
        rf_diag_note_add(diags, rf_unit_place(c->unit, r->note_at.begin), "%s",
                         r->note);
}

rf_chain *rf_chain_find(rf_arena *arena, const rf_unit *unit,
                        const rf_region *region, rf_diags *diags)
{
    rf_chain *chain = RF_NEW(arena, rf_chain);
    *chain = (rf_chain){ .func = region->func, .mark = &region->mark };
    rf_chaining c = {
        .arena = arena, .unit = unit, .region = region, .chain = chain
    };
    if (rf_chain_window(&c) && trace_chain(&c) && rf_chain_products(&c) &&
        rf_chain_rows(&c) && rf_chain_stores(&c) && check_finals(&c)) {
        chain->formula = formula(&c);
        return chain;
    }
    if (diags)
        report(&c, diags);
    rf_chain_clear(chain);
    return NULL;
}

/* ---- dumps ---- */

static void dump_loop(rf_buf *out, const char *role, const rf_loop *l)
{
    if (!l)
        return;
    rf_buf_printf(out, "  %s: %s < ", role, l->name);
    rf_val_print(out, l->upper);
    rf_buf_puts(out, "\n");
}

static void dump_stores(rf_buf *out, const char *when,
                        const rf_store_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        rf_buf_printf(out, "  %s: ", when);
        rf_val_print(out, list->data[i]->base);
        rf_buf_puts(out, "[");
        rf_val_print(out, list->data[i]->index);
        rf_buf_puts(out, "] = ");
        rf_val_print(out, list->data[i]->value);
        rf_buf_puts(out, "\n");
    }
}

void rf_chain_dump(rf_buf *out, const rf_chain *ch)
{
    rf_buf_printf(out, "chain %s\n", ch->formula);
    for (size_t i = 0; i < ch->batch.len; i++)
        dump_loop(out, "batch", ch->batch.data[i]);
    for (size_t i = 0; i < ch->folded.len; i++)
        dump_loop(out, "rows", ch->folded.data[i]);
    dump_loop(out, "m", ch->m);
    if (ch->row)
        rf_buf_printf(out, "  m: thread '%s'\n", ch->row->name);
    dump_loop(out, "n", ch->n);
    for (const rf_red *r = ch->firsts.data[0]; r; r = rf_chain_inner(r))
        dump_loop(out, "k", r->axis);
    dump_loop(out, "l", ch->l);
    for (size_t i = 0; i < ch->firsts.len; i++) {
        rf_buf_puts(out, "  first: ");
        rf_val_print(out, rf_chain_leaf(ch->firsts.data[i])->term);
        rf_buf_puts(out, "\n");
    }
    for (size_t i = 0; i < ch->kept.len; i++) {
        rf_buf_puts(out, "  kept: ");
        rf_val_print(out, ch->kept.data[i]);
        rf_buf_puts(out, "\n");
    }
    rf_buf_puts(out, "  second: ");
    rf_val_print(out, ch->second->term);
    rf_buf_puts(out, "\n");
    dump_stores(out, "with P", &ch->early);
    dump_stores(out, "with E", &ch->late);
}
