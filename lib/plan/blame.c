/* Where and why a member cannot join the pass of what it uses.
 *
 * The blame falls on the innermost value that mixes elements with running
 * results and has no merge, or on the read of a running value. */
#include "plan/derive.h"

#include <ctype.h>
#include <string.h>

/* ---- places ---- */

/* The operator token of binary "e": what stands between its operands. */
static rf_range operator_place(const rf_unit *unit, const rf_expr *e)
{
    const char *op =
        rf_op_spelling(e->op == RF_OP_ASSIGN_OP ? e->value.assign : e->op);
    rf_range at = e->at;
    uint32_t i = e->arg[0]->at.end;
    if (e->n != 2 || !op || i == UINT32_MAX || i >= unit->size)
        return at;
    while (i < unit->size && i < e->arg[1]->at.begin &&
           (isspace((unsigned char)unit->bytes[i]) || unit->bytes[i] == ')'))
        i++;
    if (!strncmp(unit->bytes + i, op, strlen(op)))
        at.begin = i;
    return at;
}

rf_range rf_plan_place_of(rf_planner *p, const rf_val *v, rf_range otherwise)
{
    const rf_expr *e = v ? v->expr : NULL;
    if (v && v->kind == RF_VAL_LOAD)
        for (size_t i = p->trace->loads.len; i-- > 0;)
            if (p->trace->loads.data[i].base == v->arg[0] &&
                p->trace->loads.data[i].index == v->arg[1])
                return p->trace->loads.data[i].at;
    if (!e || e->at.begin == UINT32_MAX)
        return otherwise;
    return operator_place(p->unit, e);
}

/* The operator of an update whose left side is at "lhs": `s += e`. */
rf_range rf_plan_update_place(rf_planner *p, rf_range lhs)
{
    uint32_t i = lhs.end;
    while (i < p->unit->size && isspace((unsigned char)p->unit->bytes[i]))
        i++;
    if (i < p->unit->size && strchr("+-*/|&^=", p->unit->bytes[i]))
        lhs.begin = i;
    return lhs;
}

/* ---- the innermost value without a merge ---- */

static bool mixes(rf_deriver *d, const rf_val *v, unsigned n,
                  const rf_sym *const *results)
{
    const rf_sym *s = rf_real_of(d->reals, v);
    if (!rf_sym_has_role(s, RF_ATOM_ELEMENT))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (rf_sym_mentions(s, results[i]))
            return true;
    return false;
}

static bool merges(rf_deriver *d, rf_reduce_op op, const rf_val *v, unsigned n,
                   const rf_sym *const *results)
{
    rf_separation s;
    rf_closure c;
    const rf_sym *f = rf_real_of(d->reals, v);
    if (rf_separate(d->alg, op, f, n, results, &s) == RF_YES)
        return true;
    return op == RF_REDUCE_SUM &&
           rf_closure_find(d->alg, f, n, results, NULL, &c) == RF_YES;
}

const rf_val *rf_derive_blame(rf_deriver *d, rf_reduce_op op, const rf_val *v,
                              unsigned n, const rf_sym *const *results)
{
    if (!mixes(d, v, n, results))
        return NULL;
    bool is_access = v->kind == RF_VAL_LOAD;
    for (unsigned i = 0; i < v->n && !is_access; i++) {
        const rf_val *inner = rf_derive_blame(d, op, v->arg[i], n, results);
        if (inner)
            return inner;
    }
    return merges(d, op, v, n, results) ? NULL : v;
}

/* ---- running values ---- */

static bool is_running(const rf_val *v, const void *data)
{
    (void)data;
    return v->kind == RF_VAL_PHI;
}

static bool is_other_running(const rf_val *v, const void *red)
{
    return v->kind == RF_VAL_PHI && v != ((const rf_red *)red)->phi;
}

/* The reduction whose accumulator "phi" is, if it is one. */
static const rf_red *reduction_of(const rf_trace *t, const rf_val *phi,
                                  unsigned pass)
{
    for (size_t i = 0; i < t->reds.len; i++)
        if (t->reds.data[i]->phi == phi && t->reds.data[i]->pass == pass &&
            t->reds.data[i]->op != RF_REDUCE_FOLD)
            return t->reds.data[i];
    return NULL;
}

static const rf_read *find_read(const rf_trace *t, const rf_var *var,
                                unsigned pass, bool own)
{
    for (size_t i = 0; i < t->reads.len; i++) {
        const rf_read *r = &t->reads.data[i];
        if (r->var == var && r->pass == pass && r->is_own == own)
            return r;
    }
    return NULL;
}

/* The first read, in program order, of a recurrence that "red" uses, or NULL.
 */
static const rf_read *first_carried(const rf_trace *t, const rf_red *red)
{
    for (size_t i = 0; i < t->reads.len; i++) {
        const rf_read *r = &t->reads.data[i];
        if (r->pass == red->pass && !r->is_own &&
            r->value->kind == RF_VAL_PHI &&
            rf_val_mentions(red->next, r->value) &&
            !reduction_of(t, r->value, red->pass))
            return r;
    }
    return NULL;
}

/* A recurrence that needs a finished result cannot run beside it. */
void rf_derive_blame_fold(rf_deriver *d, const rf_member *m)
{
    const rf_trace *t = d->p->trace;
    const rf_red *red = m->red;
    const rf_val *phi = rf_val_find(red->next, is_other_running, red);
    if (!phi && red->next->kind == RF_VAL_OP && red->next->op == RF_OP_SELECT &&
        !rf_val_find(red->next->arg[0], is_running, NULL) &&
        !rf_val_find(red->next->arg[1], is_running, NULL)) {
        d->trial.name = RF_DIAG_ESCAPE;
        d->trial.reason = "a value of one step is kept for later";
        for (size_t i = 0; i < t->reads.len; i++)
            if (t->reads.data[i].value == red->next->arg[1])
                d->trial.at = t->reads.data[i].at;
        return;
    }
    phi = phi ? phi : red->phi;
    bool unfinished = phi != red->phi && reduction_of(t, phi, red->pass);
    const rf_read *r = phi->kind == RF_VAL_PHI
                           ? find_read(t, phi->var, red->pass, false)
                           : NULL;
    if (!unfinished && first_carried(t, red))
        r = first_carried(t, red);
    if (!r && phi->kind == RF_VAL_PHI)
        r = find_read(t, phi->var, red->pass, true);
    d->trial.name = unfinished ? RF_DIAG_ORDER : RF_DIAG_CARRIED;
    d->trial.reason = unfinished ? "a reduction is used before it is finished"
                                 : "this value comes from an earlier step";
    d->trial.at = r ? r->at : red->at;
}
