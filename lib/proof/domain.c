/* Sets of iterations (D1), answered by exact integer sets: which loops of the
 * two programs are one axis, whether a loop runs, which conditions that
 * decides, and which pointers may meet (D4). */
#include "depend/depend.h"
#include "plan/forward.h"
#include "proof/proving.h"

static rf_plan plan_of(const rf_prover *p)
{
    return (rf_plan){ .func = p->source.func,
                      .block = p->source.block,
                      .first = p->source.first,
                      .last = p->source.last,
                      .trace = p->trace,
                      .mark = &p->task->region->mark };
}

rf_planner rf_planner_of(const rf_prover *p, rf_plan *plan)
{
    *plan = plan_of(p);
    return (rf_planner){ .arena = p->arena,
                         .unit = p->source.unit,
                         .region = p->task->region,
                         .mark = &p->task->region->mark,
                         .plan = plan,
                         .trace = p->trace };
}

/* What holds where the author's statements begin: guards around them, early
 * returns, assumptions. */
rf_depend *rf_source_facts(rf_prover *p)
{
    rf_depend *d = rf_depend_new(p->arena);
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    rf_plan_facts(&planner, d);
    return d;
}

/* The same, but for what the author assumes: that may be wrong. */
static rf_depend *depend_unassumed(rf_prover *p)
{
    rf_depend *d = rf_depend_new(p->arena);
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    rf_mark mark = *planner.mark;
    mark.n_predicates = 0;
    planner.mark = &mark;
    rf_plan_facts(&planner, d);
    return d;
}

/* Emitted code stops itself only where an assumption of the author is wrong. */
static void prove_stop(rf_prover *p, const rf_val *stop)
{
    rf_depend *d = rf_source_facts(p);
    bool never =
        rf_depend_holds(d, rf_val_not(p->trace->vals, stop), NULL) == RF_YES;
    rf_depend_free(d);
    rf_oblige(p, "D1", p->task->region->mark.at,
              never ? RF_PROVEN : RF_UNDECIDED,
              "the kernel stops only where an assumption does not hold");
}

void rf_prove_stops(rf_prover *p)
{
    for (size_t i = 0; i < p->trace->stops.len; i++)
        prove_stop(p, p->trace->stops.data[i]);
}

bool rf_holds_unless_stopped(rf_prover *p, const rf_val *condition)
{
    rf_depend *d = depend_unassumed(p);
    for (size_t i = 0; i < p->trace->stops.len; i++)
        rf_depend_fact(d, rf_val_not(p->trace->vals, p->trace->stops.data[i]));
    rf_answer yes = rf_depend_holds(d, condition, NULL);
    rf_depend_free(d);
    return yes == RF_YES;
}

void rf_take_assumptions(rf_prover *p)
{
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    rf_plan_assume(&planner, p->reals);
}

/* The constant with which a local variable comes in, or "v" itself. */
const rf_val *rf_entry_value(rf_prover *p, const rf_val *v)
{
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    if (v->kind != RF_VAL_ENTRY || v->var->storage != RF_VAR_LOCAL ||
        rf_type_is_pointer_like(v->type))
        return v;
    const rf_expr *e = rf_plan_entry_constant(&planner, v->var);
    const rf_val *c = e ? rf_trace_expr(p->trace, e, false) : NULL;
    return c ? rf_val_cast(p->trace->vals, v->type, c, NULL) : v;
}

const rf_val *rf_declared_value(rf_prover *p, const rf_val *v)
{
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    return rf_plan_resolve(&planner, v);
}

/* ---- one axis ---- */

/* "v" with the index of "loop" at "at"; reductions of that iteration become
 * reductions of their own. */
static const rf_val *value_at(rf_prover *p, const rf_val *v,
                              const rf_loop *loop, const rf_val *at)
{
    if (v == loop->index)
        return at;
    const rf_val **args = RF_NEW_ARRAY(p->arena, v->n + 1, const rf_val *);
    for (unsigned i = 0; i < v->n; i++)
        args[i] = value_at(p, v->arg[i], loop, at);
    if (v->kind == RF_VAL_LOAD)
        args[1] = rf_index_form(p->trace->vals, args[1]);
    rf_val proto = *v;
    proto.arg = args;
    if (v->kind != RF_VAL_RESULT || v->red->n_outer != 1 ||
        v->red->outer[0] != loop || v->red->guard || v->red->path)
        return v->n ? rf_val_make(p->trace->vals, &proto) : v;
    rf_red red = *v->red;
    red.n_outer = 0;
    red.term = value_at(p, red.term, loop, at);
    red.init = value_at(p, red.init, loop, at);
    return rf_trace_red(p->trace, &red);
}

/* What "r" begins with, through what was written before the statements. */
static const rf_val *first_value(rf_prover *p, const rf_red *r)
{
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    return rf_plan_entry_value(&planner, r->init);
}

/* max over 1 .. n from t(0) is max over 0 .. n from t(0): idempotent. */
static bool may_begin_with(rf_prover *p, const rf_loop *full,
                           const rf_loop *part)
{
    bool any = false;
    for (size_t i = 0; i < p->trace->reds.len; i++) {
        const rf_red *r = p->trace->reds.data[i];
        if (r->axis != part || r->n_outer)
            continue;
        any = true;
        if (!rf_reduce_is_idempotent(r->op) || r->guard ||
            value_at(p, r->term, part, full->lower) !=
                value_at(p, first_value(p, r), part, full->lower))
            return false;
    }
    for (size_t i = 0; i < p->trace->stores.len; i++)
        for (unsigned k = 0; k < p->trace->stores.data[i].n_loops; k++)
            if (p->trace->stores.data[i].loops[k] == part)
                return false;
    return any;
}

static bool is_one_axis(rf_prover *p, rf_depend *d, const rf_loop *a,
                        const rf_loop *b, int64_t *shift)
{
    rf_axis_match m = rf_loop_compare(d, a, b);
    *shift =
        m.same_set != RF_YES && m.relation == RF_AXIS_SHIFTED ? m.shift : 0;
    return m.same_set == RF_YES || *shift ||
           (m.relation == RF_AXIS_SUFFIX && m.missing == 1 &&
            may_begin_with(p, a, b));
}

static bool find_twin(rf_prover *p, rf_depend *d, size_t i, const rf_loop **map,
                      int64_t *shift)
{
    rf_trace *t = p->trace;
    const rf_loop *b = t->loops.data[i];
    for (size_t k = 0; k < t->loops.len; k++) {
        const rf_loop *a = t->loops.data[k];
        if (a == b || map[k] != a || a->twin != b->twin ||
            (k > i && !may_begin_with(p, a, b)) ||
            !is_one_axis(p, d, a, b, &shift[i]))
            continue;
        map[i] = a;
        return true;
    }
    return false;
}

/* end = begin + n, for bounds that are variables. */
static void add_definition(rf_prover *p, rf_depend *d, const rf_val *v)
{
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    const rf_val *is =
        v->kind == RF_VAL_ENTRY ? rf_plan_definition(&planner, v) : NULL;
    if (is)
        rf_depend_fact(
            d, rf_val_op2(p->trace->vals, RF_OP_EQ, &rf_type_bool, v, is));
}

static void add_definitions(rf_prover *p, rf_depend *d)
{
    for (size_t i = 0; i < p->trace->loops.len; i++) {
        add_definition(p, d, p->trace->loops.data[i]->lower);
        add_definition(p, d, p->trace->loops.data[i]->upper);
    }
}

void rf_unify_domains(rf_prover *p)
{
    rf_trace *t = p->trace;
    rf_depend *d = rf_source_facts(p);
    size_t n = t->loops.len;
    const rf_loop **map = RF_NEW_ARRAY(p->arena, n + 1, const rf_loop *);
    int64_t *shift = RF_NEW_ARRAY(p->arena, n + 1, int64_t);
    bool changed = false;
    add_definitions(p, d);
    for (size_t i = 0; i < n; i++)
        map[i] = t->loops.data[i];
    for (size_t i = 0; i < n; i++)
        changed |= find_twin(p, d, i, map, shift);
    rf_depend_free(d);
    if (changed)
        rf_trace_remap(t, map, shift);
}

void rf_forward_stores(rf_prover *p, rf_trace *trace)
{
    if (trace->refused || !rf_plan_needs_forward(trace))
        return;
    p->trace = trace;
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    rf_plan_forward(&planner);
}

/* ---- conditions ---- */

/* 1: upwards, -1: downwards, 0: not known. */
static int direction(const rf_loop *loop)
{
    int64_t step = loop->step->kind == RF_VAL_OP && loop->step->op == RF_OP_NEG
                       ? -1
                       : 1; /* as the trace reads the test */
    bool is_number = rf_val_is_int(loop->step, &step);
    if (!is_number && loop->is_equal_exit)
        return 0;
    return step > 0 ? 1 : -1;
}

/* The loop runs; if lanes share it out, that of one of them does. */
static const rf_val *runs(rf_prover *p, const rf_loop *loop)
{
    bool split = p->team && loop->is_split;
    int step = direction(loop);
    const rf_val *lower = split ? loop->least : loop->lower;
    if (loop->at_least_once || !step || !lower || (split && step < 0))
        return NULL;
    rf_op op = loop->is_inclusive ? RF_OP_LE : RF_OP_LT;
    const rf_val *args[] = { step > 0 ? lower : loop->upper,
                             step > 0 ? loop->upper : lower };
    return rf_val_op(p->trace->vals, op, &rf_type_bool, 2, args, NULL);
}

int rf_condition_holds(rf_prover *p, const rf_val *condition,
                       const rf_loop *loop, bool loop_runs)
{
    const rf_val *fact = loop ? runs(p, loop) : NULL;
    if (fact && !loop_runs)
        fact = rf_val_not(p->trace->vals, fact);
    rf_depend *d = rf_source_facts(p);
    if (fact)
        rf_depend_fact(d, fact);
    rf_answer yes = rf_depend_holds(d, condition, NULL);
    rf_answer no =
        rf_depend_holds(d, rf_val_not(p->trace->vals, condition), NULL);
    rf_depend_free(d);
    return yes == RF_YES ? 1 : no == RF_YES ? 0 : -1;
}

bool rf_axis_runs(rf_prover *p, const rf_loop *loop)
{
    rf_depend *d = rf_source_facts(p);
    bool yes = rf_loop_nonempty(d, loop, NULL) == RF_YES;
    rf_depend_free(d);
    return yes;
}

bool rf_may_overlap(rf_prover *p, const rf_val *base_a, const rf_val *base_b)
{
    const rf_val *a = rf_trace_root(p->trace, base_a);
    const rf_val *b = rf_trace_root(p->trace, base_b);
    for (size_t i = 0; i < p->apart.len; i++) {
        const rf_two_roots *x = &p->apart.data[i];
        if ((x->a == a && x->b == b) || (x->a == b && x->b == a))
            return false;
    }
    return a != b &&
           rf_base_overlap(a, b, p->task->region->mark.noalias) != RF_NO;
}

rf_meeting rf_stores_meet(rf_prover *p, const rf_store *a, const rf_store *b)
{
    rf_depend *d = rf_source_facts(p);
    rf_access x = { { a->n_loops, a->loops, a->guard }, a->base, a->index };
    rf_access y = { { b->n_loops, b->loops, b->guard }, b->base, b->index };
    rf_index_relation r = rf_access_compare(d, &x, &y, NULL);
    rf_depend_free(d);
    return r == RF_INDEX_NEVER  ? RF_MEET_NEVER
           : r == RF_INDEX_SAME ? RF_MEET_IN_STEP
                                : RF_MEET_ANYWHERE;
}
