/* Values in a scene: every element is finite, and the axis either has an
 * element that contributes or has none. What remains are real functions:
 *
 *     x == -INFINITY            false, for a finite x
 *     n > 0                     true or false, as the axis runs
 *     result of a reduction     its initial value, in the empty scene */
#include "proof/proving.h"

#include "ir/math.h"

#include <math.h>

typedef struct {
    rf_prover *p;
    const rf_loop *axis;
    size_t cap;
    const rf_val **memo;
} player;

static const rf_val *play(player *w, const rf_val *v);

static const rf_val *strip(const rf_val *v, bool *negative)
{
    *negative = false;
    for (;;) {
        if (v->kind == RF_VAL_CAST && (v->type->kind == RF_TYPE_FLOAT ||
                                       v->type->kind == RF_TYPE_DEPENDENT))
            v = v->arg[0];
        else if (v->kind == RF_VAL_OP && v->op == RF_OP_NEG) {
            *negative = !*negative;
            v = v->arg[0];
        } else
            return v;
    }
}

/* -1, +1: this infinite constant; 0: none. */
static int infinity_of(const rf_val *v)
{
    bool negative;
    v = strip(v, &negative);
    if (v->kind != RF_VAL_CONST || v->expr->op != RF_OP_FLOAT ||
        !isinf(v->expr->value.f))
        return 0;
    return (v->expr->value.f > 0) != negative ? 1 : -1;
}

static bool is_relation(const rf_val *v)
{
    return v->kind == RF_VAL_OP && v->op >= RF_OP_LT && v->op <= RF_OP_NE;
}

/* A relation with an infinite side: all else is finite, between the two. */
static int infinite_relation(const rf_val *v)
{
    int a = infinity_of(v->arg[0]), b = infinity_of(v->arg[1]);
    return a || b ? rf_relation_holds(v->op, a, b) : -1;
}

static bool is_integer(const rf_val *v)
{
    return v->type && v->type->kind == RF_TYPE_INT;
}

static const rf_val *truth(player *w, bool yes)
{
    return rf_val_int(w->p->trace->vals, yes, &rf_type_bool);
}

static const rf_val *fold_relation(player *w, const rf_val *v)
{
    int known = infinite_relation(v);
    if (known < 0 && is_integer(v->arg[0]) && is_integer(v->arg[1]))
        known =
            rf_condition_holds(w->p, v, w->axis, w->p->scene == RF_SCENE_FULL);
    return known < 0 ? v : truth(w, known);
}

static const rf_val *fold_logic(player *w, const rf_val *v)
{
    int64_t k;
    if (v->op == RF_OP_NOT)
        return rf_val_is_int(v->arg[0], &k) ? truth(w, !k) : v;
    bool is_and = v->op == RF_OP_AND;
    for (unsigned i = 0; i < 2; i++)
        if (rf_val_is_int(v->arg[i], &k))
            return (k != 0) == is_and ? v->arg[1 - i] : truth(w, k != 0);
    return v;
}

/* (bool)n is n != 0, whichever way it is written. */
static const rf_val *fold_cast(player *w, const rf_val *v)
{
    rf_vals *vals = w->p->trace->vals;
    const rf_val *a = v->arg[0];
    int64_t k;
    if (v->type->kind == RF_TYPE_INT && a->type->kind == RF_TYPE_BOOL)
        return rf_val_is_int(a, &k) ? rf_val_int(vals, k, v->type) : v;
    if (v->type->kind != RF_TYPE_BOOL || a->type->kind != RF_TYPE_INT)
        return v;
    if (a->kind == RF_VAL_CAST && a->arg[0]->type->kind == RF_TYPE_BOOL)
        return a->arg[0];
    return rf_val_op2(vals, RF_OP_NE, v->type, a, rf_val_int(vals, 0, a->type));
}

static const rf_val *fold(player *w, const rf_val *v)
{
    if (v->kind == RF_VAL_CAST && v->type && v->arg[0]->type)
        return fold_cast(w, v);
    if (v->kind != RF_VAL_OP)
        return v;
    if (v->op == RF_OP_SELECT)
        return rf_val_select(w->p->trace->vals, v->arg[0], v->arg[1],
                             v->arg[2]);
    if (is_relation(v))
        return fold_relation(w, v);
    if (v->op == RF_OP_NOT || v->op == RF_OP_AND || v->op == RF_OP_OR)
        return fold_logic(w, v);
    return v;
}

/* The accumulator of the emitted code whose result "v" is, or NULL. */
static const rf_accumulator *flag_of(const rf_prover *p, const rf_val *v)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].is_flag && p->acc.data[i].red == v->red)
            return &p->acc.data[i];
    return NULL;
}

/* Does "v" name its reduction's own indices, as its initial value does? */
static bool has_own_indices(const rf_val *v)
{
    const rf_red *r = v->red;
    for (unsigned i = 0; i < v->n; i++)
        if (v->arg[i] != r->result->arg[i] &&
            rf_val_mentions(r->init, r->result->arg[i]))
            return false;
    return true;
}

/* Indices in their fixed form. */
static const rf_val *play_indices(player *w, const rf_val *v)
{
    rf_vals *vals = w->p->trace->vals;
    unsigned first = v->kind == RF_VAL_LOAD ? 1 : 0;
    const rf_val **args = RF_NEW_ARRAY(w->p->arena, v->n + 1, const rf_val *);
    for (unsigned i = 0; i < v->n; i++)
        args[i] = i < first ? v->arg[i] : rf_index_form(vals, v->arg[i]);
    rf_val proto = *v;
    proto.arg = args;
    return rf_val_make(vals, &proto);
}

static const rf_val *play_result(player *w, const rf_val *v)
{
    if (v->red->axis != w->axis || !has_own_indices(v))
        return v;
    if (w->p->scene == RF_SCENE_EMPTY)
        return play(w, v->red->init);
    const rf_accumulator *flag = flag_of(w->p, v);
    return flag ? flag->next : v;
}

static const rf_val *play(player *w, const rf_val *v)
{
    if (!v)
        return NULL;
    if (v->id < w->cap && w->memo[v->id])
        return w->memo[v->id];
    const rf_val *r = v;
    if (v->n) {
        const rf_val **args =
            RF_NEW_ARRAY(w->p->arena, v->n + 1, const rf_val *);
        for (unsigned i = 0; i < v->n; i++)
            args[i] = play(w, v->arg[i]);
        rf_val proto = *v;
        proto.arg = args;
        r = rf_val_make(w->p->trace->vals, &proto);
    }
    if (r->kind == RF_VAL_ENTRY)
        return rf_entry_value(w->p, r);
    if (r->kind == RF_VAL_LOAD || r->kind == RF_VAL_RESULT)
        r = play_indices(w, r);
    r = r->kind == RF_VAL_RESULT ? play_result(w, r) : fold(w, r);
    if (v->id < w->cap)
        w->memo[v->id] = r;
    return r;
}

const rf_val *rf_in_scene(rf_prover *p, const rf_val *v)
{
    player w = { .p = p, .cap = v ? v->id + 1 : 0 };
    w.axis = p->acc.len ? p->acc.data[0].loop : NULL;
    w.memo = RF_NEW_ARRAY(p->arena, w.cap + 1, const rf_val *);
    return play(&w, v);
}
