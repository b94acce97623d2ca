/* Separation (THEORY 3): F(x, D) = G(x) (x) H(D), T-5.
 *
 *     sum      (x) = *: factor over Q; no irreducible factor has both x and D
 *     max, min (x) = + or *, or any map that is monotone for every D
 *     product  (x) = power: F = G^H, G > 0
 *     and, or  (x) = and, or; a comparison with D becomes a max or min
 *
 * H = H_now (x) H_later: the exponential part of H stays with the element,
 * where G alone would overflow; all else is applied once at the end (T-7), so
 * that no inverse of a factor that may be 0 is ever taken. */
#include "algebra/internal.h"

static const char *const times_names[] = {
#define X(id, name, form) name,
    RF_TIMES(X)
#undef X
};

const char *rf_times_name(rf_times times)
{
    return times_names[times];
}

int rf_depends(const rf_question *q, const rf_sym *e)
{
    return (rf_sym_has_role(e, RF_ATOM_ELEMENT) ? RF_ON_X : 0) |
           (rf_mentions_any(e, q->n, q->results) ? RF_ON_D : 0);
}

/* ---- products ---- */

bool rf_has_exponential(const rf_sym *e)
{
    if (!rf_sym_has_role(e, RF_ATOM_ELEMENT))
        return false;
    if (e->kind == RF_SYM_EXP)
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (rf_has_exponential(e->arg[i]))
            return true;
    return false;
}

typedef struct {
    rf_nodes x, shift, later;
} sorted_factors;

/* Put every factor where it belongs; returns one that is mixed, or NULL. */
static const rf_sym *sort_factors(const rf_question *q, const rf_factors *f,
                                  sorted_factors *out)
{
    for (size_t i = 0; i < f->list.len; i++) {
        const rf_sym *base = f->list.data[i].sym;
        const rf_sym *power = rf_factor_power(q->alg, &f->list.data[i]);
        int on = rf_depends(q, base);
        if (on == RF_MIXED)
            return base;
        if (on != RF_ON_D)
            RF_PUSH(out->x, power);
        else if (base->kind == RF_SYM_EXP)
            RF_PUSH(out->shift, power);
        else
            RF_PUSH(out->later, power);
    }
    return NULL;
}

/* The factors of "f" as written that are not the deferred ones; NULL if they
 * cannot be told by their spelling. */
static const rf_sym *lift_as_written(const rf_question *q, const rf_sym *f,
                                     const rf_sym *later)
{
    rf_syms *s = q->alg->syms;
    rf_nodes kept = { 0 }, dropped = { 0 };
    bool product = f->kind == RF_SYM_MUL;
    for (unsigned i = 0; i < (product ? f->n : 1); i++) {
        const rf_sym *a = product ? f->arg[i] : f;
        bool defer = rf_depends(q, a) == RF_ON_D && a->kind != RF_SYM_EXP;
        if (defer)
            RF_PUSH(dropped, a);
        else
            RF_PUSH(kept, a);
    }
    const rf_sym *gone = rf_sym_make(s, RF_SYM_MUL, dropped.len, dropped.data);
    const rf_sym *lift = rf_sym_make(s, RF_SYM_MUL, kept.len, kept.data);
    RF_CLEAR(kept);
    RF_CLEAR(dropped);
    return rf_algebra_equal(q->alg, gone, later) == RF_YES ? lift : NULL;
}

static bool split_factors(const rf_question *q, const rf_sym *f,
                          rf_product_parts *out)
{
    rf_syms *s = q->alg->syms;
    rf_factors factors;
    sorted_factors by = { 0 };
    bool ok = rf_factor_sym(q->alg, f, &factors);
    out->mixed = ok ? sort_factors(q, &factors, &by) : f;
    if (!out->mixed) {
        RF_PUSH(by.x, factors.constant);
        out->g = rf_product(q->alg, by.x.len, by.x.data);
        const rf_sym *shift = rf_product(q->alg, by.shift.len, by.shift.data);
        const rf_sym *later = rf_product(q->alg, by.later.len, by.later.data);
        bool now = rf_has_exponential(out->g);
        out->h_now = now ? shift : rf_sym_int(s, 1);
        out->h_later = now ? later : rf_sym_mul(s, later, shift);
        const rf_sym *parts[] = { out->g, out->h_now };
        out->lift = lift_as_written(q, f, out->h_later);
        if (!out->lift)
            out->lift = rf_product(q->alg, 2, parts);
    }
    RF_CLEAR(by.x);
    RF_CLEAR(by.shift);
    RF_CLEAR(by.later);
    RF_CLEAR(factors.list);
    return !out->mixed;
}

/* A mixed select in "e" whose condition is free of x or free of D. */
static const rf_sym *find_select(const rf_question *q, const rf_sym *e)
{
    if (rf_depends(q, e) != RF_MIXED)
        return NULL;
    if (e->kind == RF_SYM_SELECT && rf_depends(q, e->arg[0]) != RF_MIXED)
        return e;
    for (unsigned i = 0; i < e->n; i++) {
        const rf_sym *found = find_select(q, e->arg[i]);
        if (found)
            return found;
    }
    return NULL;
}

/* a / b if that is free of what "without" names; else NULL. */
static const rf_sym *free_ratio(const rf_question *q, const rf_sym *a,
                                const rf_sym *b, int without)
{
    const rf_sym *k = rf_factored(q->alg, rf_sym_div(q->alg->syms, a, b));
    return rf_depends(q, k) & without ? NULL : k;
}

/* c(x) ? G1*H : G2*H = (c ? G1 : G2) * H */
static bool join_by_x(const rf_question *q, const rf_sym *c,
                      const rf_product_parts *a, const rf_product_parts *b,
                      rf_product_parts *out)
{
    rf_syms *s = q->alg->syms;
    bool a0 = rf_sym_is_int(a->g, 0), b0 = rf_sym_is_int(b->g, 0);
    const rf_sym *k = rf_sym_int(s, 1);
    if (!a0 && !b0) {
        k = free_ratio(q, b->h_later, a->h_later, RF_ON_D);
        if (!k || !rf_algebra_nonzero(q->alg, k) ||
            rf_algebra_equal(q->alg, a->h_now, b->h_now) != RF_YES)
            return false;
    }
    *out = a0 ? *b : *a;
    out->g = rf_sym_select(s, c, a->g, rf_sym_mul(s, k, b->g));
    out->lift = rf_sym_select(s, c, a->lift, rf_sym_mul(s, k, b->lift));
    return true;
}

/* c(D) ? G*H1 : G*H2 = G * (c ? H1 : H2) */
static bool join_by_d(const rf_question *q, const rf_sym *c,
                      const rf_product_parts *a, const rf_product_parts *b,
                      rf_product_parts *out)
{
    rf_syms *s = q->alg->syms;
    const rf_sym *k = rf_sym_int(s, 1);
    bool a0 = rf_sym_is_int(a->g, 0), b0 = rf_sym_is_int(b->g, 0);
    if (!a0 && !b0) {
        k = free_ratio(q, b->g, a->g, RF_ON_X);
        if (!k || rf_algebra_equal(q->alg, a->h_now, b->h_now) != RF_YES)
            return false;
    }
    *out = a0 ? *b : *a;
    const rf_sym *zero = rf_sym_int(s, 0);
    out->h_later = rf_sym_select(s, c, a0 ? zero : a->h_later,
                                 b0 ? zero : rf_sym_mul(s, k, b->h_later));
    return true;
}

bool rf_split_product(const rf_question *q, const rf_sym *f,
                      rf_product_parts *out)
{
    if (split_factors(q, f, out))
        return true;
    const rf_sym *select = find_select(q, f);
    rf_product_parts a, b;
    if (!select)
        return false;
    const rf_sym *c = select->arg[0];
    if (!rf_split_product(q, rf_choose(q->alg, f, c, true), &a)) {
        out->mixed = a.mixed;
        return false;
    }
    if (!rf_split_product(q, rf_choose(q->alg, f, c, false), &b)) {
        out->mixed = b.mixed;
        return false;
    }
    out->mixed = select;
    return rf_depends(q, c) & RF_ON_D ? join_by_d(q, c, &a, &b, out)
                                      : join_by_x(q, c, &a, &b, out);
}

/* ---- sums ---- */

bool rf_split_sum(const rf_question *q, const rf_sym *e, const rf_sym **g,
                  const rf_sym **h)
{
    rf_syms *s = q->alg->syms;
    const rf_sym *p = rf_algebra_expand(q->alg, e);
    bool sum = p->kind == RF_SYM_ADD;
    *g = *h = rf_sym_int(s, 0);
    for (unsigned i = 0; i < (sum ? p->n : 1); i++) {
        const rf_sym *t = sum ? p->arg[i] : p;
        int on = rf_depends(q, t);
        if (on == RF_MIXED)
            return false;
        if (on == RF_ON_D)
            *h = rf_sym_add(s, *h, t);
        else
            *g = rf_sym_add(s, *g, t);
    }
    return true;
}

/* ---- whom to blame ---- */

static const rf_sym *smallest_mixed(const rf_question *q, const rf_sym *e)
{
    for (unsigned i = 0; i < e->n; i++)
        if (rf_depends(q, e->arg[i]) == RF_MIXED)
            return smallest_mixed(q, e->arg[i]);
    return e;
}

static const rf_sym *blame_sum(const rf_question *q, const rf_sym *e)
{
    if (e->kind != RF_SYM_ADD)
        return smallest_mixed(q, e);
    for (unsigned i = 0; i < e->n; i++)
        if (rf_depends(q, e->arg[i]) == RF_MIXED)
            return smallest_mixed(q, e->arg[i]);
    return e;
}

/* The smallest node of the product "e" that keeps it from separating. */
const rf_sym *rf_blame_product(const rf_question *q, const rf_sym *e)
{
    rf_product_parts parts;
    const rf_sym *g, *h;
    bool looks_inside = e->kind == RF_SYM_MUL || e->kind == RF_SYM_POW ||
                        e->kind == RF_SYM_SELECT;
    for (unsigned i = 0; looks_inside && i < e->n; i++)
        if (rf_depends(q, e->arg[i]) == RF_MIXED &&
            !rf_split_product(q, e->arg[i], &parts))
            return rf_blame_product(q, e->arg[i]);
    if (e->kind == RF_SYM_EXP && !rf_split_sum(q, e->arg[0], &g, &h))
        return blame_sum(q, e->arg[0]);
    return e;
}

/* The names of the atoms of "e" that are x (or D), with commas. */
static void list_names(const rf_question *q, rf_buf *out, const rf_sym *e,
                       int on)
{
    rf_nodes atoms = { 0 };
    const char *comma = "";
    rf_collect_atoms(&atoms, e);
    for (size_t i = 0; i < atoms.len; i++)
        if (rf_depends(q, atoms.data[i]) == on) {
            rf_buf_printf(out, "%s%s", comma, atoms.data[i]->atom->name);
            comma = ", ";
        }
    RF_CLEAR(atoms);
}

const char *rf_reason_mixed(const rf_question *q, const rf_sym *e)
{
    rf_buf b = { 0 };
    rf_sym_print(&b, e);
    rf_buf_puts(&b, " mixes ");
    list_names(q, &b, e, RF_ON_X);
    rf_buf_puts(&b, " and ");
    list_names(q, &b, e, RF_ON_D);
    char *text = rf_arena_strdup(rf_syms_arena(q->alg->syms), rf_buf_text(&b));
    rf_buf_free(&b);
    return text;
}

/* ---- the monoids, one by one ---- */

/* True if later(identity) is the identity again and is always defined. */
static bool keeps_identity(const rf_question *q, const rf_separation *out)
{
    rf_syms *s = q->alg->syms;
    const rf_sym *zero = rf_sym_int(s, 0);
    if (out->later == out->state)
        return true;
    if (!rf_is_defined(q->alg, out->later))
        return false;
    switch (out->times) {
    case RF_TIMES_MUL:
        return out->reduce == RF_REDUCE_SUM ||
               rf_algebra_sign(q->alg, out->h_later) == RF_IS_POSITIVE;
    case RF_TIMES_ADD:
    case RF_TIMES_POW:
        return true;
    case RF_TIMES_AND:
        return out->reduce == RF_REDUCE_OR;
    case RF_TIMES_OR:
        return out->reduce == RF_REDUCE_AND;
    default:
        return rf_sym_subst(s, out->later, 1, &out->state, &zero) == zero &&
               out->reduce == RF_REDUCE_SUM;
    }
}

void rf_accept(const rf_question *q, rf_separation *out, rf_times times,
               const rf_sym *later)
{
    out->verdict = RF_YES;
    out->blame = NULL;
    out->reason = NULL;
    out->times = times;
    out->later = later;
    out->later_keeps_identity = keeps_identity(q, out);
}

/* H_now(D_old)^-1 * H_now(D) */
static const rf_sym *ratio_of(const rf_question *q, const rf_sym *h_now)
{
    rf_syms *s = q->alg->syms;
    if (rf_sym_is_int(h_now, 1))
        return NULL;
    const rf_sym *old = rf_algebra_at_old(q->alg, h_now, q->n, q->results);
    return rf_factored(q->alg, rf_sym_div(s, h_now, old));
}

static void accept_product(const rf_question *q, rf_separation *out,
                           const rf_product_parts *p)
{
    rf_syms *s = q->alg->syms;
    out->g = p->g;
    out->h = rf_sym_mul(s, p->h_now, p->h_later);
    out->h_now = p->h_now;
    out->h_later = p->h_later;
    out->lift = p->lift;
    out->ratio = ratio_of(q, p->h_now);
    rf_accept(q, out, RF_TIMES_MUL, rf_sym_mul(s, out->state, p->h_later));
}

static void separate_sum(const rf_question *q, rf_separation *out)
{
    rf_product_parts p;
    if (rf_split_product(q, q->f, &p)) {
        accept_product(q, out, &p);
        return;
    }
    out->blame = rf_blame_product(q, q->f);
    out->reason = rf_reason_mixed(q, p.mixed);
}

/* max, min, arg-max, top-k: carry REDUCE g, apply the map at the end. */
static bool separate_by_map(const rf_question *q, const rf_sym *f,
                            rf_separation *out)
{
    rf_syms *s = q->alg->syms;
    rf_transport t;
    if (!rf_transport_find(q, f, out->state, &t))
        return false;
    bool indexed = !rf_reduce_is_extremum(q->op);
    if (indexed && !t.strict) {
        out->reason = "ties that the map makes would choose another index";
        return false;
    }
    const rf_sym *zero = rf_sym_int(s, 0), *one = rf_sym_int(s, 1);
    const rf_sym *plus = rf_sym_sub(s, t.map, out->state);
    const rf_sym *by = rf_sym_div(s, t.map, out->state);
    bool adds = !rf_sym_mentions(plus, out->state);
    bool multiplies = !adds && !rf_sym_mentions(by, out->state);
    out->reduce = t.falling ? rf_reduce_mirror(q->op) : q->op;
    out->g = out->lift = t.g;
    out->h = out->h_later = adds ? plus : multiplies ? by : NULL;
    out->h_now = adds ? zero : multiplies ? one : NULL;
    rf_accept(q, out,
              adds         ? RF_TIMES_ADD
              : multiplies ? RF_TIMES_MUL
                           : RF_TIMES_MAP,
              t.map);
    return true;
}

/* max_l h = h, whatever is carried; not so for an empty axis. */
static bool separate_constant(const rf_question *q, rf_separation *out)
{
    bool indexed = !rf_reduce_is_extremum(q->op);
    if (indexed || rf_sym_has_role(q->f, RF_ATOM_ELEMENT))
        return false;
    out->g = out->lift = rf_sym_int(q->alg->syms, 0);
    rf_accept(q, out, RF_TIMES_MAP, q->f);
    return true;
}

static void separate_order(const rf_question *q, rf_separation *out)
{
    rf_product_parts p;
    if (separate_constant(q, out) || separate_by_map(q, q->f, out) ||
        separate_by_map(q, rf_factored(q->alg, q->f), out))
        return;
    bool product = rf_split_product(q, q->f, &p);
    const rf_sym *h =
        product ? rf_sym_mul(q->alg->syms, p.h_now, p.h_later) : NULL;
    if (product && rf_algebra_sign(q->alg, h) == RF_IS_POSITIVE) {
        accept_product(q, out, &p);
        return;
    }
    rf_arena *arena = rf_syms_arena(q->alg->syms);
    out->blame = product ? q->f : rf_blame_product(q, q->f);
    if (product && !out->reason)
        out->reason = rf_arena_printf(arena, "the sign of %s is not known",
                                      rf_sym_text(arena, h));
    else if (!out->reason)
        out->reason = rf_reason_mixed(q, p.mixed);
}

/* product of G^H = (product of G)^H; of exp(g*h), G = exp(g). */
static void separate_power(const rf_question *q, rf_separation *out)
{
    rf_syms *s = q->alg->syms;
    const rf_sym *f = rf_prepare(q->alg, q->f);
    rf_product_parts p;
    out->blame = rf_blame_product(q, q->f);
    if (f->kind == RF_SYM_EXP && rf_split_product(q, f->arg[0], &p)) {
        out->g = rf_prepare(q->alg, rf_sym_exp(s, f->base, p.g));
        out->h = rf_sym_mul(s, p.h_now, p.h_later);
    } else {
        out->reason = "the log trick needs a factor that is proven positive "
                      "under a power that alone depends on the results";
        return;
    }
    out->h_now = rf_sym_int(s, 1);
    out->h_later = out->h;
    out->lift = out->g;
    out->condition = "the base of the power is positive";
    rf_accept(q, out, RF_TIMES_POW, rf_sym_pow(s, out->state, out->h));
}

static void separate_nothing(const rf_question *q, rf_separation *out)
{
    out->g = out->lift = q->f;
    rf_accept(q, out, RF_TIMES_NONE, out->state);
}

static void dispatch(const rf_question *q, rf_separation *out)
{
    if (!rf_mentions_any(q->f, q->n, q->results)) {
        separate_nothing(q, out);
        return;
    }
    switch (q->op) {
    case RF_REDUCE_SUM:
        separate_sum(q, out);
        break;
    case RF_REDUCE_PRODUCT:
        separate_power(q, out);
        break;
    case RF_REDUCE_AND:
    case RF_REDUCE_OR:
        rf_separate_logic(q, out);
        break;
    default:
        if (rf_reduce_is_order(q->op)) {
            separate_order(q, out);
        } else {
            out->blame = q->f;
            out->reason = rf_reason_mixed(q, q->f);
        }
        break;
    }
}

rf_truth rf_separate(rf_algebra *alg, rf_reduce_op op, const rf_sym *f,
                     unsigned n, const rf_sym *const *results,
                     rf_separation *out)
{
    rf_question q = { alg, op, f, n, results };
    *out = (rf_separation){
        .verdict = RF_UNKNOWN,
        .reduce = op,
        .state = rf_sym_atom(alg->syms, RF_ATOM_STATE, "acc", NULL),
    };
    dispatch(&q, out);
    if (out->verdict != RF_YES &&
        rf_counterexample_find(&q, &out->counterexample))
        out->verdict = RF_NO;
    return out->verdict;
}
