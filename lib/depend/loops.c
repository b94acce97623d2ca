/* Loops over one axis (T-D1): the sets of counters of two loops. */
#include "depend/inside.h"

enum { A = 1, B = 2 };

rf_answer rf_loop_nonempty(rf_depend *d, const rf_loop *loop, const char **why)
{
    if (why)
        *why = NULL;
    if (loop->at_least_once)
        return RF_YES;
    rf_scope scope = rf_scope_open(d);
    isl_set *runs = rf_first_test(&scope, 0, loop);
    rf_answer answer = RF_MAYBE;
    if (runs)
        answer = rf_scope_judge(&scope, isl_set_complement(runs), why);
    rf_scope_close(&scope);
    return answer;
}

static bool is_counter(const rf_symbol *s)
{
    return s->val && s->val->kind == RF_VAL_INDEX;
}

/* True if "f" is a + b*i for the counter i and a number b. */
static bool moves_with_counter(const rf_form *f)
{
    for (unsigned i = 0; i < f->n; i++)
        for (unsigned j = 0; j < f->term[i].n; j++) {
            const rf_symbol *s = f->term[i].factor[j];
            if (s->tag && (f->term[i].n > 1 || !is_counter(s)))
                return false;
        }
    return f->exact;
}

static bool has_variation(const rf_form *f)
{
    for (unsigned i = 0; i < f->n; i++)
        for (unsigned j = 0; j < f->term[i].n; j++)
            if (f->term[i].factor[j]->tag)
                return true;
    return false;
}

rf_answer rf_loop_invariant(rf_depend *d, const rf_val *v, const rf_loop *loop)
{
    const rf_loop *loops[] = { loop };
    rf_nest nest = { 1, loops, NULL };
    if (!rf_varies_in(v, &nest))
        return RF_YES;
    rf_scope scope = rf_scope_open(d);
    scope.side[A] = nest;
    rf_form f = rf_depend_form_of(&scope, A, v);
    rf_answer answer = RF_MAYBE;
    if (f.ok && !has_variation(&f))
        answer = RF_YES;
    else if (f.ok && moves_with_counter(&f))
        answer = RF_NO;
    rf_scope_close(&scope);
    return answer;
}

/* ---- comparison ---- */

typedef struct {
    rf_scope scope;
    const rf_loop *a, *b;
    const rf_loop *twins[2]; /* b, and a again for a second counter */
    isl_set *at_a, *at_b;    /* domains on the counters x of a and y of b */
    isl_set *b_on_a;         /* the domain of b on x */
    isl_id *x, *y;
} comparison;

static isl_set *renamed(isl_set *set, isl_id *from, isl_id *to)
{
    int at = isl_set_find_dim_by_id(set, isl_dim_param, from);
    if (at < 0)
        return set;
    return isl_set_set_dim_id(set, isl_dim_param, (unsigned)at,
                              isl_id_copy(to));
}

static isl_pw_aff *counter(comparison *c, unsigned side)
{
    const rf_loop *loop = side == A ? c->a : c->b;
    const rf_symbol *s = rf_symbol_of(&c->scope, side, loop->index);
    return rf_symbol_parameter(&c->scope, s);
}

static isl_set *domain(comparison *c, unsigned side)
{
    const rf_loop *loop = side == A ? c->a : c->b;
    isl_set *set = rf_domain_of(&c->scope, side, loop);
    isl_set *fits = rf_affine_in_type(&c->scope, counter(c, side), loop->type);
    return isl_set_intersect(set, fits);
}

static bool none(comparison *c, isl_set *set)
{
    return rf_scope_implies(&c->scope, isl_set_complement(set));
}

static isl_set *minus(isl_set *a, isl_set *b)
{
    return isl_set_subtract(isl_set_copy(a), isl_set_copy(b));
}

static isl_set *both(isl_set *a, isl_set *b)
{
    return isl_set_intersect(isl_set_copy(a), isl_set_copy(b));
}

static bool same_flags(const rf_loop *a, const rf_loop *b)
{
    return a->is_inclusive == b->is_inclusive &&
           a->is_equal_exit == b->is_equal_exit &&
           a->at_least_once == b->at_least_once;
}

/* Equal bounds, steps and tests: the same counters even if they wrap. */
static bool same_shape(comparison *c)
{
    const rf_loop *a = c->a, *b = c->b;
    if (!rf_type_same(a->type, b->type) || !same_flags(a, b) ||
        a->step != b->step || !rf_type_same(a->upper->type, b->upper->type))
        return false;
    isl_set *claim = isl_pw_aff_eq_set(rf_affine_value(&c->scope, A, a->lower),
                                       rf_affine_value(&c->scope, B, b->lower));
    claim = isl_set_intersect(
        claim, isl_pw_aff_eq_set(rf_affine_value(&c->scope, A, a->upper),
                                 rf_affine_value(&c->scope, B, b->upper)));
    return rf_scope_implies(&c->scope, claim);
}

/* True if the sets of the scope, which forget a symbolic step, may be
 * compared: there is none, or both loops count from one start by one step. */
static bool is_comparable(comparison *c)
{
    if (c->scope.wraps[A] || c->scope.wraps[B])
        return false;
    if (rf_val_is_int(c->a->step, NULL) && rf_val_is_int(c->b->step, NULL))
        return true;
    return c->a->step == c->b->step &&
           rf_scope_implies(
               &c->scope,
               isl_pw_aff_eq_set(rf_affine_value(&c->scope, A, c->a->lower),
                                 rf_affine_value(&c->scope, B, c->b->lower)));
}

static int64_t step_of(const rf_loop *loop)
{
    int64_t step = 0;
    rf_val_is_int(loop->step, &step);
    return step;
}

/* b = a + shift for a constant shift. */
static bool is_shifted(comparison *c, int64_t *shift)
{
    int64_t step = step_of(c->a);
    if (!step || step != step_of(c->b))
        return false;
    rf_form f = rf_form_add(&c->scope, rf_form_exact(&c->scope, B, c->b->lower),
                            rf_form_exact(&c->scope, A, c->a->lower), -1);
    if (!f.ok || !f.exact || f.n > 1 || (f.n && f.term[0].n))
        return false;
    *shift = f.n ? f.term[0].coef : 0;
    isl_pw_aff *y =
        isl_pw_aff_add(counter(c, A), rf_affine_constant(&c->scope, *shift));
    isl_set *fits =
        rf_affine_in_type(&c->scope, isl_pw_aff_copy(y), c->b->type);
    isl_set *moved = isl_set_intersect(isl_set_copy(c->at_a),
                                       isl_pw_aff_eq_set(counter(c, B), y));
    moved = isl_set_project_out_param_id(moved, isl_id_copy(c->x));
    bool equal = none(c, minus(c->at_a, fits)) &&
                 none(c, minus(moved, c->at_b)) &&
                 none(c, minus(c->at_b, moved));
    isl_set_free(fits);
    isl_set_free(moved);
    return equal;
}

/* The points x of "extra" and "y" of "other" with x + gap <= y. */
static isl_set *apart(comparison *c, isl_set *extra, isl_set *other,
                      const rf_symbol *y, int64_t gap)
{
    isl_pw_aff *x =
        isl_pw_aff_add(counter(c, A), rf_affine_constant(&c->scope, gap));
    isl_set *order = isl_pw_aff_le_set(x, rf_symbol_parameter(&c->scope, y));
    return isl_set_intersect(both(extra, other), order);
}

/* At most how many counters "extra" has, if that is a small number. */
static unsigned at_most(comparison *c, isl_set *extra)
{
    int64_t step = step_of(c->a) < 0 ? -step_of(c->a) : step_of(c->a);
    unsigned n = 0;
    const rf_symbol *twin = rf_symbol_of(&c->scope, B, c->a->index);
    isl_set *other = renamed(isl_set_copy(extra), c->x, twin->isl);
    for (unsigned k = 1; k <= 8 && !n && step; k++)
        if (none(c, apart(c, extra, other, twin, k * step)))
            n = k;
    isl_set_free(other);
    return n;
}

static rf_axis_relation subset_relation(comparison *c, isl_set *extra)
{
    if (!step_of(c->a) || !step_of(c->b))
        return RF_AXIS_OTHER;
    /* Suffix: no extra counter x lies above a counter y of b. */
    isl_set *above = isl_set_intersect(
        both(extra, c->at_b), isl_pw_aff_ge_set(counter(c, A), counter(c, B)));
    if (none(c, above))
        return RF_AXIS_SUFFIX;
    const rf_symbol *y = rf_symbol_of(&c->scope, B, c->b->index);
    if (none(c, apart(c, extra, c->at_b, y, 0)))
        return RF_AXIS_PREFIX;
    return RF_AXIS_SUBSET;
}

static void relate(comparison *c, rf_axis_match *m)
{
    m->relation = RF_AXIS_OTHER;
    if (is_shifted(c, &m->shift)) {
        m->relation = RF_AXIS_SHIFTED;
    } else if (none(c, both(c->at_a, c->b_on_a))) {
        m->relation = RF_AXIS_DISJOINT;
    } else if (none(c, minus(c->b_on_a, c->at_a))) {
        isl_set *extra = minus(c->at_a, c->b_on_a);
        m->relation = subset_relation(c, extra);
        if (m->relation == RF_AXIS_SUFFIX || m->relation == RF_AXIS_PREFIX)
            m->missing = at_most(c, extra);
        isl_set_free(extra);
    }
    if (m->relation != RF_AXIS_SHIFTED)
        m->shift = 0;
}

static void compare_sets(comparison *c, rf_axis_match *m)
{
    isl_set *difference =
        isl_set_union(minus(c->at_a, c->b_on_a), minus(c->b_on_a, c->at_a));
    m->same_set = rf_scope_judge(&c->scope, difference, &m->why);
    if (m->same_set != RF_YES) {
        relate(c, m);
        return;
    }
    bool ascending_a = step_of(c->a) >= 0, ascending_b = step_of(c->b) >= 0;
    m->relation = RF_AXIS_SAME;
    m->same_order = ascending_a == ascending_b ? RF_YES : RF_NO;
}

static const rf_axis_match identical = { .same_set = RF_YES,
                                         .same_order = RF_YES,
                                         .relation = RF_AXIS_SAME };

rf_axis_match rf_loop_compare(rf_depend *d, const rf_loop *a, const rf_loop *b)
{
    if (a == b)
        return identical;
    comparison c = { .a = a, .b = b, .twins = { b, a } };
    c.scope = rf_scope_open(d);
    c.scope.side[A] = (rf_nest){ 1, &c.a, NULL };
    c.scope.side[B] = (rf_nest){ 2, c.twins, NULL };
    rf_axis_match m = { RF_MAYBE, RF_MAYBE, RF_AXIS_OTHER, 0, 0, NULL };
    c.x = rf_symbol_of(&c.scope, A, a->index)->isl;
    c.y = rf_symbol_of(&c.scope, B, b->index)->isl;
    c.at_a = domain(&c, A);
    c.at_b = domain(&c, B);
    c.b_on_a = renamed(isl_set_copy(c.at_b), c.y, c.x);
    if (same_shape(&c))
        m = identical;
    else if (is_comparable(&c))
        compare_sets(&c, &m);
    isl_set_free(c.at_a);
    isl_set_free(c.at_b);
    isl_set_free(c.b_on_a);
    rf_scope_close(&c.scope);
    return m;
}
