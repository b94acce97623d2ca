/* Statements of loop bodies. A value that is needed more than once, or that an
 * inner loop needs and does not change, gets a name before its first use; an
 * inner reduction becomes a loop of its own there. */
#include "emit/emitting.h"

#include "ir/math.h"

#include <string.h>

void rf_emit_append(rf_emitter *em, rf_stmt *s)
{
    RF_PUSH(*em->out, s);
}

/* Braces alone within braces say nothing: they are these. */
static rf_stmt *only_scope(const rf_stmts *list)
{
    bool is_one = list->len == 1 && list->data[0]->kind == RF_STMT_BLOCK &&
                  list->data[0]->is_scope;
    return is_one ? list->data[0] : NULL;
}

rf_stmt *rf_block(rf_emitter *em, rf_stmts *list)
{
    rf_stmt *only = only_scope(list);
    if (only) {
        RF_CLEAR(*list);
        return only;
    }
    rf_stmt *b = rf_stmt_new(em->arena, RF_STMT_BLOCK);
    b->is_scope = true;
    b->n = (unsigned)list->len;
    b->list = RF_NEW_ARRAY(em->arena, list->len + 1, rf_stmt *);
    for (size_t i = 0; i < list->len; i++)
        b->list[i] = list->data[i];
    RF_CLEAR(*list);
    return b;
}

rf_stmt *rf_assign(rf_emitter *em, rf_expr *place, rf_expr *value)
{
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = rf_binary(em, RF_OP_ASSIGN, place->type, place, value);
    return s;
}

rf_stmt *rf_assign_store(rf_emitter *em, const rf_store *store, rf_expr *place,
                         rf_expr *value)
{
    rf_stmt *s = rf_assign(em, place, value);
    s->expr->name = store->hint;
    return s;
}

rf_stmt *rf_assign_op(rf_emitter *em, rf_expr *place, rf_op op, rf_expr *value)
{
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = rf_binary(em, RF_OP_ASSIGN_OP, place->type, place, value);
    s->expr->value.assign = op;
    return s;
}

rf_stmt *rf_declare(rf_emitter *em, rf_var *var, rf_expr *init)
{
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_DECL);
    s->var = var;
    s->expr = init;
    return s;
}

rf_stmt *rf_if(rf_emitter *em, rf_expr *condition, rf_stmts *body)
{
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_IF);
    s->expr = condition;
    s->body = rf_block(em, body);
    return s;
}

/* ---- how often a value is used ---- */

static unsigned *use_count(rf_emitter *em, const rf_val *v)
{
    if (v->id >= em->n_uses) {
        size_t n = (size_t)v->id * 2 + 256;
        em->uses = rf_realloc(em->uses, n * sizeof *em->uses);
        memset(em->uses + em->n_uses, 0, (n - em->n_uses) * sizeof *em->uses);
        em->n_uses = n;
    }
    return &em->uses[v->id];
}

static bool varies_with(const rf_val *v, const void *loop)
{
    return v->loop == loop && v->kind == RF_VAL_INDEX;
}

static bool is_inside(const rf_val *v, const rf_red *red)
{
    if (rf_val_find(v, varies_with, red->axis))
        return true;
    for (unsigned i = 0; i < red->n_free; i++)
        if (rf_val_find(v, varies_with, red->free[i]))
            return true;
    return false;
}

/* Count the parts of "v" that do not change in the inner loop of "red". */
static void tally_outside(rf_emitter *em, const rf_val *v, const rf_red *red)
{
    if (!is_inside(v, red)) {
        rf_emit_tally(em, v, 2);
        return;
    }
    for (unsigned i = 0; i < v->n; i++)
        tally_outside(em, v->arg[i], red);
}

void rf_emit_tally(rf_emitter *em, const rf_val *v, unsigned weight)
{
    unsigned *uses = use_count(em, v);
    bool first = *uses == 0;
    *uses += weight;
    if (!first)
        return;
    for (unsigned i = 0; i < v->n; i++)
        rf_emit_tally(em, v->arg[i], 1);
    if (v->kind == RF_VAL_RESULT && !rf_state_of(em, v)) {
        tally_outside(em, v->red->term, v->red);
        if (v->red->guard)
            tally_outside(em, v->red->guard, v->red);
        rf_emit_tally(em, v->red->init, 1);
    }
}

/* ---- naming shared values ---- */

static bool is_number(const rf_type *t)
{
    return t && (t->kind == RF_TYPE_FLOAT || t->kind == RF_TYPE_RECORD ||
                 t->kind == RF_TYPE_DEPENDENT || rf_type_is_nameless(t));
}

static bool deserves_name(rf_emitter *em, const rf_val *v)
{
    bool simple = v->kind == RF_VAL_CONST || v->kind == RF_VAL_ENTRY ||
                  v->kind == RF_VAL_INDEX || v->kind == RF_VAL_PHI ||
                  v->kind == RF_VAL_CELL || v->kind == RF_VAL_CAST;
    if (simple || v->kind == RF_VAL_RESULT || !em->uses)
        return false;
    if (v->kind == RF_VAL_OP &&
        (v->op == RF_OP_FIELD || v->op == RF_OP_INDEX || v->op == RF_OP_NEG))
        return false;
    if (v->kind == RF_VAL_LOAD)
        return *use_count(em, v) > 1;
    return is_number(v->type) && *use_count(em, v) > 1;
}

/* x from x[j], e from expf(...): what a reader would call it. */
static const char *wish_for(rf_emitter *em, const rf_val *v)
{
    const rf_var *author = rf_names_authors(em, v);
    if (author)
        return author->name;
    if (v->kind == RF_VAL_LOAD) {
        const rf_val *base = v->arg[0];
        while (base->n)
            base = base->arg[0];
        const rf_val *index =
            rf_val_find(v->arg[1], varies_with,
                        em->counters.len ? RF_LAST(em->counters).loop : NULL);
        if (base->kind == RF_VAL_ENTRY)
            return rf_arena_printf(em->arena, "%s_%s", base->var->name,
                                   index ? index->loop->name : "0");
    }
    if (v->kind == RF_VAL_CALL && v->math <= RF_MATH_EXP10)
        return "e";
    return "t";
}

static void name_value(rf_emitter *em, const rf_val *v)
{
    rf_emit_name(em, v, wish_for(em, v));
}

void rf_emit_name(rf_emitter *em, const rf_val *v, const char *wish)
{
    if (rf_emit_in_scope(em, v))
        return;
    const rf_inlined *call = rf_emit_call_of(em, v);
    for (unsigned i = 0; i < (call ? call->n : v->n); i++)
        rf_emit_prepare(em, call ? call->arg[i] : v->arg[i]);
    const rf_var *author = rf_names_authors(em, v);
    rf_expr *e = rf_express_as(em, v, v->type);
    bool own = author && rf_type_is_nameless(v->type);
    rf_var *var =
        rf_new_var(em, rf_names_fresh(em, author ? author->name : wish),
                   own ? author->type : v->type, true);
    rf_emit_append(em, rf_declare(em, var, e));
    RF_PUSH(em->scope, (rf_in_scope){ .value = v, .var = var });
}

/* An inner reduction becomes: T d = init; for (...) d (+)= term; */
static void name_inner(rf_emitter *em, const rf_val *v)
{
    const rf_red *red = v->red;
    if (red->n_free || red->base) {
        rf_emit_fail(em, red->at, "this inner reduction cannot be moved");
        return;
    }
    for (unsigned i = 0; i < red->n_outer; i++)
        if (v->arg[i] != red->outer[i]->index) {
            rf_emit_fail(em, red->at,
                         "this inner reduction is needed for another "
                         "iteration");
            return;
        }
    rf_emit_prepare(em, red->init);
    const char *wish = red->var ? red->var->name : "sum";
    rf_var *var = rf_new_var(em, rf_names_fresh(em, wish), red->type, false);
    rf_emit_append(
        em, rf_declare(em, var, rf_express_as(em, red->init, red->type)));
    rf_stmts *list = em->out;
    rf_stmts inside = { 0 };
    if (red->path) {
        rf_emit_prepare(em, red->path);
        em->out = &inside;
    }
    rf_open_loop *loop = rf_loop_begin(em, red->axis);
    RF_PUSH(em->scope, (rf_in_scope){ .value = red->phi, .var = var });
    rf_emit_tally(em, red->next, 1);
    rf_emit_update(em, rf_emit_use(em, var), red, red->next);
    rf_loop_end(em, loop);
    if (red->path) {
        em->out = list;
        rf_emit_append(em, rf_if(em, rf_express(em, red->path), &inside));
    }
    RF_PUSH(em->scope, (rf_in_scope){ .value = v, .var = var });
}

void rf_emit_prepare(rf_emitter *em, const rf_val *v)
{
    if (em->refused || rf_emit_in_scope(em, v))
        return;
    bool lazy =
        v->kind == RF_VAL_OP &&
        (v->op == RF_OP_SELECT || v->op == RF_OP_AND || v->op == RF_OP_OR);
    const rf_inlined *call = rf_emit_call_of(em, v);
    if (call) {
        for (unsigned i = 0; i < call->n; i++)
            rf_emit_prepare(em, call->arg[i]);
        if (v->kind == RF_VAL_RESULT || deserves_name(em, v))
            name_value(em, v);
        return;
    }
    for (unsigned i = 0; i < (lazy ? 1 : v->n); i++)
        rf_emit_prepare(em, v->arg[i]);
    rf_state *s = rf_state_of(em, v);
    if (v->kind == RF_VAL_RESULT && !s)
        name_inner(em, v);
    else if (s && s->member->later && !s->finished)
        rf_emit_prepare(em, s->member->later);
    else if (deserves_name(em, v))
        name_value(em, v);
}

void rf_emit_hoist(rf_emitter *em, const rf_val *v, const rf_loop *loop)
{
    if (!rf_val_mentions(v, loop->index)) {
        rf_emit_prepare(em, v);
        return;
    }
    bool lazy = v->kind == RF_VAL_OP && v->op == RF_OP_SELECT;
    for (unsigned i = 0; i < (lazy ? 1 : v->n); i++)
        rf_emit_hoist(em, v->arg[i], loop);
}

/* ---- updates ---- */

static rf_op compound(const rf_val *next, const rf_val *phi,
                      const rf_val **operand)
{
    next = rf_val_without_casts(next);
    if (next->kind != RF_VAL_OP || next->n != 2)
        return RF_OP_COUNT;
    bool left = rf_val_without_casts(next->arg[0]) == phi;
    bool right = rf_val_without_casts(next->arg[1]) == phi;
    *operand = next->arg[left ? 1 : 0];
    if (rf_val_mentions(*operand, phi))
        return RF_OP_COUNT;
    switch (next->op) {
    case RF_OP_ADD:
    case RF_OP_MUL:
    case RF_OP_BIT_AND:
    case RF_OP_BIT_OR:
    case RF_OP_BIT_XOR:
        return left || right ? next->op : RF_OP_COUNT;
    case RF_OP_SUB:
    case RF_OP_DIV:
        return left ? next->op : RF_OP_COUNT;
    default:
        return RF_OP_COUNT;
    }
}

static void update_if(rf_emitter *em, rf_expr *place, const rf_red *red,
                      const rf_val *c, const rf_val *value)
{
    rf_emit_prepare(em, c);
    rf_expr *condition = rf_express(em, c);
    rf_open_block block;
    rf_block_begin(em, &block);
    rf_emit_update(em, place, red, value);
    rf_block_end(em, &block);
    rf_emit_append(em, rf_if(em, condition, &block.body));
}

void rf_emit_update(rf_emitter *em, rf_expr *place, const rf_red *red,
                    const rf_val *next)
{
    const rf_val *operand;
    if (next->kind == RF_VAL_OP && next->op == RF_OP_SELECT) {
        if (next->arg[2] == red->phi) {
            update_if(em, place, red, next->arg[0], next->arg[1]);
            return;
        }
        if (next->arg[1] == red->phi &&
            !rf_val_mentions(next->arg[0], red->phi)) {
            update_if(em, place, red, rf_val_not(em->vals, next->arg[0]),
                      next->arg[2]);
            return;
        }
    }
    rf_op op = compound(next, red->phi, &operand);
    if (op != RF_OP_COUNT) {
        rf_emit_prepare(em, operand);
        rf_emit_append(em, rf_assign_op(em, place, op,
                                        rf_express_as(em, operand, red->type)));
        return;
    }
    rf_emit_prepare(em, next);
    rf_emit_append(em,
                   rf_assign(em, place, rf_express_as(em, next, red->type)));
}
