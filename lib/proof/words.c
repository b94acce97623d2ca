/* Formulas of obligations in the author's names. */
#include "plan/formula.h"
#include "proof/proving.h"

#include <string.h>

/* Accumulators are written by name, other reductions as such. */
static void name_accumulators(rf_prover *p, rf_plan *plan)
{
    for (size_t i = 0; i < p->acc.len; i++) {
        rf_member *m = RF_NEW(p->arena, rf_member);
        *m = (rf_member){ .red = p->acc.data[i].red,
                          .wish = p->acc.data[i].name };
        RF_PUSH(plan->members, m);
    }
}

const char *rf_words(rf_prover *p, const rf_val *v)
{
    rf_plan plan = { .trace = p->trace,
                     .axis = p->acc.len ? p->acc.data[0].loop : NULL };
    rf_formula f = { .plan = &plan, .before = "" };
    rf_buf text = { 0 };
    name_accumulators(p, &plan);
    rf_formula_put(&text, &f, v);
    const char *copy = rf_arena_strdup(p->arena, rf_buf_text(&text));
    rf_buf_free(&text);
    RF_CLEAR(plan.members);
    return copy;
}

/* "e" with the values themselves for functions that stand for them: reductions
 * and loads that use a result. */
static const rf_sym *with_values(rf_prover *p, const rf_sym *e)
{
    const rf_sym **args = RF_NEW_ARRAY(p->arena, e->n + 1, const rf_sym *);
    if (e->kind == RF_SYM_CALL && e->n && e->arg[0]->kind == RF_SYM_ATOM &&
        e->arg[0]->atom->key &&
        (!strcmp(e->name, "inner") || !strcmp(e->name, "load")))
        return e->arg[0];
    for (unsigned i = 0; i < e->n; i++)
        args[i] = with_values(p, e->arg[i]);
    return e->n ? rf_sym_rebuild(p->syms, e, args) : e;
}

const char *rf_words_of(rf_prover *p, const rf_sym *e)
{
    const rf_val *v = rf_real_to_val(p->reals, with_values(p, e), &rf_type_f32);
    return v ? rf_words(p, v) : rf_sym_text(p->arena, e);
}
