/* What the accumulators hold: T-3 and T-6 for one step, about the updates
 * that were read from the emitted loop.
 *
 *     s' = R*s + t          read from next(s), with t free of s
 *     t(y, D)*R = t(y, D')  for every y
 *
 * If s = SUM_u t(x, D) before the step, then s' = SUM_{u + x} t(x, D') after
 * it; before the first step the sum is empty and s is its initial value. */
#include "algebra/algebra.h"
#include "proof/proving.h"

/* ---- the accumulators ---- */

static rf_var *make_var(rf_prover *p, const rf_accumulator *a, const char *tail)
{
    rf_var *var = RF_NEW(p->arena, rf_var);
    *var = (rf_var){ .name = rf_arena_printf(p->arena, "%s%s", a->name, tail),
                     .type = a->red->type,
                     .id = a->red->id };
    return var;
}

static const char *name_of(rf_prover *p, const rf_update *u)
{
    if (u->phi->var)
        return u->phi->var->name;
    const rf_val *root = rf_trace_root(p->trace, u->phi->arg[0]);
    return root->kind == RF_VAL_ENTRY ? root->var->name : "element";
}

static bool is_phi_of(const rf_val *v, const void *data)
{
    const rf_prover *p = data;
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].update->phi == v)
            return true;
    return false;
}

/* next = g ? update : phi, with g free of running values. */
static void peel_guard(rf_prover *p, rf_accumulator *a)
{
    const rf_val *phi = a->update->phi;
    a->next = rf_in_scene(p, a->update->next);
    if (!phi->var)
        a->guard = a->red->guard;
    while (a->next->kind == RF_VAL_OP && a->next->op == RF_OP_SELECT) {
        const rf_val *c = a->next->arg[0];
        bool kept_last = a->next->arg[2] == phi;
        if ((!kept_last && a->next->arg[1] != phi) ||
            rf_val_find(c, is_phi_of, p))
            break;
        c = kept_last ? c : rf_val_not(p->trace->vals, c);
        a->guard = rf_val_and(p->trace->vals, a->guard, c);
        a->next = a->next->arg[kept_last ? 1 : 2];
    }
    a->is_flag = !rf_val_mentions(a->next, phi) &&
                 a->next->kind == RF_VAL_CONST && a->red->op > RF_REDUCE_OR;
}

/* The sign of what "a" holds, after any number of steps. */
static rf_sign sign_of(rf_prover *p, const rf_accumulator *a)
{
    const rf_red *r = a->red;
    if (r->op > RF_REDUCE_OR)
        return RF_SIGN_ANY;
    return rf_algebra_reduce_sign(
        p->alg, r->op, rf_real_of(p->reals, rf_in_scene(p, r->term)),
        rf_real_of(p->reals, rf_in_scene(p, r->init)));
}

static void bind(rf_prover *p, rf_accumulator *a)
{
    a->final = rf_sym_atom_signed(p->syms, RF_ATOM_RESULT, a->name,
                                  a->update->result, sign_of(p, a));
    a->old = rf_algebra_old(p->alg, a->final);
    a->new = rf_sym_atom(p->syms, RF_ATOM_STATE,
                         rf_arena_printf(p->arena, "%s_new", a->name), a);
    a->old_var = make_var(p, a, "_old");
    a->new_var = make_var(p, a, "_new");
    rf_reals_bind(p->reals, a->update->result, a->final);
    rf_reals_bind(p->reals, rf_val_entry(p->trace->vals, a->old_var), a->old);
    rf_reals_bind(p->reals, rf_val_entry(p->trace->vals, a->new_var), a->new);
}

/* Is the update "u" used by what is needed so far? */
static bool feeds_needed(const rf_prover *p, const rf_update *u)
{
    if (rf_is_needed(p, u->result))
        return true;
    for (size_t i = 0; i < p->acc.len; i++)
        if (rf_val_mentions(p->acc.data[i].update->next, u->phi) ||
            rf_val_mentions(p->acc.data[i].update->next, u->result))
            return true;
    return false;
}

static bool is_listed(const rf_prover *p, const rf_update *u)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].update == u)
            return true;
    return false;
}

static void add_accumulator(rf_prover *p, const rf_update *u)
{
    rf_accumulator a = { .update = u,
                         .red = u->result->red,
                         .loop = u->result->red->axis,
                         .name = name_of(p, u) };
    a.is_source = a.red->id < p->n_reds;
    RF_PUSH(p->acc, a);
}

/* Those that stores, live scalars or other accumulators use. */
void rf_list_accumulators(rf_prover *p)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = p->n_updates; i < p->trace->updates.len; i++) {
            const rf_update *u = &p->trace->updates.data[i];
            if (u->result->kind != RF_VAL_RESULT || u->result->red->n_outer ||
                is_listed(p, u) || !feeds_needed(p, u))
                continue;
            add_accumulator(p, u);
            found = true;
        }
    }
    if (p->acc.len)
        rf_reals_set_axis(p->reals, p->acc.data[0].loop);
    for (size_t i = 0; i < p->acc.len; i++) {
        peel_guard(p, &p->acc.data[i]);
        bind(p, &p->acc.data[i]);
    }
}

/* ---- expressions of a step ---- */

/* "v" with running values as old atoms and updated ones as new atoms, but for
 * the update of "self". */
static const rf_sym *step_real(rf_prover *p, const rf_accumulator *self,
                               const rf_val *v)
{
    rf_vals *vals = p->trace->vals;
    size_t n = p->acc.len, k = 0;
    const rf_val **from = RF_NEW_ARRAY(p->arena, 3 * n, const rf_val *);
    const rf_val **to = RF_NEW_ARRAY(p->arena, 3 * n, const rf_val *);
    for (size_t i = 0; i < n; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        from[k] = a->update->phi;
        to[k++] = rf_val_entry(vals, a->old_var);
        if (a == self || a->is_flag || a->loop != self->loop)
            continue;
        from[k] = rf_in_scene(p, a->update->next);
        to[k++] = rf_val_entry(vals, a->new_var);
        if (a->guard == self->guard && a->next != from[k - 1]) {
            from[k] = a->next;
            to[k++] = rf_val_entry(vals, a->new_var);
        }
    }
    return rf_real_of(p->reals, rf_val_subst(vals, v, (unsigned)k, from, to));
}

static const rf_sym *step_real(rf_prover *p, const rf_accumulator *self,
                               const rf_val *v);

/* D' of "a" where "self" is updated, as a function of old values and x. */
static const rf_sym *moved_under(rf_prover *p, const rf_accumulator *self,
                                 const rf_accumulator *a)
{
    if (!a->moved || !a->guard || a->guard == self->guard)
        return a->moved;
    return rf_sym_select(p->syms, step_real(p, a, a->guard), a->moved, a->old);
}

typedef enum { TO_FINAL, TO_MOVED } form;

/* "e" with the new values of the loop of "self" as final ones or as
 * functions of old ones and x. */
static const rf_sym *with_new(rf_prover *p, const rf_accumulator *self,
                              const rf_sym *e, form f)
{
    size_t n = p->acc.len, k = 0;
    const rf_sym **from = RF_NEW_ARRAY(p->arena, n, const rf_sym *);
    const rf_sym **to = RF_NEW_ARRAY(p->arena, n, const rf_sym *);
    for (size_t i = 0; i < n; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        if (a->loop != self->loop)
            continue;
        from[k] = a->new;
        to[k] = f == TO_FINAL ? a->final : moved_under(p, self, a);
        k += to[k] != NULL;
    }
    return rf_sym_subst(p->syms, e, (unsigned)k, from, to);
}

static bool mentions_old(const rf_prover *p, const rf_sym *e)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (rf_sym_mentions(e, p->acc.data[i].old))
            return true;
    return false;
}

static bool mentions_new(const rf_prover *p, const rf_sym *e)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (rf_sym_mentions(e, p->acc.data[i].new))
            return true;
    return false;
}

static bool is_index_of(const rf_val *v, const void *loop)
{
    return v->kind == RF_VAL_INDEX && v->loop == loop;
}

/* Is "atom" a value of one element? */
static bool is_element(const rf_sym *atom, const rf_loop *loop)
{
    return atom->kind == RF_SYM_ATOM &&
           (atom->atom->role == RF_ATOM_ELEMENT ||
            atom->atom->role == RF_ATOM_PARAM) &&
           atom->atom->key && rf_val_find(atom->atom->key, is_index_of, loop);
}

typedef RF_ARRAY(const rf_sym *) syms;

static void collect_elements(const rf_sym *e, const rf_loop *loop, syms *out)
{
    for (size_t i = 0; i < out->len; i++)
        if (out->data[i] == e)
            return;
    if (is_element(e, loop))
        RF_PUSH(*out, e);
    for (unsigned i = 0; i < e->n; i++)
        collect_elements(e->arg[i], loop, out);
}

/* "e" for another element: x becomes y. */
static const rf_sym *at_other(rf_prover *p, const rf_sym *e,
                              const rf_loop *loop)
{
    syms x = { 0 };
    collect_elements(e, loop, &x);
    const rf_sym **y = RF_NEW_ARRAY(p->arena, x.len + 1, const rf_sym *);
    for (size_t i = 0; i < x.len; i++)
        y[i] = rf_sym_atom_signed(
            p->syms, RF_ATOM_ELEMENT,
            rf_arena_printf(p->arena, "earlier %s", x.data[i]->atom->name),
            NULL, x.data[i]->atom->sign);
    const rf_sym *r = rf_sym_subst(p->syms, e, (unsigned)x.len, x.data, y);
    RF_CLEAR(x);
    return r;
}

/* ---- one accumulator ---- */

/* T-3: read R and t out of the update; false if it has not that form. */
static bool read_update(rf_prover *p, rf_accumulator *a, const rf_sym **linear)
{
    const rf_sym *s = step_real(p, a, a->next);
    const rf_sym *zero = rf_sym_int(p->syms, 0), *one = rf_sym_int(p->syms, 1);
    const rf_sym *t = rf_sym_subst(p->syms, s, 1, &a->old, &zero);
    const rf_sym *at_one = rf_sym_subst(p->syms, s, 1, &a->old, &one);
    t = rf_algebra_simplify(p->alg, t);
    a->ratio = rf_algebra_simplify(p->alg, rf_sym_sub(p->syms, at_one, t));
    a->moved = a->step = s;
    *linear = rf_sym_add(p->syms, rf_sym_mul(p->syms, a->ratio, a->old), t);
    a->lift = with_new(p, a, t, TO_FINAL);
    return !mentions_old(p, t) &&
           rf_algebra_equal(p->alg, s, *linear) == RF_YES;
}

/* T-6: the factor takes every earlier term along: left = right. */
static void read_ratio(rf_prover *p, rf_accumulator *a, const rf_sym **left,
                       const rf_sym **right)
{
    const rf_sym *y = at_other(p, a->lift, a->loop);
    size_t n = p->acc.len, k = 0;
    const rf_sym **final = RF_NEW_ARRAY(p->arena, n, const rf_sym *);
    const rf_sym **old = RF_NEW_ARRAY(p->arena, n, const rf_sym *);
    const rf_sym **new = RF_NEW_ARRAY(p->arena, n, const rf_sym *);
    for (size_t i = 0; i < n; i++) {
        const rf_accumulator *b = &p->acc.data[i];
        if (b->loop != a->loop)
            continue;
        final[k] = b->final;
        old[k] = b->old;
        new[k++] = b->new;
    }
    *left =
        rf_sym_mul(p->syms, rf_sym_subst(p->syms, y, (unsigned)k, final, old),
                   with_new(p, a, a->ratio, TO_MOVED));
    *right = with_new(p, a, rf_sym_subst(p->syms, y, (unsigned)k, final, new),
                      TO_MOVED);
}

/* A sum of terms that are not negative is not negative. */
static void note_sign(rf_prover *p, const rf_accumulator *a)
{
    const rf_sym *init = rf_real_of(p->reals, rf_in_scene(p, a->red->init));
    bool is_sum = a->red->op == RF_REDUCE_SUM || a->red->op == RF_REDUCE_FOLD;
    if (is_sum && !(rf_algebra_sign(p->alg, a->lift) & RF_IS_NEGATIVE) &&
        !(rf_algebra_sign(p->alg, init) & RF_IS_NEGATIVE))
        rf_algebra_assume(p->alg, a->final, false);
}

/* A sum that a factor takes along, or a case for moments.c. */
static void prove_sum(rf_prover *p, rf_accumulator *a)
{
    const rf_sym *linear, *left = NULL, *right = NULL;
    bool ok = read_update(p, a, &linear);
    if (ok)
        read_ratio(p, a, &left, &right);
    if (!ok || rf_algebra_equal(p->alg, left, right) != RF_YES) {
        a->is_moment = true;
        a->lift = NULL;
        return;
    }
    rf_oblige_equal(p, "T-3", rf_source_place(p, a->name), a->step, linear,
                    "the step of '%s' is %s*R + t with t = %s", a->name,
                    a->name, rf_words_of(p, a->lift));
    rf_oblige_equal(p, "T-6", rf_source_place(p, a->name), left, right,
                    "the step of '%s' takes every earlier t along", a->name);
}

/* A reduction in its own right: its term is the lift. */
static bool read_reduction(rf_prover *p, rf_accumulator *a)
{
    a->lift = rf_real_of(p->reals, rf_in_scene(p, a->red->term));
    a->moved = step_real(p, a, a->next);
    return true;
}

static bool needs_undone(const rf_prover *p, const rf_accumulator *a)
{
    for (size_t i = 0; i < p->acc.len; i++) {
        const rf_accumulator *b = &p->acc.data[i];
        if (b != a && !b->is_done && b->loop == a->loop &&
            (rf_val_mentions(a->next, b->update->phi) ||
             rf_val_mentions(a->next, b->update->next)))
            return true;
    }
    return false;
}

static bool prove_step(rf_prover *p, rf_accumulator *a)
{
    if (a->is_same)
        a->moved = step_real(p, a, a->next);
    if (a->is_flag || a->is_same)
        return true;
    if (a->red->op != RF_REDUCE_FOLD)
        return read_reduction(p, a);
    prove_sum(p, a);
    return true;
}

void rf_prove_steps(rf_prover *p)
{
    for (size_t done = 0; done < p->acc.len && !p->stopped;) {
        size_t before = done;
        for (size_t i = 0; i < p->acc.len && !p->stopped; i++) {
            rf_accumulator *a = &p->acc.data[i];
            if (a->is_done || needs_undone(p, a))
                continue;
            if (!prove_step(p, a))
                return;
            if (a->lift)
                note_sign(p, a);
            a->is_done = true;
            done++;
        }
        if (done > before)
            continue;
        rf_oblige(p, "T-3", p->task->region->mark.at, RF_UNDECIDED,
                  "the accumulators depend on one another in a circle");
    }
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].lift && mentions_new(p, p->acc.data[i].lift))
            rf_oblige(p, "T-3", rf_source_place(p, p->acc.data[i].name),
                      RF_UNDECIDED, "the term of '%s' has no closed form",
                      p->acc.data[i].name);
}
