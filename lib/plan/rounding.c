/* How far rounding moves each result (THEORY 8), before and after.
 *
 * The algebra counts the roundings on the longest path of both forms; a path
 * through the lanes of a team has no more combines than elements, so that n
 * stands for it everywhere. */
#include "plan/derive.h"

/* Digits of the sums and of what is added; 0: not a format with a bound. */
static unsigned bits_of(const rf_type *type)
{
    if (type->kind != RF_TYPE_FLOAT)
        return 0;
    return type->format == RF_F32 ? 24 : type->format == RF_F64 ? 53 : 0;
}

static bool is_shift_monotone(const rf_member *m)
{
    for (unsigned i = 0; i < m->n_shifts; i++)
        if (!rf_reduce_is_extremum(m->shifts[i]->red->op))
            return false;
    return true;
}

static bool is_of_team(const rf_member *m)
{
    return m->red->team && m->red->type->kind == RF_TYPE_FLOAT &&
           !rf_reduce_is_order(m->red->op);
}

static rf_rounding_question question(rf_deriver *d, const rf_member *m)
{
    const rf_sym *n = rf_sym_atom_signed(rf_reals_syms(d->reals), RF_ATOM_PARAM,
                                         "n", NULL, RF_SIGN_POSITIVE);
    return (rf_rounding_question){ .op = m->red->op,
                                   .bits = bits_of(m->red->type)
                                               ? bits_of(m->red->type)
                                               : 24,
                                   .f = rf_real_of(d->reals, m->red->term),
                                   .source_path = n,
                                   .fused_path = n,
                                   .shift_is_monotone = is_shift_monotone(m),
                                   .reorders = is_of_team(m) };
}

/* "bound" in C, where it has a form. */
static void keep(rf_deriver *d, rf_member *m, const rf_rounding *bound)
{
    rf_arena *arena = d->p->arena;
    rf_error_bound *b = RF_NEW(arena, rf_error_bound);
    *b = (rf_error_bound){ .rounding = bound->rounding,
                           .is_within_four = bound->is_within_four,
                           .has_range = bound->range != NULL };
    m->bound = b;
    if (!bits_of(m->red->type) || !bound->fused_scale)
        return;
    b->bits = bits_of(m->red->type);
    b->source = rf_sym_text(arena, bound->source_count);
    b->fused = rf_sym_text(arena, bound->fused_count);
    b->scale = rf_derive_val(d, m, bound->scale, NULL);
    b->fused_scale = rf_derive_val(d, m, bound->fused_scale, NULL);
}

void rf_derive_rounding(rf_deriver *d, rf_member *m, const rf_separation *s)
{
    rf_rounding bound;
    rf_separation alone = { 0 };
    if (m->red->op > RF_REDUCE_OR) {
        rf_error_bound *b = RF_NEW(d->p->arena, rf_error_bound);
        *b = (rf_error_bound){ .is_within_four = true };
        m->bound = b;
        return;
    }
    rf_rounding_question q = question(d, m);
    if (!s)
        rf_separate(d->alg, q.op, q.f, 0, NULL, &alone);
    q.separation = s ? s : &alone;
    rf_rounding_find(d->alg, &q, &bound);
    keep(d, m, &bound);
}

/* ---- class M ---- */

/* SUM |terms| of the result "o", as a variable of that name. */
static const rf_sym *size_of(rf_deriver *d, const rf_member *o)
{
    rf_var *var = RF_NEW(d->p->arena, rf_var);
    *var = (rf_var){ .name = rf_arena_printf(d->p->arena, "size_of_%s",
                                             o->red->var ? o->red->var->name
                                                         : "result"),
                     .type = o->red->type,
                     .storage = RF_VAR_LOCAL,
                     .at = RF_NOWHERE,
                     .id = o->state_var->id };
    const rf_sym *size = rf_sym_atom_signed(
        rf_reals_syms(d->reals), RF_ATOM_PARAM, var->name, var, RF_SIGN_NONNEG);
    rf_derive_image(d, size, rf_val_entry(d->vals, var));
    return size;
}

/* The longest update of the states, each with the pass of "m". */
static const rf_sym *longest_step(rf_deriver *d, const rf_member *m)
{
    rf_plan *plan = d->p->plan;
    const rf_sym *sum = rf_sym_int(rf_reals_syms(d->reals), 0);
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o->pass == m->pass && o->counted_step)
            sum = rf_sym_max(rf_reals_syms(d->reals), sum,
                             rf_real_of(d->reals, o->counted_step));
    }
    return sum;
}

void rf_derive_moving(rf_deriver *d, rf_member *m, unsigned n,
                      const rf_sym *const *results)
{
    rf_plan *plan = d->p->plan;
    rf_rounding bound;
    const rf_sym **sizes = RF_NEW_ARRAY(d->p->arena, n + 1, const rf_sym *);
    for (unsigned i = 0; i < n; i++)
        for (size_t k = 0; k < plan->members.len; k++)
            if (plan->members.data[k]->atom == results[i])
                sizes[i] = size_of(d, plan->members.data[k]);
    rf_rounding_question q = question(d, m);
    q.step = longest_step(d, m);
    q.n_results = n;
    q.results = results;
    q.sizes = sizes;
    rf_rounding_find(d->alg, &q, &bound);
    keep(d, m, &bound);
}
