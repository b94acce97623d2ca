/* From the emitted accumulators back to the source's results (T-5, T-7), and
 * from them to what can be seen: stores and live scalars (T-4). */
#include "algebra/algebra.h"
#include "proof/proving.h"

#include "plan/plan.h"

#include <math.h>
#include <string.h>

/* ---- reductions ---- */

typedef RF_ARRAY(const rf_sym *) atoms;

static const rf_sym *real_in_scene(rf_prover *p, const rf_val *v)
{
    return rf_real_of(p->reals, rf_in_scene(p, v));
}

static bool is_index_of(const rf_val *v, const void *loop)
{
    return v->kind == RF_VAL_INDEX && v->loop == loop;
}

/* A result over the axis is none of its elements. */
static bool is_result_over(const rf_val *v, const rf_loop *loop)
{
    return v->kind == RF_VAL_RESULT && v->red->axis == loop;
}

static bool has_element(const rf_sym *e, const rf_loop *loop)
{
    if (e->kind == RF_SYM_ATOM && e->atom->key &&
        e->atom->role <= RF_ATOM_ELEMENT &&
        !is_result_over(e->atom->key, loop) &&
        rf_val_find(e->atom->key, is_index_of, loop))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (has_element(e->arg[i], loop))
            return true;
    return false;
}

static bool same_truth(rf_prover *p, const rf_val *a, const rf_val *b)
{
    const rf_sym *one = rf_sym_int(p->syms, 1);
    if (a == b)
        return true;
    const rf_sym *x = a ? real_in_scene(p, a) : one;
    const rf_sym *y = b ? real_in_scene(p, b) : one;
    return rf_algebra_equal(p->alg, x, y) == RF_YES;
}

static const rf_loop *index_loop(const rf_red *r, unsigned i)
{
    return i < r->n_outer ? r->outer[i] : r->free[i - r->n_outer];
}

/* One result for every d: a loop over d around the axis or inside it. */
static bool same_family(const rf_red *a, const rf_red *b)
{
    unsigned n = a->n_outer + a->n_free;
    if (n != b->n_outer + b->n_free)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (index_loop(a, i) != index_loop(b, i))
            return false;
    return true;
}

static const rf_val *guard_of(const rf_accumulator *a)
{
    return a->red->op == RF_REDUCE_FOLD ? a->guard : a->red->guard;
}

/* The term of a sum where "guard" holds, nothing elsewhere. */
static const rf_sym *guarded(rf_prover *p, const rf_sym *term,
                             const rf_val *guard)
{
    if (!guard)
        return term;
    return rf_sym_select(p->syms, real_in_scene(p, guard), term,
                         rf_sym_int(p->syms, 0));
}

static void collect(const rf_sym *e, const rf_loop *loop, atoms *out)
{
    for (size_t i = 0; i < out->len; i++)
        if (out->data[i] == e)
            return;
    if (e->kind == RF_SYM_ATOM && has_element(e, loop))
        RF_PUSH(*out, e);
    for (unsigned i = 0; i < e->n; i++)
        collect(e->arg[i], loop, out);
}

/* f / t at one point x: c, if F = c * t for some c free of x. */
static const rf_sym *quotient_at(rf_prover *p, const rf_sym *f, const rf_sym *t,
                                 const rf_loop *loop, unsigned seed)
{
    atoms x = { 0 };
    collect(f, loop, &x);
    collect(t, loop, &x);
    const rf_sym **at = RF_NEW_ARRAY(p->arena, x.len + 1, const rf_sym *);
    for (size_t i = 0; i < x.len; i++)
        at[i] = rf_sym_int(p->syms, (int64_t)(seed + i * seed));
    f = rf_sym_subst(p->syms, f, (unsigned)x.len, x.data, at);
    t = rf_sym_subst(p->syms, t, (unsigned)x.len, x.data, at);
    t = rf_algebra_simplify(p->alg, t);
    RF_CLEAR(x);
    return rf_sym_is_int(t, 0)
               ? NULL
               : rf_algebra_simplify(p->alg, rf_sym_div(p->syms, f, t));
}

/* The factor c with F = c * t, free of x; NULL: there is none. */
static const rf_sym *factor_of(rf_prover *p, const rf_red *r, const rf_sym *f,
                               const rf_accumulator *a)
{
    rf_reduce_op op = a->red->op == RF_REDUCE_FOLD ? RF_REDUCE_SUM : a->red->op;
    if (a->is_flag || !a->lift || a->loop != r->axis || op != r->op ||
        a->red->team != r->team || !same_family(r, a->red) ||
        r->path != a->red->path ||
        (op != RF_REDUCE_SUM && !same_truth(p, r->guard, guard_of(a))))
        return NULL;
    const rf_sym *t = a->lift;
    if (op == RF_REDUCE_SUM && !same_truth(p, r->guard, guard_of(a))) {
        f = guarded(p, f, r->guard);
        t = guarded(p, t, guard_of(a));
    }
    if (rf_algebra_equal(p->alg, f, t) == RF_YES)
        return rf_sym_int(p->syms, 1);
    for (unsigned seed = 1; op == RF_REDUCE_SUM && seed < 4; seed++) {
        const rf_sym *c = quotient_at(p, f, t, r->axis, seed);
        if (c &&
            rf_algebra_equal(p->alg, f, rf_sym_mul(p->syms, c, t)) == RF_YES)
            return c;
    }
    return NULL;
}

static bool begins_alike(rf_prover *p, const rf_red *r, const rf_accumulator *a)
{
    return r->op == RF_REDUCE_SUM || r->init == a->red->init ||
           rf_algebra_equal(p->alg, real_in_scene(p, r->init),
                            real_in_scene(p, a->red->init)) == RF_YES;
}

/* r = init + c * (a - init of a), for a sum; else r = a. */
static const rf_sym *result_from(rf_prover *p, const rf_red *r, const rf_sym *c,
                                 const rf_accumulator *a)
{
    if (r->op != RF_REDUCE_SUM)
        return a->final;
    const rf_sym *from = real_in_scene(p, a->red->init);
    return rf_sym_add(
        p->syms, real_in_scene(p, r->init),
        rf_sym_mul(p->syms, c, rf_sym_sub(p->syms, a->final, from)));
}

/* A rescaled sum must begin with nothing: R has no hold on its first value. */
static bool ratio_keeps_init(rf_prover *p, const rf_accumulator *a)
{
    return !a->ratio || rf_sym_is_int(a->ratio, 1) ||
           rf_sym_is_int(real_in_scene(p, a->red->init), 0);
}

static bool match_sum_with(rf_prover *p, const rf_update *u, const rf_sym *f,
                           const rf_accumulator *a)
{
    const rf_red *r = u->result->red;
    const rf_sym *c = factor_of(p, r, f, a);
    if (!c || !begins_alike(p, r, a) || !ratio_keeps_init(p, a))
        return false;
    rf_oblige_equal(p, "T-5", r->at, guarded(p, f, r->guard),
                    rf_sym_mul(p->syms, c, guarded(p, a->lift, guard_of(a))),
                    "the source's term is (%s) times that of '%s'",
                    rf_words_of(p, c), a->name);
    rf_reals_bind(p->reals, r->result, result_from(p, r, c, a));
    RF_PUSH(p->counterparts, (rf_counterpart){ u, a->update });
    return true;
}

static bool has_name_of(const rf_accumulator *a, const rf_update *u)
{
    return u->phi->var && !strcmp(u->phi->var->name, a->name);
}

/* The accumulator of the source's name first: others may be multiples, too. */
static bool match_sum(rf_prover *p, const rf_update *u, const rf_sym *f)
{
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < p->acc.len; i++) {
            const rf_accumulator *a = &p->acc.data[i];
            if (has_name_of(a, u) == (round == 0) && match_sum_with(p, u, f, a))
                return true;
        }
    return false;
}

static bool is_infinite(const rf_val *v)
{
    while (v->kind == RF_VAL_CAST || (v->kind == RF_VAL_OP && v->n == 1))
        v = v->arg[0];
    return v->kind == RF_VAL_CONST && v->expr->op == RF_OP_FLOAT &&
           isinf(v->expr->value.f);
}

/* The accumulators that "f" mentions, as D of a question. */
static unsigned results_in(rf_prover *p, const rf_sym *f, const rf_loop *loop,
                           const rf_sym **out)
{
    unsigned n = 0;
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].loop == loop &&
            rf_sym_mentions(f, p->acc.data[i].final))
            out[n++] = p->acc.data[i].final;
    return n;
}

/* f = g(t, D), g over "state": that of a lone element, or what the algebra
 * finds, which is proven here; or NULL. */
static const rf_sym *map_of(rf_prover *p, rf_reduce_op op, const rf_sym *f,
                            const rf_accumulator *a, const rf_sym **state)
{
    rf_separation s;
    const rf_sym **results =
        RF_NEW_ARRAY(p->arena, p->acc.len + 1, const rf_sym *);
    *state = a->lift;
    if (a->lift->kind == RF_SYM_ATOM)
        return f;
    unsigned n = results_in(p, f, a->loop, results);
    if (rf_separate(p->alg, op, f, n, results, &s) != RF_YES || !s.later)
        return NULL;
    *state = s.state;
    const rf_sym *back = rf_sym_subst(p->syms, s.later, 1, &s.state, &a->lift);
    return rf_algebra_equal(p->alg, back, f) == RF_YES ? s.later : NULL;
}

/* g rises in "state", or falls where "a" reduces by the mirrored operator. */
static bool is_monotone(rf_prover *p, const rf_red *r, const rf_accumulator *a,
                        const rf_sym *g, const rf_sym *state)
{
    rf_trend wanted = a->red->op == r->op                     ? RF_RISES
                      : a->red->op == rf_reduce_mirror(r->op) ? RF_FALLS
                                                              : RF_NO_TREND;
    rf_trend t = rf_trend_of(p, g, state);
    return wanted != RF_NO_TREND && (t == wanted || t == RF_CONSTANT);
}

/* max g(t, D) = g(max t, D) for a rising g, g(min t, D) for a falling one; min
 * alike. */
static bool match_order(rf_prover *p, const rf_update *u, const rf_sym *f)
{
    const rf_red *r = u->result->red;
    if (!rf_reduce_is_extremum(r->op))
        return false;
    for (size_t i = 0; i < p->acc.len; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        const rf_sym *state;
        if (a->red->team != r->team || !a->lift || a->loop != r->axis ||
            !same_family(r, a->red) || !same_truth(p, r->guard, guard_of(a)) ||
            !is_infinite(a->red->init))
            continue;
        const rf_sym *map = map_of(p, r->op, f, a, &state);
        if (!map || !is_monotone(p, r, a, map, state))
            continue;
        const rf_sym *g = rf_sym_subst(p->syms, map, 1, &state, &a->final);
        if (has_element(g, r->axis))
            continue;
        const rf_sym *init = real_in_scene(p, r->init);
        if (!is_infinite(r->init))
            g = r->op == RF_REDUCE_MAX ? rf_sym_max(p->syms, init, g)
                                       : rf_sym_min(p->syms, init, g);
        rf_oblige(p, "T-5", r->at, RF_PROVEN, "%s does not %s in that of '%s'",
                  rf_words_of(p, f),
                  a->red->op == r->op ? "decrease" : "increase", a->name);
        rf_reals_bind(p->reals, r->result, g);
        RF_PUSH(p->counterparts, (rf_counterpart){ u, a->update });
        return true;
    }
    return false;
}

static bool is_one(rf_prover *p, const rf_val *init)
{
    return rf_sym_is_int(real_in_scene(p, init), 1);
}

/* PRODUCT t^h = (PRODUCT t)^h, t > 0 and h free of x. */
static bool match_power(rf_prover *p, const rf_update *u, const rf_sym *f)
{
    const rf_red *r = u->result->red;
    for (size_t i = 0; i < p->acc.len && r->op == RF_REDUCE_PRODUCT; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        const rf_sym *state;
        if (a->red->op != r->op || a->red->team != r->team || !a->lift ||
            a->loop != r->axis || !same_family(r, a->red) ||
            !same_truth(p, r->guard, guard_of(a)) || !is_one(p, r->init) ||
            !is_one(p, a->red->init) ||
            rf_algebra_sign(p->alg, a->lift) != RF_IS_POSITIVE)
            continue;
        const rf_sym *map = map_of(p, r->op, f, a, &state);
        if (!map || map->kind != RF_SYM_POW || map->arg[0] != state ||
            has_element(map->arg[1], r->axis))
            continue;
        rf_oblige_equal(
            p, "T-5", r->at, f, rf_sym_pow(p->syms, a->lift, map->arg[1]),
            "%s is a power of that of '%s'", rf_words_of(p, f), a->name);
        rf_reals_bind(p->reals, r->result,
                      rf_sym_pow(p->syms, a->final, map->arg[1]));
        RF_PUSH(p->counterparts, (rf_counterpart){ u, a->update });
        return true;
    }
    return false;
}

/* max f = f for a term that is the same in every step. */
static void match_constant(rf_prover *p, const rf_update *u, const rf_sym *f)
{
    const rf_red *r = u->result->red;
    if (!rf_reduce_is_extremum(r->op) || r->guard || r->path || r->team ||
        has_element(f, r->axis))
        return;
    const rf_sym *init = real_in_scene(p, r->init);
    rf_oblige(p, "T-5", r->at, RF_PROVEN, "%s is the same in every step",
              rf_words_of(p, f));
    rf_reals_bind(p->reals, r->result,
                  is_infinite(r->init)     ? f
                  : r->op == RF_REDUCE_MAX ? rf_sym_max(p->syms, init, f)
                                           : rf_sym_min(p->syms, init, f));
}

static void match_one(rf_prover *p, const rf_update *u)
{
    const rf_sym *f = real_in_scene(p, u->result->red->term);
    if (!match_sum(p, u, f) && !match_order(p, u, f) && !match_power(p, u, f))
        match_constant(p, u, f);
}

static bool is_fused_axis(const rf_prover *p, const rf_loop *loop)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].loop == loop)
            return true;
    return false;
}

static bool is_emitted(const rf_prover *p, const rf_red *r)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (p->acc.data[i].red == r)
            return true;
    return false;
}

void rf_match_reductions(rf_prover *p)
{
    for (size_t i = 0; i < p->n_updates && !p->stopped; i++) {
        const rf_val *v = p->trace->updates.data[i].result;
        if (v->kind == RF_VAL_RESULT && is_fused_axis(p, v->red->axis) &&
            !is_emitted(p, v->red))
            match_one(p, &p->trace->updates.data[i]);
    }
}

/* ---- places ---- */

rf_range rf_source_place(const rf_prover *p, const char *name)
{
    rf_range at = p->task->region->mark.at;
    bool found = false;
    for (size_t i = 0; i < p->n_updates; i++) {
        const rf_update *u = &p->trace->updates.data[i];
        bool is_same = u->phi->var && !strcmp(u->phi->var->name, name);
        if (u->result->kind != RF_VAL_RESULT || (found && !is_same))
            continue;
        at = u->result->red->at;
        found |= is_same;
    }
    return at;
}

/* ---- stores ---- */

bool rf_same_nest(rf_vals *vals, const rf_store *a, const rf_store *b)
{
    if (a->base != b->base || a->n_loops != b->n_loops ||
        rf_index_form(vals, a->index) != rf_index_form(vals, b->index))
        return false;
    for (unsigned i = 0; i < a->n_loops; i++)
        if (a->loops[i] != b->loops[i])
            return false;
    return true;
}

static void add_store(rf_prover *p, rf_cells *list, const rf_store *s)
{
    rf_vals *vals = p->trace->vals;
    rf_cell c = { .last = s, .value = s->value, .guard = s->guard };
    for (size_t i = 0; i < list->len; i++) {
        rf_cell *old = &list->data[i];
        if (!rf_same_nest(vals, old->last, s))
            continue;
        if (s->guard) {
            c.value = rf_val_select(vals, s->guard, s->value, old->value);
            bool is_whole =
                !old->guard || rf_val_not(vals, s->guard) == old->guard;
            c.guard = is_whole ? NULL
                               : rf_val_op2(vals, RF_OP_OR, &rf_type_bool,
                                            s->guard, old->guard);
        }
        *old = c;
        return;
    }
    RF_PUSH(*list, c);
}

/* Is "var" named outside "skip"? */
static bool stmt_names(const rf_stmt *s, const rf_var *var, rf_range skip)
{
    if (!s || (skip.begin <= s->at.begin && s->at.end <= skip.end))
        return false;
    if (rf_expr_find(s->expr, rf_expr_is_use, var) ||
        rf_expr_find(s->step, rf_expr_is_use, var) ||
        stmt_names(s->init, var, skip) || stmt_names(s->body, var, skip) ||
        stmt_names(s->orelse, var, skip))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (stmt_names(s->list[i], var, skip))
            return true;
    return s->kind == RF_STMT_OPAQUE;
}

/* A local array that only the span itself names. */
static bool is_private(const rf_prover *p, const rf_store *s,
                       const rf_span *span)
{
    const rf_val *root = rf_trace_root(p->trace, s->base);
    return root->kind == RF_VAL_ENTRY && root->var->storage == RF_VAR_LOCAL &&
           root->var->type->kind == RF_TYPE_ARRAY && !root->var->is_static &&
           !stmt_names(span->func->body, root->var, span->at);
}

static bool is_over_axis(const rf_prover *p, const rf_store *s)
{
    for (unsigned i = 0; i < s->n_loops; i++)
        if (is_fused_axis(p, s->loops[i]))
            return true;
    return false;
}

void rf_list_cells(rf_prover *p, rf_cells *source, rf_cells *emitted)
{
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        bool is_source = i < p->n_stores;
        if (!is_private(p, s, is_source ? &p->source : &p->emitted))
            add_store(p, is_source ? source : emitted, s);
    }
}

const char *rf_base_name(rf_prover *p, const rf_val *base)
{
    const rf_val *root = rf_trace_root(p->trace, base);
    return root->kind == RF_VAL_ENTRY ? root->var->name : "an object";
}

const char *rf_store_name(rf_prover *p, const rf_store *s)
{
    return rf_base_name(p, s->base);
}

static const char *scene_name(const rf_prover *p)
{
    return p->scene == RF_SCENE_FULL ? "" : ", no element";
}

static void compare_cells(rf_prover *p, const rf_cell *a, const rf_cell *b)
{
    const char *name = rf_store_name(p, a->last);
    if (p->scene == RF_SCENE_EMPTY && is_over_axis(p, a->last))
        return;
    rf_oblige(p, "D3", a->last->at,
              same_truth(p, a->guard, b->guard) ? RF_PROVEN : RF_UNDECIDED,
              "'%s' is stored under the source's condition%s", name,
              scene_name(p));
    if (rf_in_scene(p, a->value) == rf_in_scene(p, b->value)) {
        rf_oblige(p, "T-4", a->last->at, RF_PROVEN,
                  "'%s' is stored with the source's value%s", name,
                  scene_name(p));
        return;
    }
    rf_oblige_equal(p, "T-4", a->last->at, real_in_scene(p, a->value),
                    real_in_scene(p, b->value),
                    "'%s' is stored with the source's value%s", name,
                    scene_name(p));
}

static void compare_stores(rf_prover *p)
{
    rf_cells source = { 0 }, emitted = { 0 };
    rf_list_cells(p, &source, &emitted);
    for (size_t i = 0; i < source.len; i++) {
        rf_cell *found = NULL;
        for (size_t k = 0; k < emitted.len && !found; k++)
            if (rf_same_nest(p->trace->vals, source.data[i].last,
                             emitted.data[k].last))
                found = &emitted.data[k];
        if (!found) {
            rf_oblige(p, "D3", source.data[i].last->at, RF_REFUTED,
                      "the store to '%s' is still made",
                      rf_store_name(p, source.data[i].last));
            continue;
        }
        found->is_matched = true;
        compare_cells(p, &source.data[i], found);
    }
    for (size_t k = 0; k < emitted.len; k++)
        if (!emitted.data[k].is_matched)
            rf_oblige(p, "D3", p->task->region->mark.at, RF_REFUTED,
                      "no store to '%s' is added",
                      rf_store_name(p, emitted.data[k].last));
    RF_CLEAR(source);
    RF_CLEAR(emitted);
}

/* ---- scalars ---- */

static bool is_own(const rf_prover *p, const rf_var *var)
{
    return p->source.at.begin <= var->at.begin &&
           var->at.end <= p->source.at.end;
}

bool rf_is_live(const rf_prover *p, const rf_var *var)
{
    const rf_span *s = &p->source;
    if (var->storage != RF_VAR_LOCAL && var->storage != RF_VAR_PARAM)
        return var->storage != RF_VAR_TEMPLATE;
    return rf_needed_after(s->func, s->block, s->last, var);
}

/* The emitted value of source variable "var": the last one of that name, or,
 * when it is declared around both, of that variable; NULL: there is none. */
const rf_val *rf_emitted_final(const rf_prover *p, const rf_var *var)
{
    const rf_val *found = NULL;
    bool by_name = is_own(p, var);
    for (size_t i = p->n_finals; i < p->trace->finals.len; i++) {
        const rf_binding *b = &p->trace->finals.data[i];
        if (by_name ? !strcmp(b->var->name, var->name) : b->var == var)
            found = b->value;
    }
    return found;
}

bool rf_is_needed(const rf_prover *p, const rf_val *part)
{
    for (size_t i = p->n_stores; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        if (rf_val_mentions(s->value, part) ||
            (s->guard && rf_val_mentions(s->guard, part)))
            return true;
    }
    for (size_t i = 0; i < p->n_finals; i++) {
        const rf_var *var = p->trace->finals.data[i].var;
        const rf_val *v = rf_is_live(p, var) ? rf_emitted_final(p, var) : NULL;
        if (v && rf_val_mentions(v, part))
            return true;
    }
    return false;
}

static void compare_final(rf_prover *p, const rf_binding *b)
{
    const rf_val *v = rf_emitted_final(p, b->var);
    const rf_val *a = rf_in_scene(p, b->value);
    rf_range at = rf_source_place(p, b->var->name);
    if (!v && !is_own(p, b->var))
        v = rf_val_entry(p->trace->vals, b->var);
    if (!v)
        rf_oblige(p, "T-4", at, RF_REFUTED, "'%s' lives on", b->var->name);
    else if (a == rf_in_scene(p, v))
        rf_oblige(p, "T-4", at, RF_PROVEN,
                  "'%s' ends with the source's value%s", b->var->name,
                  scene_name(p));
    else
        rf_oblige_equal(
            p, "T-4", at, rf_real_of(p->reals, a), real_in_scene(p, v),
            "'%s' ends with the source's value%s", b->var->name, scene_name(p));
}

static void compare_finals(rf_prover *p)
{
    for (size_t i = 0; i < p->n_finals; i++)
        if (rf_is_live(p, p->trace->finals.data[i].var))
            compare_final(p, &p->trace->finals.data[i]);
}

void rf_prove_effects(rf_prover *p)
{
    compare_stores(p);
    compare_finals(p);
}
