/* Loop headers and nested blocks. */
#include "emit/emitting.h"

static bool is_post(const rf_loop *loop)
{
    const rf_expr *s = loop->stmt ? loop->stmt->step : NULL;
    return s && (s->op == RF_OP_POST_INC || s->op == RF_OP_POST_DEC);
}

static rf_expr *step_expr(rf_emitter *em, const rf_loop *loop, rf_var *var)
{
    rf_expr *v = rf_expr_var(em->arena, var);
    int64_t k = 0;
    bool known = rf_val_is_int(loop->step, &k);
    if (known && (k == 1 || k == -1)) {
        rf_op op = is_post(loop) ? (k > 0 ? RF_OP_POST_INC : RF_OP_POST_DEC)
                                 : (k > 0 ? RF_OP_PRE_INC : RF_OP_PRE_DEC);
        return rf_expr_new(em->arena, op, loop->type, 1, &v);
    }
    bool down =
        known ? k < 0
              : loop->step->kind == RF_VAL_OP && loop->step->op == RF_OP_NEG;
    rf_expr *by = known
                      ? rf_expr_int(em->arena, k < 0 ? -k : k)
                      : rf_express(em, down ? loop->step->arg[0] : loop->step);
    rf_expr *e = rf_binary(em, RF_OP_ASSIGN_OP, loop->type, v, by);
    e->value.assign = down ? RF_OP_SUB : RF_OP_ADD;
    return e;
}

static rf_expr *test_expr(rf_emitter *em, const rf_loop *loop, rf_var *var)
{
    int64_t k;
    bool down = (rf_val_is_int(loop->step, &k) && k < 0) ||
                (loop->step->kind == RF_VAL_OP && loop->step->op == RF_OP_NEG);
    rf_op op = loop->is_equal_exit  ? RF_OP_NE
               : loop->is_inclusive ? (down ? RF_OP_GE : RF_OP_LE)
                                    : (down ? RF_OP_GT : RF_OP_LT);
    return rf_binary(em, op, &rf_type_bool, rf_expr_var(em->arena, var),
                     rf_express(em, loop->upper));
}

/* i-- > lower */
static rf_expr *reversed_test(rf_emitter *em, const rf_loop *loop, rf_var *var)
{
    rf_expr *v = rf_expr_var(em->arena, var);
    rf_expr *down = rf_expr_new(em->arena, RF_OP_POST_DEC, loop->type, 1, &v);
    return rf_binary(em, RF_OP_GT, &rf_type_bool, down,
                     rf_express(em, loop->lower));
}

rf_open_loop *rf_loop_begin(rf_emitter *em, const rf_loop *loop)
{
    rf_open_loop *open = RF_NEW(em->arena, rf_open_loop);
    const rf_type *type =
        rf_type_is_pointer_like(loop->type) ? &rf_type_long : loop->type;
    *open = (rf_open_loop){ .outer = em->out,
                            .scope = em->scope.len,
                            .names = em->names.len,
                            .loop = loop,
                            .uses = em->uses,
                            .n_uses = em->n_uses };
    rf_var *var = rf_new_var(em, rf_names_fresh(em, loop->name), type, false);
    open->stmt =
        rf_stmt_new(em->arena, loop->at_least_once ? RF_STMT_DO : RF_STMT_FOR);
    rf_stmt *init = rf_declare(
        em, var,
        rf_express_as(em, loop->is_reversed ? loop->upper : loop->lower,
                      loop->type));
    if (loop->at_least_once)
        rf_emit_append(em, init);
    else
        open->stmt->init = init;
    open->stmt->expr = loop->is_reversed ? reversed_test(em, loop, var)
                                         : test_expr(em, loop, var);
    open->stmt->step = loop->is_reversed ? NULL : step_expr(em, loop, var);
    if (loop->stmt && loop->stmt->kind == RF_STMT_FOR)
        open->stmt->attribute = loop->stmt->attribute;
    RF_PUSH(em->counters, (rf_counter){ .loop = loop, .var = var });
    em->out = &open->body;
    em->uses = NULL;
    em->n_uses = 0;
    return open;
}

void rf_loop_end(rf_emitter *em, rf_open_loop *open)
{
    if (open->stmt->kind == RF_STMT_DO) {
        rf_stmt *step = rf_stmt_new(em->arena, RF_STMT_EXPR);
        step->expr = open->stmt->step;
        open->stmt->step = NULL;
        RF_PUSH(open->body, step);
    }
    open->stmt->body = rf_block(em, &open->body);
    free(em->uses);
    em->uses = open->uses;
    em->n_uses = open->n_uses;
    em->out = open->outer;
    em->scope.len = open->scope;
    em->names.len = open->names;
    em->counters.len--;
    rf_emit_append(em, open->stmt);
}

void rf_block_begin(rf_emitter *em, rf_open_block *open)
{
    *open = (rf_open_block){ .outer = em->out, .scope = em->scope.len };
    em->out = &open->body;
}

void rf_block_end(rf_emitter *em, rf_open_block *open)
{
    em->out = open->outer;
    em->scope.len = open->scope;
}

const rf_val *rf_loop_runs(rf_emitter *em, const rf_loop *l)
{
    int64_t a, b, k;
    if (l->at_least_once)
        return NULL;
    bool down = rf_val_is_int(l->step, &k) && k < 0;
    const rf_val *lower = em->trace->team ? l->least : l->lower;
    if (!lower || (down && em->trace->team)) { /* states have flags then */
        rf_emit_fail(em, em->plan->block->at,
                     "whether any thread of the team has an element cannot be "
                     "written down");
        return NULL;
    }
    const rf_val *low = down ? l->upper : lower;
    const rf_val *high = down ? lower : l->upper;
    if (rf_val_is_int(low, &a) && rf_val_is_int(high, &b) &&
        (a < b || (l->is_inclusive && a == b)))
        return NULL;
    rf_op op = l->is_inclusive ? RF_OP_LE : RF_OP_LT;
    if (rf_val_is_int(low, &a) && a == 0)
        return rf_val_op2(em->vals, l->is_inclusive ? RF_OP_GE : RF_OP_GT,
                          &rf_type_bool, high, low);
    return rf_val_op2(em->vals, op, &rf_type_bool, low, high);
}
