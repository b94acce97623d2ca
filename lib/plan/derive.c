/* What each member carries (T-5, T-6, T-7), and in which pass it can run:
 *
 *     pass(d) = max over the results e that d uses of pass(e) + s(d, e)
 *     s = 0 if F separates in the running e, 1 if it needs the final e
 *
 * which is the least number of passes for these reductions: in any schedule of
 * loops over the axis d cannot run before a loop that carries the e it uses,
 * nor in the loop that ends e where no running form of d was found; by
 * induction along the order of definition pass(d) is a bound from below for
 * each d, and running every d in pass(d) reaches all bounds at once. */
#include "plan/derive.h"
#include "algebra/algebra.h"
#include "ir/math.h"
#include "plan/planning.h"

#include <math.h>

/* ---- reasons ---- */

void rf_derive_explain(rf_deriver *d, rf_diag_name name, rf_range at,
                       const char *reason)
{
    d->trial.reason = reason;
    d->trial.name = name;
    d->trial.at = at;
    d->trial.clause = NULL;
}

void rf_derive_explain_clause(rf_deriver *d, rf_diag_name name,
                              const char *reason, const char *clause)
{
    rf_derive_explain(d, name, RF_NOWHERE, reason);
    d->trial.clause = clause;
}

void rf_derive_give_reason(rf_deriver *d, const char *reason)
{
    rf_derive_explain(d, RF_DIAG_ERROR, RF_NOWHERE, reason);
}

bool rf_derive_is_finished_later(const rf_member *m)
{
    return m->later != NULL;
}

void rf_derive_explain_later(rf_deriver *d)
{
    rf_derive_give_reason(
        d, "it follows a result that is finished only after the loop, by "
           "a factor or out of several sums");
}

/* ---- atoms for results ---- */

static rf_sign sign_of(rf_deriver *d, const rf_member *m)
{
    if (m->red->op > RF_REDUCE_OR)
        return RF_SIGN_ANY;
    return rf_algebra_reduce_sign(d->alg, m->red->op,
                                  rf_real_of(d->reals, m->red->term),
                                  rf_real_of(d->reals, m->init));
}

static void bind_result(rf_deriver *d, rf_member *m)
{
    rf_buf name = { 0 };
    rf_val_print(&name, m->red->result);
    const rf_sym *atom = rf_sym_atom_signed(
        rf_reals_syms(d->reals), RF_ATOM_RESULT,
        m->red->var ? m->red->var->name
                    : rf_arena_strdup(d->p->arena, rf_buf_text(&name)),
        m->red->result, sign_of(d, m));
    rf_buf_free(&name);
    m->atom = atom;
    rf_reals_bind(d->reals, m->red->result, atom);
    const rf_sym *old = rf_algebra_old(d->alg, atom);
    rf_reals_bind(d->reals, rf_val_entry(d->vals, m->old_var), old);
    rf_derive_image(d, old, rf_val_entry(d->vals, m->old_var));
}

/* ---- translation of symbols back ---- */

/* "e" as a value: old atoms become the old variables, the state atom the
 * state variable. */
const rf_val *rf_derive_val(rf_deriver *d, const rf_member *m, const rf_sym *e,
                            const rf_sym *state)
{
    rf_syms *syms = rf_reals_syms(d->reals);
    size_t n = d->images.len;
    const rf_sym **from = RF_NEW_ARRAY(d->p->arena, n + 1, const rf_sym *);
    const rf_sym **to = RF_NEW_ARRAY(d->p->arena, n + 1, const rf_sym *);
    for (size_t i = 0; i < n; i++) {
        from[i] = d->images.data[i].sym;
        to[i] = d->images.data[i].atom;
    }
    if (state) {
        from[n] = state;
        to[n++] = rf_sym_atom(syms, RF_ATOM_STATE, "state",
                              rf_val_entry(d->vals, m->state_var));
    }
    return rf_real_to_val(
        d->reals, rf_sym_subst(syms, e, (unsigned)n, from, to), m->red->type);
}

/* From now on "sym" is written as "val". */
void rf_derive_image(rf_deriver *d, const rf_sym *sym, const rf_val *val)
{
    const rf_sym *atom =
        rf_sym_atom(rf_reals_syms(d->reals), RF_ATOM_STATE, "image", val);
    RF_PUSH(d->images, (rf_image){ .sym = sym, .atom = atom });
}

/* ---- one member ---- */

static rf_range blame_place(const rf_deriver *d, const rf_blame *b)
{
    const rf_val *v = b->value;
    if (b->at.begin != UINT32_MAX)
        return b->at;
    while (v && v->kind == RF_VAL_OP && v->op == RF_OP_AND)
        v = v->arg[1];
    return rf_plan_place_of(d->p, v, b->member->red->at);
}

/* What a clause unblocks is told only if nothing else is in the way. */
static void record(rf_deriver *d)
{
    if (d->trial.clause)
        RF_PUSH(d->p->plan->missed,
                (rf_missed){ .reason = d->trial.reason,
                             .clause = d->trial.clause,
                             .at = blame_place(d, &d->trial) });
    bool was_soft = d->told.name == RF_DIAG_ROUNDING;
    bool is_soft = d->trial.name == RF_DIAG_ROUNDING;
    if (!d->told.member || (was_soft && !is_soft))
        d->told = d->trial;
}

static void record_blame(rf_deriver *d, const rf_member *m,
                         const rf_separation *s, unsigned n,
                         const rf_sym *const *results)
{
    bool runs = s->verdict == RF_YES && s->ratio && s->later == s->state;
    d->trial.ratio = runs ? s->ratio : NULL;
    d->trial.member = m;
    d->trial.value = rf_derive_blame(d, m->red->op, m->red->term, n, results);
    if (!d->trial.reason)
        d->trial.reason = s->reason;
    record(d);
}

/* What "m" does depends on a finished result: a predicate, a recurrence. */
static void record_other_blame(rf_deriver *d, const rf_member *m,
                               const rf_val *guard)
{
    if (guard)
        rf_derive_give_reason(
            d, "a condition on a finished result selects the elements");
    else
        rf_derive_blame_fold(d, m);
    d->trial.ratio = NULL;
    d->trial.clause = NULL;
    d->trial.member = m;
    d->trial.value = guard;
    record(d);
}

static const rf_val *float_constant(rf_deriver *d, const rf_type *type,
                                    const char *spelling, double value)
{
    rf_expr *e = rf_expr_new(d->p->arena, RF_OP_FLOAT, type, 0, NULL);
    e->spelling = spelling;
    e->value.f = value;
    return rf_val_const(d->vals, e);
}

static const rf_val *identity_of(rf_deriver *d, rf_reduce_op op,
                                 const rf_type *type)
{
    bool is_float = type->kind == RF_TYPE_FLOAT && type->format <= RF_F64;
    if (op == RF_REDUCE_SUM || op == RF_REDUCE_PRODUCT) {
        double value = op == RF_REDUCE_PRODUCT;
        return is_float ? float_constant(d, type, NULL, value)
                        : rf_val_int(d->vals, (int64_t)value, type);
    }
    if (!is_float || !rf_reduce_is_extremum(op))
        return NULL;
    const rf_val *inf = float_constant(d, type, "INFINITY", (double)INFINITY);
    return op == RF_REDUCE_MIN
               ? inf
               : rf_val_op(d->vals, RF_OP_NEG, type, 1, &inf, NULL);
}

bool rf_derive_is_zero(const rf_val *v)
{
    return rf_val_is_number(rf_val_without_casts(v), 0);
}

static bool is_identity(rf_deriver *d, const rf_member *m)
{
    const rf_val *v = m->init;
    const rf_val *identity = identity_of(d, m->red->op, m->red->type);
    if (identity && v == identity)
        return true;
    if (m->red->op == RF_REDUCE_SUM)
        return rf_derive_is_zero(v);
    return m->red->op == RF_REDUCE_PRODUCT &&
           rf_val_is_number(rf_val_without_casts(v), 1);
}

static const rf_val *extremum_of(rf_deriver *d, const rf_member *m,
                                 const rf_val *a, const rf_val *b)
{
    const char *name =
        rf_math_extremum(m->red->op == RF_REDUCE_MAX, m->red->type);
    return rf_val_make(d->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                           .type = m->red->type,
                                           .name = name,
                                           .n = 2,
                                           .arg = (const rf_val *[]){ a, b } });
}

/* d = init (+) later(state): the state begins with the identity and the
 * author's first value joins at the end. */
static bool split_init(rf_deriver *d, rf_member *m)
{
    const rf_val *identity = identity_of(d, m->red->op, m->red->type);
    if (!identity)
        return false;
    const rf_val *state = rf_val_entry(d->vals, m->state_var);
    const rf_val *later = m->later ? m->later : state;
    m->init_later = m->init;
    m->init = identity;
    if (m->red->op == RF_REDUCE_SUM || m->red->op == RF_REDUCE_PRODUCT)
        m->later = rf_val_op2(
            d->vals, m->red->op == RF_REDUCE_SUM ? RF_OP_ADD : RF_OP_MUL,
            m->red->type, m->init_later, later);
    else
        m->later = extremum_of(d, m, m->init_later, later);
    return true;
}

/* The shifts of "ratio": members whose old value it names. */
static bool set_shifts(rf_deriver *d, rf_member *m, const rf_separation *s)
{
    rf_plan *plan = d->p->plan;
    m->shifts = RF_NEW_ARRAY(d->p->arena, plan->members.len, rf_member *);
    for (size_t i = 0; i < plan->members.len; i++) {
        rf_member *o = plan->members.data[i];
        if (!rf_val_mentions(m->ratio, rf_val_entry(d->vals, o->old_var)))
            continue;
        if (rf_derive_is_finished_later(o)) {
            rf_derive_explain_later(d);
            return false;
        }
        if (!rf_derive_check_shift(d, m, s, o))
            return false;
        m->shifts[m->n_shifts++] = o;
    }
    return true;
}

/* The ratio in the author's own form: exp(c * (t - m)) with the old m for t is
 * exp(c * (m_old - m)), which an infinite m_old makes 0 and not NaN. */
static const rf_val *write_ratio(rf_deriver *d, rf_member *m,
                                 const rf_separation *s)
{
    const rf_val *e = rf_val_find(m->term, rf_derive_is_exp, NULL);
    for (size_t i = 0; e && i < d->p->plan->members.len; i++) {
        const rf_member *o = d->p->plan->members.data[i];
        if (!o->atom || !rf_val_mentions(e, o->red->result))
            continue;
        const rf_val *t = o->red->term;
        const rf_val *old = rf_val_entry(d->vals, o->old_var);
        const rf_val *ratio = rf_val_subst(d->vals, e, 1, &t, &old);
        if (rf_derive_is_real(d, ratio, s->ratio))
            return ratio;
    }
    return rf_derive_val(d, m, s->ratio, NULL);
}

/* True if no shift that may be infinite stands apart from its old value. */
static bool keeps_one_difference(rf_deriver *d, const rf_member *m)
{
    for (size_t i = 0; i < d->p->plan->members.len; i++) {
        const rf_member *o = d->p->plan->members.data[i];
        if (o->atom && rf_derive_may_be_infinite(o) &&
            rf_val_mentions(m->ratio, rf_val_entry(d->vals, o->old_var)) &&
            !rf_derive_is_one_difference(d, m, o))
            return false;
    }
    return true;
}

/* exp(c*m_old - c*m) as exp(c * (m_old - m)), if "ratio" is the call of an
 * exponential of such a difference; else "ratio". */
static const rf_val *factor_ratio(rf_deriver *d, rf_member *m,
                                  const rf_separation *s, const rf_val *ratio)
{
    if (!ratio || ratio->kind != RF_VAL_CALL || !rf_derive_is_exp(ratio, NULL))
        return ratio;
    for (size_t i = 0; i < d->p->plan->members.len; i++) {
        const rf_member *o = d->p->plan->members.data[i];
        const rf_val *old = rf_val_entry(d->vals, o->old_var);
        if (!o->atom || !rf_val_mentions(ratio, old) ||
            !rf_derive_may_be_infinite(o))
            continue;
        const rf_sym *c = rf_algebra_derivative(
            d->alg, rf_real_of(d->reals, ratio->arg[0]), o->atom);
        c = c ? rf_algebra_simplify(d->alg,
                                    rf_sym_neg(rf_reals_syms(d->reals), c))
              : NULL;
        const rf_val *scale = c ? rf_derive_val(d, m, c, NULL) : NULL;
        const rf_type *t = m->red->type;
        const rf_val *by =
            rf_val_op2(d->vals, RF_OP_SUB, t, old, o->red->result);
        const rf_val *arg =
            scale ? rf_val_op2(d->vals, RF_OP_MUL, t, scale, by) : NULL;
        rf_val proto = *ratio;
        proto.arg = &arg;
        const rf_val *made = arg ? rf_val_make(d->vals, &proto) : NULL;
        if (made && rf_derive_is_real(d, made, s->ratio))
            return made;
    }
    return ratio;
}

static bool accept(rf_deriver *d, rf_member *m, const rf_separation *s,
                   unsigned pass)
{
    bool has_later = s->later && s->later != s->state;
    if (s->reduce != m->red->op || !rf_derive_write_term(d, m, s, pass))
        return false;
    if (rf_reduce_is_extremum(m->red->op) &&
        rf_derive_has_infinite(d, m->later) && !d->p->mark->finite) {
        rf_derive_explain_clause(
            d, RF_DIAG_ERROR,
            "a result that may be infinite is added to a maximum; "
            "assume(finite) unblocks this",
            "finite");
        return false;
    }
    if ((has_later || s->ratio) && !is_identity(d, m) && !split_init(d, m)) {
        rf_derive_give_reason(
            d, "the accumulator begins with a value that a factor of the "
               "terms would scale");
        return false;
    }
    if (!s->ratio)
        return true;
    if (!rf_derive_is_bounded(d, m, s->lift))
        return false;
    m->ratio = s->times == RF_TIMES_MUL ? write_ratio(d, m, s) : NULL;
    if (m->ratio && !keeps_one_difference(d, m))
        m->ratio = factor_ratio(d, m, s, m->ratio);
    m->ratio = m->ratio ? rf_derive_widen(d, m->ratio) : NULL;
    return m->ratio && set_shifts(d, m, s);
}

/* Results of pass "pass" that the term of "m" uses. */
static unsigned running_results(rf_deriver *d, const rf_member *m,
                                unsigned pass, const rf_sym **out)
{
    rf_plan *plan = d->p->plan;
    unsigned n = 0;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o != m && o->atom && o->pass == pass &&
            rf_val_mentions(m->red->term, o->red->result))
            out[n++] = o->atom;
    }
    return n;
}

static unsigned latest_use(rf_deriver *d, const rf_member *m, const rf_val *v)
{
    rf_plan *plan = d->p->plan;
    unsigned latest = 0;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (o == m)
            break;
        if (v && rf_val_mentions(v, o->red->result) && o->pass >= latest)
            latest = o->pass + 1;
    }
    return latest; /* 0: uses none */
}

static bool has_extremum(const rf_deriver *d, const rf_sym *e)
{
    const rf_plan *plan = d->p->plan;
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->atom == e)
            return rf_reduce_is_order(plan->members.data[i]->red->op);
    for (unsigned i = 0; i < e->n; i++)
        if (has_extremum(d, e->arg[i]))
            return true;
    return false;
}

/* True if a maximum to the power of "power", or a higher one, divides in "e".
 */
static bool divides(const rf_deriver *d, const rf_sym *e, int64_t power)
{
    bool is_power = e->kind == RF_SYM_POW && e->arg[1]->kind == RF_SYM_RAT;
    int64_t n = is_power ? e->arg[1]->num / e->arg[1]->den : 1;
    if (n <= -power && has_extremum(d, e->arg[0]))
        return true;
    if (n >= 2)
        power = 1;
    for (unsigned i = 0; i < e->n; i++)
        if (divides(d, e->arg[i], power))
            return true;
    return false;
}

/* Sum (x / m)^2 with the maximum m: without the division the squares of large
 * or small elements leave the range of the type. */
static bool keeps_range(rf_deriver *d, const rf_sym *f)
{
    if (d->p->mark->finite || d->p->mark->rounding || !divides(d, f, 2))
        return true;
    rf_derive_explain_clause(
        d, RF_DIAG_ROUNDING,
        "without the division, powers of the elements may leave the range of "
        "their type; assume(finite) unblocks this",
        "finite");
    return false;
}

static bool divides_by_zero(const rf_sym *e)
{
    if (e->kind == RF_SYM_POW && rf_sym_is_int(e->arg[0], 0))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (divides_by_zero(e->arg[i]))
            return true;
    return false;
}

/* a - a is 0 for a number a, but not for infinity. */
static bool cancels_safely(rf_deriver *d, const rf_member *m, const rf_sym *f,
                           unsigned pass)
{
    if (divides_by_zero(f)) {
        rf_derive_explain(d, RF_DIAG_ROUNDING, RF_NOWHERE,
                          "a divisor of this term is always zero");
        return false;
    }
    if (d->p->mark->finite ||
        !rf_derive_uses_cancelled(d, m->red->term, f, pass))
        return true;
    rf_derive_explain_clause(d, RF_DIAG_ROUNDING,
                             "an earlier result cancels out of this term, but "
                             "not where it is infinite; assume(finite) "
                             "unblocks this",
                             "finite");
    return false;
}

/* Results that are final when "m" runs are parameters of its term. */
static bool try_separate(rf_deriver *d, rf_member *m, unsigned pass)
{
    const rf_sym **results =
        RF_NEW_ARRAY(d->p->arena, d->p->plan->members.len, const rf_sym *);
    unsigned n = running_results(d, m, pass, results);
    if (!n)
        return true;
    if (m->red->op > RF_REDUCE_OR) {
        record_other_blame(d, m, NULL);
        return false;
    }
    rf_separation s = { 0 };
    const rf_sym *f = rf_real_of(d->reals, m->red->term);
    rf_derive_give_reason(d, NULL);
    bool in_range = keeps_range(d, f) &&
                    cancels_safely(d, m, rf_algebra_simplify(d->alg, f), pass);
    bool ok = in_range &&
              rf_separate(d->alg, m->red->op, f, n, results, &s) == RF_YES &&
              accept(d, m, &s, pass);
    in_range = in_range && (!ok || rf_derive_keeps_range(d, m));
    if (ok && in_range) {
        m->g = s.g ? rf_derive_val(d, m, s.g, NULL) : NULL;
        m->h = s.h ? rf_derive_val(d, m, s.h, NULL) : NULL;
        m->times = rf_times_name(s.times);
        rf_derive_rounding(d, m, &s);
        return true;
    }
    if (m->red->op == RF_REDUCE_SUM && in_range) {
        m->later = NULL;
        if (rf_derive_closure(d, m, pass, n, results)) {
            rf_derive_moving(d, m, n, results);
            return true;
        }
    }
    record_blame(d, m, &s, n, results);
    m->term = m->red->term;
    m->ratio = m->later = NULL;
    if (m->init_later)
        m->init = m->init_later;
    m->init_later = NULL;
    if (latest_use(d, m, m->init))
        split_init(d, m);
    m->n_shifts = 0;
    m->dead_when = NULL;
    return false;
}

static void derive_member(rf_deriver *d, rf_member *m)
{
    if (latest_use(d, m, m->init) && m->red->op == RF_REDUCE_SUM)
        split_init(d, m); /* a first term of its own joins at the end */
    unsigned term = latest_use(d, m, m->red->term);
    unsigned fixed = latest_use(d, m, m->red->guard);
    unsigned init = latest_use(d, m, m->init);
    fixed = init > fixed ? init : fixed;
    m->pass = term ? term - 1 : 0;
    if (latest_use(d, m, m->red->guard) > m->pass)
        record_other_blame(d, m, m->red->guard);
    if (fixed > m->pass)
        m->pass = fixed;
    if (term && !try_separate(d, m, m->pass))
        m->pass++;
    if (!m->bound)
        rf_derive_rounding(d, m, NULL);
    bind_result(d, m);
}

/* A recurrence runs beside the accumulators whose running values it reads: in
 * the latest of their passes. */
static bool join_companions(rf_deriver *d, rf_member *m)
{
    const rf_plan *plan = d->p->plan;
    unsigned latest = m->pass;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *o = plan->members.data[i];
        if (m->red->op == RF_REDUCE_FOLD && o->red->phi &&
            (o->red->pass == m->red->pass || o->red->is_shared) &&
            o->pass > latest && rf_val_mentions(m->red->next, o->red->phi))
            latest = o->pass;
    }
    if (latest == m->pass)
        return false;
    record_other_blame(d, m, NULL);
    m->pass = latest;
    return true;
}

/* Members in the order of their definition; class M inserts further ones. */
static void derive_members(rf_deriver *d)
{
    rf_plan *plan = d->p->plan;
    size_t n = plan->members.len;
    rf_member **list = RF_NEW_ARRAY(d->p->arena, n + 1, rf_member *);
    for (size_t i = 0; i < n; i++)
        list[i] = plan->members.data[i];
    for (size_t i = 0; i < n; i++)
        derive_member(d, list[i]);
    for (size_t i = 0; i < n; i++)
        if (join_companions(d, list[i]))
            i = (size_t)-1;
}

/* ---- the whole ---- */

static bool rounds(const rf_sym *s)
{
    if (s->kind == RF_SYM_ROUND)
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (rounds(s->arg[i]))
            return true;
    return false;
}

/* The loops of the source that compute the members. */
static size_t count_source_passes(const rf_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->members.len; i++) {
        bool known = false;
        for (size_t k = 0; k < i; k++)
            known |= plan->members.data[k]->red->pass ==
                     plan->members.data[i]->red->pass;
        n += !known;
    }
    return n;
}

static void tell_counterexample(rf_deriver *d)
{
    const char *text = d->p->is_silent ? NULL : rf_derive_counterexample(d);
    if (text)
        rf_plan_note(d->p, blame_place(d, &d->told), "%s", text);
}

/* Fewer loops over the axis than in the source, or say what is in the way. */
static bool check_gain(rf_deriver *d, size_t before)
{
    rf_plan *plan = d->p->plan;
    unsigned last = 0;
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->pass > last)
            last = plan->members.data[i]->pass;
    plan->n_loops = last + 1;
    if (plan->n_loops < before)
        return true;
    if (!d->told.member) {
        rf_plan_refuse(d->p, RF_DIAG_DONE, plan->members.data[0]->red->at,
                       "one loop computes these reductions already");
        return false;
    }
    bool rounding = rounds(rf_real_of(d->reals, d->told.member->red->term));
    rf_diag_name name = d->told.name ? d->told.name
                        : rounding   ? RF_DIAG_ROUNDING
                                     : RF_DIAG_NOT_DECOMPOSABLE;
    if (rounding && !d->told.name)
        d->told.reason = "a value is rounded to fewer bits between the passes";
    rf_plan_refuse(d->p, name, blame_place(d, &d->told), "not fused: %s",
                   d->told.reason ? d->told.reason
                                  : "no merge of partial results exists");
    if (name == RF_DIAG_NOT_DECOMPOSABLE)
        tell_counterexample(d);
    return false;
}

/* The class of the member that rounds most. */
static void name_rounding(rf_plan *plan)
{
    plan->rounding = RF_ROUNDING_EXACT;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        if (m->bound && m->bound->rounding > plan->rounding)
            plan->rounding = m->bound->rounding;
    }
}

bool rf_plan_derive(rf_planner *p)
{
    rf_syms *syms = rf_syms_new(p->arena);
    rf_deriver d = { .p = p,
                     .vals = p->trace->vals,
                     .reals = rf_reals_new(p->arena, syms, p->trace->vals,
                                           p->mark->rounding),
                     .alg = rf_algebra_new(syms),
                     .trial.at = RF_NOWHERE };
    rf_plan *plan = p->plan;

    rf_reals_set_axis(d.reals, plan->axis);
    rf_plan_assume(p, d.reals);
    derive_members(&d);
    size_t before = count_source_passes(plan);
    rf_derive_prune(p);
    for (size_t i = 0; i < plan->members.len; i++)
        for (unsigned k = 0; k < plan->members.data[i]->n_shifts; k++)
            plan->members.data[i]->shifts[k]->is_shift = true;
    bool ok = check_gain(&d, before);
    name_rounding(plan);
    RF_CLEAR(d.images);
    rf_algebra_free(d.alg);
    rf_syms_free(syms);
    return ok;
}
