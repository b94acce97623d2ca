/* Conditions and loops as sets; questions to them. */
#include "depend/inside.h"

#include <isl/options.h>

/* ---- questions ---- */

/* isl gives up after so many steps; the answer is then "maybe". */
enum { MAX_STEPS = 1000000 };

rf_depend *rf_depend_new(rf_arena *arena)
{
    rf_depend *d = RF_NEW(arena, rf_depend);
    d->arena = arena;
    d->ctx = isl_ctx_alloc();
    isl_options_set_on_error(d->ctx, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(d->ctx, MAX_STEPS);
    return d;
}

void rf_depend_free(rf_depend *d)
{
    if (!d)
        return;
    rf_depend_reset(d, 0);
    for (size_t i = 0; i < d->symbols.len; i++)
        isl_id_free(d->symbols.data[i]->isl);
    RF_CLEAR(d->facts);
    RF_CLEAR(d->symbols);
    isl_ctx_free(d->ctx);
}

static isl_set *everything(rf_depend *d)
{
    return isl_set_universe(isl_space_set_alloc(d->ctx, 0, 0));
}

rf_scope rf_scope_open(rf_depend *d)
{
    isl_ctx_reset_error(d->ctx);
    isl_ctx_reset_operations(d->ctx);
    rf_scope scope = { .depend = d, .arena = rf_arena_new() };
    if (!d->facts.len) {
        scope.set = everything(d);
        return scope;
    }
    scope.set = isl_set_copy(RF_LAST(d->facts).set);
    scope.loose[0] = RF_LAST(d->facts).loose;
    return scope;
}

void rf_scope_close(rf_scope *scope)
{
    isl_set_free(scope->set);
    rf_arena_free(scope->arena);
}

/* What of "bad" (taken) is possible, given all that is known. */
static isl_set *possible(rf_scope *scope, isl_set *bad)
{
    bad = isl_set_intersect(bad, isl_set_copy(scope->set));
    if (isl_set_is_empty(bad) == isl_bool_true)
        return bad;
    return rf_symbols_bound(scope, bad);
}

bool rf_scope_implies(rf_scope *scope, isl_set *claim)
{
    isl_set *bad = possible(scope, isl_set_complement(claim));
    bool proven = isl_set_is_empty(bad) == isl_bool_true;
    isl_set_free(bad);
    return proven;
}

rf_answer rf_scope_judge(rf_scope *scope, isl_set *bad, const char **why)
{
    bad = possible(scope, bad);
    isl_bool empty = isl_set_is_empty(bad);
    rf_answer answer = empty == isl_bool_true ? RF_YES : RF_MAYBE;
    if (why)
        *why = NULL;
    if (empty == isl_bool_false) {
        bool exact = rf_symbols_plain(bad);
        for (unsigned tag = 0; tag < RF_TAGS; tag++)
            exact &= !scope->loose[tag] && !scope->wraps[tag];
        answer = exact ? RF_NO : RF_MAYBE;
        if (why)
            *why = rf_symbols_witness(scope, bad);
    }
    isl_set_free(bad);
    return answer;
}

/* ---- conditions ---- */

static isl_set *relation_set(rf_op op, isl_pw_aff *a, isl_pw_aff *b)
{
    switch (op) {
    case RF_OP_LT:
        return isl_pw_aff_lt_set(a, b);
    case RF_OP_LE:
        return isl_pw_aff_le_set(a, b);
    case RF_OP_GT:
        return isl_pw_aff_gt_set(a, b);
    case RF_OP_GE:
        return isl_pw_aff_ge_set(a, b);
    case RF_OP_EQ:
        return isl_pw_aff_eq_set(a, b);
    default:
        return isl_pw_aff_ne_set(a, b);
    }
}

static bool is_signed(const rf_type *type)
{
    return type->kind == RF_TYPE_INT && !type->is_unsigned;
}

bool rf_op_is_relation(rf_op op)
{
    return op >= RF_OP_LT && op <= RF_OP_NE;
}

/* a op b on integers of one signedness, or NULL. */
static isl_set *compare(rf_scope *scope, unsigned tag, const rf_val *v)
{
    const rf_val *a = v->arg[0], *b = v->arg[1];
    if (!rf_type_is_integer(a->type) || !rf_type_is_integer(b->type) ||
        is_signed(a->type) != is_signed(b->type))
        return NULL;
    return relation_set(v->op, rf_affine_value(scope, tag, a),
                        rf_affine_value(scope, tag, b));
}

/* a && b, a || b and their negations. */
static isl_set *connected(rf_scope *scope, unsigned tag, const rf_val *v,
                          bool negate)
{
    isl_set *a = rf_condition_set(scope, tag, v->arg[0], negate);
    isl_set *b = rf_condition_set(scope, tag, v->arg[1], negate);
    bool both = (v->op == RF_OP_AND) != negate;
    return both ? isl_set_intersect(a, b) : isl_set_union(a, b);
}

static bool is_truth_cast(const rf_val *v)
{
    return v->kind == RF_VAL_CAST && (v->type->kind == RF_TYPE_BOOL ||
                                      v->arg[0]->type->kind == RF_TYPE_BOOL);
}

/* Where the value "v" is not zero. */
static isl_set *nonzero(rf_scope *scope, unsigned tag, const rf_val *v)
{
    bool opaque = v->kind == RF_VAL_OP && rf_op_is_relation(v->op);
    isl_pw_aff *value =
        opaque || !rf_type_is_integer(v->type)
            ? rf_symbol_parameter(scope, rf_symbol_of(scope, tag, v))
            : rf_affine_value(scope, tag, v);
    return isl_pw_aff_ne_set(value, rf_affine_constant(scope, 0));
}

isl_set *rf_condition_set(rf_scope *scope, unsigned tag, const rf_val *v,
                          bool negate)
{
    if (is_truth_cast(v))
        return rf_condition_set(scope, tag, v->arg[0], negate);
    if (v->kind == RF_VAL_OP && v->op == RF_OP_NOT)
        return rf_condition_set(scope, tag, v->arg[0], !negate);
    if (v->kind == RF_VAL_OP && (v->op == RF_OP_AND || v->op == RF_OP_OR))
        return connected(scope, tag, v, negate);
    isl_set *set = NULL;
    if (v->kind == RF_VAL_OP && rf_op_is_relation(v->op))
        set = compare(scope, tag, v);
    if (!set)
        set = nonzero(scope, tag, v);
    return negate ? isl_set_complement(set) : set;
}

/* Restrict the scope to where "v" holds. */
static void assume(rf_scope *scope, unsigned tag, const rf_val *v)
{
    isl_set *set = rf_condition_set(scope, tag, v, false);
    scope->set = isl_set_intersect(scope->set, set);
}

/* ---- loops ---- */

typedef struct {
    isl_pw_aff *lower, *upper, *step, *counter;
    bool is_down, is_unit, is_parametric;
} bounds;

static bounds bounds_of(rf_scope *scope, unsigned tag, const rf_loop *loop)
{
    int64_t step = 0;
    bool known = rf_val_is_int(loop->step, &step);
    const rf_symbol *s = rf_symbol_of(scope, tag, loop->index);
    return (bounds){ .lower = rf_affine_value(scope, tag, loop->lower),
                     .upper = rf_affine_value(scope, tag, loop->upper),
                     .step = rf_affine_value(scope, tag, loop->step),
                     .counter = rf_symbol_parameter(scope, s),
                     .is_down = known && step < 0,
                     .is_unit = known && (step == 1 || step == -1),
                     .is_parametric = !known };
}

static void bounds_free(bounds *b)
{
    isl_pw_aff_free(b->lower);
    isl_pw_aff_free(b->upper);
    isl_pw_aff_free(b->step);
    isl_pw_aff_free(b->counter);
}

/* a < b for a loop upwards, a > b downwards; with "or_equal" also a = b. */
static isl_set *before(const bounds *b, isl_pw_aff *x, isl_pw_aff *y,
                       bool or_equal)
{
    x = isl_pw_aff_copy(x);
    y = isl_pw_aff_copy(y);
    if (b->is_down)
        return or_equal ? isl_pw_aff_ge_set(x, y) : isl_pw_aff_gt_set(x, y);
    return or_equal ? isl_pw_aff_le_set(x, y) : isl_pw_aff_lt_set(x, y);
}

/* "limit" plus one step, counting from the last counter before "limit" (or
 * "limit" itself if it is "reached"), fits "type". */
static isl_set *step_fits(rf_scope *scope, const bounds *b, isl_pw_aff *limit,
                          bool reached, const rf_type *type)
{
    isl_pw_aff *next =
        isl_pw_aff_add(isl_pw_aff_copy(limit), isl_pw_aff_copy(b->step));
    int64_t gap = reached ? 0 : b->is_down ? 1 : -1;
    next = isl_pw_aff_add(next, rf_affine_constant(scope, gap));
    return rf_affine_in_type(scope, next, type);
}

/* False if the test compares as unsigned what may be negative. */
static bool compares_safely(rf_scope *scope, const rf_loop *loop,
                            const bounds *b)
{
    const rf_type *counter = loop->type, *limit = loop->upper->type;
    if (is_signed(counter) == is_signed(limit))
        return true;
    const rf_type *plain = is_signed(counter) ? limit : counter;
    const rf_type *other = is_signed(counter) ? counter : limit;
    if (rf_type_bits(plain) < rf_type_bits(other))
        return true;
    if (b->is_down)
        return false;
    isl_pw_aff *checked = is_signed(counter) ? b->lower : b->upper;
    isl_set *claim = isl_pw_aff_nonneg_set(isl_pw_aff_copy(checked));
    return rf_scope_implies(scope, claim);
}

/* True unless the counter provably runs from lower to upper without wrapping.
 * Overflow of signed counters is undefined; 64 bits are never exhausted. */
static bool may_wrap(rf_scope *scope, const rf_loop *loop, const bounds *b)
{
    unsigned bits = rf_type_bits(loop->type);
    if (scope->depend->no_wrap)
        return false;
    if (!compares_safely(scope, loop, b))
        return true;
    if (is_signed(loop->type) && bits >= 32)
        return false;
    if (loop->is_equal_exit &&
        !(b->is_unit &&
          rf_scope_implies(scope, before(b, b->lower, b->upper, true))))
        return true;
    if (bits >= 64)
        return false;
    if (loop->at_least_once &&
        !rf_scope_implies(scope,
                          step_fits(scope, b, b->lower, true, loop->type)))
        return true;
    return !rf_scope_implies(
        scope, step_fits(scope, b, b->upper, loop->is_inclusive, loop->type));
}

/* lower <= counter < upper on the grid of a constant step. */
static isl_set *range(rf_scope *scope, unsigned tag, const rf_loop *loop,
                      const bounds *b)
{
    isl_set *set = before(b, b->lower, b->counter, true);
    set = isl_set_intersect(
        set, before(b, b->counter, b->upper, loop->is_inclusive));
    int64_t step;
    if (b->is_parametric) {
        scope->loose[tag] = true;
        isl_pw_aff *zero = rf_affine_constant(scope, 0);
        return isl_set_intersect(
            set, isl_pw_aff_gt_set(isl_pw_aff_copy(b->step), zero));
    }
    if (b->is_unit || !rf_val_is_int(loop->step, &step))
        return set;
    isl_pw_aff *offset =
        isl_pw_aff_sub(isl_pw_aff_copy(b->counter), isl_pw_aff_copy(b->lower));
    isl_val *size =
        isl_val_int_from_si(scope->depend->ctx, step < 0 ? -step : step);
    return isl_set_intersect(
        set, isl_pw_aff_zero_set(isl_pw_aff_mod_val(offset, size)));
}

isl_set *rf_domain_of(rf_scope *scope, unsigned tag, const rf_loop *loop)
{
    bounds b = bounds_of(scope, tag, loop);
    isl_set *set = NULL;
    if (!b.lower || !b.upper || !b.step) {
        scope->loose[tag] = true;
        scope->wraps[tag] = true;
    } else if (may_wrap(scope, loop, &b)) {
        scope->wraps[tag] = true;
    } else {
        set = range(scope, tag, loop, &b);
        if (loop->at_least_once)
            set =
                isl_set_union(set, isl_pw_aff_eq_set(isl_pw_aff_copy(b.counter),
                                                     isl_pw_aff_copy(b.lower)));
    }
    bounds_free(&b);
    return set ? set : everything(scope->depend);
}

isl_set *rf_first_test(rf_scope *scope, unsigned tag, const rf_loop *loop)
{
    bounds b = bounds_of(scope, tag, loop);
    isl_set *set = NULL;
    if (b.lower && b.upper && b.step && compares_safely(scope, loop, &b))
        set = loop->is_equal_exit
                  ? isl_pw_aff_ne_set(isl_pw_aff_copy(b.lower),
                                      isl_pw_aff_copy(b.upper))
                  : before(&b, b.lower, b.upper, loop->is_inclusive);
    bounds_free(&b);
    return set;
}

void rf_scope_enter(rf_scope *scope, unsigned tag, const rf_nest *nest)
{
    scope->side[tag] = *nest;
    for (unsigned i = 0; i < nest->n; i++) {
        isl_set *set = rf_domain_of(scope, tag, nest->loops[i]);
        scope->set = isl_set_intersect(scope->set, set);
    }
    if (nest->guard)
        assume(scope, tag, nest->guard);
}

/* ---- facts ---- */

/* Add "set" (taken) to the facts; closes "scope". If isl gave up, the old
 * facts stay. */
static void keep(rf_scope *scope, isl_set *set)
{
    rf_depend *d = scope->depend;
    rf_facts facts = { isl_set_copy(scope->set),
                       scope->loose[0] || scope->wraps[0] };
    set = isl_set_coalesce(isl_set_intersect(set, isl_set_copy(facts.set)));
    if (set) {
        isl_set_free(facts.set);
        facts.set = set;
    }
    RF_PUSH(d->facts, facts);
    rf_scope_close(scope);
}

void rf_depend_fact(rf_depend *d, const rf_val *v)
{
    rf_scope scope = rf_scope_open(d);
    keep(&scope, rf_condition_set(&scope, 0, v, false));
}

void rf_depend_enter(rf_depend *d, const rf_loop *loop)
{
    rf_scope scope = rf_scope_open(d);
    keep(&scope, rf_domain_of(&scope, 0, loop));
}

size_t rf_depend_mark(const rf_depend *d)
{
    return d->facts.len;
}

void rf_depend_reset(rf_depend *d, size_t mark)
{
    while (d->facts.len > mark)
        isl_set_free(RF_POP(d->facts).set);
}

void rf_depend_assume_no_wrap(rf_depend *d)
{
    d->no_wrap = true;
}

rf_answer rf_depend_holds(rf_depend *d, const rf_val *v, const char **why)
{
    rf_scope scope = rf_scope_open(d);
    isl_set *bad = rf_condition_set(&scope, 0, v, true);
    rf_answer answer = rf_scope_judge(&scope, bad, why);
    rf_scope_close(&scope);
    return answer;
}
