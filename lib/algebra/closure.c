/* Translation closure (THEORY 4): a finite basis b of the translates of F in
 * D, the matrix of T-8, and the sums that need not be carried.
 *
 *     F = later(D) * SUM_e exp(e(D)) P_e(x, D)      P_e a polynomial in D
 *
 * A factor of D alone is deferred (T-7). An exponential of D stays with the
 * exponential of x beside it. The derivatives of P_e by what it has of D span
 * its translates (Taylor's formula); those that are independent over the
 * functions of D are the basis, and linear algebra gives the matrix. Nothing
 * is accepted that is not proven again as an identity. */
#include "algebra/internal.h"

enum { LARGEST_RANK = 24 };

/* exp(e(D)) * poly */
typedef struct {
    const rf_sym *shift, *poly;
} group;

typedef struct {
    rf_question q;
    const rf_definitions *defs;
    const rf_sym *later, *inner; /* F = later * inner */
    RF_ARRAY(group) groups;
    rf_nodes basis;
    rf_closure *out;
} closure;

static rf_syms *syms_of(const closure *k)
{
    return k->q.alg->syms;
}

static bool refuse(closure *k, const rf_sym *blame)
{
    k->out->blame = rf_blame_product(&k->q, k->q.f);
    k->out->reason = rf_reason_mixed(&k->q, blame);
    return false;
}

/* ---- the deferred factor ---- */

static bool split_later(closure *k)
{
    rf_factors f;
    rf_nodes later = { 0 }, inner = { 0 }, shift = { 0 };
    const rf_sym *bad = rf_factor_sym(k->q.alg, k->q.f, &f) ? NULL : k->q.f;
    RF_PUSH(inner, f.constant);
    for (size_t i = 0; i < f.list.len && !bad; i++) {
        const rf_factor *a = &f.list.data[i];
        const rf_sym *p = rf_factor_power(k->q.alg, a);
        int on = rf_depends(&k->q, a->sym);
        if (on == RF_MIXED && (a->exponent < 0 || a->is_generator))
            bad = a->sym;
        else if (on != RF_ON_D)
            RF_PUSH(inner, p);
        else if (a->sym->kind == RF_SYM_EXP)
            RF_PUSH(shift, p);
        else
            RF_PUSH(later, p);
    }
    const rf_sym *e = rf_product(k->q.alg, inner.len, inner.data);
    rf_nodes *with = rf_has_exponential(e) ? &inner : &later;
    for (size_t i = 0; i < shift.len; i++)
        RF_PUSH(*with, shift.data[i]);
    k->inner = rf_product(k->q.alg, inner.len, inner.data);
    k->later = rf_product(k->q.alg, later.len, later.data);
    RF_CLEAR(f.list);
    RF_CLEAR(inner);
    RF_CLEAR(later);
    RF_CLEAR(shift);
    return bad ? refuse(k, bad) : true;
}

/* ---- groups of one exponential ---- */

/* exp(a) = exp(own) * exp(rest), "own" being of D alone; false if a term of
 * the exponent mixes. */
static bool split_exponent(closure *k, const rf_sym *a, const rf_sym **own,
                           const rf_sym **rest)
{
    rf_syms *s = syms_of(k);
    bool sum = a->kind == RF_SYM_ADD;
    *own = *rest = rf_sym_int(s, 0);
    for (unsigned i = 0; i < (sum ? a->n : 1); i++) {
        const rf_sym *t = sum ? a->arg[i] : a;
        int on = rf_depends(&k->q, t);
        if (on == RF_MIXED)
            return refuse(k, t);
        const rf_sym **to = on == RF_ON_D ? own : rest;
        *to = rf_sym_add(s, *to, t);
    }
    return true;
}

/* One term: its shift and what is left. */
static bool split_term(closure *k, const rf_sym *t, group *out)
{
    rf_syms *s = syms_of(k);
    rf_nodes left = { 0 };
    bool product = t->kind == RF_SYM_MUL, ok = true;
    out->shift = rf_sym_int(s, 1);
    for (unsigned i = 0; ok && i < (product ? t->n : 1); i++) {
        const rf_sym *a = product ? t->arg[i] : t, *own, *rest;
        if (a->kind != RF_SYM_EXP) {
            RF_PUSH(left, a);
            continue;
        }
        ok = split_exponent(k, a->arg[0], &own, &rest);
        if (ok && rf_sym_has_role(rest, RF_ATOM_ELEMENT)) {
            const rf_sym *e[] = { out->shift, rf_sym_exp(s, a->base, own) };
            out->shift = rf_product(k->q.alg, 2, e);
            a = rf_sym_exp(s, a->base, rest);
        }
        RF_PUSH(left, a);
    }
    out->poly = rf_product(k->q.alg, left.len, left.data);
    RF_CLEAR(left);
    return ok;
}

static void add_to_groups(closure *k, group g)
{
    for (size_t i = 0; i < k->groups.len; i++)
        if (k->groups.data[i].shift == g.shift) {
            const rf_sym *sum =
                rf_sym_add(syms_of(k), k->groups.data[i].poly, g.poly);
            k->groups.data[i].poly = sum;
            return;
        }
    RF_PUSH(k->groups, g);
}

static bool split_groups(closure *k)
{
    const rf_sym *e = rf_algebra_expand(k->q.alg, k->inner);
    bool sum = e->kind == RF_SYM_ADD;
    for (unsigned i = 0; i < (sum ? e->n : 1); i++) {
        group g;
        if (!split_term(k, sum ? e->arg[i] : e, &g))
            return false;
        add_to_groups(k, g);
    }
    return true;
}

/* ---- derivatives ---- */

/* Add shift * poly to the basis if it is independent of what is there. */
static bool add_to_basis(closure *k, const rf_sym *shift, const rf_sym *poly)
{
    const rf_sym *parts[] = { shift, poly }, *c[LARGEST_RANK];
    const rf_sym *b =
        rf_algebra_primitive(k->q.alg, rf_product(k->q.alg, 2, parts));
    if (k->basis.len == LARGEST_RANK ||
        rf_combine(k->q.alg, k->basis.len, k->basis.data, b, c))
        return false;
    RF_PUSH(k->basis, b);
    return true;
}

/* Queue the derivatives of "poly" by all that it has of D. */
static bool push_derivatives(closure *k, const rf_sym *poly, rf_nodes *queue)
{
    rf_nodes gens = { 0 };
    bool ok = true;
    rf_generators(k->q.alg, poly, &gens);
    for (size_t i = 0; i < gens.len && ok; i++) {
        int on = rf_depends(&k->q, gens.data[i]);
        if (on == RF_MIXED)
            ok = refuse(k, gens.data[i]);
        if (on != RF_ON_D || !ok)
            continue;
        const rf_sym *d = rf_generator_derivative(k->q.alg, poly, gens.data[i]);
        if (!d)
            ok = refuse(k, k->q.f);
        else if (!rf_sym_is_int(d, 0))
            RF_PUSH(*queue, d);
    }
    RF_CLEAR(gens);
    return ok;
}

static bool close_group(closure *k, const group *g)
{
    rf_nodes queue = { 0 };
    bool ok = true;
    RF_PUSH(queue, g->poly);
    for (size_t i = 0; i < queue.len && ok; i++) {
        const rf_sym *poly = rf_algebra_primitive(k->q.alg, queue.data[i]);
        if (add_to_basis(k, g->shift, poly) || i == 0)
            ok = push_derivatives(k, poly, &queue);
        if (k->basis.len == LARGEST_RANK)
            ok = refuse(k, k->q.f);
    }
    RF_CLEAR(queue);
    return ok;
}

static bool find_basis(closure *k)
{
    for (size_t i = 0; i < k->groups.len; i++)
        if (!close_group(k, &k->groups.data[i]))
            return false;
    return k->basis.len > 0;
}

/* ---- the matrix ---- */

static const rf_sym *at_old(const closure *k, const rf_sym *e)
{
    return rf_algebra_at_old(k->q.alg, e, k->q.n, k->q.results);
}

/* SUM c[i] * e[i] */
static const rf_sym *dot(rf_syms *s, size_t n, const rf_sym *const *c,
                         const rf_sym *const *e)
{
    const rf_sym *sum = rf_sym_int(s, 0);
    for (size_t i = 0; i < n; i++)
        sum = rf_sym_add(s, sum, rf_sym_mul(s, c[i], e[i]));
    return sum;
}

/* Row i of T-8, solved for and then proven. */
static bool find_row(closure *k, const rf_sym *const *old, size_t i,
                     const rf_sym **row)
{
    size_t n = k->basis.len;
    rf_algebra *alg = k->q.alg;
    if (!rf_combine(alg, n, old, k->basis.data[i], row))
        return false;
    const rf_sym *moved = dot(alg->syms, n, row, old);
    return rf_algebra_equal(alg, moved, k->basis.data[i]) == RF_YES;
}

static bool find_matrix(closure *k)
{
    size_t n = k->basis.len;
    rf_arena *arena = rf_syms_arena(syms_of(k));
    const rf_sym **t = RF_NEW_ARRAY(arena, n * n, const rf_sym *);
    rf_nodes old = { 0 };
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        RF_PUSH(old, at_old(k, k->basis.data[i]));
    for (size_t i = 0; i < n && ok; i++)
        ok = find_row(k, old.data, i, t + i * n);
    RF_CLEAR(old);
    k->out->transfer = t;
    return ok || refuse(k, k->q.f);
}

/* ---- sums that follow from the definitions ---- */

/* Every post step put in, the length being the count so far. */
static const rf_sym *put_posts_in(const closure *k, const rf_sym *e)
{
    rf_syms *s = syms_of(k);
    const rf_definitions *defs = k->defs;
    for (unsigned i = defs->n; i-- > 0;) {
        const rf_definition *d = &defs->def[i];
        if (!d->post)
            continue;
        const rf_sym *v = d->post;
        if (defs->length)
            v = rf_sym_subst(s, v, 1, &defs->length, &k->out->count);
        e = rf_sym_subst(s, e, 1, &d->result, &v);
    }
    return e;
}

/* SUM b over the definitions' sums and the count, or NULL. A value that is
 * itself a sum is not used: it could cancel where SUM b does not. */
static const rf_sym *known_sum(const closure *k, const rf_sym *b)
{
    rf_syms *s = syms_of(k);
    rf_nodes rows = { 0 }, sums = { 0 };
    for (unsigned i = 0; k->defs && i < k->defs->n; i++)
        if (k->defs->def[i].element && k->defs->def[i].op == RF_REDUCE_SUM) {
            RF_PUSH(rows, k->defs->def[i].element);
            RF_PUSH(sums, k->defs->def[i].result);
        }
    RF_PUSH(rows, rf_sym_int(s, 1));
    RF_PUSH(sums, k->out->count);
    rf_nodes c = { 0 };
    for (size_t i = 0; i < rows.len; i++)
        RF_PUSH(c, NULL);
    const rf_sym *value = NULL;
    if (rf_combine(k->q.alg, rows.len, rows.data, b, c.data)) {
        value = dot(s, rows.len, c.data, sums.data);
        const rf_sym *full = k->defs ? put_posts_in(k, value) : value;
        if (rf_sym_is_int(rf_factored(k->q.alg, full), 0))
            value = rf_sym_int(s, 0);
        if (value->kind == RF_SYM_ADD)
            value = NULL;
    }
    RF_CLEAR(rows);
    RF_CLEAR(sums);
    RF_CLEAR(c);
    return value;
}

static void find_known(closure *k)
{
    rf_arena *arena = rf_syms_arena(syms_of(k));
    size_t n = k->basis.len;
    const rf_sym **known = RF_NEW_ARRAY(arena, n, const rf_sym *);
    const rf_sym **state = RF_NEW_ARRAY(arena, n, const rf_sym *);
    for (size_t i = 0; i < n; i++) {
        known[i] = known_sum(k, k->basis.data[i]);
        const char *name = i == 0 ? "acc" : rf_arena_printf(arena, "acc%zu", i);
        if (!known[i])
            state[i] = rf_sym_atom(syms_of(k), RF_ATOM_STATE, name, NULL);
    }
    k->out->known = known;
    k->out->state = state;
}

/* ---- what is carried, and the end ---- */

static void find_moved(closure *k)
{
    rf_closure *out = k->out;
    size_t n = k->basis.len;
    rf_arena *arena = rf_syms_arena(syms_of(k));
    const rf_sym **moved = RF_NEW_ARRAY(arena, n, const rf_sym *);
    rf_nodes sums = { 0 };
    for (size_t i = 0; i < n; i++)
        RF_PUSH(sums, out->known[i] ? at_old(k, out->known[i]) : out->state[i]);
    for (size_t i = 0; i < n; i++)
        if (!out->known[i])
            moved[i] = dot(syms_of(k), n, out->transfer + i * n, sums.data);
    RF_CLEAR(sums);
    out->moved = moved;
}

/* later * SUM c[i] B[i], B[i] a state or known for the whole length */
static bool find_later(closure *k)
{
    rf_closure *out = k->out;
    rf_syms *s = syms_of(k);
    size_t n = k->basis.len;
    rf_nodes c = { 0 }, sums = { 0 };
    for (size_t i = 0; i < n; i++) {
        RF_PUSH(c, NULL);
        RF_PUSH(sums, out->known[i] ? out->known[i] : out->state[i]);
    }
    bool ok = rf_combine(k->q.alg, n, k->basis.data, k->inner, c.data);
    if (ok) {
        const rf_sym *f = dot(s, n, c.data, k->basis.data);
        f = rf_sym_mul(s, k->later, f);
        ok = rf_algebra_equal(k->q.alg, f, k->q.f) == RF_YES;
        const rf_sym *b = dot(s, n, c.data, sums.data);
        out->later = rf_sym_mul(s, k->later, b);
        if (k->defs && k->defs->length)
            out->later =
                rf_sym_subst(s, out->later, 1, &out->count, &k->defs->length);
        out->later_keeps_identity = rf_is_defined(k->q.alg, out->later);
    }
    RF_CLEAR(c);
    RF_CLEAR(sums);
    return ok || refuse(k, k->q.f);
}

static bool derive(closure *k)
{
    if (!split_later(k) || !split_groups(k) || !find_basis(k) ||
        !find_matrix(k))
        return false;
    find_known(k);
    find_moved(k);
    return find_later(k);
}

static const rf_sym *const *keep_nodes(rf_arena *arena, size_t n,
                                       const rf_sym *const *e)
{
    const rf_sym **copy = RF_NEW_ARRAY(arena, n, const rf_sym *);
    for (size_t i = 0; i < n; i++)
        copy[i] = e[i];
    return copy;
}

static bool holds(const rf_nodes *list, const rf_sym *e)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] == e)
            return true;
    return false;
}

/* The results of the question and of the definitions, each once. */
static void set_results(closure *k, unsigned n, const rf_sym *const *results)
{
    rf_nodes all = { 0 };
    for (unsigned i = 0; i < n; i++)
        if (!holds(&all, results[i]))
            RF_PUSH(all, results[i]);
    for (unsigned i = 0; k->defs && i < k->defs->n; i++)
        if (!holds(&all, k->defs->def[i].result))
            RF_PUSH(all, k->defs->def[i].result);
    k->q.n = k->out->n_results = all.len;
    k->q.results = k->out->results =
        keep_nodes(rf_syms_arena(syms_of(k)), all.len, all.data);
    RF_CLEAR(all);
}

static const rf_sym *count_atom(rf_algebra *alg)
{
    if (!alg->count)
        alg->count = rf_sym_atom_signed(alg->syms, RF_ATOM_PARAM, "n", NULL,
                                        RF_SIGN_NONNEG);
    return alg->count;
}

rf_truth rf_closure_find(rf_algebra *alg, const rf_sym *f, unsigned n,
                         const rf_sym *const *results,
                         const rf_definitions *defs, rf_closure *out)
{
    rf_arena *arena = rf_syms_arena(alg->syms);
    closure k = { .q = { alg, RF_REDUCE_SUM, f, n, results },
                  .defs = defs,
                  .out = out };
    *out = (rf_closure){ .verdict = RF_UNKNOWN, .count = count_atom(alg) };
    set_results(&k, n, results);
    if (derive(&k)) {
        out->verdict = RF_YES;
        out->rank = k.basis.len;
        out->basis = keep_nodes(arena, k.basis.len, k.basis.data);
    } else if (rf_counterexample_find(&k.q, &out->counterexample)) {
        out->verdict = RF_NO;
    }
    RF_CLEAR(k.groups);
    RF_CLEAR(k.basis);
    return out->verdict;
}
