/* The members of a cascade: the reductions over its axis that matter, each
 * after those that it uses. */
#include "plan/planning.h"

typedef struct {
    rf_planner *p;
    rf_member *const *found;
} finder;

rf_member *rf_plan_member_of(const rf_plan *plan, const rf_val *v)
{
    if (v->kind == RF_VAL_RESULT)
        for (size_t i = 0; i < plan->members.len; i++)
            if (plan->members.data[i]->red == v->red)
                return plan->members.data[i];
    return NULL;
}

typedef struct {
    const rf_plan *plan;
    unsigned pass;
} result_query;

static bool is_result_from(const rf_val *v, const void *data)
{
    const result_query *q = data;
    const rf_member *m = rf_plan_member_of(q->plan, v);
    return m && m->pass >= q->pass;
}

const rf_val *rf_plan_result_in(const rf_plan *plan, const rf_val *v,
                                unsigned pass)
{
    result_query q = { .plan = plan, .pass = pass };
    return rf_val_find(v, is_result_from, &q);
}

/* ---- collection ---- */

static bool is_over_axis(const rf_val *v, const void *data)
{
    const rf_planner *p = data;
    return v->kind == RF_VAL_RESULT && v->red->axis == p->plan->axis &&
           !rf_plan_member_of(p->plan, v);
}

static void add_member(rf_planner *p, const rf_red *red);

/* Add the members that "v" needs. */
static void add_used(rf_planner *p, const rf_val *v)
{
    const rf_val *found;
    while ((found = rf_val_find(v, is_over_axis, p)))
        add_member(p, found->red);
}

void rf_plan_name_states(rf_planner *p, rf_member *m)
{
    const rf_red *red = m->red;
    m->state_var = RF_NEW(p->arena, rf_var);
    m->old_var = RF_NEW(p->arena, rf_var);
    m->right_var = RF_NEW(p->arena, rf_var);
    *m->right_var =
        (rf_var){ .name = "right", .type = red->type, .id = 2500000 + red->id };
    *m->state_var = (rf_var){ .name = "state",
                              .type = red->type,
                              .id = 2000000 + 2 * red->id };
    *m->old_var = (rf_var){ .name = "old",
                            .type = red->type,
                            .id = 2000001 + 2 * red->id };
}

/* A literal, also with a sign or a cast, as a value of "type". */
static const rf_val *constant(rf_planner *p, const rf_expr *e,
                              const rf_type *type)
{
    rf_vals *vals = p->trace->vals;
    if (e->op == RF_OP_CAST)
        return constant(p, e->arg[0], type);
    if (e->op != RF_OP_NEG)
        return rf_val_cast(vals, type, rf_val_const(vals, e), NULL);
    const rf_val *v = constant(p, e->arg[0], type);
    return rf_val_op(vals, RF_OP_NEG, type, 1, &v, NULL);
}

/* A recurrence needs the accumulators whose running values it reads. */
static void add_companions(rf_planner *p, const rf_red *red)
{
    for (size_t i = 0; i < p->trace->reds.len; i++) {
        const rf_red *o = p->trace->reds.data[i];
        if (o == red || o->phi == red->phi ||
            (o->pass != red->pass && !o->is_shared) ||
            o->axis != p->plan->axis || red->op != RF_REDUCE_FOLD ||
            rf_plan_member_of(p->plan, o->result) || o->in_progress ||
            !rf_val_mentions(red->next, o->phi))
            continue;
        ((rf_red *)(uintptr_t)red)->in_progress = true;
        add_member(p, o);
        ((rf_red *)(uintptr_t)red)->in_progress = false;
    }
}

/* The most results that a family can have: assume(d <= 128). */
static int64_t most_results(rf_planner *p, const rf_red *red)
{
    if (red->n_outer + red->n_free != 1)
        return 0;
    const rf_loop *l = red->n_outer ? red->outer[0] : red->free[0];
    int64_t n, step;
    return rf_val_is_int(l->step, &step) && step == 1 &&
                   rf_plan_extent(p, l, &n)
               ? n
               : 0;
}

static void add_member(rf_planner *p, const rf_red *red)
{
    rf_member *m = RF_NEW(p->arena, rf_member);
    *m = (rf_member){
        .red = red, .term = red->term, .guard = red->guard, .init = red->init
    };
    m->most = most_results(p, red);
    if (red->init->kind == RF_VAL_ENTRY) {
        const rf_expr *known = rf_plan_entry_constant(p, red->init->var);
        if (known)
            m->init = constant(p, known, red->type);
    }
    rf_plan_name_states(p, m);
    const rf_val *parts[] = { red->term, red->guard, red->init, red->path };
    for (size_t i = 0; i < RF_COUNTOF(parts); i++) {
        const rf_val *found;
        while ((found = rf_val_find(parts[i], is_over_axis, p)) &&
               found->red != red)
            add_member(p, found->red);
        m->depends |= i < 2 && rf_plan_result_in(p->plan, parts[i], 0) != NULL;
    }
    add_companions(p, red);
    if (!rf_plan_member_of(p->plan, red->result))
        RF_PUSH(p->plan->members, m);
}

bool rf_plan_is_live(const rf_planner *p, const rf_binding *f)
{
    const rf_trace *t = p->trace;
    bool declared = false;
    for (size_t i = 0; i < t->declared.len; i++)
        declared |= t->declared.data[i] == f->var;
    if (f->var->at.begin < p->region->func->at.begin)
        return false; /* of a helper */
    if (f->var->storage == RF_VAR_LOCAL || f->var->storage == RF_VAR_PARAM)
        return rf_plan_needs(p->plan, f->var);
    return !declared && f->var->at.begin < p->plan->block->at.begin;
}

/* ---- running values of one reduction under several names ---- */

/* True if a recurrence of pass "pass" reads "phi". */
static bool is_read(const rf_trace *t, unsigned pass, const rf_val *phi)
{
    for (size_t i = 0; i < t->reds.len; i++) {
        const rf_red *r = t->reds.data[i];
        if (r->pass == pass && r->op == RF_REDUCE_FOLD && r->phi != phi &&
            rf_val_mentions(r->next, phi))
            return true;
    }
    return false;
}

/* In the recurrences of pass "pass", "from" is "to". */
static void rename_running(rf_planner *p, unsigned pass, const rf_val *from,
                           const rf_val *to)
{
    rf_vals *vals = p->trace->vals;
    for (size_t i = 0; i < p->trace->reds.len; i++) {
        rf_red *r = p->trace->reds.data[i];
        if (r->pass != pass || r->op != RF_REDUCE_FOLD)
            continue;
        r->next = rf_val_subst(vals, r->next, 1, &from, &to);
        r->term = rf_val_subst(vals, r->term, 1, &from, &to);
        r->guard = rf_val_subst(vals, r->guard, 1, &from, &to);
    }
}

/* A maximum that two loops compute is one reduction; a recurrence in the later
 * loop reads its running value under the name that it has there. */
static void share_running(rf_planner *p)
{
    rf_trace *t = p->trace;
    for (size_t i = 0; i < t->updates.len; i++) {
        const rf_update *u = &t->updates.data[i];
        rf_red *r = u->result->kind == RF_VAL_RESULT
                        ? (rf_red *)(uintptr_t)u->result->red
                        : NULL;
        if (!r || r->op == RF_REDUCE_FOLD || r->n_outer || r->n_free ||
            !r->phi || u->phi->kind != RF_VAL_PHI || u->pass == r->pass ||
            !is_read(t, u->pass, u->phi))
            continue;
        if (!r->is_shared) {
            rf_var *var = RF_NEW(p->arena, rf_var);
            *var = *u->phi->var;
            var->id = 4000000 + r->id;
            rf_val proto = *r->phi;
            proto.kind = RF_VAL_PHI;
            proto.var = var;
            const rf_val *phi = rf_val_make(t->vals, &proto);
            rename_running(p, r->pass, r->phi, phi);
            r->next = rf_val_subst(t->vals, r->next, 1, &r->phi, &phi);
            r->phi = phi;
            r->is_shared = true;
        }
        rename_running(p, u->pass, u->phi, r->phi);
    }
}

/* ---- checks ---- */

/* A family o[n] is computed for its own use: no other reduction may need it,
 * and the loops around it must not move with the axis. */
static bool check_family(rf_planner *p, const rf_member *m)
{
    if (!m->red->n_outer)
        return true;
    for (size_t i = 0; i < p->plan->members.len; i++) {
        const rf_member *o = p->plan->members.data[i];
        if (o != m && (rf_val_mentions(o->term, m->red->result) ||
                       (o->guard && rf_val_mentions(o->guard, m->red->result))))
            return false;
    }
    return true;
}

static bool check_member(rf_planner *p, rf_member *m)
{
    if (m->red->path) {
        rf_plan_refuse(p, RF_DIAG_CONTROL, m->red->at,
                       "this loop runs only under a condition");
        return false;
    }
    if (!check_family(p, m)) {
        rf_plan_refuse(p, RF_DIAG_LOOP_MISMATCH, m->red->at,
                       "this reduction is repeated by a loop around it; one "
                       "loop over all elements unblocks this");
        return false;
    }
    return true;
}

/* The value in "v" that a loop leaves; those inside of results are theirs. */
static const rf_val *last_in(const rf_val *v)
{
    if (v->kind == RF_VAL_LAST)
        return v;
    const rf_val *found = NULL;
    for (unsigned i = 0; v->kind != RF_VAL_RESULT && i < v->n && !found; i++)
        found = last_in(v->arg[i]);
    return found;
}

static bool is_choice(const rf_val *v, const void *data)
{
    (void)data;
    return v->kind == RF_VAL_OP && v->op == RF_OP_SELECT;
}

/* What a loop leaves in "f": a last value, or, for a pointer, as many steps as
 * the loop makes. */
static const rf_var *last_of(const rf_binding *f)
{
    const rf_val *v = last_in(f->value);
    bool walks = f->var->type->kind == RF_TYPE_POINTER &&
                 rf_val_find(f->value, is_choice, NULL);
    return v ? v->var : walks ? f->var : NULL;
}

/* What a loop leaves in a counter is not made again. */
static bool check_lasts(rf_planner *p)
{
    const rf_trace *t = p->trace;
    for (size_t i = 0; i < t->finals.len; i++) {
        const rf_var *var = last_of(&t->finals.data[i]);
        if (!var || !rf_plan_is_live(p, &t->finals.data[i]))
            continue;
        rf_plan_refuse(p, RF_DIAG_ESCAPE,
                       rf_plan_use_after(p->plan, t->finals.data[i].var),
                       "'%s' is used after the loops, with the value that "
                       "their last step leaves in '%s'",
                       t->finals.data[i].var->name, var->name);
        return false;
    }
    return true;
}

bool rf_plan_members(rf_planner *p)
{
    rf_trace *t = p->trace;
    share_running(p);
    for (size_t i = 0; i < t->stores.len; i++) {
        add_used(p, t->stores.data[i].value);
        add_used(p, t->stores.data[i].guard);
    }
    for (size_t i = 0; i < t->finals.len; i++)
        if (rf_plan_is_live(p, &t->finals.data[i]))
            add_used(p, t->finals.data[i].value);
    for (size_t i = 0; i < p->plan->members.len; i++)
        if (!check_member(p, p->plan->members.data[i]))
            return false;
    return p->plan->members.len > 1 && check_lasts(p);
}
