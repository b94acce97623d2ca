/* A template is analysed as if its types were real numbers that round no more
 * than float does. For each type that it leaves open, here T and A, this says
 * what makes that true:
 *
 *     a T * b, SUM T      T is a floating-point type      (integers truncate)
 *     (T)f, f of a sum    T holds every value of float    (half rounds)
 *
 * Where the file makes the template for another type, the region is refused;
 * for other files the emitted code asserts it. */
#include "plan/planning.h"

#include "ir/math.h"
#include "support/word.h"

#include <string.h>

typedef struct {
    rf_planner *p;
    rf_range at; /* of the member that is looked at */
    bool ok;
} check;

static bool is_open(const rf_type *t)
{
    return t && t->kind == RF_TYPE_DEPENDENT;
}

static bool is_float(const rf_type *t)
{
    return t && t->kind == RF_TYPE_FLOAT;
}

static bool same_name(const rf_type *a, const rf_type *b)
{
    return a == b || (a && b && !strcmp(a->spelling, b->spelling));
}

/* ---- what the file makes the template for ---- */

/* True if "text" has "name" as a word: `T`, `Wider<T>::type`. */
static bool has_word(const char *text, const char *name)
{
    return rf_find_word(text, strlen(text), name, strlen(name));
}

/* True if an instance gives "param" a type that "need" does not admit. */
static bool is_violated(const rf_type_param *param, const rf_need *need)
{
    if (!need->holds)
        return param->other;
    return is_float(need->holds) && param->narrowest &&
           (param->narrowest < need->holds->bits ||
            (param->narrowest == 16 && need->holds->bits == 16));
}

/* The parameter of "f" of which the type is made, if an instance violates
 * "need"; a type that names none, an alias, may be any. */
static const rf_type_param *violated_in(const rf_func *f, const rf_need *need,
                                        bool any)
{
    const char *text = need->type->spelling;
    bool names_one = false;
    for (unsigned i = 0; i < f->n_types; i++)
        names_one |= has_word(text, f->types[i].name);
    for (unsigned i = 0; i < f->n_types; i++)
        if (is_violated(&f->types[i], need) &&
            (any || !names_one || has_word(text, f->types[i].name)))
            return &f->types[i];
    return NULL;
}

/* Other templates may hand their types on to one that is no kernel. */
static const rf_type_param *violated(const rf_planner *p, const rf_need *need)
{
    const rf_func *own = p->region->func;
    const rf_type_param *found = violated_in(own, need, false);
    for (size_t i = 0; i < p->unit->funcs.len && !own->is_kernel && !found; i++)
        if (own->n_types)
            found = violated_in(p->unit->funcs.data[i], need, true);
    return found;
}

static void refuse_instance(check *c, const rf_need *need,
                            const rf_type_param *param, rf_range at)
{
    bool narrow = need->holds != NULL;
    rf_plan_refuse(c->p, RF_DIAG_ROUNDING, at,
                   narrow ? "'%s' is '%s' in one instance of this template: "
                            "it rounds a result of the loops"
                          : "'%s' is '%s' in one instance of this template: "
                            "division truncates and sums wrap there",
                   param->name, narrow ? param->narrow : param->other);
    rf_plan_note(c->p, narrow ? param->narrow_at : param->other_at,
                 "the instance is made here");
    c->ok = false;
}

/* ---- needs ---- */

static bool is_needed(const rf_plan *plan, const rf_type *type,
                      const rf_type *holds)
{
    for (size_t i = 0; i < plan->needs.len; i++)
        if (same_name(plan->needs.data[i].type, type) &&
            same_name(plan->needs.data[i].holds, holds))
            return true;
    return false;
}

/* "at": in a helper, whose types have no name in the kernel. */
static bool is_elsewhere(const check *c, rf_range at)
{
    rf_range own = c->p->region->func->at;
    return at.begin != UINT32_MAX &&
           (at.begin < own.begin || at.begin >= own.end);
}

static void need(check *c, const rf_type *type, const rf_type *holds,
                 rf_range at)
{
    rf_need n = { type, holds };
    if (!c->ok || is_needed(c->p->plan, type, holds))
        return;
    const rf_type_param *param = violated(c->p, &n);
    if (param) {
        refuse_instance(c, &n, param, is_elsewhere(c, at) ? c->at : at);
        return;
    }
    if (type->spelling[0] == '<' || !strncmp(type->spelling, "auto", 4) ||
        is_elsewhere(c, at)) {
        rf_plan_refuse(c->p, RF_DIAG_UNSUPPORTED,
                       is_elsewhere(c, at) ? c->at : at,
                       "what is computed here has a type of a template that "
                       "has no name here: it may be an integer");
        c->ok = false;
        return;
    }
    RF_PUSH(c->p->plan->needs, n);
}

/* ---- arithmetic ---- */

static rf_range place(const check *c, const rf_val *v)
{
    return v->expr && v->expr->at.begin != UINT32_MAX ? v->expr->at : c->at;
}

static bool is_leaf(const rf_val *v)
{
    return v->kind == RF_VAL_LOAD || v->kind == RF_VAL_ENTRY ||
           v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL ||
           v->kind == RF_VAL_LAST ||
           (v->kind == RF_VAL_OP &&
            (v->op == RF_OP_FIELD || v->op == RF_OP_INDEX));
}

/* The type of a leaf; of elements that of the array, whatever the helper that
 * reads them calls it. */
static const rf_type *leaf_type(const check *c, const rf_val *v)
{
    if (v->kind != RF_VAL_LOAD)
        return v->type;
    const rf_val *root = rf_trace_root(c->p->trace, v->arg[0]);
    const rf_type *t = root->type;
    while (t && (t->kind == RF_TYPE_POINTER || t->kind == RF_TYPE_ARRAY))
        t = t->elem;
    return is_open(t) && root->kind == RF_VAL_ENTRY ? t : v->type;
}

static bool is_result(const rf_val *v, const void *axis)
{
    return v->kind == RF_VAL_RESULT && v->red->axis == axis;
}

/* True if results of the cascade have a part in "v". */
static bool depends(const check *c, const rf_val *v)
{
    return rf_val_find(v, is_result, c->p->plan->axis);
}

static bool visit(check *c, const rf_val *v);

/* Both operands are open, or integers: that of an open type decides. */
static void need_leaves(check *c, const rf_val *v)
{
    for (unsigned i = 0; i < v->n; i++)
        if (is_leaf(v->arg[i]) && is_open(leaf_type(c, v->arg[i])))
            need(c, leaf_type(c, v->arg[i]), NULL, place(c, v));
}

static bool visit_operands(check *c, const rf_val *v)
{
    bool real = false;
    bool is_choice = v->kind == RF_VAL_OP && v->op == RF_OP_SELECT;
    if (is_choice && depends(c, v->arg[0]))
        visit(c, v->arg[0]);
    for (unsigned i = is_choice; i < v->n; i++)
        real |= visit(c, v->arg[i]);
    if (!real && !is_choice)
        need_leaves(c, v);
    return real;
}

/* "v" becomes a "type": that holds the values of all types in which "v" is
 * computed. */
static void need_width(check *c, const rf_type *type, const rf_val *v,
                       rf_range at)
{
    const rf_type *t = is_leaf(v) ? leaf_type(c, v) : v->type;
    bool is_open_op = is_open(t) && !is_leaf(v) && v->kind != RF_VAL_CAST &&
                      v->kind != RF_VAL_RESULT;
    if (v->kind == RF_VAL_CONST || !t)
        return;
    for (unsigned i = 0; is_open_op && i < v->n; i++)
        need_width(c, type, v->arg[i], at);
    bool is_real = is_float(t) || is_needed(c->p->plan, t, NULL);
    if (!is_open_op && is_real && (is_open(t) || is_open(type)) &&
        !same_name(t, type))
        need(c, type, t, at);
}

/* A conversion of a result may round it; (float)(T)f of a float does not. */
static void visit_rounding(check *c, const rf_val *v)
{
    const rf_val *from = v->arg[0];
    bool returns = from->kind == RF_VAL_CAST && is_open(from->type) &&
                   same_name(from->arg[0]->type, v->type);
    if (!c->p->mark->rounding && !returns && depends(c, from) &&
        (is_open(v->type) || is_float(v->type)))
        need_width(c, v->type, from, place(c, v));
}

/* True if "v" is computed in a floating-point type, whatever the open types
 * that are not needed as such are. */
static bool visit(check *c, const rf_val *v)
{
    if (is_leaf(v)) {
        const rf_type *t = leaf_type(c, v);
        return is_float(t) || is_needed(c->p->plan, t, NULL);
    }
    switch (v->kind) {
    case RF_VAL_CONST:
        return v->expr->op == RF_OP_FLOAT;
    case RF_VAL_CAST:
        visit(c, v->arg[0]);
        if (v->arg[0]->kind == RF_VAL_CONST)
            return is_float(v->type);
        if (is_open(v->type))
            need(c, v->type, NULL, place(c, v));
        visit_rounding(c, v);
        return is_open(v->type) || is_float(v->type);
    case RF_VAL_CALL:
        if (is_open(v->type))
            return visit_operands(c, v);
        for (unsigned i = 0; i < v->n; i++)
            visit(c, v->arg[i]);
        return is_float(v->type);
    case RF_VAL_OP:
        return visit_operands(c, v);
    case RF_VAL_RESULT:
        if (v->red->axis != c->p->plan->axis)
            visit(c, v->red->term);
        if (is_open(v->red->type))
            need(c, v->red->type, NULL, v->red->at);
        return is_open(v->red->type) || is_float(v->red->type);
    default:
        return false;
    }
}

/* ---- variables and arrays that hold results ---- */

static bool is_used(const rf_plan *plan, const rf_val *v)
{
    for (size_t i = 0; i < plan->members.len; i++)
        if (rf_val_mentions(plan->members.data[i]->red->term, v))
            return true;
    return false;
}

/* "v" goes through a place of type "type" before a term uses it. */
static void visit_place(check *c, const rf_type *type, const rf_val *v,
                        rf_range at)
{
    if (is_open(type) && type->spelling[0] != '<' && depends(c, v) &&
        is_used(c->p->plan, v))
        need_width(c, type, v, at);
}

static bool is_read_back(const rf_trace *t, const rf_store *s)
{
    for (size_t i = 0; i < t->loads.len; i++)
        if (t->loads.data[i].base == s->base &&
            t->loads.data[i].value == s->value)
            return true;
    return false;
}

static void visit_places(check *c)
{
    const rf_trace *t = c->p->trace;
    for (size_t i = 0; i < t->names.len; i++)
        visit_place(c, t->names.data[i].var->type, t->names.data[i].value,
                    t->names.data[i].at);
    for (size_t i = 0; i < t->stores.len; i++)
        if (is_read_back(t, &t->stores.data[i]))
            visit_place(c, t->stores.data[i].type, t->stores.data[i].value,
                        t->stores.data[i].at);
}

bool rf_plan_instances(rf_planner *p)
{
    check c = { .p = p, .ok = true };
    for (size_t i = 0; i < p->plan->members.len; i++) {
        const rf_red *r = p->plan->members.data[i]->red;
        c.at = r->at;
        if (is_open(r->type))
            need(&c, r->type, NULL, r->at);
    }
    for (size_t i = 0; i < p->plan->members.len && c.ok; i++) {
        const rf_red *r = p->plan->members.data[i]->red;
        c.at = r->at;
        visit(&c, r->term);
        visit(&c, r->init);
        if (r->guard && depends(&c, r->guard))
            visit(&c, r->guard);
    }
    if (!p->mark->rounding)
        visit_places(&c);
    return c.ok;
}
