/* Expressions of the model, for all lanes of a mask at once. */
#include "proof/model.h"

#include <stdlib.h>
#include <string.h>

#define EACH(m, lane, mask)                                                    \
    for (int lane = 0; lane < (m)->n; lane++)                                  \
        if ((mask)[lane])

static const rf_cell nothing = { .kind = RF_CELL_NONE };

static void unknown(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                    rf_cell *out)
{
    EACH(m, i, mask)
    out[i] = nothing;
    rf_model_give_up(m, e->at, "this expression cannot be followed");
}

/* ---- variables ---- */

rf_cell *rf_model_var(rf_model *m, const rf_var *var)
{
    m->vars = rf_model_table(m, m->vars, &m->n_vars, var->id);
    if (!m->vars[var->id]) {
        m->vars[var->id] = RF_NEW_ARRAY(m->arena, RF_MODEL_LANES, rf_cell);
        for (int i = 0; i < RF_MODEL_LANES; i++)
            m->vars[var->id][i] = nothing;
    }
    return m->vars[var->id];
}

static void load_all(rf_model *m, rf_lane_mask mask, rf_cell *at_out,
                     rf_range at)
{
    EACH(m, i, mask)
    at_out[i] = rf_model_load(m, i, &at_out[i], at);
}

static bool is_outside(const rf_var *var)
{
    return var->storage == RF_VAR_GLOBAL || var->storage == RF_VAR_CONSTANT ||
           var->storage == RF_VAR_SHARED;
}

static void array_of(rf_model *m, const rf_var *var, rf_lane_mask mask,
                     rf_cell *out)
{
    EACH(m, i, mask)
    out[i] = (rf_cell){ .kind = RF_CELL_POINTER,
                        .object = rf_model_array(m, var, i) };
}

static void eval_var(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                     rf_cell *out)
{
    const rf_var *var = e->var;
    if (var->storage == RF_VAR_BUILTIN || var->storage == RF_VAR_TEMPLATE) {
        unknown(m, e, mask, out);
        return;
    }
    if (var->type->kind == RF_TYPE_ARRAY || is_outside(var)) {
        array_of(m, var, mask, out);
        if (var->type->kind != RF_TYPE_ARRAY)
            load_all(m, mask, out, e->at);
        return;
    }
    const rf_cell *cells = rf_model_var(m, var);
    EACH(m, i, mask)
    out[i] = cells[i];
}

static int64_t builtin(const rf_model *m, const char *name, int d, int lane)
{
    int block = lane / m->block;
    if (!strcmp(name, "threadIdx"))
        return d ? 0 : lane % m->block;
    if (!strcmp(name, "blockDim"))
        return d ? 1 : m->block;
    if (!strcmp(name, "gridDim"))
        return d < 2 ? m->grid[d] : 1;
    return d == 0 ? m->first_block[0] + block : d == 1 ? m->first_block[1] : 0;
}

static void eval_field(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                       rf_cell *out)
{
    const rf_expr *a = e->arg[0];
    if (a->op != RF_OP_VAR || a->var->storage != RF_VAR_BUILTIN ||
        !strchr("xyz", e->name[0])) {
        unknown(m, e, mask, out);
        return;
    }
    EACH(m, i, mask)
    out[i] = rf_model_int(builtin(m, a->var->name, e->name[0] - 'x', i));
}

/* ---- places ---- */

static void move(rf_model *m, rf_lane_mask mask, rf_cell *p, const rf_cell *by,
                 int64_t size, int sign, rf_range at)
{
    EACH(m, i, mask)
    {
        if (p[i].kind != RF_CELL_POINTER || by[i].kind != RF_CELL_INT)
            rf_model_stop(m, at, "this index was never computed");
        p[i].i += sign * by[i].i * size;
    }
}

static bool is_array(const rf_type *t)
{
    return t && t->kind == RF_TYPE_ARRAY;
}

/* a[i][j]: no index leaves its own dimension. */
static void check_index(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                        const rf_cell *index)
{
    int64_t n = e->arg[0]->type->count;
    EACH(m, i, mask)
    if (index[i].kind == RF_CELL_INT && n >= 0 &&
        (index[i].i < 0 || index[i].i >= n))
        rf_model_stop(m, e->at, "this index is outside of its array");
}

/* The addresses of the array element, dereferenced pointer or array "e". */
static void address_of(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                       rf_cell *out)
{
    if (e->op == RF_OP_DEREF) {
        rf_model_eval(m, e->arg[0], mask, out);
        return;
    }
    if (e->op == RF_OP_VAR &&
        (is_outside(e->var) || e->var->type->kind == RF_TYPE_ARRAY)) {
        array_of(m, e->var, mask, out);
        return;
    }
    if (e->op != RF_OP_INDEX) {
        unknown(m, e, mask, out);
        return;
    }
    rf_cell index[RF_MODEL_LANES];
    const rf_type *elem = e->arg[0]->type ? e->arg[0]->type->elem : NULL;
    rf_model_eval(m, e->arg[0], mask, out);
    rf_model_eval(m, e->arg[1], mask, index);
    if (!m->stopped && is_array(e->arg[0]->type))
        check_index(m, e, mask, index);
    if (!m->stopped)
        move(m, mask, out, index, rf_model_leaves(elem), 1, e->at);
}

/* ---- assignments ---- */

static bool is_scalar_var(const rf_expr *e)
{
    return e->op == RF_OP_VAR && !is_outside(e->var) && !is_array(e->var->type);
}

static void assign(rf_model *m, const rf_expr *place, rf_lane_mask mask,
                   const rf_cell *value, const rf_cell *at)
{
    if (is_scalar_var(place)) {
        rf_cell *cells = rf_model_var(m, place->var);
        EACH(m, i, mask)
        cells[i] = value[i];
        return;
    }
    EACH(m, i, mask)
    rf_model_store(m, i, &at[i], &value[i], place->at);
}

/* The value at "place", and where that is. */
static void eval_place(rf_model *m, const rf_expr *place, rf_lane_mask mask,
                       rf_cell *at, rf_cell *value)
{
    if (is_scalar_var(place)) {
        rf_model_eval(m, place, mask, value);
        return;
    }
    address_of(m, place, mask, at);
    EACH(m, i, mask)
    value[i] = rf_model_load(m, i, &at[i], place->at);
}

static void eval_assign(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                        rf_cell *out)
{
    rf_cell at[RF_MODEL_LANES];
    const rf_expr *place = e->arg[0];
    rf_model_eval(m, e->arg[1], mask, out);
    if (!is_scalar_var(place))
        address_of(m, place, mask, at);
    EACH(m, i, mask)
    out[i] = rf_model_convert(m, &out[i], e->arg[1]->type, place->type);
    if (!m->stopped)
        assign(m, place, mask, out, at);
}

/* a OP= b: of pointers, or numbers; the sum has the wider of both types. */
static void eval_assign_op(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                           rf_cell *out)
{
    rf_cell at[RF_MODEL_LANES], by[RF_MODEL_LANES];
    const rf_expr *place = e->arg[0];
    rf_op op = e->value.assign;
    rf_model_eval(m, e->arg[1], mask, by);
    eval_place(m, place, mask, at, out);
    if (m->stopped)
        return;
    if (place->type->kind == RF_TYPE_POINTER)
        move(m, mask, out, by, rf_model_leaves(place->type->elem),
             op == RF_OP_SUB ? -1 : 1, e->at);
    else
        EACH(m, i, mask)
        {
            rf_cell sum = rf_model_binary(m, op, &out[i], &by[i]);
            out[i] = rf_model_convert(m, &sum, e->arg[1]->type, place->type);
        }
    assign(m, place, mask, out, at);
}

static void eval_step(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                      rf_cell *out)
{
    rf_cell at[RF_MODEL_LANES], next[RF_MODEL_LANES];
    const rf_expr *place = e->arg[0];
    bool post = e->op == RF_OP_POST_INC || e->op == RF_OP_POST_DEC;
    int by = e->op == RF_OP_PRE_INC || e->op == RF_OP_POST_INC ? 1 : -1;
    bool pointer = place->type->kind == RF_TYPE_POINTER;
    int64_t size = pointer ? rf_model_leaves(place->type->elem) : 1;
    eval_place(m, place, mask, at, out);
    EACH(m, i, mask)
    {
        if (out[i].kind != RF_CELL_INT && out[i].kind != RF_CELL_POINTER)
            rf_model_give_up(m, e->at, "this step cannot be followed");
        next[i] = out[i];
        next[i].i += by * size;
        next[i] = rf_model_convert(m, &next[i], NULL, place->type);
    }
    if (m->stopped)
        return;
    assign(m, place, mask, next, at);
    if (!post)
        memcpy(out, next, sizeof next);
}

/* ---- operators ---- */

static rf_cell compare(rf_model *m, const rf_expr *e, const rf_cell *a,
                       const rf_cell *b)
{
    if (a->kind == RF_CELL_NONE || b->kind == RF_CELL_NONE) {
        rf_model_stop(m, e->at, "a value that was never computed is compared");
        return nothing;
    }
    switch (e->op) {
    case RF_OP_LT:
        return rf_model_int(rf_model_less(m, a, b));
    case RF_OP_GT:
        return rf_model_int(rf_model_less(m, b, a));
    case RF_OP_LE:
        return rf_model_int(!rf_model_less(m, b, a));
    case RF_OP_GE:
        return rf_model_int(!rf_model_less(m, a, b));
    case RF_OP_EQ:
        return rf_model_int(rf_model_same(a, b));
    default:
        return rf_model_int(!rf_model_same(a, b));
    }
}

static void eval_sum_of_pointer(rf_model *m, const rf_expr *e,
                                rf_lane_mask mask, rf_cell *a, rf_cell *b,
                                rf_cell *out)
{
    bool left = e->arg[0]->type->kind != RF_TYPE_INT;
    const rf_type *t = e->arg[left ? 0 : 1]->type;
    EACH(m, i, mask)
    out[i] = left ? a[i] : b[i];
    move(m, mask, out, left ? b : a, rf_model_leaves(t->elem),
         e->op == RF_OP_SUB ? -1 : 1, e->at);
}

static void eval_binary(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                        rf_cell *out)
{
    rf_cell a[RF_MODEL_LANES], b[RF_MODEL_LANES];
    rf_model_eval(m, e->arg[0], mask, a);
    rf_model_eval(m, e->arg[1], mask, b);
    if (m->stopped)
        return;
    bool sum = e->op == RF_OP_ADD || e->op == RF_OP_SUB;
    if (sum && e->type && rf_model_leaves(e->type) == 1 &&
        e->type->kind == RF_TYPE_POINTER) {
        eval_sum_of_pointer(m, e, mask, a, b, out);
        return;
    }
    bool relation = e->op >= RF_OP_LT && e->op <= RF_OP_NE;
    EACH(m, i, mask)
    {
        if (relation) {
            out[i] = compare(m, e, &a[i], &b[i]);
            continue;
        }
        bool divides = e->op == RF_OP_DIV || e->op == RF_OP_REM;
        if (divides && b[i].kind == RF_CELL_INT && !b[i].i)
            rf_model_stop(m, e->at, "this divides by zero");
        rf_cell r = rf_model_binary(m, e->op, &a[i], &b[i]);
        out[i] = r.kind == RF_CELL_INT && e->type
                     ? rf_model_convert(m, &r, NULL, e->type)
                     : r;
    }
}

static void eval_unary(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                       rf_cell *out)
{
    rf_cell zero = rf_model_int(0), ones = rf_model_int(-1);
    rf_model_eval(m, e->arg[0], mask, out);
    EACH(m, i, mask)
    {
        if (e->op == RF_OP_NOT)
            out[i] = rf_model_int(!rf_model_is_true(&out[i]));
        else if (e->op == RF_OP_BIT_NOT)
            out[i] = rf_model_binary(m, RF_OP_BIT_XOR, &out[i], &ones);
        else if (e->op == RF_OP_NEG && out[i].kind == RF_CELL_REAL)
            out[i] = rf_model_minus(&out[i]);
        else if (e->op == RF_OP_NEG)
            out[i] = rf_model_binary(m, RF_OP_SUB, &zero, &out[i]);
        if (out[i].kind == RF_CELL_INT && e->type)
            out[i] = rf_model_convert(m, &out[i], NULL, e->type);
    }
}

void rf_model_test(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                   unsigned char *yes, unsigned char *no)
{
    rf_cell c[RF_MODEL_LANES];
    rf_model_eval(m, e, mask, c);
    for (int i = 0; i < m->n; i++) {
        if (mask[i] && c[i].kind == RF_CELL_NONE)
            rf_model_stop(m, e->at, "this condition was never computed");
        yes[i] = mask[i] && !m->stopped && rf_model_is_true(&c[i]);
        no[i] = mask[i] && !yes[i];
    }
}

static void eval_logic(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                       rf_cell *out)
{
    unsigned char yes[RF_MODEL_LANES], no[RF_MODEL_LANES];
    unsigned char then[RF_MODEL_LANES], not_then[RF_MODEL_LANES];
    bool both = e->op == RF_OP_AND;
    rf_model_test(m, e->arg[0], mask, yes, no);
    rf_model_test(m, e->arg[1], both ? yes : no, then, not_then);
    EACH(m, i, mask)
    out[i] = rf_model_int(both ? then[i] : yes[i] || then[i]);
}

static void eval_select(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                        rf_cell *out)
{
    unsigned char yes[RF_MODEL_LANES], no[RF_MODEL_LANES];
    rf_model_test(m, e->arg[0], mask, yes, no);
    rf_model_eval(m, e->arg[1], yes, out);
    rf_model_eval(m, e->arg[2], no, out);
}

static void eval_cast(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                      rf_cell *out)
{
    rf_model_eval(m, e->arg[0], mask, out);
    EACH(m, i, mask)
    if (e->type)
        out[i] = rf_model_convert(m, &out[i], e->arg[0]->type, e->type);
}

static void eval_literal(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                         rf_cell *out)
{
    rf_cell c = e->op == RF_OP_INT ? rf_model_int(e->value.i)
                                   : rf_model_constant(m, e->value.f);
    EACH(m, i, mask)
    out[i] = c;
}

static bool is_nobody(const rf_model *m, rf_lane_mask mask)
{
    return !memchr(mask, 1, (size_t)m->n);
}

void rf_model_eval(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                   rf_cell *out)
{
    if (m->stopped || is_nobody(m, mask))
        return;
    if ((m->steps += m->n) > m->most_steps)
        rf_model_give_up(m, e->at, "this takes too long to be followed");
    switch (e->op) {
    case RF_OP_INT:
    case RF_OP_FLOAT:
        eval_literal(m, e, mask, out);
        return;
    case RF_OP_VAR:
        eval_var(m, e, mask, out);
        return;
    case RF_OP_INDEX:
    case RF_OP_DEREF:
        address_of(m, e, mask, out);
        if (!is_array(e->type) && !m->stopped)
            load_all(m, mask, out, e->at);
        return;
    case RF_OP_ADDRESS:
        address_of(m, e->arg[0], mask, out);
        return;
    case RF_OP_FIELD:
        eval_field(m, e, mask, out);
        return;
    case RF_OP_CALL:
        rf_model_call(m, e, mask, out);
        return;
    case RF_OP_CAST:
        eval_cast(m, e, mask, out);
        return;
    case RF_OP_NEG:
    case RF_OP_PLUS:
    case RF_OP_BIT_NOT:
    case RF_OP_NOT:
        eval_unary(m, e, mask, out);
        return;
    case RF_OP_AND:
    case RF_OP_OR:
        eval_logic(m, e, mask, out);
        return;
    case RF_OP_SELECT:
        eval_select(m, e, mask, out);
        return;
    case RF_OP_COMMA:
        rf_model_eval(m, e->arg[0], mask, out);
        rf_model_eval(m, e->arg[1], mask, out);
        return;
    case RF_OP_ASSIGN:
        eval_assign(m, e, mask, out);
        return;
    case RF_OP_ASSIGN_OP:
        eval_assign_op(m, e, mask, out);
        return;
    case RF_OP_PRE_INC:
    case RF_OP_PRE_DEC:
    case RF_OP_POST_INC:
    case RF_OP_POST_DEC:
        eval_step(m, e, mask, out);
        return;
    default:
        if (e->op >= RF_OP_ADD && e->op <= RF_OP_NE)
            eval_binary(m, e, mask, out);
        else
            unknown(m, e, mask, out);
    }
}
