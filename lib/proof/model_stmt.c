/* Statements of the model. A lane that breaks, continues or returns waits
 * until the others come to the place that it went to. */
#include "proof/model.h"

#include <string.h>

typedef unsigned char lane_set[RF_MODEL_LANES];

/* The lanes of "mask" that still run. */
static bool running(const rf_model *m, rf_lane_mask mask, unsigned char *out)
{
    bool any = false;
    for (int i = 0; i < m->n; i++) {
        out[i] = mask[i] && m->state[i] == RF_LANE_RUNS;
        any |= out[i];
    }
    return any && !m->stopped;
}

static void send(rf_model *m, rf_lane_mask mask, rf_lane_state to)
{
    for (int i = 0; i < m->n; i++)
        if (mask[i])
            m->state[i] = to;
}

static void bring_back(rf_model *m, rf_lane_mask mask, rf_lane_state from)
{
    for (int i = 0; i < m->n; i++)
        if (mask[i] && m->state[i] == from)
            m->state[i] = RF_LANE_RUNS;
}

/* ---- declarations ---- */

/* { a, b, {c, d} } from element "at" on; what is left out is 0. */
static void fill(rf_model *m, const rf_expr *list, const rf_type *type,
                 int64_t at, int lane, rf_object *o)
{
    lane_set one = { 0 };
    rf_cell value[RF_MODEL_LANES];
    one[lane] = 1;
    int64_t each = rf_model_leaves(type->elem);
    for (unsigned k = 0; k < list->n && !m->stopped; k++) {
        const rf_expr *e = list->arg[k];
        rf_cell p = { .kind = RF_CELL_POINTER, .object = o };
        p.i = at + k * each;
        if (e->op == RF_OP_INIT_LIST && type->elem->kind == RF_TYPE_ARRAY) {
            fill(m, e, type->elem, p.i, lane, o);
            continue;
        }
        rf_model_eval(m, e, one, value);
        if (!m->stopped)
            rf_model_store(m, lane, &p, &value[lane], list->at);
    }
}

static void declare_array(rf_model *m, const rf_stmt *s, int lane)
{
    rf_object *o = rf_model_array(m, s->var, lane);
    if (o->size < 0) {
        rf_model_give_up(m, s->at, "the size of this array is not known");
        return;
    }
    rf_model_forget(o);
    if (!s->expr)
        return;
    if (s->expr->op != RF_OP_INIT_LIST) {
        rf_model_give_up(m, s->at, "this array cannot be followed");
        return;
    }
    rf_cell zero = rf_model_int(0);
    zero = rf_model_convert(m, &zero, NULL, o->type);
    for (int64_t k = 0; k < o->size; k++) {
        rf_cell p = { .kind = RF_CELL_POINTER, .i = k, .object = o };
        rf_model_store(m, lane, &p, &zero, s->at);
    }
    fill(m, s->expr, s->var->type, 0, lane, o);
}

static void declare(rf_model *m, const rf_stmt *s, rf_lane_mask mask)
{
    const rf_type *type = s->var->type;
    if (s->var->storage == RF_VAR_SHARED)
        return;
    if (s->var->is_static || type->is_reference) {
        rf_model_give_up(m, s->at, "this declaration cannot be followed");
        return;
    }
    if (type->kind == RF_TYPE_ARRAY) {
        for (int i = 0; i < m->n; i++)
            if (mask[i])
                declare_array(m, s, i);
        return;
    }
    rf_cell value[RF_MODEL_LANES], *to = rf_model_var(m, s->var);
    if (s->expr && s->expr->op != RF_OP_INIT_LIST)
        rf_model_eval(m, s->expr, mask, value);
    else if (s->expr)
        rf_model_give_up(m, s->at, "this declaration cannot be followed");
    for (int i = 0; i < m->n && !m->stopped; i++)
        if (mask[i])
            to[i] = s->expr
                        ? rf_model_convert(m, &value[i], s->expr->type, type)
                        : (rf_cell){ .kind = RF_CELL_NONE };
}

/* ---- loops ---- */

static void exec_loop(rf_model *m, const rf_stmt *s, rf_lane_mask mask)
{
    lane_set in, yes, no;
    rf_cell unused[RF_MODEL_LANES];
    memcpy(in, mask, sizeof in);
    for (bool first = true; !m->stopped; first = false) {
        bool tests = s->expr && (s->kind != RF_STMT_DO || !first);
        if (tests) {
            rf_model_test(m, s->expr, in, yes, no);
            memcpy(in, yes, sizeof in);
        }
        if (!running(m, in, in))
            break;
        rf_model_exec(m, s->body, in);
        bring_back(m, in, RF_LANE_CONTINUES);
        if (running(m, in, in) && s->step)
            rf_model_eval(m, s->step, in, unused);
    }
    bring_back(m, mask, RF_LANE_BREAKS);
}

/* ---- the rest ---- */

static void exec_if(rf_model *m, const rf_stmt *s, rf_lane_mask mask)
{
    lane_set yes, no;
    rf_model_test(m, s->expr, mask, yes, no);
    rf_model_exec(m, s->body, yes);
    if (s->orelse)
        rf_model_exec(m, s->orelse, no);
}

static void exec_return(rf_model *m, const rf_stmt *s, rf_lane_mask mask)
{
    rf_cell value[RF_MODEL_LANES];
    if (s->expr) {
        rf_model_eval(m, s->expr, mask, value);
        for (int i = 0; i < m->n && !m->stopped; i++)
            if (mask[i] && m->result)
                m->result[i] = value[i];
    }
    send(m, mask, RF_LANE_LEFT);
}

void rf_model_exec(rf_model *m, const rf_stmt *s, rf_lane_mask mask)
{
    lane_set in;
    rf_cell unused[RF_MODEL_LANES];
    if (!s || !running(m, mask, in))
        return;
    switch (s->kind) {
    case RF_STMT_EMPTY:
    case RF_STMT_ALIAS:
        return;
    case RF_STMT_DECL:
        declare(m, s, in);
        return;
    case RF_STMT_EXPR:
        rf_model_eval(m, s->expr, in, unused);
        return;
    case RF_STMT_IF:
        exec_if(m, s, in);
        return;
    case RF_STMT_FOR:
        rf_model_exec(m, s->init, in);
        exec_loop(m, s, in);
        return;
    case RF_STMT_WHILE:
    case RF_STMT_DO:
        exec_loop(m, s, in);
        return;
    case RF_STMT_BLOCK:
        for (unsigned i = 0; i < s->n; i++)
            rf_model_exec(m, s->list[i], in);
        return;
    case RF_STMT_BREAK:
        send(m, in, RF_LANE_BREAKS);
        return;
    case RF_STMT_CONTINUE:
        send(m, in, RF_LANE_CONTINUES);
        return;
    case RF_STMT_RETURN:
        exec_return(m, s, in);
        return;
    case RF_STMT_OPAQUE:
        rf_model_give_up(m, s->at, "this statement cannot be followed");
        return;
    }
}

void rf_model_launch(rf_model *m, const rf_func *func)
{
    lane_set all;
    memset(all, 1, sizeof all);
    m->n = m->cluster * m->block;
    for (int y = 0; y < m->grid[1]; y++)
        for (int x = 0; x < m->grid[0] && !m->stopped; x += m->cluster) {
            m->first_block[0] = x;
            m->first_block[1] = y;
            send(m, all, RF_LANE_RUNS);
            rf_model_exec(m, func->body, all);
        }
}
