/* Rows that the lanes of a team keep in registers (THEORY 5).
 *
 *     lane t:   for (k = 0; k < K; k++) {
 *                   j = first + (k*lanes + t)*s;
 *                   if (j < upper) ... x_row[k] ...
 *               }
 *
 * The pairs (k, t) and the numbers first + q*s with q < K*lanes are in
 * one-to-one correspondence, which is computed from the emitted text for every
 * lane, turn and block. So the loop is one over j from first to upper whose
 * elements are dealt to the lanes, if the slots are enough:
 *
 *     upper <= first + K*lanes*s                                        (D1)
 *
 * for all rows for which the kernel is not stopped by `if (...) __trap();`. */
#include "ir/collective.h"
#include "plan/planning.h"
#include "proof/lane.h"

enum { MOST_SLOTS = 4096 };

typedef struct {
    rf_prover *p;
    rf_trace *t;
    const rf_loop *loop;   /* over the slots */
    int64_t slots;         /* K */
    int64_t first, step;   /* j of lane 0 in turn 0, s */
    int64_t lanes;         /* 0: blocks of several sizes */
    const rf_val *element; /* one way to write j */
    const rf_val *test;    /* j < upper; NULL: there is none */
    const rf_val *part;    /* elements are part + j, if all of them are */
    bool has_plain;        /* ... some are not */
    rf_loop *whole;        /* over j */
    RF_ARRAY(const rf_val *) spelt, sums; /* all ways to write j, part + j */
    bool failed;
} slots;

/* ---- j ---- */

static const rf_val *without_casts(const rf_val *v)
{
    while (v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_INT)
        v = v->arg[0];
    return v;
}

static bool mentions_both(const slots *s, const rf_val *v)
{
    return rf_mentions_lane(v) && rf_val_mentions(v, s->loop->index);
}

static bool number_at(const slots *s, const rf_val *v, rf_place_in_team at,
                      int64_t turn, int64_t *n)
{
    at.loop = s->loop;
    at.turn = turn;
    return rf_lane_number(v, &at, n);
}

static bool is_number(const slots *s, const rf_val *v)
{
    int64_t n;
    bool is_integer = v->type && v->type->kind == RF_TYPE_INT;
    return is_integer && v->kind != RF_VAL_RESULT && mentions_both(s, v) &&
           number_at(s, v, rf_lane_at(s->t->team, 0, 0), 0, &n);
}

/* Is "v" first + (k*lanes + t)*step in every turn of every lane? */
static bool is_element(const slots *s, const rf_val *v)
{
    const rf_team *team = s->t->team;
    for (unsigned i = 0; i < team->n_sizes; i++) {
        rf_place_in_team at = rf_lane_at(team, i, 0);
        for (; at.t < at.threads; at.t++)
            for (int64_t k = 0; k < s->slots; k++) {
                int64_t n, q = k * at.lanes + at.t % at.lanes;
                if (at.threads % at.lanes || !number_at(s, v, at, k, &n) ||
                    n != s->first + q * s->step)
                    return false;
            }
    }
    return true;
}

/* The largest part of "v" that is a number in each turn of each lane. */
static const rf_val *find_element(const slots *s, const rf_val *v)
{
    const rf_val *found = NULL;
    if (!v || is_number(s, v))
        return v;
    for (unsigned i = 0; i < v->n && !found; i++)
        found = find_element(s, v->arg[i]);
    return found;
}

static bool measure(slots *s)
{
    rf_place_in_team at = rf_lane_at(s->t->team, 0, 0);
    int64_t second;
    if (!number_at(s, s->element, at, 0, &s->first))
        return false;
    at.t = 1;
    if (at.lanes < 2 || !number_at(s, s->element, at, 0, &second))
        return false;
    s->step = second - s->first;
    return s->step > 0 && is_element(s, s->element);
}

/* ---- what stands in the loop ---- */

typedef void visit(slots *s, const rf_val *v);

static bool is_over(const slots *s, const rf_store *st)
{
    for (unsigned i = 0; i < st->n_loops; i++)
        if (st->loops[i] == s->loop)
            return true;
    return false;
}

static bool is_own_array(const slots *s, const rf_val *base)
{
    const rf_val *root = rf_trace_root(s->t, base);
    return root->kind == RF_VAL_ENTRY && root->var->storage == RF_VAR_LOCAL &&
           root->var->type->kind == RF_TYPE_ARRAY;
}

/* Every value of the trace but the slots themselves. */
static void visit_all(slots *s, visit *f)
{
    for (size_t i = 0; i < s->t->reds.len; i++) {
        const rf_red *r = s->t->reds.data[i];
        const rf_val *parts[] = { r->guard, r->init, r->term,
                                  r->path,  r->next, r->index };
        for (size_t k = 0; k < RF_COUNTOF(parts) && r->axis == s->loop; k++)
            f(s, parts[k]);
    }
    for (size_t i = 0; i < s->t->stores.len; i++) {
        const rf_store *st = &s->t->stores.data[i];
        f(s, st->guard);
        f(s, st->value);
        if (!is_own_array(s, st->base))
            f(s, st->index);
        f(s, st->base);
    }
    for (size_t i = 0; i < s->t->loads.len; i++) {
        const rf_load *l = &s->t->loads.data[i];
        f(s, l->value);
        if (!is_own_array(s, l->base))
            f(s, l->index);
        f(s, l->base);
    }
    for (size_t i = 0; i < s->t->finals.len; i++)
        f(s, s->t->finals.data[i].value);
}

static void note_first(slots *s, const rf_val *v)
{
    if (!s->element)
        s->element = find_element(s, v);
}

static void add_spelling(slots *s, const rf_val *v)
{
    for (size_t i = 0; i < s->spelt.len; i++)
        if (s->spelt.data[i] == v)
            return;
    s->failed |= !is_element(s, v);
    RF_PUSH(s->spelt, v);
}

/* part + j */
static bool is_sum(slots *s, const rf_val *v)
{
    if (v->kind != RF_VAL_OP || v->op != RF_OP_ADD)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const rf_val *part = without_casts(v->arg[i]);
        if (is_number(s, v->arg[1 - i]) && part->kind == RF_VAL_ENTRY &&
            (!s->part || s->part == part)) {
            s->part = part;
            add_spelling(s, v->arg[1 - i]);
            return true;
        }
    }
    return false;
}

static void note_spelling(slots *s, const rf_val *v)
{
    if (!v || s->failed)
        return;
    if (v == s->loop->index) {
        s->failed = true; /* of a slot, not of an element */
    } else if (is_number(s, v)) {
        s->has_plain = true;
        add_spelling(s, v);
    } else if (is_sum(s, v)) {
        RF_PUSH(s->sums, v);
    } else {
        for (unsigned i = 0; i < v->n; i++)
            note_spelling(s, v->arg[i]);
    }
}

/* ---- the test ---- */

/* j < upper, as a part of "guard" that must hold. */
static const rf_val *find_test(const slots *s, const rf_val *guard)
{
    if (!guard || guard->kind != RF_VAL_OP || guard->n != 2)
        return NULL;
    const rf_val *found = NULL;
    for (unsigned i = 0; guard->op == RF_OP_AND && i < 2 && !found; i++)
        found = find_test(s, guard->arg[i]);
    bool is_test = (guard->op == RF_OP_LT || guard->op == RF_OP_LE) &&
                   is_number(s, guard->arg[0]) &&
                   !rf_mentions_lane(guard->arg[1]) &&
                   !rf_val_mentions(guard->arg[1], s->loop->index);
    return is_test ? guard : found;
}

static bool same_test(const rf_val *a, const rf_val *b)
{
    if (!a || !b)
        return a == b;
    return a->op == b->op &&
           without_casts(a->arg[1]) == without_casts(b->arg[1]);
}

/* One test for all that the loop does. */
static bool find_tests(slots *s)
{
    bool any = false;
    for (size_t i = 0; i < s->t->reds.len; i++) {
        const rf_red *r = s->t->reds.data[i];
        if (r->axis != s->loop)
            continue;
        const rf_val *test = find_test(s, r->guard);
        if ((any && !same_test(s->test, test)) || r->op == RF_REDUCE_FOLD)
            return false;
        s->test = test;
        any = true;
    }
    for (size_t i = 0; i < s->t->stores.len; i++) {
        const rf_store *st = &s->t->stores.data[i];
        if (!is_over(s, st))
            continue;
        const rf_val *test = find_test(s, st->guard);
        if ((any && !same_test(s->test, test)) || st->n_loops != 1)
            return false;
        s->test = test;
        any = true;
    }
    return any;
}

/* ---- the loop over the row ---- */

static int64_t lanes_of(const rf_team *team)
{
    int64_t lanes = rf_lane_at(team, 0, 0).lanes;
    for (unsigned i = 1; i < team->n_sizes; i++)
        if (rf_lane_at(team, i, 0).lanes != lanes)
            return 0;
    return lanes;
}

/* D1 */
static bool are_enough(slots *s)
{
    rf_vals *vals = s->t->vals;
    if (!s->test)
        return true;
    const rf_val *upper = without_casts(s->test->arg[1]);
    const rf_val *end = rf_val_int(
        vals, s->first + s->slots * s->lanes * s->step, &rf_type_long_long);
    const rf_val *enough =
        rf_val_op2(vals, s->test->op == RF_OP_LT ? RF_OP_LE : RF_OP_LT,
                   &rf_type_bool, upper, end);
    return rf_holds_unless_stopped(s->p, enough);
}

/* part + n */
static const rf_val *after_part(slots *s, const rf_val *n)
{
    int64_t zero;
    bool nothing = rf_val_is_int(n, &zero) && !zero;
    return !s->part ? n
           : nothing
               ? s->part
               : rf_val_op2(s->t->vals, RF_OP_ADD, s->part->type, s->part, n);
}

static void make_whole(slots *s)
{
    rf_vals *vals = s->t->vals;
    rf_loop *loop = RF_NEW(s->t->arena, rf_loop);
    const rf_val *end =
        s->test ? s->test->arg[1]
                : rf_val_int(vals, s->first + s->slots * s->lanes * s->step,
                             s->loop->type);
    *loop = *s->loop;
    loop->lower = after_part(s, rf_val_int(vals, s->first, loop->type));
    loop->step = rf_val_int(vals, s->step, loop->type);
    loop->upper = after_part(s, end);
    loop->is_inclusive = s->test && s->test->op == RF_OP_LE;
    loop->is_equal_exit = false;
    loop->least = NULL;
    loop->is_split = false;
    loop->name = "an element of the row";
    loop->id = (unsigned)s->t->loops.len;
    loop->index = rf_val_make(
        vals,
        &(rf_val){ .kind = RF_VAL_INDEX, .type = loop->type, .loop = loop });
    RF_PUSH(s->t->loops, loop);
    s->whole = loop;
}

/* "guard" without j < upper, which holds in every turn of the new loop. */
static const rf_val *drop_test(slots *s, const rf_val *guard)
{
    const rf_val *test = find_test(s, guard);
    if (!s->test || !test || !same_test(test, s->test))
        return guard;
    if (guard->op != RF_OP_AND)
        return NULL;
    return rf_val_and(s->t->vals, drop_test(s, guard->arg[0]),
                      drop_test(s, guard->arg[1]));
}

/* The same of the next value of what the loop carries. */
static const rf_val *drop_from_next(slots *s, const rf_val *next)
{
    if (!next || next->kind != RF_VAL_OP || next->op != RF_OP_SELECT)
        return next;
    const rf_val *rest = drop_test(s, next->arg[0]);
    return rest ? rf_val_select(s->t->vals, rest, next->arg[1], next->arg[2])
                : next->arg[1];
}

static void drop_tests(slots *s)
{
    for (size_t i = s->p->n_reds; i < s->t->reds.len; i++) {
        rf_red *r = s->t->reds.data[i];
        if (r->axis != s->loop)
            continue;
        r->guard = drop_test(s, r->guard);
        r->next = drop_from_next(s, r->next);
    }
    for (size_t i = 0; i < s->t->updates.len; i++) {
        rf_update *u = &s->t->updates.data[i];
        if (u->phi->loop == s->loop)
            u->next = drop_from_next(s, u->next);
    }
    for (size_t i = 0; i < s->t->stores.len; i++)
        if (is_over(s, &s->t->stores.data[i]))
            s->t->stores.data[i].guard =
                drop_test(s, s->t->stores.data[i].guard);
}

/* Every way to write an element becomes the index of the new loop. */
static void replace_loop(slots *s)
{
    rf_trace *t = s->t;
    size_t n = s->part ? s->sums.len : s->spelt.len, n_loops = t->loops.len;
    const rf_val *const *from = s->part ? s->sums.data : s->spelt.data;
    const rf_val **to = RF_NEW_ARRAY(t->arena, n + 1, const rf_val *);
    const rf_loop **map = RF_NEW_ARRAY(t->arena, n_loops + 1, const rf_loop *);
    for (size_t i = 0; i < n; i++)
        to[i] = rf_val_cast(t->vals, from[i]->type, s->whole->index, NULL);
    for (size_t i = 0; i < n_loops; i++)
        map[i] = t->loops.data[i] == s->loop ? s->whole : t->loops.data[i];
    s->failed = !rf_trace_replace_all(t, map, (unsigned)n, from, to);
}

/* ---- the slots ---- */

/* D7: an access to a lane's own array in the loop is to slot k < K. */
static bool is_slot(slots *s, const rf_val *base, const rf_val *index)
{
    if (!index || !is_own_array(s, base) ||
        !rf_val_mentions(index, s->loop->index))
        return true;
    const rf_var *array = rf_trace_root(s->t, base)->var;
    if (without_casts(index) != s->loop->index || base->kind != RF_VAL_ENTRY ||
        (array->type->count >= 0 && array->type->count < s->slots))
        return false;
    RF_PUSH(s->p->slots, array);
    return true;
}

static bool are_slots(slots *s)
{
    bool ok = true;
    for (size_t i = 0; i < s->t->stores.len; i++)
        ok &= is_slot(s, s->t->stores.data[i].base, s->t->stores.data[i].index);
    for (size_t i = 0; i < s->t->loads.len; i++)
        ok &= is_slot(s, s->t->loads.data[i].base, s->t->loads.data[i].index);
    return ok;
}

/* ---- the whole ---- */

static bool is_nested(const slots *s)
{
    for (size_t i = 0; i < s->t->reds.len; i++) {
        const rf_red *r = s->t->reds.data[i];
        for (unsigned k = 0; k < r->n_outer + r->n_free; k++)
            if ((k < r->n_outer ? r->outer[k] : r->free[k - r->n_outer]) ==
                s->loop)
                return true;
    }
    return false;
}

static bool is_counted(slots *s)
{
    const rf_loop *l = s->loop;
    int64_t lower, step;
    return rf_val_is_int(l->lower, &lower) && !lower &&
           rf_val_is_int(l->step, &step) && step == 1 &&
           rf_val_is_int(l->upper, &s->slots) && !l->is_equal_exit &&
           !l->is_inclusive && !l->at_least_once && !l->is_reversed &&
           s->slots > 0 && s->slots <= MOST_SLOTS;
}

/* True if lanes use the turn of the loop beside their number. */
static bool is_of_slots(slots *s)
{
    if (!is_counted(s))
        return false;
    visit_all(s, note_first);
    return s->element != NULL;
}

static void open_loop(slots *s)
{
    rf_range at = s->p->task->region->mark.at;
    bool ok = !is_nested(s) && measure(s) && find_tests(s) && are_slots(s);
    if (ok) {
        drop_tests(s);
        visit_all(s, note_spelling);
    }
    s->lanes = lanes_of(s->t->team);
    ok = ok && !s->failed && s->lanes;
    s->part = s->has_plain ? NULL : s->part;
    rf_oblige(s->p, "D1", at, ok ? RF_PROVEN : RF_UNDECIDED,
              "slot k of lane t holds the element k*lanes + t of the row");
    if (!ok)
        return;
    ok = are_enough(s);
    rf_oblige(s->p, "D1", at, ok ? RF_PROVEN : RF_UNDECIDED,
              "the slots of all lanes hold every row for which the kernel is "
              "not stopped");
    if (!ok)
        return;
    make_whole(s);
    replace_loop(s);
    if (s->failed)
        rf_oblige(s->p, "D1", at, RF_UNDECIDED,
                  "the slots can be seen as elements of the row");
}

void rf_open_slots(rf_prover *p, rf_trace *emitted, size_t *first)
{
    size_t n = emitted->loops.len;
    *first = n;
    for (size_t i = 0; i < n && !p->stopped; i++) {
        slots s = { .p = p, .t = emitted, .loop = emitted->loops.data[i] };
        if (is_of_slots(&s))
            open_loop(&s);
        RF_CLEAR(s.spelt);
        RF_CLEAR(s.sums);
    }
}
