/* Pieces of a chain's kernel: tiles, loops that deal elements to threads, and
 * bodies that know which element they are for. */
#include "emit/chaining.h"

/* Text in a place that no operator binds tighter than "<" surrounds. */
rf_expr *rf_chain_text(rf_chain_maker *mk, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = rf_arena_vprintf(mk->em.arena, format, args);
    va_end(args);
    return rf_expr_var(mk->em.arena,
                       rf_new_var(&mk->em, text, &rf_type_int, true));
}

rf_var *rf_chain_var(rf_chain_maker *mk, const char *wish, const rf_type *type)
{
    return rf_new_var(&mk->em, rf_names_fresh(&mk->em, wish), type, false);
}

static const rf_type *array_of(rf_chain_maker *mk, const rf_type *elem, int n)
{
    rf_type *t = RF_NEW(mk->em.arena, rf_type);
    *t = (rf_type){ .kind = RF_TYPE_ARRAY, .elem = elem, .count = n };
    return t;
}

/* An array [rows][columns] of "type", declared here. */
rf_var *rf_chain_tile(rf_chain_maker *mk, const char *wish, const rf_type *type,
                      int rows, int columns, bool shared)
{
    rf_type *elem = RF_NEW(mk->em.arena, rf_type);
    *elem = *type;
    elem->is_const = false;
    rf_var *var =
        rf_chain_var(mk, wish, array_of(mk, array_of(mk, elem, columns), rows));
    if (shared)
        var->storage = RF_VAR_SHARED;
    rf_emit_append(&mk->em, rf_declare(&mk->em, var, NULL));
    return var;
}

rf_var *rf_chain_array(rf_chain_maker *mk, const char *wish,
                       const rf_type *type, int number, int rows, int columns)
{
    rf_type *elem = RF_NEW(mk->em.arena, rf_type);
    *elem = *type;
    elem->is_const = false;
    const rf_type *t = array_of(mk, elem, columns);
    t = rows ? array_of(mk, t, rows) : t;
    return rf_chain_var(mk, wish, number ? array_of(mk, t, number) : t);
}

/* ---- loops ---- */

void rf_chain_begin(rf_chain_maker *mk, rf_chain_for *f, rf_var *var,
                    rf_expr *from, rf_expr *to, rf_expr *by)
{
    rf_emitter *em = &mk->em;
    *f = (rf_chain_for){ .outer = em->out };
    f->stmt = rf_stmt_new(em->arena, RF_STMT_FOR);
    f->stmt->init = rf_declare(em, var, from);
    f->stmt->expr =
        rf_binary(em, RF_OP_LT, &rf_type_bool, rf_emit_use(em, var), to);
    rf_expr *v = rf_emit_use(em, var);
    if (by) {
        f->stmt->step = rf_binary(em, RF_OP_ASSIGN_OP, var->type, v, by);
        f->stmt->step->value.assign = RF_OP_ADD;
    } else {
        f->stmt->step =
            rf_expr_new(em->arena, RF_OP_POST_INC, var->type, 1, &v);
    }
    em->out = &f->body;
}

void rf_chain_end(rf_chain_maker *mk, rf_chain_for *f)
{
    mk->em.out = f->outer;
    f->stmt->body = rf_block(&mk->em, &f->body);
    rf_emit_append(&mk->em, f->stmt);
}

void rf_chain_unrolled(rf_chain_maker *mk, rf_chain_for *f, rf_var *var, int n)
{
    rf_chain_begin(mk, f, var, rf_expr_int(mk->em.arena, 0),
                   rf_expr_int(mk->em.arena, n), NULL);
    f->stmt->attribute = "#pragma unroll";
}

void rf_chain_deal(rf_chain_maker *mk, rf_chain_for *f, int n)
{
    rf_chain_begin(mk, f, mk->slot, rf_chain_text(mk, "threadIdx.x"),
                   rf_expr_int(mk->em.arena, n),
                   rf_chain_text(mk, "blockDim.x"));
}

void rf_chain_barrier(rf_chain_maker *mk)
{
    rf_stmt *s = rf_stmt_new(mk->em.arena, RF_STMT_EXPR);
    s->expr = rf_chain_text(mk, "__syncthreads()");
    rf_emit_append(&mk->em, s);
}

/* ---- elements ---- */

rf_expr *rf_chain_bound(rf_chain_maker *mk, const rf_chain_index *x)
{
    if (x->end)
        return rf_emit_use(&mk->em, x->end);
    return rf_express(&mk->em, x->loop->upper);
}

void rf_chain_bind(rf_chain_maker *mk, const rf_val *v, rf_var *var)
{
    RF_PUSH(mk->em.scope, (rf_in_scope){ .value = v, .var = var });
}

static void count(rf_chain_maker *mk, const rf_chain_index *x)
{
    if (x->loop)
        RF_PUSH(mk->em.counters,
                (rf_counter){ .loop = x->loop, .var = x->var });
}

void rf_chain_open(rf_chain_maker *mk, rf_chain_body *b,
                   const rf_chain_index *column)
{
    rf_emitter *em = &mk->em;
    *b = (rf_chain_body){ .uses = em->uses,
                          .n_uses = em->n_uses,
                          .counters = em->counters.len,
                          .names = em->names.len,
                          .column = column };
    em->uses = NULL;
    em->n_uses = 0;
    count(mk, &mk->m);
    for (size_t i = 0; i < mk->digits.len; i++)
        RF_PUSH(em->counters, mk->digits.data[i]);
    if (column)
        count(mk, column);
    rf_block_begin(em, &b->block);
}

static bool uses(rf_chain_maker *mk, const rf_stmts *list, const rf_var *var)
{
    rf_stmt block = { .kind = RF_STMT_BLOCK,
                      .n = (unsigned)list->len,
                      .list = list->data };
    (void)mk;
    return list->len && rf_block_needs(&block, 0, var);
}

static rf_expr *position(rf_chain_maker *mk, const rf_chain_index *x,
                         const char *offset)
{
    return x->start ? rf_chain_text(mk, "%s + %s", x->start->name, offset)
                    : rf_chain_text(mk, "%s", offset);
}

/* Can element "x" of the tile lie outside? */
static bool is_ragged(const rf_chain_index *x)
{
    int64_t n;
    return x->end || !rf_val_is_int(x->loop->upper, &n) || n % x->tile;
}

/* const int m = value; where the variable is assigned nowhere else. */
static void define_once(rf_chain_maker *mk, const rf_var *var, rf_expr *value)
{
    rf_var *constant = rf_new_var(&mk->em, var->name, var->type, true);
    rf_emit_append(&mk->em, rf_declare(&mk->em, constant, value));
}

/* Is min(a, b) one of CUDA's functions of two equal types? */
static bool has_minimum(const rf_chain_index *x, const rf_expr *end)
{
    const rf_type *t = x->var->type;
    return t->kind == RF_TYPE_INT && t->bits >= 32 && end->type &&
           rf_type_same(t, end->type) && (x->start || !t->is_unsigned) &&
           (x->start || t->bits == 32);
}

static rf_expr *minimum(rf_chain_maker *mk, rf_expr *a, rf_expr *b)
{
    rf_expr *args[] = { a, b };
    rf_expr *call = rf_expr_new(mk->em.arena, RF_OP_CALL, b->type, 2, args);
    call->name = "min";
    return call;
}

/* const int m = min(m0 + i, M - 1); if (m >= M) m = M - 1 for other types. */
static void define(rf_chain_maker *mk, const rf_chain_index *x,
                   const char *offset, bool checked)
{
    rf_emitter *em = &mk->em;
    mk->uses_i |= x == &mk->m;
    mk->uses_j |= x != &mk->m;
    mk->uses_t = true;
    rf_expr *at = position(mk, x, offset);
    if (checked || !is_ragged(x)) {
        define_once(mk, x->declared, at);
        return;
    }
    rf_expr *bound = rf_chain_bound(mk, x);
    rf_expr *end = rf_binary(em, RF_OP_SUB, x->var->type, bound,
                             rf_expr_int(em->arena, 1));
    if (has_minimum(x, bound) && !rf_names_is_taken(em, "min")) {
        define_once(mk, x->declared, minimum(mk, at, end));
        return;
    }
    rf_stmts last = { 0 };
    rf_emit_append(em, rf_declare(em, x->declared, at));
    RF_PUSH(last, rf_assign(em, rf_emit_use(em, x->var), end));
    rf_expr *beyond = rf_binary(em, RF_OP_GE, &rf_type_bool,
                                rf_emit_use(em, x->var), rf_chain_bound(mk, x));
    rf_emit_append(em, rf_if(em, beyond, &last));
}

static rf_expr *inside(rf_chain_maker *mk, const rf_chain_index *x,
                       rf_expr *also)
{
    rf_emitter *em = &mk->em;
    if (!is_ragged(x))
        return also;
    rf_expr *e = rf_binary(em, RF_OP_LT, &rf_type_bool, rf_emit_use(em, x->var),
                           rf_chain_bound(mk, x));
    return also ? rf_binary(em, RF_OP_AND, &rf_type_bool, also, e) : e;
}

/* The author's declarations that depend on the row, where they are used. */
static void declare_row(rf_chain_maker *mk, rf_stmts *body)
{
    for (size_t i = 0; i < mk->row_decls.len; i++) {
        bool needed = uses(mk, body, mk->row_decls.data[i]->var);
        for (size_t k = i + 1; k < mk->row_decls.len && !needed; k++) {
            rf_stmts one = { .data = &mk->row_decls.data[k], .len = 1 };
            needed = uses(mk, &one, mk->row_decls.data[i]->var) &&
                     uses(mk, body, mk->row_decls.data[k]->var);
        }
        if (needed)
            rf_emit_append(&mk->em, mk->row_decls.data[i]);
    }
}

/* int x = row % W; int y = row / W % H; int b = row / W / H; */
static void declare_digits(rf_chain_maker *mk, rf_stmts *body)
{
    rf_emitter *em = &mk->em;
    rf_expr *rest = rf_emit_use(em, mk->m.var);
    for (size_t i = mk->digits.len; i-- > 0;) {
        const rf_counter *d = &mk->digits.data[i];
        rf_expr *n = rf_express(em, d->loop->upper);
        rf_expr *digit =
            i ? rf_binary(em, RF_OP_REM, rest->type, rest, n) : rest;
        if (uses(mk, body, d->var))
            define_once(mk, d->var, digit);
        rest = rf_binary(em, RF_OP_DIV, rest->type, rest, n);
    }
}

static bool needs_row(rf_chain_maker *mk, rf_stmts *body)
{
    for (size_t i = 0; i < mk->digits.len; i++)
        if (uses(mk, body, mk->digits.data[i].var))
            return true;
    if (uses(mk, body, mk->m.var))
        return true;
    for (size_t i = 0; i < mk->row_decls.len; i++)
        if (uses(mk, body, mk->row_decls.data[i]->var))
            return true;
    return false;
}

static void append_all(rf_chain_maker *mk, rf_stmts *body)
{
    for (size_t i = 0; i < body->len; i++)
        rf_emit_append(&mk->em, body->data[i]);
    RF_CLEAR(*body);
}

void rf_chain_close(rf_chain_maker *mk, rf_chain_body *b, const char *row,
                    const char *column, bool checked)
{
    rf_emitter *em = &mk->em;
    rf_stmts *body = &b->block.body;
    rf_block_end(em, &b->block);
    if (checked || needs_row(mk, body))
        define(mk, &mk->m, row, checked);
    if (b->column && (checked || uses(mk, body, b->column->var)))
        define(mk, b->column, column, checked);
    rf_expr *test = NULL;
    if (checked) {
        test = inside(mk, &mk->m, NULL);
        test = b->column ? inside(mk, b->column, test) : test;
    }
    if (test) {
        rf_stmts guarded = { 0 }, *outer = em->out;
        em->out = &guarded;
        declare_digits(mk, body);
        declare_row(mk, body);
        append_all(mk, body);
        em->out = outer;
        rf_emit_append(em, rf_if(em, test, &guarded));
    } else {
        declare_digits(mk, body);
        declare_row(mk, body);
        append_all(mk, body);
    }
    free(em->uses);
    em->uses = b->uses;
    em->n_uses = b->n_uses;
    em->counters.len = b->counters;
    em->names.len = b->names;
}
