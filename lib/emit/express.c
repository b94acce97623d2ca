/* Values as C expressions. Conversions are written only where C would not
 * make them by itself: the printed text has the value's own types. */
#include "emit/emitting.h"

#include <string.h>

void rf_emit_fail(rf_emitter *em, rf_range at, const char *why)
{
    if (em->refused)
        return;
    em->refused = true;
    *em->refusal = (rf_refusal){ .name = RF_DIAG_UNSUPPORTED,
                                 .at = at,
                                 .text = why,
                                 .note_at = RF_NOWHERE };
}

rf_expr *rf_emit_use(rf_emitter *em, rf_var *var)
{
    for (size_t i = 0; i < em->used.len; i++)
        if (em->used.data[i] == var)
            return rf_expr_var(em->arena, var);
    RF_PUSH(em->used, var);
    return rf_expr_var(em->arena, var);
}

rf_expr *rf_binary(rf_emitter *em, rf_op op, const rf_type *type, rf_expr *a,
                   rf_expr *b)
{
    return rf_expr_new(em->arena, op, type, 2, (rf_expr *[]){ a, b });
}

rf_state *rf_state_of(rf_emitter *em, const rf_val *v)
{
    for (size_t i = 0; i < em->states.len; i++)
        if (v->kind == RF_VAL_RESULT &&
            em->states.data[i].member->red == v->red)
            return &em->states.data[i];
    return NULL;
}

rf_expr *rf_state_place(rf_emitter *em, const rf_state *s, rf_expr *at)
{
    if (s->place)
        return (rf_expr *)s->place;
    rf_expr *var = rf_emit_use(em, s->var);
    if (!s->family)
        return var;
    int64_t first;
    if (!rf_val_is_int(s->family->lower, &first) || first)
        at = rf_binary(em, RF_OP_SUB, s->family->type, at,
                       rf_express(em, s->family->lower));
    return rf_binary(em, RF_OP_INDEX, s->member->red->type, var, at);
}

rf_expr *rf_state_here(rf_emitter *em, const rf_state *s)
{
    return rf_state_place(em, s,
                          s->family ? rf_express(em, s->family->index) : NULL);
}

void rf_bind_state(rf_emitter *em, const rf_val *v, const rf_state *s)
{
    rf_in_scope bound = { .value = v,
                          .var = s->var,
                          .index = s->family ? s->family->index : NULL };
    RF_PUSH(em->scope, bound);
}

void rf_unbind(rf_emitter *em, const rf_val *v)
{
    size_t i = em->scope.len;
    while (i-- > 0 && em->scope.data[i].value != v)
        ;
    for (; i + 1 < em->scope.len; i++)
        em->scope.data[i] = em->scope.data[i + 1];
    em->scope.len--;
}

static rf_expr *literal_zero(rf_emitter *em)
{
    return rf_expr_int(em->arena, 0);
}

static rf_expr *express_state(rf_emitter *em, rf_state *s, const rf_val *v)
{
    rf_expr *at = s->family && v->n ? rf_express(em, v->arg[v->n - 1]) : NULL;
    if (!s->member->later || s->finished)
        return rf_state_place(em, s, at);
    const rf_val *state = rf_val_entry(em->vals, s->member->state_var);
    RF_PUSH(
        em->scope,
        (rf_in_scope){ .value = state,
                       .var = s->var,
                       .index = s->family && v->n ? v->arg[v->n - 1] : NULL });
    rf_expr *e = rf_express(em, s->member->later);
    rf_unbind(em, state);
    return e;
}

const rf_in_scope *rf_emit_in_scope(const rf_emitter *em, const rf_val *v)
{
    for (size_t i = em->scope.len; i-- > 0;)
        if (em->scope.data[i].value == v)
            return &em->scope.data[i];
    return NULL;
}

static rf_expr *express_index(rf_emitter *em, const rf_val *v)
{
    for (size_t i = em->counters.len; i-- > 0;)
        if (em->counters.data[i].loop == v->loop)
            return rf_emit_use(em, em->counters.data[i].var);
    rf_emit_fail(em, rf_emit_use_place(em, v),
                 "a counter is used outside its loop");
    return literal_zero(em);
}

/* ---- casts ---- */

static bool is_arithmetic(const rf_type *t)
{
    return t && (t->kind == RF_TYPE_INT || t->kind == RF_TYPE_FLOAT ||
                 t->kind == RF_TYPE_BOOL);
}

static bool converts_implicitly(const rf_val *v, const rf_type *to)
{
    return v->kind == RF_VAL_CAST && rf_type_same(v->type, to) &&
           is_arithmetic(v->type) && is_arithmetic(v->arg[0]->type);
}

rf_expr *rf_express_as(rf_emitter *em, const rf_val *v, const rf_type *type)
{
    if (!rf_emit_in_scope(em, v) && converts_implicitly(v, type) &&
        (!v->expr || v->expr->is_implicit))
        return rf_express(em, v->arg[0]);
    return rf_express(em, v);
}

/* int -> float beside a float, float -> double beside a double. */
static bool is_usual(const rf_val *v)
{
    const rf_type *from = v->arg[0]->type, *to = v->type;
    if (v->expr && !v->expr->is_implicit)
        return false;
    if (to->kind == RF_TYPE_FLOAT)
        return from->kind == RF_TYPE_INT ||
               (from->kind == RF_TYPE_FLOAT && from->format == RF_F32 &&
                to->format == RF_F64);
    return to->kind == RF_TYPE_INT && from->kind == RF_TYPE_INT &&
           (from->bits < to->bits || (from->bits == to->bits &&
                                      (to->is_unsigned || !from->is_unsigned)));
}

/* One operand of a wider type converts the other. */
static rf_expr *express_operand(rf_emitter *em, const rf_val *v,
                                const rf_val *other, bool is_second)
{
    if (v->kind == RF_VAL_CAST && !rf_emit_in_scope(em, v) && is_usual(v) &&
        rf_type_same(other->type, v->type) &&
        (other->kind != RF_VAL_CAST || is_second))
        return rf_express(em, v->arg[0]);
    return rf_express(em, v);
}

static rf_expr *express_cast(rf_emitter *em, const rf_val *v)
{
    rf_expr *e = rf_express(em, v->arg[0]);
    return rf_expr_new(em->arena, RF_OP_CAST, v->type, 1, &e);
}

/* ---- the rest ---- */

static rf_expr *express_op(rf_emitter *em, const rf_val *v)
{
    if (v->op == RF_OP_FIELD) {
        rf_expr *of = rf_express(em, v->arg[0]);
        rf_expr *e = rf_expr_new(em->arena, RF_OP_FIELD, v->type, 1, &of);
        e->name = v->name;
        return e;
    }
    rf_expr **args = RF_NEW_ARRAY(em->arena, v->n + 1, rf_expr *);
    bool pair = v->n == 2 && v->op != RF_OP_SHL && v->op != RF_OP_SHR &&
                v->op != RF_OP_INDEX;
    for (unsigned i = 0; i < v->n; i++)
        args[i] = pair ? express_operand(em, v->arg[i], v->arg[1 - i], i == 1)
                       : rf_express(em, v->arg[i]);
    return rf_expr_new(em->arena, v->op, v->type, v->n, args);
}

static rf_expr *express_call(rf_emitter *em, const rf_val *v)
{
    rf_expr **args = RF_NEW_ARRAY(em->arena, v->n + 1, rf_expr *);
    for (unsigned i = 0; i < v->n; i++)
        args[i] = rf_express(em, v->arg[i]);
    rf_expr *e = rf_expr_new(em->arena, RF_OP_CALL, v->type, v->n, args);
    e->name = v->name;
    if (v->expr)
        e->spelling = v->expr->spelling;
    return e;
}

/* A subscript may be of any integer type: the value is what counts. */
rf_expr *rf_express_index(rf_emitter *em, const rf_val *v)
{
    bool widens = !rf_emit_in_scope(em, v) && v->kind == RF_VAL_CAST &&
                  (!v->expr || v->expr->is_implicit) &&
                  v->type->kind == RF_TYPE_INT &&
                  v->arg[0]->type->kind == RF_TYPE_INT &&
                  v->arg[0]->type->bits < v->type->bits &&
                  (v->arg[0]->type->is_unsigned || !v->type->is_unsigned);
    return rf_express(em, widens ? v->arg[0] : v);
}

static rf_expr *express_load(rf_emitter *em, const rf_val *v)
{
    return rf_binary(em, RF_OP_INDEX, v->type, rf_express(em, v->arg[0]),
                     rf_express_index(em, v->arg[1]));
}

static rf_expr *express_entry(rf_emitter *em, const rf_val *v)
{
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *s = &em->states.data[i];
        if (v->var == s->member->old_var && s->old)
            return rf_emit_use(em, s->old);
        if (v->var == s->member->state_var || v->var == s->member->old_var)
            return s->is_open ? rf_state_here(em, s) : rf_emit_use(em, s->var);
    }
    return rf_emit_use(em, v->var);
}

/* The accumulator inside its own update. */
static rf_expr *express_phi(rf_emitter *em, const rf_val *v)
{
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *s = &em->states.data[i];
        if (s->member->red->phi == v && !s->family)
            return rf_state_place(em, s, NULL);
    }
    rf_emit_fail(em, rf_emit_use_place(em, v),
                 "a running value is used by another computation");
    return literal_zero(em);
}

static rf_expr *express_result(rf_emitter *em, const rf_val *v)
{
    rf_state *s = rf_state_of(em, v);
    if (s)
        return express_state(em, s, v);
    rf_emit_prepare(em, v);
    const rf_in_scope *known = rf_emit_in_scope(em, v);
    if (known)
        return rf_emit_use(em, known->var);
    rf_emit_fail(em, v->red->at, "this inner reduction cannot be moved");
    return literal_zero(em);
}

static rf_expr *express_new(rf_emitter *em, const rf_val *v)
{
    switch (v->kind) {
    case RF_VAL_CONST:
        return (rf_expr *)v->expr;
    case RF_VAL_ENTRY:
        return express_entry(em, v);
    case RF_VAL_INDEX:
        return express_index(em, v);
    case RF_VAL_OP:
        return express_op(em, v);
    case RF_VAL_CALL:
        return express_call(em, v);
    case RF_VAL_CAST:
        return express_cast(em, v);
    case RF_VAL_LOAD:
        return express_load(em, v);
    case RF_VAL_RESULT:
        return express_result(em, v);
    case RF_VAL_PHI:
    case RF_VAL_CELL:
        return express_phi(em, v);
    default:
        rf_emit_fail(em, rf_emit_use_place(em, v),
                     "a value is used that the loops leave undefined");
        return literal_zero(em);
    }
}

const rf_inlined *rf_emit_call_of(const rf_emitter *em, const rf_val *v)
{
    bool simple = v->kind == RF_VAL_CONST || v->kind == RF_VAL_ENTRY ||
                  v->kind == RF_VAL_INDEX || v->kind == RF_VAL_LOAD ||
                  rf_plan_member_of(em->plan, v);
    for (size_t i = 0; i < em->trace->inlined.len && !simple; i++)
        if (em->trace->inlined.data[i].value == v)
            return &em->trace->inlined.data[i];
    return NULL;
}

static rf_expr *express_inlined(rf_emitter *em, const rf_inlined *call)
{
    rf_expr **args = RF_NEW_ARRAY(em->arena, call->n + 1, rf_expr *);
    for (unsigned i = 0; i < call->n; i++)
        args[i] = rf_express(em, call->arg[i]);
    rf_expr *e =
        rf_expr_new(em->arena, RF_OP_CALL, call->value->type, call->n, args);
    e->name = call->name;
    return e;
}

rf_expr *rf_express(rf_emitter *em, const rf_val *v)
{
    const rf_in_scope *known = rf_emit_in_scope(em, v);
    const rf_inlined *call = known ? NULL : rf_emit_call_of(em, v);
    if (call)
        return express_inlined(em, call);
    if (!known)
        return express_new(em, v);
    rf_expr *var = rf_emit_use(em, known->var);
    if (!known->index)
        return var;
    return rf_binary(em, RF_OP_INDEX, v->type, var,
                     rf_express(em, known->index));
}
