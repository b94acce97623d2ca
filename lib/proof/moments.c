/* Accumulators that no factor takes along (class M): what they hold is a
 * function of moments of the elements so far,
 *
 *     P_k = SUM_u b_k(x),   b_k the monomials of x,   P_0 = n the count,
 *
 * and the source says which: REDUCE_u (x - mean)^2 with mean = sum/n is
 * P_2 - 2 mean P_1 + mean^2 n. The claim s = f(P) is proven by induction:
 *
 *     next(f(P), x) = f(P + b(x))     the step, for all P and x        (T-9)
 *     next(init, x) = f(b(x))         the first step
 *
 * The author's length stands for the count so far. |x|, 1/x and other functions
 * of the element alone are variables of their own. An exponential of x is one,
 * exp(x - m) = E * exp(-m), and a maximum m stands for itself, before the step
 * and after it: the claim holds for any two values.
 *
 * A sum of higher degree steps by sums of lower ones, which the source need
 * not compute: REDUCE (x - mean)^3 by REDUCE (x - mean)^2. Such a state holds
 * the sum of a derivative of the source's term by x, without its constant
 * factor. */
#include "algebra/algebra.h"
#include "proof/proving.h"

#include <string.h>

enum { MAX_DEGREE = 4, MAX_ATOMS = 8, MAX_OPAQUE = 4, MAX_MOMENTS = 64 };

typedef struct {
    unsigned char power[MAX_ATOMS];
    const rf_sym *now; /* the moment before the step */
    const rf_sym *x;   /* what the step adds */
} moment;

/* What an accumulator may hold. */
typedef struct {
    const rf_val *value;      /* of the source; NULL: derived from "of" */
    const rf_val *of;         /* a sum of the source */
    const rf_sym *of_moments; /* the same over a prefix */
    const rf_sym *factor;     /* "of" is "factor" times the sum that is held */
    const rf_accumulator *held_by;
} rf_claim;

typedef struct {
    rf_prover *p;
    const rf_loop *loop;
    unsigned n_atoms, n;
    const rf_sym *atom[MAX_ATOMS]; /* of one element; E comes last */
    unsigned n_opaque;
    const rf_sym *opaque[MAX_OPAQUE], *variable[MAX_OPAQUE]; /* exp(x), E */
    moment m[MAX_MOMENTS];
    const rf_sym *length, *index; /* NULL: not named */
    const rf_sym *lower;
    RF_ARRAY(rf_claim) claims;
} moments;

static bool is_index_of(const rf_val *v, const void *loop)
{
    return v->kind == RF_VAL_INDEX && v->loop == loop;
}

static bool is_element(const rf_sym *e, const rf_loop *loop)
{
    return e->kind == RF_SYM_ATOM && e->atom->key &&
           e->atom->role <= RF_ATOM_ELEMENT &&
           rf_val_find(e->atom->key, is_index_of, loop);
}

static void collect(moments *ms, const rf_sym *e)
{
    if (is_element(e, ms->loop) && e != ms->index) {
        for (unsigned i = 0; i < ms->n_atoms; i++)
            if (ms->atom[i] == e)
                return;
        if (ms->n_atoms < MAX_ATOMS)
            ms->atom[ms->n_atoms++] = e;
    }
    for (unsigned i = 0; i < e->n; i++)
        collect(ms, e->arg[i]);
}

static const rf_sym *monomial(moments *ms, const unsigned char *power)
{
    rf_syms *s = ms->p->syms;
    const rf_sym *e = rf_sym_int(s, 1);
    for (unsigned i = 0; i < ms->n_atoms; i++)
        for (unsigned k = 0; k < power[i]; k++)
            e = rf_sym_mul(s, e, ms->atom[i]);
    return e;
}

static const moment *moment_of(moments *ms, const unsigned char *power)
{
    for (unsigned i = 0; i < ms->n; i++)
        if (!memcmp(ms->m[i].power, power, MAX_ATOMS))
            return &ms->m[i];
    if (ms->n == MAX_MOMENTS)
        return NULL;
    moment *m = &ms->m[ms->n];
    memcpy(m->power, power, MAX_ATOMS);
    m->x = monomial(ms, power);
    m->now = rf_sym_atom(ms->p->syms, RF_ATOM_STATE,
                         rf_arena_printf(ms->p->arena, "P%u", ms->n), NULL);
    ms->n++;
    return m;
}

static const rf_sym *at_zero(moments *ms, const rf_sym *e)
{
    const rf_sym *zeros[MAX_ATOMS];
    for (unsigned i = 0; i < ms->n_atoms; i++)
        zeros[i] = rf_sym_int(ms->p->syms, 0);
    return rf_algebra_simplify(
        ms->p->alg, rf_sym_subst(ms->p->syms, e, ms->n_atoms, ms->atom, zeros));
}

/* E for "e", which only the element makes, or NULL: there are too many. */
static const rf_sym *variable_for(moments *ms, const rf_sym *e)
{
    for (unsigned i = 0; i < ms->n_opaque; i++)
        if (ms->opaque[i] == e)
            return ms->variable[i];
    if (ms->n_opaque == MAX_OPAQUE || ms->n_atoms == MAX_ATOMS)
        return NULL;
    const rf_sym *var = rf_sym_atom_signed(
        ms->p->syms, RF_ATOM_ELEMENT,
        rf_arena_printf(ms->p->arena, "E%u", ms->n_opaque), NULL,
        e->kind == RF_SYM_EXP ? RF_SIGN_POSITIVE : RF_SIGN_ANY);
    ms->opaque[ms->n_opaque] = e;
    ms->variable[ms->n_opaque++] = var;
    return ms->atom[ms->n_atoms++] = var;
}

/* |x|, max(x, w), 1/x: of the element alone, and no polynomial. */
static bool is_opaque(const moments *ms, const rf_sym *e)
{
    static const unsigned plain = 1u << RF_SYM_RAT | 1u << RF_SYM_ATOM |
                                  1u << RF_SYM_ADD | 1u << RF_SYM_MUL |
                                  1u << RF_SYM_EXP;
    bool is_power = e->kind == RF_SYM_POW && e->arg[1]->kind == RF_SYM_RAT &&
                    e->arg[1]->den == 1 && e->arg[1]->num > 0;
    return !(plain >> e->kind & 1) && !is_power &&
           rf_sym_has_role(e, RF_ATOM_ELEMENT) &&
           !rf_sym_has_role(e, RF_ATOM_RESULT) &&
           !rf_sym_has_role(e, RF_ATOM_STATE) &&
           !(ms->index && rf_sym_mentions(e, ms->index));
}

/* "e" with E * exp(rest) for exp(x + rest), and E for what is opaque. */
static const rf_sym *with_powers(moments *ms, const rf_sym *e)
{
    rf_syms *s = ms->p->syms;
    const rf_sym *whole = is_opaque(ms, e) ? variable_for(ms, e) : NULL;
    if (whole)
        return whole;
    const rf_sym **args = RF_NEW_ARRAY(ms->p->arena, e->n + 1, const rf_sym *);
    for (unsigned i = 0; i < e->n; i++)
        args[i] = with_powers(ms, e->arg[i]);
    if (e->kind != RF_SYM_EXP)
        return e->n ? rf_sym_rebuild(s, e, args) : e;
    const rf_sym *rest = at_zero(ms, args[0]);
    const rf_sym *own =
        rf_algebra_simplify(ms->p->alg, rf_sym_sub(s, args[0], rest));
    if (rf_sym_is_int(own, 0) || rf_sym_has_role(own, RF_ATOM_RESULT) ||
        rf_sym_has_role(own, RF_ATOM_STATE))
        return rf_sym_rebuild(s, e, args);
    const rf_sym *power = variable_for(ms, rf_sym_exp(s, e->base, own));
    return power ? rf_sym_mul(s, power, rf_sym_exp(s, e->base, rest)) : e;
}

typedef struct {
    moments *ms;
    const rf_sym *sum, *check; /* with moments, with monomials */
    bool failed;
} expansion;

/* Add the Taylor coefficients of "e", a derivative of order "power", by the
 * atoms from "first" on. */
static void expand_from(expansion *x, const rf_sym *e, unsigned first,
                        unsigned char *power, unsigned degree, int64_t factor)
{
    rf_prover *p = x->ms->p;
    rf_syms *s = p->syms;
    const rf_sym *c =
        rf_sym_mul(s, at_zero(x->ms, e), rf_sym_rat(s, 1, factor));
    if (!rf_sym_is_int(c, 0)) {
        const moment *m = moment_of(x->ms, power);
        x->failed |= !m;
        if (m) {
            x->sum = rf_sym_add(s, x->sum, rf_sym_mul(s, c, m->now));
            x->check = rf_sym_add(s, x->check, rf_sym_mul(s, c, m->x));
        }
    }
    for (unsigned i = first; i < x->ms->n_atoms && degree < MAX_DEGREE; i++) {
        const rf_sym *d = rf_algebra_derivative(p->alg, e, x->ms->atom[i]);
        if (!d) {
            x->failed = true;
            return;
        }
        d = rf_algebra_simplify(p->alg, d);
        if (rf_sym_is_int(d, 0))
            continue;
        power[i]++;
        expand_from(x, d, i, power, degree + 1, factor * power[i]);
        power[i]--;
    }
}

/* SUM_u f over the elements so far, or NULL: f is no polynomial in x. */
static const rf_sym *sum_over_prefix(moments *ms, const rf_sym *f)
{
    const rf_sym *zero = rf_sym_int(ms->p->syms, 0);
    expansion x = { .ms = ms, .sum = zero, .check = zero };
    unsigned char power[MAX_ATOMS] = { 0 };
    f = with_powers(ms, rf_algebra_expand(ms->p->alg, f));
    expand_from(&x, f, 0, power, 0, 1);
    if (x.failed || rf_algebra_equal(ms->p->alg, x.check, f) != RF_YES)
        return NULL;
    return x.sum;
}

/* ---- what the source computes, over a prefix ---- */

static const rf_sym *count(moments *ms)
{
    unsigned char none[MAX_ATOMS] = { 0 };
    return moment_of(ms, none)->now;
}

/* "e" with results as functions of moments and the length as the count. */
static const rf_sym *over_prefix(moments *ms, const rf_sym *e)
{
    rf_prover *p = ms->p;
    unsigned n = (unsigned)ms->claims.len, k = 0;
    const rf_sym **from = RF_NEW_ARRAY(p->arena, n + 1, const rf_sym *);
    const rf_sym **to = RF_NEW_ARRAY(p->arena, n + 1, const rf_sym *);
    for (unsigned i = 0; i < n; i++) {
        const rf_val *v = ms->claims.data[i].value;
        if (v && v->kind == RF_VAL_RESULT) {
            from[k] = rf_real_of(p->reals, v);
            to[k++] = ms->claims.data[i].of_moments;
        }
    }
    if (ms->length) {
        from[k] = ms->length;
        to[k++] = count(ms);
    }
    return rf_sym_subst(p->syms, e, k, from, to);
}

static void add_value(moments *ms, const rf_val *v, const rf_sym *e)
{
    RF_PUSH(ms->claims, (rf_claim){ .value = v, .of = v, .of_moments = e });
}

static bool is_known(const moments *ms, const rf_val *v)
{
    for (size_t i = 0; i < ms->claims.len; i++)
        if (ms->claims.data[i].value == v)
            return true;
    return false;
}

static bool has_result(const rf_val *v, const void *data)
{
    const moments *ms = data;
    return v->kind == RF_VAL_RESULT && is_known(ms, v);
}

/* The parts of "v" that are free of x and use a result: post steps. */
static void add_posts(moments *ms, const rf_val *v)
{
    rf_prover *p = ms->p;
    bool is_post = v->type && v->type->kind != RF_TYPE_BOOL &&
                   !rf_val_find(v, is_index_of, ms->loop) &&
                   rf_val_find(v, has_result, ms);
    if (is_post && !is_known(ms, v))
        add_value(ms, v, over_prefix(ms, rf_real_of(p->reals, v)));
    for (unsigned i = 0; i < v->n; i++)
        add_posts(ms, v->arg[i]);
}

static void add_derived_sum(moments *ms, const rf_val *of, const rf_sym *term)
{
    const rf_sym *sum = sum_over_prefix(ms, term);
    for (size_t i = 0; i < ms->claims.len; i++)
        if (ms->claims.data[i].of_moments == sum)
            return;
    if (sum)
        RF_PUSH(ms->claims, (rf_claim){ .of = of, .of_moments = sum });
}

/* Sums of the derivatives by x of "f", the term of "of". */
static void add_derived(moments *ms, const rf_val *of, const rf_sym *f,
                        unsigned degree)
{
    rf_algebra *alg = ms->p->alg;
    for (unsigned i = 0; i < ms->n_atoms && degree; i++) {
        const rf_sym *d = rf_algebra_derivative(alg, f, ms->atom[i]);
        d = d ? rf_algebra_primitive(alg, d) : NULL;
        if (!d || !rf_sym_has_role(d, RF_ATOM_ELEMENT))
            continue;
        add_derived_sum(ms, of, d);
        add_derived(ms, of, d, degree - 1);
    }
}

/* The factors of "f" that vary along the axis. */
static const rf_sym *varying_part(moments *ms, const rf_sym *f)
{
    rf_syms *s = ms->p->syms;
    const rf_sym *e = rf_algebra_primitive(ms->p->alg, f);
    const rf_sym *part = rf_sym_int(s, 1);
    for (unsigned i = 0; e->kind == RF_SYM_MUL && i < e->n; i++)
        if (rf_sym_has_role(e->arg[i], RF_ATOM_ELEMENT))
            part = rf_sym_mul(s, part, e->arg[i]);
    return e->kind == RF_SYM_MUL ? part : e;
}

/* SUM c*t = c * SUM t: the sums of t and of -t, for the sum "of" of f = c*t. */
static void add_multiples(moments *ms, const rf_val *of, const rf_sym *f)
{
    rf_prover *p = ms->p;
    const rf_sym *t = varying_part(ms, f);
    for (int i = 0; i < 2; i++, t = rf_sym_neg(p->syms, t)) {
        const rf_sym *c =
            rf_algebra_simplify(p->alg, rf_sym_div(p->syms, f, t));
        if (rf_sym_is_int(c, 1) || rf_sym_has_role(c, RF_ATOM_ELEMENT) ||
            rf_algebra_equal(p->alg, rf_sym_mul(p->syms, c, t), f) != RF_YES)
            continue;
        const rf_sym *sum = sum_over_prefix(ms, over_prefix(ms, t));
        if (sum)
            RF_PUSH(ms->claims,
                    (rf_claim){ .of = of, .of_moments = sum, .factor = c });
    }
}

/* Behind the source's own values, which are claimed first. */
static void add_all_derived(moments *ms)
{
    rf_prover *p = ms->p;
    for (size_t i = 0, n = ms->claims.len; i < n; i++) {
        const rf_val *v = ms->claims.data[i].value;
        if (v->kind != RF_VAL_RESULT)
            continue;
        const rf_sym *f = rf_real_of(p->reals, rf_in_scene(p, v->red->term));
        add_multiples(ms, v, f);
        add_derived(ms, v, over_prefix(ms, f), MAX_DEGREE);
    }
}

static void add_source(moments *ms)
{
    rf_prover *p = ms->p;
    for (size_t i = 0; i < p->n_updates; i++) {
        const rf_val *r = p->trace->updates.data[i].result;
        if (r->kind != RF_VAL_RESULT || r->red->axis != ms->loop ||
            r->red->op != RF_REDUCE_SUM || r->red->guard || is_known(ms, r))
            continue;
        const rf_val *term = rf_in_scene(p, r->red->term);
        add_posts(ms, term);
        const rf_sym *f = over_prefix(ms, rf_real_of(p->reals, term));
        const rf_sym *init = rf_real_of(p->reals, rf_in_scene(p, r->red->init));
        const rf_sym *sum = sum_over_prefix(ms, f);
        if (sum && rf_sym_is_int(init, 0))
            add_value(ms, r, sum);
    }
    for (size_t i = 0; i < p->n_stores; i++)
        add_posts(ms, rf_in_scene(p, p->trace->stores.data[i].value));
    for (size_t i = 0; i < p->n_finals; i++)
        add_posts(ms, rf_in_scene(p, p->trace->finals.data[i].value));
    add_all_derived(ms);
}

/* ---- the step ---- */

/* "e" of moments after the step: P + b(x), or b(x) alone in the first. */
static const rf_sym *after_step(moments *ms, const rf_sym *e, bool is_first)
{
    const rf_sym *from[MAX_MOMENTS], *to[MAX_MOMENTS];
    for (unsigned i = 0; i < ms->n; i++) {
        from[i] = ms->m[i].now;
        to[i] = is_first ? ms->m[i].x
                         : rf_sym_add(ms->p->syms, ms->m[i].now, ms->m[i].x);
    }
    return rf_sym_subst(ms->p->syms, e, ms->n, from, to);
}

/* Stands for itself: a maximum, or a product. */
static bool is_reference(const moments *ms, const rf_accumulator *a)
{
    return a->loop == ms->loop && (rf_reduce_is_extremum(a->red->op) ||
                                   a->red->op == RF_REDUCE_PRODUCT);
}

/* "e" with references as they are before the step, or after it. */
static const rf_sym *at_reference(moments *ms, const rf_sym *e, bool is_after)
{
    rf_prover *p = ms->p;
    unsigned n = (unsigned)p->acc.len, k = 0;
    const rf_sym **from = RF_NEW_ARRAY(p->arena, n + 1, const rf_sym *);
    const rf_sym **to = RF_NEW_ARRAY(p->arena, n + 1, const rf_sym *);
    for (unsigned i = 0; i < n; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        if (!is_reference(ms, a))
            continue;
        from[k] = a->final;
        to[k++] = is_after ? a->new : a->old;
    }
    return rf_sym_subst(p->syms, e, k, from, to);
}

/* The update "e" over moments and x: old values are what they hold, the index
 * is the count. */
static const rf_sym *step_over_moments(moments *ms, const rf_sym *e,
                                       bool is_first)
{
    rf_prover *p = ms->p;
    unsigned n = (unsigned)p->acc.len, k = 0;
    const rf_sym **from = RF_NEW_ARRAY(p->arena, 2 * n + 1, const rf_sym *);
    const rf_sym **to = RF_NEW_ARRAY(p->arena, 2 * n + 1, const rf_sym *);
    for (unsigned i = 0; i < n; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        if (!a->of_moments || a->loop != ms->loop)
            continue;
        from[k] = a->old;
        to[k++] = is_first ? rf_real_of(p->reals, rf_in_scene(p, a->red->init))
                           : at_reference(ms, a->of_moments, false);
        from[k] = a->new;
        to[k++] =
            after_step(ms, at_reference(ms, a->of_moments, true), is_first);
    }
    if (ms->index) {
        from[k] = ms->index;
        to[k++] =
            is_first ? ms->lower : rf_sym_add(p->syms, ms->lower, count(ms));
    }
    e = with_powers(ms, rf_algebra_expand(p->alg, e));
    return rf_sym_subst(p->syms, e, k, from, to);
}

static bool holds(moments *ms, rf_accumulator *a, const rf_sym *claim,
                  bool is_first, const rf_sym **left, const rf_sym **right)
{
    a->of_moments = claim;
    *left = step_over_moments(ms, a->step, is_first);
    *right = after_step(ms, at_reference(ms, claim, true), is_first);
    bool yes = rf_algebra_equal(ms->p->alg, *left, *right) == RF_YES;
    a->of_moments = NULL;
    return yes;
}

static const char *words_of_claim(moments *ms, const rf_claim *c)
{
    const char *text = rf_words(ms->p, c->of);
    const char *form = c->factor ? "%s divided by a factor of its terms"
                                 : "the sum of a derivative of the term of %s";
    return c->value ? text : rf_arena_printf(ms->p->arena, form, text);
}

/* Find the source value, or the sum derived from one, that "a" holds. */
static bool claim_any(moments *ms, rf_accumulator *a)
{
    rf_prover *p = ms->p;
    rf_range at = rf_source_place(p, a->name);
    for (size_t i = 0; i < ms->claims.len; i++) {
        rf_claim *c = &ms->claims.data[i];
        const rf_sym *l, *r, *l1, *r1;
        if (!holds(ms, a, c->of_moments, false, &l, &r) ||
            !holds(ms, a, c->of_moments, true, &l1, &r1))
            continue;
        const char *text = words_of_claim(ms, c);
        rf_oblige_equal(p, "T-9", at, l, r, "the step of '%s' keeps it at %s",
                        a->name, text);
        rf_oblige_equal(p, "T-9", at, l1, r1, "the first step of '%s' gives %s",
                        a->name, text);
        a->of_moments = c->of_moments;
        a->holds = c->value;
        c->held_by = a;
        return true;
    }
    return false;
}

/* ---- the whole ---- */

static void find_axis(moments *ms)
{
    rf_prover *p = ms->p;
    int64_t step;
    const rf_loop *l = ms->loop;
    ms->lower = rf_real_of(p->reals, rf_in_scene(p, l->lower));
    if (!rf_val_is_int(l->step, &step) || step != 1 || l->is_inclusive)
        return;
    ms->index = rf_real_of(p->reals, l->index);
    const rf_val *upper = rf_declared_value(p, rf_in_scene(p, l->upper));
    const rf_val *lower = rf_declared_value(p, rf_in_scene(p, l->lower));
    ms->length = rf_algebra_simplify(
        p->alg, rf_sym_sub(p->syms, rf_real_of(p->reals, upper),
                           rf_real_of(p->reals, lower)));
    if (ms->length->kind != RF_SYM_ATOM)
        ms->length = NULL;
}

/* "e" with the final values of accumulators as functions of moments; NULL: one
 * of them is not known. */
static const rf_sym *finals_over_prefix(moments *ms, const rf_sym *e)
{
    rf_prover *p = ms->p;
    size_t n = p->acc.len, k = 0;
    const rf_sym **from = RF_NEW_ARRAY(p->arena, n + 1, const rf_sym *);
    const rf_sym **to = RF_NEW_ARRAY(p->arena, n + 1, const rf_sym *);
    for (size_t i = 0; i < n; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        if (a->loop != ms->loop || !rf_sym_mentions(e, a->final))
            continue;
        if (is_reference(ms, a))
            continue;
        if (!a->of_moments)
            return NULL;
        from[k] = a->final;
        to[k++] = a->of_moments;
    }
    return rf_sym_subst(p->syms, e, (unsigned)k, from, to);
}

/* SUM t(x, D): known where D is. */
static bool claim_sum(moments *ms, rf_accumulator *a)
{
    rf_prover *p = ms->p;
    bool is_sum = a->red->op == RF_REDUCE_SUM || a->red->op == RF_REDUCE_FOLD;
    if (a->of_moments || !is_sum || a->guard || a->red->guard || !a->lift ||
        a->loop != ms->loop ||
        !rf_sym_is_int(rf_real_of(p->reals, rf_in_scene(p, a->red->init)), 0))
        return false;
    const rf_sym *t = finals_over_prefix(ms, a->lift);
    a->of_moments = t ? sum_over_prefix(ms, t) : NULL;
    return a->of_moments != NULL;
}

static void claim_sums(moments *ms)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < ms->p->acc.len; i++)
            found |= claim_sum(ms, &ms->p->acc.data[i]);
    }
}

static void bind_source(rf_prover *p, const rf_val *v, const rf_sym *value,
                        const rf_accumulator *a)
{
    rf_reals_bind(p->reals, v, value);
    for (size_t k = 0; k < p->n_updates; k++)
        if (p->trace->updates.data[k].result == v)
            RF_PUSH(p->counterparts,
                    (rf_counterpart){ &p->trace->updates.data[k], a->update });
}

/* The accumulators end with the source's values, or with parts of them. */
static void bind_claims(moments *ms)
{
    rf_prover *p = ms->p;
    for (size_t i = 0; i < p->acc.len; i++) {
        rf_accumulator *a = &p->acc.data[i];
        if (!a->holds)
            continue;
        const rf_sym *value = rf_real_of(p->reals, a->holds);
        bind_source(p, a->holds, value, a);
        rf_reals_bind(p->reals, a->update->result, value);
        for (size_t k = 0; k < p->acc.len; k++)
            if (p->acc.data[k].lift)
                p->acc.data[k].lift = rf_sym_subst(p->syms, p->acc.data[k].lift,
                                                   1, &a->final, &value);
    }
    for (size_t i = 0; i < ms->claims.len; i++) {
        const rf_claim *c = &ms->claims.data[i];
        if (c->factor && c->held_by)
            bind_source(p, c->of,
                        rf_sym_mul(p->syms, c->factor, c->held_by->final),
                        c->held_by);
    }
}

static void run_moments(moments *ms)
{
    rf_prover *p = ms->p;
    find_axis(ms);
    for (size_t i = 0; i < p->acc.len; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        collect(ms, a->is_moment ? a->step : a->lift ? a->lift : a->final);
    }
    add_source(ms);
    claim_sums(ms);
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < p->acc.len; i++) {
            rf_accumulator *a = &p->acc.data[i];
            if (a->is_moment && !a->of_moments && !a->guard)
                found |= claim_any(ms, a);
        }
    }
    bind_claims(ms);
}

void rf_prove_moments(rf_prover *p)
{
    rf_accumulator *first = NULL;
    for (size_t i = p->acc.len; i-- > 0;)
        if (p->acc.data[i].is_moment)
            first = &p->acc.data[i];
    if (!first || p->stopped)
        return;
    moments *ms = RF_NEW(p->arena, moments);
    ms->p = p;
    ms->loop = first->loop;
    run_moments(ms);
    RF_CLEAR(ms->claims);
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].is_moment && !p->acc.data[i].of_moments)
            rf_oblige(p, "T-9", rf_source_place(p, p->acc.data[i].name),
                      RF_UNDECIDED, "'%s' holds a value of the source",
                      p->acc.data[i].name);
}
