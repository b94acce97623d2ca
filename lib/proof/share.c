/* Rows of one thread each that the lanes of a team fold together (T-2, T-3).
 *
 *     lane t:   for (j = lower + t*s; j < upper; j += lanes*s)
 *
 * The shares are a partition of the axis: every j = lower + q*s has one
 * quotient q = k*lanes + t with 0 <= t < lanes. That is computed from the
 * emitted text for every lane of every block. Then
 *
 *     (+) over t of REDUCE_{share of t} = REDUCE_{axis}
 *
 * and what the team does is what one thread does with the whole axis, if
 *
 *     nothing that lives on depends on the lane,
 *     an element is stored by the lane that has it in its share, or by one
 *     lane of the team, and
 *     no lane loads or stores what another one stores, unless they meet
 *     between the two.
 *
 * The trace of the emitted text is rewritten in this sense; from there on both
 * programs are programs of one thread. */
#include "depend/depend.h"
#include "ir/collective.h"
#include "plan/planning.h"
#include "proof/lane.h"

#include <string.h>

typedef struct {
    rf_prover *p;
    rf_trace *t;
    const rf_team *team;
    const rf_loop **whole; /* by loop id; NULL: not dealt */
    size_t n_loops;
    signed char *shared; /* by value id: 0 unknown, 1 yes, 2 no */
    size_t n_shared;
} shares;

/* ---- shares of an axis ---- */

/* "v" = part + number: a number in every lane. */
static bool split(const rf_val *v, const rf_place_in_team *any,
                  const rf_val **part, const rf_val **number)
{
    int64_t n;
    *part = NULL;
    *number = v;
    if (rf_lane_number(v, any, &n))
        return true;
    for (unsigned i = 0; v->kind == RF_VAL_OP && v->op == RF_OP_ADD && i < 2;
         i++)
        if (!rf_mentions_lane(v->arg[i]) &&
            rf_lane_number(v->arg[1 - i], any, &n)) {
            *part = v->arg[i];
            *number = v->arg[1 - i];
            return true;
        }
    return false;
}

typedef struct {
    const rf_val *part; /* of the lower bound; NULL: zero */
    int64_t first, step;
} share;

/* lane t begins at part + first + t*step and takes steps of lanes*step. */
static bool is_share(const shares *s, const rf_loop *l, unsigned size,
                     const rf_val *number, share *out)
{
    rf_place_in_team at = rf_lane_at(s->team, size, 0);
    for (; at.t < at.threads; at.t++) {
        int64_t stride, first;
        if (!rf_lane_number(l->step, &at, &stride) ||
            !rf_lane_number(number, &at, &first) || stride <= 0 ||
            stride % at.lanes || at.threads % at.lanes)
            return false;
        if (!size && !at.t)
            *out = (share){ out->part, first, stride / at.lanes };
        if (stride != out->step * at.lanes ||
            first != out->first + at.t % at.lanes * out->step)
            return false;
    }
    return true;
}

static bool find_share(const shares *s, const rf_loop *l, share *out)
{
    rf_place_in_team any = rf_lane_at(s->team, 0, 0);
    const rf_val *number;
    if (l->at_least_once || l->is_equal_exit || l->is_reversed ||
        rf_mentions_lane(l->upper) ||
        !split(l->lower, &any, &out->part, &number))
        return false;
    for (unsigned i = 0; i < s->team->n_sizes; i++)
        if (!is_share(s, l, i, number, out))
            return false;
    return true;
}

static const rf_loop *make_whole(shares *s, const rf_loop *l, const share *of)
{
    rf_vals *vals = s->t->vals;
    rf_loop *loop = RF_NEW(s->t->arena, rf_loop);
    *loop = *l;
    const rf_val *first = rf_val_int(vals, of->first, l->lower->type);
    loop->lower = !of->part    ? first
                  : !of->first ? of->part
                               : rf_val_op2(vals, RF_OP_ADD, l->lower->type,
                                            of->part, first);
    loop->step = rf_val_int(vals, of->step, l->step->type);
    loop->least = NULL;
    loop->is_split = false;
    loop->id = (unsigned)s->t->loops.len;
    loop->index = rf_val_make(
        vals,
        &(rf_val){ .kind = RF_VAL_INDEX, .type = loop->type, .loop = loop });
    RF_PUSH(s->t->loops, loop);
    return loop;
}

static bool is_dealt(const shares *s, const rf_loop *l)
{
    return l->id < s->n_loops && s->whole[l->id];
}

/* D1, for a team. */
static void share_loops(shares *s)
{
    rf_range at = s->p->task->region->mark.at;
    size_t first;
    rf_open_slots(s->p, s->t, &first);
    s->n_loops = s->t->loops.len;
    s->whole = RF_NEW_ARRAY(s->p->arena, s->n_loops + 1, const rf_loop *);
    for (size_t i = first; i < s->n_loops; i++)
        s->whole[i] = s->t->loops.data[i];
    for (size_t i = 0; i < first && !s->p->stopped; i++) {
        const rf_loop *l = s->t->loops.data[i];
        share of = { 0 };
        if (!rf_mentions_lane(l->lower) && !rf_mentions_lane(l->step) &&
            !rf_mentions_lane(l->upper))
            continue;
        bool ok = find_share(s, l, &of);
        rf_oblige(s->p, "D1", at, ok ? RF_PROVEN : RF_UNDECIDED,
                  "the lanes' shares of '%s' are a partition of the axis",
                  l->name);
        if (ok)
            s->whole[i] = make_whole(s, l, &of);
    }
}

/* ---- what the lanes share ---- */

static bool is_shared(shares *s, const rf_val *v);

static bool is_shared_red(shares *s, const rf_red *r)
{
    const rf_val *parts[] = { r->init, r->term, r->guard,
                              r->path, r->next, r->index };
    if (is_dealt(s, r->axis) != (r->team != NULL))
        return false;
    for (unsigned i = 0; i < r->n_outer; i++)
        if (r->team && is_dealt(s, r->outer[i]))
            return false;
    for (size_t i = 0; i < RF_COUNTOF(parts); i++)
        if (parts[i] && !is_shared(s, parts[i]))
            return false;
    return is_shared(s, r->axis->upper) &&
           (r->team || is_shared(s, r->axis->lower));
}

static bool find_shared(shares *s, const rf_val *v)
{
    if (v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_BUILTIN)
        return rf_is_builtin(v, "blockIdx") && !s->p->has_other_row;
    if (v->kind == RF_VAL_UNKNOWN)
        return false;
    if (v->kind == RF_VAL_LAST || v->kind == RF_VAL_CELL)
        return !is_dealt(s, v->loop);
    if (v->kind == RF_VAL_RESULT && !is_shared_red(s, v->red))
        return false;
    for (unsigned i = 0; i < v->n; i++)
        if (!is_shared(s, v->arg[i]))
            return false;
    return true;
}

static void make_room(shares *s, unsigned id)
{
    if (id < s->n_shared)
        return;
    signed char *more = RF_NEW_ARRAY(s->p->arena, 2 * id + 2, signed char);
    if (s->n_shared)
        memcpy(more, s->shared, s->n_shared);
    s->shared = more;
    s->n_shared = 2 * id + 2;
}

/* Is "v" one value for all lanes, or that of an element of the axis? */
static bool is_shared(shares *s, const rf_val *v)
{
    if (!v)
        return true;
    make_room(s, v->id);
    if (!s->shared[v->id]) {
        s->shared[v->id] = 1; /* of a circle the other parts decide */
        s->shared[v->id] = find_shared(s, v) ? 1 : 2;
    }
    return s->shared[v->id] == 1;
}

static void share_finals(shares *s)
{
    for (size_t i = 0; i < s->t->finals.len; i++) {
        rf_binding *b = &s->t->finals.data[i];
        if (!is_shared(s, b->value))
            b->value = rf_val_unknown(s->t->vals, b->var->type,
                                      "lanes hold different values", NULL);
    }
}

/* ---- stores ---- */

static const rf_val *root_of(const shares *s, const rf_val *base)
{
    return rf_trace_root(s->t, base);
}

static bool is_own_array(const shares *s, const rf_val *base)
{
    const rf_val *root = root_of(s, base);
    return root->kind == RF_VAL_ENTRY && root->var->storage == RF_VAR_LOCAL &&
           root->var->type->kind == RF_TYPE_ARRAY;
}

static bool is_over_share(const shares *s, unsigned n,
                          const rf_loop *const *loops)
{
    for (unsigned i = 0; i < n; i++)
        if (is_dealt(s, loops[i]))
            return true;
    return false;
}

/* "guard" without the part that holds in one lane; false: it has none. */
static bool drop_leader(shares *s, const rf_val *guard, const rf_val **rest)
{
    *rest = NULL;
    if (!guard)
        return false;
    if (rf_mentions_lane(guard) && rf_selects_one_lane(s->team, guard))
        return true;
    for (unsigned i = 0;
         guard->kind == RF_VAL_OP && guard->op == RF_OP_AND && i < 2; i++)
        if (drop_leader(s, guard->arg[i], rest)) {
            *rest = rf_val_and(s->t->vals, *rest, guard->arg[1 - i]);
            return true;
        }
    return false;
}

static bool is_load_of(const rf_val *v, const void *root)
{
    return v->kind == RF_VAL_LOAD && rf_val_mentions(v->arg[0], root);
}

/* Each lane stores its own part, and what it loads of it is known. */
static bool is_unread(const shares *s, const rf_store *st)
{
    const rf_val *root = root_of(s, st->base);
    for (size_t i = 0; i < s->t->loads.len; i++)
        if (rf_val_find(s->t->loads.data[i].value, is_load_of, root))
            return false;
    return true;
}

/* One lane makes this store, and the same value whichever lane it is. */
static bool share_store(shares *s, rf_store *st)
{
    const rf_val *guard = st->guard;
    bool dealt = is_over_share(s, st->n_loops, st->loops);
    bool own = is_own_array(s, st->base);
    if (own && dealt)
        return is_unread(s, st);
    if (dealt && (st->n_loops != 1 || !st->index ||
                  !rf_plan_is_injective(st->index, st->loops[0]->index)))
        return false;
    if (!dealt && !own && !drop_leader(s, st->guard, &guard))
        return false;
    st->guard = guard;
    return is_shared(s, st->base) && is_shared(s, st->index) &&
           is_shared(s, st->value) && is_shared(s, st->guard);
}

static void share_stores(shares *s)
{
    for (size_t i = 0; i < s->t->stores.len && !s->p->stopped; i++) {
        rf_store *st = &s->t->stores.data[i];
        rf_oblige(s->p, "D3", s->p->task->region->mark.at,
                  share_store(s, st) ? RF_PROVEN : RF_UNDECIDED,
                  "'%s' is stored by one lane for each element, with a value "
                  "that all lanes share",
                  rf_base_name(s->p, st->base));
    }
}

/* ---- order ---- */

typedef struct {
    const rf_val *base, *index;
    int place; /* which of the statements; -1: a helper's */
    unsigned n_loops;
    const rf_loop *const *loops;
    bool is_load;
} access;

static bool holds(rf_range outer, rf_range inner)
{
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

static int place_of(const shares *s, rf_range at)
{
    const rf_span *e = &s->p->emitted;
    for (unsigned i = e->first; i <= e->last; i++)
        if (holds(e->block->list[i]->at, at))
            return (int)i;
    return -1;
}

static bool is_same_lane(const access *a, const access *b)
{
    return a->n_loops == 1 && b->n_loops == 1 && a->loops[0] == b->loops[0] &&
           a->base == b->base && a->index == b->index;
}

/* Every lane waits here for the others, and sees what they stored. Shuffles and
 * fences do not: they say nothing about memory, or wait for nobody. */
static bool is_meeting(const shares *s, const rf_stmt *st)
{
    if (st->kind == RF_STMT_BLOCK) {
        for (unsigned i = 0; i < st->n; i++)
            if (is_meeting(s, st->list[i]))
                return true;
        return false;
    }
    const rf_expr *e = st->kind == RF_STMT_EXPR ? st->expr : NULL;
    if (!e || e->op != RF_OP_CALL || e->callee || e->n || !e->name)
        return false;
    return !strcmp(e->name, "__syncthreads") ||
           (s->team->width && !strcmp(e->name, "__syncwarp"));
}

static bool is_shuffle(const rf_expr *e, const void *unused)
{
    (void)unused;
    return e->op == RF_OP_CALL && !e->callee && e->name &&
           !strncmp(e->name, "__shfl_", 7);
}

/* The lanes tell each other what they hold. */
static bool is_exchange(const rf_stmt *st)
{
    if (!st)
        return false;
    if (rf_expr_find(st->expr, is_shuffle, NULL) || is_exchange(st->body))
        return true;
    for (unsigned i = 0; i < st->n; i++)
        if (is_exchange(st->list[i]))
            return true;
    return false;
}

/* Do the lanes meet between statement "first" and statement "last"? What comes
 * first only loads ("reads"): an exchange of what was loaded is enough, for
 * nobody can give what it has not got. */
static bool meet_between(const shares *s, int first, int last, bool reads)
{
    const rf_stmt *block = s->p->emitted.block;
    for (int i = first + 1; i < last; i++)
        if (is_meeting(s, block->list[i]) ||
            (reads && s->team->width && is_exchange(block->list[i])))
            return true;
    return false;
}

static bool may_meet(const shares *s, const access *a, const access *b)
{
    const rf_val *x = root_of(s, a->base), *y = root_of(s, b->base);
    bool noalias = s->p->task->region->mark.noalias;
    return x == y || rf_base_overlap(x, y, noalias) != RF_NO;
}

/* Are "a" and "b" parts of one statement that one lane of the team runs? */
static bool is_by_leader(shares *s, rf_range a, rf_range b, int place)
{
    const rf_val *rest;
    if (place < 0)
        return false;
    const rf_stmt *st = s->p->emitted.block->list[place];
    return st->kind == RF_STMT_IF && !st->orelse && holds(st->body->at, a) &&
           holds(st->body->at, b) &&
           drop_leader(s, rf_trace_expr(s->t, st->expr, true), &rest);
}

/* Do the lanes meet after "a" in one turn of the loop around the statements,
 * or before "b" in the next one? */
static bool meet_in_turns(const shares *s, const access *a, const access *b)
{
    int first = (int)s->p->emitted.first, end = (int)s->p->emitted.last + 1;
    return meet_between(s, a->place, end, a->is_load) ||
           meet_between(s, first - 1, b->place, a->is_load);
}

/* "b" is a load, or a store after "a" in the text. */
static bool is_in_order(const shares *s, const access *a, const access *b,
                        bool repeats)
{
    if (!may_meet(s, a, b))
        return true;
    if (a->place < 0 || b->place < 0)
        return false;
    if (repeats && (!meet_in_turns(s, a, b) || !meet_in_turns(s, b, a)))
        return false;
    if (is_same_lane(a, b))
        return true;
    const access *first = a->place < b->place ? a : b;
    return meet_between(s, first->place, (first == a ? b : a)->place,
                        first->is_load);
}

static access of_store(const shares *s, const rf_store *st)
{
    return (access){ st->base,    st->index, place_of(s, st->at),
                     st->n_loops, st->loops, .is_load = false };
}

static access of_load(const shares *s, const rf_load *l)
{
    return (access){ l->base,    l->index, place_of(s, l->at),
                     l->n_loops, l->loops, .is_load = true };
}

static bool check_store(shares *s, size_t i, bool repeats)
{
    const rf_store *st = &s->t->stores.data[i];
    access a = of_store(s, st);
    for (size_t k = i + 1; k < s->t->stores.len; k++) {
        access b = of_store(s, &s->t->stores.data[k]);
        bool one = !a.n_loops && !b.n_loops; /* the same lane makes both */
        if (!one && !is_own_array(s, b.base) &&
            !is_in_order(s, &a, &b, repeats))
            return false;
    }
    for (size_t k = 0; k < s->t->loads.len; k++) {
        const rf_load *l = &s->t->loads.data[k];
        access b = of_load(s, l);
        if (l->value->kind == RF_VAL_LOAD && !is_own_array(s, b.base) &&
            !(a.place == b.place && is_by_leader(s, st->at, l->at, a.place)) &&
            !is_in_order(s, &a, &b, repeats))
            return false;
    }
    return true;
}

static bool may_meet_outside(const shares *s, const rf_outside *o,
                             const rf_val *base)
{
    access a = { .base = o->of ? rf_val_entry(s->t->vals,
                                              (rf_var *)(uintptr_t)o->of)
                               : NULL };
    access b = { .base = base };
    return !a.base || may_meet(s, &a, &b);
}

static bool is_apart(const shares *s, const rf_outside *o, const rf_val *base,
                     rf_range at, bool is_load, bool repeats)
{
    const rf_span *e = &s->p->emitted;
    if (is_own_array(s, base) || !may_meet_outside(s, o, base))
        return true;
    if (repeats)
        return false;
    int place = place_of(s, at);
    if (place < 0)
        return false;
    if (o->is_after)
        return meet_between(s, place, (int)e->last + 1, is_load);
    return meet_between(s, (int)e->first - 1, place, !o->is_store);
}

static bool are_apart(const shares *s, const rf_outside *a, const rf_outside *b,
                      bool repeats)
{
    const rf_span *e = &s->p->emitted;
    rf_vals *vals = s->t->vals;
    if ((a->by_leader && b->by_leader) ||
        (b->of && !may_meet_outside(
                      s, a, rf_val_entry(vals, (rf_var *)(uintptr_t)b->of))))
        return true;
    const rf_outside *first = a->is_after ? b : a;
    return !repeats && a->is_after != b->is_after &&
           meet_between(s, (int)e->first - 1, (int)e->last + 1,
                        !first->is_store);
}

/* What stands outside the statements, and the stores in them. */
static bool is_apart_from_stores(const shares *s, const rf_outside *o,
                                 bool repeats)
{
    for (size_t i = 0; i < s->t->stores.len; i++) {
        const rf_store *st = &s->t->stores.data[i];
        if ((st->n_loops || !o->by_leader) &&
            !is_apart(s, o, st->base, st->at, false, repeats))
            return false;
    }
    return true;
}

/* A store outside the statements. */
static bool check_outside(const shares *s, const rf_outside *o, bool repeats)
{
    if (!is_apart_from_stores(s, o, repeats))
        return false;
    for (size_t i = 0; i < s->t->loads.len; i++) {
        const rf_load *l = &s->t->loads.data[i];
        if (l->value->kind == RF_VAL_LOAD &&
            !is_apart(s, o, l->base, l->at, true, repeats))
            return false;
    }
    for (size_t i = 0; i < s->p->outside.len; i++)
        if (o != &s->p->outside.data[i] &&
            !are_apart(s, o, &s->p->outside.data[i], repeats))
            return false;
    return true;
}

static void share_outside(shares *s, bool repeats)
{
    bool ok = true;
    for (size_t i = 0; i < s->p->outside.len && ok; i++) {
        const rf_outside *o = &s->p->outside.data[i];
        ok = o->is_store ? check_outside(s, o, repeats)
                         : is_apart_from_stores(s, o, repeats);
    }
    rf_oblige(s->p, "D4", s->p->task->region->mark.at,
              ok ? RF_PROVEN : RF_UNDECIDED,
              "what lanes touch around the loops is touched by one of them, "
              "or they meet before");
}

static void share_memory(shares *s)
{
    const rf_span *e = &s->p->emitted;
    bool repeats = rf_stands_in_loop(e->func->body, e->block);
    for (size_t i = 0; i < s->t->stores.len && !s->p->stopped; i++) {
        const rf_store *st = &s->t->stores.data[i];
        if (!is_own_array(s, st->base) && !check_store(s, i, repeats))
            rf_oblige(s->p, "D4", s->p->task->region->mark.at, RF_UNDECIDED,
                      "no lane touches what another one stores to '%s'",
                      rf_base_name(s->p, st->base));
    }
    share_outside(s, repeats);
    if (s->t->stores.len)
        rf_oblige(s->p, "D4", s->p->task->region->mark.at, RF_PROVEN,
                  "lanes meet between a store and other accesses to it");
}

/* ---- the whole ---- */

static void become_one(shares *s)
{
    size_t n = s->t->loops.len;
    const rf_loop **map = RF_NEW_ARRAY(s->p->arena, n + 1, const rf_loop *);
    int64_t *shift = RF_NEW_ARRAY(s->p->arena, n + 1, int64_t);
    for (size_t i = 0; i < n; i++)
        map[i] =
            i < s->n_loops && s->whole[i] ? s->whole[i] : s->t->loops.data[i];
    rf_trace_as_one(s->t, map, shift);
}

void rf_share_axis(rf_prover *p, rf_trace *emitted)
{
    p->trace = emitted;
    shares s = { .p = p, .t = emitted, .team = emitted->team };
    share_loops(&s);
    if (!p->stopped)
        share_finals(&s);
    share_stores(&s);
    if (!p->stopped)
        share_memory(&s);
    if (!p->stopped)
        become_one(&s);
}
