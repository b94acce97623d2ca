/* Loops: bring the header to normal form, trace the body once with
 * placeholders for what the iterations hand on, then close them.
 *
 *     v' = v + c           an induction variable: v0 + k * c
 *     v' = v (+) term      a reduction (match.c)
 *     v' free of v         private to the iteration
 *     anything else        a recurrence, kept in order (FOLD) */
#include "ir/tracing.h"

static bool is_of_loop(const rf_val *v, const void *loop)
{
    return v->loop == loop && (v->kind == RF_VAL_INDEX ||
                               v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL);
}

bool rf_varies(const rf_val *v, const rf_loop *loop)
{
    return rf_val_find(v, is_of_loop, loop) != NULL;
}

static bool is_placeholder_of(const rf_val *v, const void *loop)
{
    return v->loop == loop && (v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL);
}

bool rf_is_carried(const rf_val *v, const rf_loop *loop)
{
    return rf_val_find(v, is_placeholder_of, loop) != NULL;
}

void rf_note_update(rf_tracer *tr, const rf_red *red, const rf_val *result)
{
    RF_PUSH(tr->t->updates, (rf_update){ .phi = red->phi,
                                         .next = red->next,
                                         .result = result,
                                         .pass = tr->pass,
                                         .at = red->at });
}

/* ---- headers ---- */

typedef struct {
    const rf_stmt *stmt;
    rf_frame *frame;
    rf_inductions inductions;
    const rf_induction *primary;
    rf_loop proto;
    const rf_val *start;      /* value of the primary when the loop begins */
    const rf_val *count_from; /* pointers, images: the index is start + k */
    bool stepped_in_test;
} header;

static const rf_val *phi_val(rf_tracer *tr, rf_var *var, const rf_loop *loop)
{
    return rf_val_make(tr->vals, &(rf_val){ .kind = RF_VAL_PHI,
                                            .type = var->type,
                                            .var = var,
                                            .loop = loop });
}

static void choose_primary(header *h)
{
    for (size_t i = 0; i < h->inductions.len; i++) {
        const rf_induction *ind = &h->inductions.data[i];
        if (!rf_expr_find(h->stmt->expr, rf_expr_is_use, ind->var))
            continue;
        if (!h->primary || h->primary->var->type->kind == RF_TYPE_POINTER)
            h->primary = ind;
    }
}

static const rf_val *step_of(rf_tracer *tr, const rf_induction *ind,
                             const rf_type *type)
{
    if (ind->by)
        return rf_val_int(tr->vals, ind->by, type);
    const rf_val *v = rf_eval(tr, ind->amount);
    v = rf_usual_cast(tr, v, type);
    if (!ind->is_negative)
        return v;
    int64_t k;
    if (rf_val_is_int(v, &k))
        return rf_val_int(tr->vals, -k, type);
    return rf_val_op(tr->vals, RF_OP_NEG, type, 1, &v, NULL);
}

static int sign_of_step(const rf_val *step)
{
    int64_t k;
    if (rf_val_is_int(step, &k))
        return k > 0 ? 1 : k < 0 ? -1 : 0;
    return step->kind == RF_VAL_OP && step->op == RF_OP_NEG ? -1 : 1;
}

static rf_op mirror(rf_op op)
{
    switch (op) {
    case RF_OP_LT:
        return RF_OP_GT;
    case RF_OP_LE:
        return RF_OP_GE;
    case RF_OP_GT:
        return RF_OP_LT;
    case RF_OP_GE:
        return RF_OP_LE;
    default:
        return op;
    }
}

/* (long long)n of a 64-bit n counts the same elements. */
static const rf_val *strip_wide_casts(const rf_val *v)
{
    while (v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_INT &&
           v->type->bits == 64 && v->arg[0]->type &&
           v->arg[0]->type->kind == RF_TYPE_INT && v->arg[0]->type->bits == 64)
        v = v->arg[0];
    return v;
}

/* phi + c compared with u is phi compared with u - c. */
static const rf_val *peel(rf_tracer *tr, const rf_val *side, const rf_val *phi,
                          const rf_val **bound)
{
    side = rf_val_without_int_casts(side);
    if (side->kind == RF_VAL_OP &&
        (side->op == RF_OP_ADD || side->op == RF_OP_SUB) &&
        rf_val_without_int_casts(side->arg[0]) == phi &&
        !rf_val_mentions(side->arg[1], phi)) {
        rf_op undo = side->op == RF_OP_ADD ? RF_OP_SUB : RF_OP_ADD;
        *bound =
            rf_val_op2(tr->vals, undo, (*bound)->type, *bound, side->arg[1]);
        return phi;
    }
    return side;
}

/* Count the images of the counter that the test is on: then it says the same
 * of the image. */
static bool count_images(rf_tracer *tr, header *h, const rf_val *side,
                         const rf_val *phi)
{
    rf_image image;
    int64_t by, k = 1;
    if (h->stmt->kind == RF_STMT_DO || h->stepped_in_test ||
        h->proto.type->kind != RF_TYPE_INT ||
        !rf_val_is_int(h->proto.step, &by) || !by ||
        !rf_split_image(tr, side, phi, &image) ||
        (!rf_val_is_int(image.factor, &k) && by != 1) ||
        (k * by < 0 && k != 1 && k != -1))
        return false;
    const rf_type *t = side->type;
    const rf_val *start = rf_usual_cast(tr, h->start, t);
    start = rf_val_op2(tr->vals, RF_OP_MUL, t, image.factor, start);
    h->count_from = h->start;
    h->proto.type = t;
    h->proto.lower = rf_val_op2(tr->vals, RF_OP_ADD, t, image.offset, start);
    h->proto.step = by == 1 ? image.factor : rf_val_int(tr->vals, k * by, t);
    return true;
}

/* `i` of `while (i)` is i != 0, and so is !(i == 0). */
static const rf_val *as_relation(rf_tracer *tr, const rf_val *test)
{
    if (test->kind == RF_VAL_CAST && test->type->kind == RF_TYPE_BOOL &&
        test->arg[0]->type && test->arg[0]->type->kind == RF_TYPE_INT)
        return rf_val_op2(tr->vals, RF_OP_NE, &rf_type_bool, test->arg[0],
                          rf_val_int(tr->vals, 0, test->arg[0]->type));
    if (test->kind == RF_VAL_OP && test->op == RF_OP_NOT &&
        test->arg[0]->kind == RF_VAL_OP && test->arg[0]->op == RF_OP_EQ)
        return rf_val_op2(tr->vals, RF_OP_NE, &rf_type_bool,
                          test->arg[0]->arg[0], test->arg[0]->arg[1]);
    return test;
}

/* Read "phi REL bound" out of the test. */
static bool read_test(rf_tracer *tr, header *h, const rf_val *test,
                      const rf_val *phi)
{
    test = as_relation(tr, test);
    if (test->kind != RF_VAL_OP || test->n != 2 || test->op < RF_OP_LT ||
        test->op > RF_OP_NE || test->op == RF_OP_EQ)
        return false;
    bool left = rf_val_mentions(test->arg[0], phi);
    const rf_val *side = test->arg[left ? 0 : 1];
    const rf_val *bound = test->arg[left ? 1 : 0];
    rf_op op = left ? test->op : mirror(test->op);
    bool peelable = h->stmt->kind == RF_STMT_DO;
    if (peelable)
        side = peel(tr, side, phi, &bound);
    if (rf_val_mentions(bound, phi) || (rf_val_without_int_casts(side) != phi &&
                                        !count_images(tr, h, side, phi)))
        return false;
    int sign = sign_of_step(h->proto.step);
    if (op == RF_OP_NE)
        h->proto.is_equal_exit = true;
    else if (sign == 0 || (sign > 0) != (op == RF_OP_LT || op == RF_OP_LE))
        return false;
    h->proto.is_inclusive = op == RF_OP_LE || op == RF_OP_GE;
    h->proto.upper = strip_wide_casts(bound);
    return true;
}

/* do { ... i++; } while (i < n): the test sees the advanced i. */
static bool holds_expr(const rf_expr *e, const rf_expr *part)
{
    if (e == part)
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (holds_expr(e->arg[i], part))
            return true;
    return false;
}

static const rf_val *eval_test(rf_tracer *tr, header *h, const rf_val *phi)
{
    if (h->stmt->kind == RF_STMT_DO &&
        !holds_expr(h->stmt->expr, h->primary->step))
        rf_env_set(
            tr, h->primary->var,
            rf_val_op2(tr->vals, RF_OP_ADD, phi->type, phi, h->proto.step));
    const rf_val *test = rf_truth_of(tr, rf_eval(tr, h->stmt->expr));
    h->stepped_in_test =
        h->stmt->kind != RF_STMT_DO && rf_env_get(tr, h->primary->var) != phi;
    return test;
}

/* In a do loop i + s < n becomes i < n - s; the domain is i < n. */
static void undo_do_shift(rf_tracer *tr, header *h)
{
    if (h->stmt->kind != RF_STMT_DO)
        return;
    h->proto.at_least_once = true;
    const rf_val *u = h->proto.upper;
    if (u->kind == RF_VAL_OP && u->op == RF_OP_SUB &&
        u->arg[1] == h->proto.step)
        h->proto.upper = u->arg[0];
    else
        h->proto.upper =
            rf_val_op2(tr->vals, RF_OP_ADD, u->type, u, h->proto.step);
}

/* for (i = n; i-- > 0;) visits 0 .. n-1, backwards. */
static void turn_round(rf_tracer *tr, header *h)
{
    int64_t step;
    rf_loop *l = &h->proto;
    if (!h->stepped_in_test || !rf_val_is_int(l->step, &step) || step != -1 ||
        l->is_inclusive || l->type->kind != RF_TYPE_INT)
        return;
    const rf_val *start = l->lower;
    l->lower = rf_usual_cast(tr, l->upper, l->type);
    l->upper = start;
    l->step = rf_val_int(tr->vals, 1, l->type);
    l->is_equal_exit = false;
    l->is_reversed = true;
    h->stepped_in_test = false;
}

/* The pointer "v" through the declaration of a constant pointer variable. */
static const rf_val *resolve_pointer(rf_tracer *tr, const rf_val *v)
{
    if (v->kind != RF_VAL_ENTRY || !v->var->is_const ||
        v->var->storage != RF_VAR_LOCAL)
        return v;
    const rf_stmt *decl = rf_find_decl(tr->t->func->body, v->var);
    return decl && decl->expr ? rf_eval(tr, decl->expr) : v;
}

/* Replace "base" by what it was declared as, unless it is "wanted". */
static void resolve_base(rf_tracer *tr, const rf_val **base,
                         const rf_val **index, const rf_val *wanted)
{
    const rf_val *known = resolve_pointer(tr, *base), *b, *i;
    if (*base == wanted || known == *base)
        return;
    rf_split_pointer(tr, known, &b, &i);
    *index = rf_offset_sum(tr, RF_OP_ADD, i, *index);
    *base = b;
}

/* p = start .. end: count the elements, k = 0 .. (end - start) / step. */
static bool count_pointers(rf_tracer *tr, header *h)
{
    const rf_val *b0, *i0, *b1, *i1;
    rf_split_pointer(tr, h->start, &b0, &i0);
    rf_split_pointer(tr, h->proto.upper, &b1, &i1);
    for (int depth = 0; depth < 8 && b0 != b1; depth++) {
        resolve_base(tr, &b1, &i1, b0);
        if (b0 != b1)
            resolve_base(tr, &b0, &i0, b1);
    }
    if (b0 != b1)
        return false;
    const rf_type *t = rf_common_type(i0->type, i1->type);
    const rf_val *n = i1;
    if (i1->kind == RF_VAL_OP && i1->op == RF_OP_ADD && i1->arg[0] == i0)
        n = i1->arg[1];
    else if (i1->kind == RF_VAL_OP && i1->op == RF_OP_ADD && i1->arg[1] == i0)
        n = i1->arg[0];
    else if (i1 == i0)
        n = rf_val_int(tr->vals, 0, t);
    else
        n = rf_offset_sum(tr, RF_OP_SUB, i1, i0);
    h->count_from = h->start;
    h->proto.lower = rf_val_int(tr->vals, 0, n->type);
    h->proto.upper = n;
    h->proto.type = n->type;
    return true;
}

static bool read_header(rf_tracer *tr, header *h)
{
    if (!h->stmt->expr)
        return false;
    rf_scan_inductions(tr, h->stmt, h->frame, &h->inductions);
    choose_primary(h);
    if (!h->primary)
        return false;
    rf_var *var = h->primary->var;
    bool is_pointer = var->type->kind == RF_TYPE_POINTER;
    h->start = rf_env_get(tr, var);
    h->proto.type = var->type;
    h->proto.name = var->name;
    h->proto.stmt = h->stmt;
    h->proto.lower = h->start;
    h->proto.step =
        step_of(tr, h->primary, is_pointer ? &rf_type_int : var->type);
    const rf_val *phi = phi_val(tr, var, NULL);
    rf_env_set(tr, var, phi);
    const rf_val *test = eval_test(tr, h, phi);
    if (!read_test(tr, h, test, phi))
        return false;
    undo_do_shift(tr, h);
    turn_round(tr, h);

    return !is_pointer || count_pointers(tr, h);
}

/* ---- interning ---- */

/* size_t and long long count the elements of an object alike. */
static bool same_counter(const rf_type *a, const rf_type *b)
{
    return rf_type_same(a, b) ||
           (a->kind == RF_TYPE_INT && b->kind == RF_TYPE_INT && a->bits == 64 &&
            b->bits == 64);
}

static bool same_bound(const rf_val *a, const rf_val *b)
{
    int64_t x, y;
    return a == b || (rf_val_is_int(a, &x) && rf_val_is_int(b, &y) && x == y &&
                      same_counter(a->type, b->type));
}

static bool same_loop(const rf_loop *a, const rf_loop *b)
{
    return same_bound(a->lower, b->lower) && same_bound(a->upper, b->upper) &&
           same_bound(a->step, b->step) && a->is_inclusive == b->is_inclusive &&
           a->at_least_once == b->at_least_once &&
           a->is_reversed == b->is_reversed && same_counter(a->type, b->type) &&
           a->twin == b->twin;
}

bool rf_loop_is_open(const rf_tracer *tr, const rf_loop *loop)
{
    for (const rf_frame *f = tr->frame; f; f = f->outer)
        if (f->loop == loop)
            return true;
    return false;
}

static const rf_loop *intern_loop(rf_tracer *tr, rf_loop proto)
{
    for (size_t i = 0; i < tr->t->loops.len; i++) {
        rf_loop *known = tr->t->loops.data[i];
        if (!same_loop(known, &proto))
            continue;
        if (!rf_loop_is_open(tr, known))
            return known;
        proto.twin++;
        i = (size_t)-1;
    }
    rf_loop *loop = RF_NEW(tr->t->arena, rf_loop);
    *loop = proto;
    loop->id = (unsigned)tr->t->loops.len;
    loop->index = rf_val_make(
        tr->vals,
        &(rf_val){ .kind = RF_VAL_INDEX, .type = loop->type, .loop = loop });
    RF_PUSH(tr->t->loops, loop);
    return loop;
}

/* ---- closed forms ---- */

/* Steps down are counted from above, which is right for unsigned numbers and
 * for counters that are wider: lower - index. */
static bool counts_down(const rf_loop *loop, const rf_val *by,
                        const rf_type *type)
{
    int64_t n;
    if (!rf_val_is_int(loop->step, &n) || n >= 0 || n == INT64_MIN)
        return false;
    return by != loop->step ||
           (loop->type->is_unsigned && !rf_type_same(type, loop->type));
}

/* -v of a number below 0, else NULL. */
static const rf_val *opposite(rf_tracer *tr, const rf_val *v)
{
    int64_t n;
    return rf_val_is_int(v, &n) && n < 0 && n > INT64_MIN
               ? rf_val_int(tr->vals, -n, v->type)
               : NULL;
}

/* v0 + (index - lower) / step * "by", without a division where it can be. */
static const rf_val *advance(rf_tracer *tr, const rf_loop *loop,
                             const rf_val *v0, const rf_val *by)
{
    const rf_type *t = loop->type;
    const rf_val *from = loop->lower, *k = loop->index, *step = loop->step;
    rf_op op = RF_OP_ADD;
    int64_t zero;
    if (counts_down(loop, by, v0->type)) {
        const rf_val *down = opposite(tr, by);
        op = down ? RF_OP_SUB : RF_OP_ADD;
        by = down ? down : by;
        step = opposite(tr, step);
        k = loop->lower;
        from = loop->index;
    }
    if (!rf_val_is_int(from, &zero) || zero)
        k = rf_val_op2(tr->vals, RF_OP_SUB, t, k, from);
    if (step != by) {
        k = rf_val_op2(tr->vals, RF_OP_DIV, t, k, step);
        k = rf_val_op2(tr->vals, RF_OP_MUL, t, k, by);
    }
    if (!rf_type_is_pointer_like(v0->type))
        k = rf_usual_cast(tr, k, v0->type);
    return rf_val_op2(tr->vals, op, v0->type, v0, k);
}

/* The primary is the index; another one is v0 + k * step, k the number of
 * iterations done: (index - lower) / primary step. */
static const rf_val *closed_form(rf_tracer *tr, const header *h,
                                 const rf_loop *loop, const rf_induction *ind)
{
    if (ind->var == h->primary->var && !h->count_from)
        return loop->index;
    const rf_val *v0 =
        ind->var == h->primary->var ? h->start : rf_env_get(tr, ind->var);
    return advance(tr, loop, v0, step_of(tr, ind, loop->type));
}

static const rf_induction *find_induction(const header *h, const rf_var *var)
{
    for (size_t i = 0; i < h->inductions.len; i++)
        if (h->inductions.data[i].var == var)
            return &h->inductions.data[i];
    return NULL;
}

/* lower < upper, or NULL where the last values of the loop are not followed. */
static const rf_val *runs(rf_tracer *tr, const rf_loop *l)
{
    int64_t step, zero;
    bool plain = rf_val_is_int(l->step, &step) && step == 1 &&
                 !l->is_inclusive && !l->is_reversed && !l->at_least_once &&
                 l->type->kind == RF_TYPE_INT;
    if (!plain || (!rf_type_same(l->lower->type, l->upper->type) &&
                   (!rf_val_is_int(l->lower, &zero) || zero)))
        return NULL;
    return rf_val_op2(tr->vals, RF_OP_LT, &rf_type_bool, l->lower, l->upper);
}

/* "v" in the body, which only runs when lower < upper. */
static const rf_val *when_running(rf_tracer *tr, const rf_val *v,
                                  const rf_val *condition)
{
    if (v->kind == RF_VAL_OP && v->op == RF_OP_SELECT && v->arg[0] == condition)
        return v->arg[1];
    bool sum = v->kind == RF_VAL_OP && v->n == 2 &&
               (v->op == RF_OP_ADD || v->op == RF_OP_SUB);
    if (!sum && v->kind != RF_VAL_CAST)
        return v;
    const rf_val *a = when_running(tr, v->arg[0], condition);
    if (!sum)
        return rf_val_cast(tr->vals, v->type, a, v->expr);
    const rf_val *b = when_running(tr, v->arg[1], condition);
    bool cancels = v->op == RF_OP_SUB && a->kind == RF_VAL_OP &&
                   a->op == RF_OP_ADD && a->arg[1] == b &&
                   rf_type_same(a->type, v->type);
    if (cancels) /* (x + n) - n */
        return a->arg[0];
    return rf_val_op2(tr->vals, v->op, v->type, a, b);
}

static void enter(rf_tracer *tr, header *h)
{
    rf_frame *f = h->frame;
    const rf_val *condition = runs(tr, f->loop);
    for (size_t i = 0; condition && i < tr->env.len; i++)
        tr->env.data[i].value =
            when_running(tr, tr->env.data[i].value, condition);
    for (size_t i = 0; i < h->inductions.len; i++) {
        const rf_induction *ind = &h->inductions.data[i];
        if (ind->var != h->primary->var)
            rf_env_set(tr, ind->var, closed_form(tr, h, f->loop, ind));
    }
    const rf_val *now = closed_form(tr, h, f->loop, h->primary);
    if (h->stepped_in_test) /* while (i-- > 0): the body sees i - 1 */
        now = rf_val_op2(tr->vals, RF_OP_ADD, now->type, now, h->proto.step);
    rf_env_set(tr, h->primary->var, now);
    for (size_t i = 0; i < f->assigned.len; i++)
        if (!find_induction(h, f->assigned.data[i]))
            rf_env_set(tr, f->assigned.data[i],
                       phi_val(tr, f->assigned.data[i], f->loop));
}

/* ---- closing ---- */

/* Merge the iterations that `continue` ended early into the last state. */
static void join_continues(rf_tracer *tr, rf_frame *f)
{
    for (size_t i = f->continues.len; i-- > 0;) {
        rf_exit *e = &f->continues.data[i];
        if (tr->dead || !e->path) {
            RF_CLEAR(tr->env);
            tr->env = e->env;
            tr->dead = false;
        } else {
            tr->env = rf_env_merge(tr, e->path, &e->env, &tr->env);
        }
    }
    RF_CLEAR(f->continues);
    tr->dead = false;
}

static const rf_val *last_val(rf_tracer *tr, rf_var *var, const rf_loop *loop)
{
    return rf_val_make(tr->vals, &(rf_val){ .kind = RF_VAL_LAST,
                                            .type = var->type,
                                            .var = var,
                                            .loop = loop });
}

/* What the loop leaves in "var": begin + (lower < upper ? upper - lower : 0) *
 * step for a pointer, else just the last value. */
static const rf_val *last_induction(rf_tracer *tr, const header *h,
                                    const rf_induction *ind)
{
    const rf_loop *l = h->frame->loop;
    const rf_val *condition = runs(tr, l), *begin = rf_env_get(tr, ind->var);
    if (!condition || ind->var == h->primary->var ||
        ind->var->type->kind != RF_TYPE_POINTER)
        return last_val(tr, ind->var, l);
    const rf_val *zero = rf_val_int(tr->vals, 0, l->type);
    const rf_val *n =
        rf_val_op2(tr->vals, RF_OP_SUB, l->type, l->upper, l->lower);
    if (!l->is_equal_exit)
        n = rf_val_select(tr->vals, condition, n, zero);
    n = rf_val_op2(tr->vals, RF_OP_MUL, l->type, n, step_of(tr, ind, l->type));
    return rf_val_op2(tr->vals, RF_OP_ADD, begin->type, begin, n);
}

static rf_range update_place(const rf_tracer *tr, const rf_var *var,
                             const rf_stmt *loop)
{
    for (size_t i = tr->t->names.len; i-- > 0;)
        if (tr->t->names.data[i].var == var)
            return tr->t->names.data[i].at;
    return loop->at;
}

/* "Some step was made", in emitted code: a flag of the lane. */
static bool is_flag(const rf_tracer *tr, const rf_val *next)
{
    return tr->beside && next->kind == RF_VAL_CONST &&
           next->type->kind == RF_TYPE_BOOL;
}

static const rf_val *close_scalar(rf_tracer *tr, rf_frame *f, rf_var *var,
                                  const rf_val *next, const rf_val *init,
                                  const rf_stmt *stmt)
{
    const rf_val *phi = phi_val(tr, var, f->loop);
    if (next == phi)
        return init;
    if (!rf_val_mentions(next, phi) && !is_flag(tr, next))
        return last_val(tr, var, f->loop);
    rf_match m = { 0 };
    rf_red red = { .axis = f->loop,
                   .phi = phi,
                   .next = next,
                   .init = init,
                   .type = var->type,
                   .var = var,
                   .at = update_place(tr, var, stmt) };
    bool known = rf_match_update(tr, next, phi, &m) &&
                 !rf_is_carried(m.term, f->loop) &&
                 !rf_is_carried(m.guard, f->loop);
    red.op = known ? m.op : RF_REDUCE_FOLD;
    red.term = known ? m.term : next;
    red.guard = known ? m.guard : NULL;
    const rf_val *result = rf_make_red(tr, f, &red);
    rf_note_update(tr, &red, result);
    return result;
}

/* A partial sum is stored (rf-order), or another recurrence (rf-carried). */
static void refuse_running(rf_tracer *tr, const rf_frame *f, const rf_store *s,
                           const rf_val *value)
{
    const rf_val *running = rf_val_find(value, is_placeholder_of, f->loop);
    rf_range at = s->at;
    bool is_sum = false;
    for (size_t i = tr->t->reads.len; i-- > 0;) {
        const rf_read *r = &tr->t->reads.data[i];
        if (running->kind == RF_VAL_PHI && r->var == running->var &&
            r->pass == tr->pass && !r->is_own) {
            at = r->at;
            break;
        }
    }
    for (size_t i = f->first_red; i < tr->t->reds.len; i++)
        is_sum |= tr->t->reds.data[i]->phi == running &&
                  tr->t->reds.data[i]->op != RF_REDUCE_FOLD;
    rf_refuse(tr, is_sum ? RF_DIAG_ORDER : RF_DIAG_CARRIED, at,
              is_sum ? "a reduction is used before it is finished"
                     : "what is stored depends on earlier iterations");
}

/* Running values may not be stored or used by other computations. */
static void check_placeholders(rf_tracer *tr, const rf_frame *f)
{
    for (size_t k = f->first_store; k < tr->t->stores.len; k++) {
        const rf_store *s = &tr->t->stores.data[k];
        const rf_val *parts[] = { s->value, s->index, s->base, s->guard };
        for (size_t i = 0; i < RF_COUNTOF(parts); i++)
            if (rf_val_find(parts[i], is_placeholder_of, f->loop)) {
                refuse_running(tr, f, s, parts[i]);
                return;
            }
    }
}

static void close_loop(rf_tracer *tr, header *h, rf_env *before)
{
    rf_frame *f = h->frame;
    join_continues(tr, f);
    rf_env body = tr->env;
    tr->env = *before;
    tr->frame = f->outer;
    tr->path = f->path;
    for (size_t i = 0; i < f->assigned.len; i++) {
        rf_var *var = f->assigned.data[i];
        const rf_induction *ind = find_induction(h, var);
        if (ind) {
            rf_env_set(tr, var, last_induction(tr, h, ind));
            continue;
        }
        const rf_val *init = rf_env_get(tr, var), *next = NULL;
        for (size_t k = 0; k < body.len; k++)
            if (body.data[k].var == var)
                next = body.data[k].value;
        if (next)
            rf_env_set(tr, var, close_scalar(tr, f, var, next, init, h->stmt));
    }
    RF_CLEAR(body);
    rf_close_cells(tr, f);
    check_placeholders(tr, f);
}

static void frame_free(rf_frame *f)
{
    RF_CLEAR(f->assigned);
    RF_CLEAR(f->stored);
    for (size_t i = 0; i < f->continues.len; i++)
        RF_CLEAR(f->continues.data[i].env);
    RF_CLEAR(f->continues);
}

static const rf_stmt *find_break(const rf_stmt *s)
{
    if (!s || s->kind == RF_STMT_BREAK)
        return s;
    if (rf_stmt_is_loop(s))
        return NULL;
    const rf_stmt *found = find_break(s->body);
    found = found ? found : find_break(s->orelse);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = find_break(s->list[i]);
    return found;
}

static rf_range header_place(const rf_stmt *s)
{
    const rf_stmt *jump = s->expr ? NULL : find_break(s->body);
    return jump ? jump->at : s->expr ? s->expr->at : s->at;
}

const rf_expr *rf_find_assignment(const rf_stmt *s, const rf_var *var)
{
    return rf_stmt_find_expr(s, rf_expr_is_assignment, var);
}

/* Say why the header of "s" could not be read: a counter that all threads
 * share, one that the body moves too, or anything else. */
static void refuse_header(rf_tracer *tr, const rf_stmt *s)
{
    const rf_expr *step = rf_expr_find(s->step, rf_expr_is_assignment, NULL);
    const rf_var *var = step ? step->arg[0]->var : NULL;
    const rf_expr *first = var ? rf_find_assignment(s->init, var) : NULL;
    const rf_expr *again = var ? rf_find_assignment(s->body, var) : NULL;
    if (var && var->storage == RF_VAR_SHARED)
        rf_refuse(tr, RF_DIAG_RACE, first ? first->at : step->at,
                  "all threads of a block count with '%s'", var->name);
    else if (again && rf_expr_find(s->expr, rf_expr_is_use, var))
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, again->at,
                  "the body moves the counter '%s' as well", var->name);
    else
        rf_refuse(tr, RF_DIAG_CONTROL, header_place(s),
                  "the number of iterations of this loop is not known before "
                  "it runs");
}

void rf_run_loop(rf_tracer *tr, const rf_stmt *s)
{
    rf_frame f = { .outer = tr->frame,
                   .path = tr->path,
                   .first_store = tr->t->stores.len,
                   .first_load = tr->t->loads.len,
                   .first_red = tr->t->reds.len };
    header h = { .stmt = s, .frame = &f };
    if (s->init)
        rf_run_stmt(tr, s->init);
    rf_scan_assigned(tr, s, &f);
    rf_env before = rf_env_copy(&tr->env);
    if (read_header(tr, &h)) {
        RF_CLEAR(tr->env);
        tr->env = rf_env_copy(&before);
        f.loop = intern_loop(tr, h.proto);
        if (!tr->frame)
            RF_PUSH(
                tr->t->passes,
                (rf_pass){ .pass = ++tr->pass, .axis = f.loop, .at = s->at });
        enter(tr, &h);
        tr->frame = &f;
        tr->path = NULL;
        rf_run_stmt(tr, s->body);
        close_loop(tr, &h, &before);
        tr->pass += !tr->frame;
    } else {
        refuse_header(tr, s);
        RF_CLEAR(before);
    }
    RF_CLEAR(h.inductions);
    frame_free(&f);
}
