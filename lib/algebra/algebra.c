/* The algebra's own state: the table, assumed facts, old values of results. */
#include "algebra/internal.h"

rf_algebra *rf_algebra_new(rf_syms *syms)
{
    rf_algebra *alg = rf_malloc(sizeof *alg);
    *alg = (rf_algebra){ .syms = syms };
    return alg;
}

void rf_algebra_free(rf_algebra *alg)
{
    if (!alg)
        return;
    RF_CLEAR(alg->facts);
    RF_CLEAR(alg->prepared);
    RF_CLEAR(alg->expanded);
    RF_CLEAR(alg->factored);
    RF_CLEAR(alg->signs);
    RF_CLEAR(alg->results);
    RF_CLEAR(alg->olds);
    free(alg);
    flint_cleanup();
}

rf_syms *rf_algebra_syms(rf_algebra *alg)
{
    return alg->syms;
}

void rf_algebra_assume(rf_algebra *alg, const rf_sym *fact, bool strict)
{
    rf_push_fact(alg, fact, strict ? RF_FACT_POSITIVE : RF_FACT_NONNEG);
    rf_prepare_reset(alg);
}

const rf_sym *rf_algebra_old(rf_algebra *alg, const rf_sym *result)
{
    for (size_t i = 0; i < alg->results.len; i++)
        if (alg->results.data[i] == result)
            return alg->olds.data[i];
    const rf_atom *a = result->atom;
    const char *name =
        rf_arena_printf(rf_syms_arena(alg->syms), "%s_old", a->name);
    const rf_sym *old =
        rf_sym_atom_signed(alg->syms, a->role, name, a->key, a->sign);
    RF_PUSH(alg->results, result);
    RF_PUSH(alg->olds, old);
    return old;
}

const rf_sym *rf_algebra_at_old(rf_algebra *alg, const rf_sym *e, unsigned n,
                                const rf_sym *const *results)
{
    rf_nodes old = { 0 };
    for (unsigned i = 0; i < n; i++)
        RF_PUSH(old, rf_algebra_old(alg, results[i]));
    const rf_sym *r = rf_sym_subst(alg->syms, e, n, results, old.data);
    RF_CLEAR(old);
    return r;
}
