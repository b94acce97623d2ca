/* Two versions (D4). Where objects a and b may overlap and their accesses
 * change their order, the emitted code asks, and runs the source otherwise:
 *
 *     if (a + low + ... <= b + ... || b + ... <= a + ...) fused else source
 *
 * An access base[index] touches base[least index] to base[greatest index],
 * over the iterations of its loops. Ends are found operator by operator:
 *
 *     counter of [lower, upper)   lower ... upper - 1
 *     x + y, x - y                sum of the ends, of opposite ends
 *     c * x, c >= 0               c * ends
 *
 * and must then be proven to be ends (depend/). A loop that does not run
 * touches nothing, whatever the ends are. */
#include "depend/depend.h"
#include "plan/planning.h"

#include <string.h>

enum { MOST_TESTS = 8 };

/* v + more; "v" NULL: 0. */
typedef struct {
    const rf_val *v;
    int64_t more;
} end;

typedef struct {
    rf_planner *p;
    rf_vals *vals;
    rf_depend *depend;
    unsigned n;
    const rf_loop *const *loops;
} finder;

static bool find_end(finder *f, const rf_val *v, bool top, end *out);

/* ---- values that are known when the code begins ---- */

static bool is_unknown(const rf_val *v, const void *unused)
{
    (void)unused;
    return v->kind != RF_VAL_CONST && v->kind != RF_VAL_ENTRY &&
           v->kind != RF_VAL_OP && v->kind != RF_VAL_CALL &&
           v->kind != RF_VAL_CAST;
}

static bool is_number(const rf_val *v)
{
    return v->type->kind == RF_TYPE_INT || v->type->kind == RF_TYPE_BOOL;
}

/* ---- what all threads of a block agree about ---- */

static bool is_same_var(rf_planner *p, const rf_var *var, unsigned depth);

static bool is_same_expr(rf_planner *p, const rf_expr *e, unsigned depth)
{
    if (e->op == RF_OP_VAR)
        return is_same_var(p, e->var, depth + 1);
    if (e->op == RF_OP_CALL || e->op == RF_OP_OPAQUE || rf_op_assigns(e->op))
        return false;
    for (unsigned i = 0; i < e->n; i++)
        if (!is_same_expr(p, e->arg[i], depth))
            return false;
    return true;
}

static bool is_same_var(rf_planner *p, const rf_var *var, unsigned depth)
{
    if (var->storage == RF_VAR_BUILTIN)
        return strcmp(var->name, "threadIdx") != 0;
    if (var->storage == RF_VAR_TEMPLATE || var->storage == RF_VAR_CONSTANT ||
        var->storage == RF_VAR_GLOBAL)
        return true;
    if (!var->is_const || depth > 16)
        return false;
    const rf_stmt *decl = rf_plan_declaration(p, var);
    return var->storage == RF_VAR_PARAM ||
           (var->storage == RF_VAR_LOCAL && decl && decl->expr &&
            is_same_expr(p, decl->expr, depth));
}

bool rf_plan_is_for_block(rf_planner *p, const rf_val *v)
{
    if (v->kind == RF_VAL_ENTRY)
        return is_same_var(p, v->var, 0);
    for (unsigned i = 0; i < v->n; i++)
        if (!rf_plan_is_for_block(p, v->arg[i]))
            return false;
    return !is_unknown(v, NULL);
}

static bool is_steady(const finder *f, const rf_val *v)
{
    return !rf_val_find(v, is_unknown, NULL) &&
           (!f->p->trace->team || rf_plan_is_for_block(f->p, v));
}

static const rf_val *not_negative(rf_vals *vals, const rf_val *v)
{
    return rf_val_op2(vals, RF_OP_GE, &rf_type_bool, v,
                      rf_val_int(vals, 0, v->type));
}

/* A size that nothing is known of is one of the things that are tested. */
static bool has_sign(finder *f, const rf_val *v)
{
    const rf_val *ge = not_negative(f->vals, v);
    if (rf_depend_holds(f->depend, ge, NULL) == RF_YES)
        return true;
    const rf_val *size = rf_val_without_casts(v);
    if (size->kind != RF_VAL_ENTRY)
        return false;
    ge = not_negative(f->vals, size);
    rf_depend_fact(f->depend, ge);
    RF_PUSH(f->p->plan->signs, ge);
    return true;
}

/* ---- ends ---- */

static const rf_val *value_of(finder *f, end e, const rf_type *type)
{
    if (!e.v)
        return rf_val_int(f->vals, e.more, type);
    const rf_val *v = rf_val_cast(f->vals, type, e.v, NULL);
    if (!e.more)
        return v;
    return rf_val_op2(f->vals, e.more > 0 ? RF_OP_ADD : RF_OP_SUB, type, v,
                      rf_val_int(f->vals, e.more > 0 ? e.more : -e.more, type));
}

static end sum(finder *f, rf_op op, end a, end b, const rf_type *type)
{
    end s = { a.v, op == RF_OP_ADD ? a.more + b.more : a.more - b.more };
    if (!b.v)
        return s;
    const rf_val *y = rf_val_cast(f->vals, type, b.v, NULL);
    if (!a.v && op == RF_OP_ADD)
        s.v = y;
    else
        s.v = rf_val_op2(f->vals, op, type, value_of(f, (end){ a.v, 0 }, type),
                         y);
    return s;
}

/* counter of "l" at its first or last place. */
static bool end_of_loop(finder *f, const rf_loop *l, bool top, end *out)
{
    int64_t step;
    bool known = rf_val_is_int(l->step, &step) && step;
    if (l->at_least_once || (!known && !l->is_dealt) ||
        (l->is_equal_exit && (!known || (step != 1 && step != -1))))
        return false;
    bool falls = known && step < 0;
    const rf_val *lower = l->is_split ? l->least : l->lower;
    if (!lower || (l->is_split && falls) ||
        !find_end(f, top != falls ? l->upper : lower, top, out))
        return false;
    if (top != falls && !l->is_inclusive)
        out->more += falls ? 1 : -1;
    return true;
}

/* "v" is a product of which one factor is known. */
static bool end_of_product(finder *f, const rf_val *v, bool top, end *out)
{
    int k = is_steady(f, v->arg[0]) ? 0 : 1;
    const rf_val *factor = v->arg[k];
    int64_t number;
    bool is_number = rf_val_is_int(factor, &number);
    if (!is_steady(f, factor) ||
        (is_number ? number < 0 : !has_sign(f, factor)) ||
        !find_end(f, v->arg[1 - k], top, out))
        return false;
    if (!out->v && !out->more)
        return true;
    int64_t more = is_number && out->v ? out->more * number : 0;
    end whole = is_number && out->v ? (end){ out->v, 0 } : *out;
    const rf_val *x = value_of(f, whole, v->type);
    out->v = rf_val_is_number(x, 1)
                 ? factor
                 : rf_val_op2(f->vals, RF_OP_MUL, v->type, x, factor);
    out->more = more;
    return true;
}

static bool find_end(finder *f, const rf_val *v, bool top, end *out)
{
    *out = (end){ 0 };
    if (rf_val_is_int(v, &out->more))
        return true;
    if (!is_number(v))
        return false;
    end a, b;
    if (is_steady(f, v) && v->kind != RF_VAL_OP) {
        out->v = v;
        return true;
    }
    if (v->kind == RF_VAL_INDEX)
        return end_of_loop(f, v->loop, top, out);
    if (v->kind == RF_VAL_CAST) {
        if (!find_end(f, v->arg[0], top, out))
            return false;
        /* u + (unsigned)j is a place behind u as u + j is */
        bool plain = v->type->is_unsigned && !v->arg[0]->type->is_unsigned;
        if (out->v && !plain)
            out->v = rf_val_cast(f->vals, v->type, out->v, v->expr);
        return true;
    }
    bool is_sum = v->kind == RF_VAL_OP && v->n == 2 &&
                  (v->op == RF_OP_ADD || v->op == RF_OP_SUB);
    if (is_sum && find_end(f, v->arg[0], top, &a) &&
        find_end(f, v->arg[1], v->op == RF_OP_ADD ? top : !top, &b)) {
        *out = sum(f, v->op, a, b, v->type);
        return true;
    }
    if (is_steady(f, v)) {
        out->v = v;
        return true;
    }
    return v->kind == RF_VAL_OP && v->op == RF_OP_MUL &&
           end_of_product(f, v, top, out);
}

/* ---- what accesses touch ---- */

static bool same_extent(const rf_extent *x, const rf_extent *y)
{
    return x->base == y->base && x->low == y->low && x->high == y->high &&
           x->low_more == y->low_more && x->high_more == y->high_more;
}

typedef RF_ARRAY(rf_extent) extents;

static bool add_extent(finder *f, extents *list, const rf_val *base,
                       const rf_val *index, bool is_stored)
{
    end low, high;
    bool is_shared = !f->p->trace->team || rf_plan_is_for_block(f->p, base);
    if (!index || !is_shared || !find_end(f, index, false, &low) ||
        !find_end(f, index, true, &high))
        return false;
    rf_extent x = { .base = base,
                    .low = low.v,
                    .high = high.v,
                    .low_more = low.more,
                    .high_more = high.more + 1,
                    .is_stored = is_stored };
    if (!rf_extent_holds(f->p, f->depend, &x, index, f->n, f->loops))
        return false;
    for (size_t i = 0; i < list->len; i++)
        if (same_extent(&list->data[i], &x)) {
            list->data[i].is_stored |= is_stored;
            return true;
        }
    RF_PUSH(*list, x);
    return true;
}

/* What is touched of the object "root"; false: that is not known. */
static bool find_extents(rf_planner *p, rf_depend *d, const rf_val *root,
                         extents *list)
{
    finder f = { .p = p, .vals = p->trace->vals, .depend = d };
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        f.n = s->n_loops;
        f.loops = s->loops;
        if (rf_trace_root(p->trace, s->base) == root &&
            !add_extent(&f, list, s->base, s->index, true))
            return false;
    }
    for (size_t i = 0; i < p->trace->loads.len; i++) {
        const rf_load *l = &p->trace->loads.data[i];
        f.n = l->n_loops;
        f.loops = l->loops;
        if (rf_trace_root(p->trace, l->base) == root &&
            !add_extent(&f, list, l->base, l->index, false))
            return false;
    }
    return true;
}

/* Where the counter of "loop" is, for one lane or for all of the team. */
static void enter(rf_vals *vals, rf_depend *d, const rf_loop *loop)
{
    if (!loop->is_split) {
        rf_depend_enter(d, loop);
        return;
    }
    const rf_val *from =
        rf_val_cast(vals, loop->index->type, loop->least, NULL);
    const rf_val *to = rf_val_cast(vals, loop->index->type, loop->upper, NULL);
    rf_depend_fact(
        d, rf_val_op2(vals, RF_OP_LE, &rf_type_bool, from, loop->index));
    rf_depend_fact(d, rf_val_op2(vals, loop->is_inclusive ? RF_OP_LE : RF_OP_LT,
                                 &rf_type_bool, loop->index, to));
}

/* f >= 0 and a <= i <= b: (i - a) * f >= 0 and (b - i) * f >= 0. */
static void add_product(rf_vals *vals, rf_depend *d, const rf_val *factor,
                        const rf_loop *loop)
{
    const rf_type *t = &rf_type_long_long;
    const rf_val *f = rf_val_cast(vals, t, factor, NULL);
    const rf_val *i = rf_val_cast(vals, t, loop->index, NULL);
    const rf_val *lower = loop->is_split ? loop->least : loop->lower;
    const rf_val *a = rf_val_cast(vals, t, lower, NULL);
    const rf_val *b = rf_val_cast(vals, t, loop->upper, NULL);
    if (!loop->is_inclusive)
        b = rf_val_op2(vals, RF_OP_SUB, t, b, rf_val_int(vals, 1, t));
    const rf_val *below = rf_val_op2(vals, RF_OP_SUB, t, i, a);
    const rf_val *above = rf_val_op2(vals, RF_OP_SUB, t, b, i);
    rf_depend_fact(
        d, not_negative(vals, rf_val_op2(vals, RF_OP_MUL, t, below, f)));
    rf_depend_fact(
        d, not_negative(vals, rf_val_op2(vals, RF_OP_MUL, t, above, f)));
}

static bool rises(const rf_loop *loop)
{
    int64_t step;
    return loop->is_dealt || (rf_val_is_int(loop->step, &step) && step > 0);
}

/* Products of a counter and a size in "v" grow with the counter. */
static void add_products(rf_vals *vals, rf_depend *d, const rf_val *v,
                         const rf_loop *loop)
{
    bool is_product = v->kind == RF_VAL_OP && v->op == RF_OP_MUL;
    for (unsigned i = 0; i < v->n; i++) {
        const rf_val *f = v->arg[i];
        if (is_product && rises(loop) && !rf_val_find(f, is_unknown, NULL) &&
            rf_val_mentions(v->arg[1 - i], loop->index) &&
            rf_depend_holds(d, not_negative(vals, f), NULL) == RF_YES)
            add_product(vals, d, f, loop);
        add_products(vals, d, f, loop);
    }
}

static bool is_at_least(rf_vals *vals, rf_depend *d, const rf_val *a, end b)
{
    const rf_val *x = rf_val_cast(vals, &rf_type_long_long, a, NULL);
    const rf_val *y =
        value_of(&(finder){ .vals = vals }, b, &rf_type_long_long);
    const rf_val *ge = rf_val_op2(vals, RF_OP_GE, &rf_type_bool, x, y);
    return rf_depend_holds(d, ge, NULL) == RF_YES;
}

bool rf_extent_holds(rf_planner *p, rf_depend *d, const rf_extent *x,
                     const rf_val *index, unsigned n,
                     const rf_loop *const *loops)
{
    rf_vals *vals = p->trace->vals;
    size_t mark = rf_depend_mark(d);
    for (unsigned i = 0; i < n; i++)
        enter(vals, d, loops[i]);
    for (unsigned i = 0; i < n; i++)
        add_products(vals, d, index, loops[i]);
    const rf_val *high =
        value_of(&(finder){ .vals = vals }, (end){ x->high, x->high_more - 1 },
                 &rf_type_long_long);
    bool holds = is_at_least(vals, d, index, (end){ x->low, x->low_more }) &&
                 is_at_least(vals, d, high, (end){ index, 0 });
    rf_depend_reset(d, mark);
    return holds;
}

/* ---- tests ---- */

static bool add_tests(rf_planner *p, const extents *a, const extents *b)
{
    for (size_t i = 0; i < a->len; i++)
        for (size_t k = 0; k < b->len; k++) {
            rf_overlap_test t = { a->data[i], b->data[k] };
            if (t.a.is_stored || t.b.is_stored)
                RF_PUSH(p->plan->tests, t);
        }
    return p->plan->tests.len <= MOST_TESTS;
}

static bool add_pair(rf_planner *p, rf_depend *d, const rf_apart *x)
{
    extents a = { 0 }, b = { 0 };
    bool ok = find_extents(p, d, x->a, &a) && find_extents(p, d, x->b, &b) &&
              add_tests(p, &a, &b);
    RF_CLEAR(a);
    RF_CLEAR(b);
    return ok;
}

static void refuse(rf_planner *p, const rf_apart *x)
{
    rf_plan_refuse(p, RF_DIAG_ALIAS, x->load,
                   "not fused: '%s' and '%s' may overlap",
                   rf_plan_object_name(x->a), rf_plan_object_name(x->b));
    rf_plan_note(p, x->store, "'%s' is written here",
                 rf_plan_object_name(x->b));
}

/* A variable that the replaced statements declare and others use has one
 * place only. */
static bool declares_for_others(const rf_plan *plan)
{
    for (size_t i = 0; i < plan->trace->declared.len; i++)
        if (rf_plan_needs(plan, plan->trace->declared.data[i]))
            return true;
    return false;
}

bool rf_plan_overlap_tests(rf_planner *p)
{
    rf_depend *d = rf_depend_new(p->arena);
    rf_depend_assume_no_wrap(d);
    rf_plan_facts(p, d);
    for (size_t i = 0; i < p->plan->apart.len && !p->refused; i++) {
        const rf_apart *x = &p->plan->apart.data[i];
        bool named = x->a->kind == RF_VAL_ENTRY && x->b->kind == RF_VAL_ENTRY;
        if (x->why == RF_APART_TESTED &&
            (!named || declares_for_others(p->plan) || !add_pair(p, d, x)))
            refuse(p, x);
    }
    rf_depend_free(d);
    return !p->refused;
}
