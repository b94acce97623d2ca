/* Teams: rows that the lanes of a warp or a block fold together.
 *
 * The emitted text is executed for all lanes of every block size that the
 * source admits (ir/lane_*.c), with the orders that barriers give to shared
 * memory. That shows what each lane holds in the end: a union of the lanes'
 * states, each of them once. A union of plain reductions needs no algebra. A
 * state that is rescaled is joined by code, next(left, right); for any two
 * states, with D the results over both:
 *
 *     next = l*R_l + r*R_r                                             (T-3)
 *     t(x, D_l)*R_l = t(x, D),  t(y, D_r)*R_r = t(y, D)                (T-6)
 *
 * Then l + r is SUM t(x, D) over the elements of both, and so on up to the
 * team. From there on the team's axis is an axis like any other. */
#include "algebra/algebra.h"
#include "ir/collective.h"
#include "proof/proving.h"
#include "proof/run.h"

/* ---- what the team makes of an update ---- */

/* Do "a" and "b" reduce the same, but for the first value? */
static bool is_alike(const rf_red *lane, const rf_red *team)
{
    return lane->op == team->op && lane->axis == team->axis &&
           lane->term == team->term && lane->guard == team->guard &&
           lane->path == team->path &&
           (lane->op != RF_REDUCE_FOLD || lane->next == team->next) &&
           rf_type_same(lane->type, team->type);
}

bool rf_is_for_team(const rf_red *lane, const rf_red *team)
{
    return team->team && !lane->team && is_alike(lane, team);
}

/* The same for an accumulator: teams are gone where rows were widened. */
static bool is_part_of(const rf_prover *p, const rf_red *lane,
                       const rf_red *team)
{
    return p->is_widened ? is_alike(lane, team) : rf_is_for_team(lane, team);
}

/* What idle lanes put in may have changed the first value. */
static const rf_val *team_result(const rf_trace *trace, const rf_red *lane)
{
    const rf_val *found = NULL;
    for (size_t i = 0; i < trace->reds.len; i++) {
        const rf_red *red = trace->reds.data[i];
        if (rf_is_for_team(lane, red) && (!found || red->init == lane->init))
            found = red->result;
    }
    return found;
}

static void update_results(rf_trace *trace)
{
    for (size_t i = 0; i < trace->updates.len; i++) {
        rf_update *u = &trace->updates.data[i];
        const rf_val *team = u->result->kind == RF_VAL_RESULT
                                 ? team_result(trace, u->result->red)
                                 : NULL;
        u->result = team ? team : u->result;
    }
}

/* ---- the two teams ---- */

static bool admits(const rf_team *team, unsigned size)
{
    for (unsigned i = 0; i < team->n_sizes; i++)
        if (team->sizes[i] == size)
            return true;
    return false;
}

static bool admits_all(const rf_team *source, const rf_team *emitted)
{
    for (unsigned i = 0; i < source->n_sizes; i++)
        if (!admits(emitted, source->sizes[i]))
            return false;
    return true;
}

static bool stands_in_loop(const rf_stmt *s, const rf_stmt *block, bool inside);

bool rf_stands_in_loop(const rf_stmt *s, const rf_stmt *block)
{
    return stands_in_loop(s, block, false);
}

static bool stands_in_loop(const rf_stmt *s, const rf_stmt *block, bool inside)
{
    if (!s)
        return false;
    if (s == block)
        return inside;
    bool loop = rf_stmt_is_loop(s);
    inside |= loop;
    if (stands_in_loop(s->body, block, inside) ||
        stands_in_loop(s->orelse, block, inside))
        return true;
    for (unsigned i = 0; i < s->n; i++)
        if (stands_in_loop(s->list[i], block, inside))
            return true;
    return false;
}

static const char *team_name(rf_prover *p, const rf_team *t)
{
    if (!t->width)
        return t->n_sizes == 1
                   ? rf_arena_printf(p->arena, "%u threads", t->largest)
                   : rf_arena_printf(p->arena,
                                     "blocks of %u sizes up to %u threads",
                                     t->n_sizes, t->largest);
    return rf_arena_printf(p->arena, "%u lanes, in blocks of up to %u threads",
                           t->width, t->largest);
}

static void prove_repeatable(rf_prover *p, const rf_team *team)
{
    if (stands_in_loop(p->emitted.func->body, p->emitted.block, false))
        rf_oblige(p, "team", p->task->region->mark.at,
                  team->is_repeatable ? RF_PROVEN : RF_REFUTED,
                  "the slots are free when the loop runs again");
}

/* A thread's rows in the source, a team's in the emitted text. */
static bool widen(rf_prover *p, rf_trace *emitted)
{
    const rf_team *team = emitted->team;
    p->is_widened = true;
    rf_match_around(p, team);
    rf_prove_launches(p, team);
    if (!p->stopped)
        rf_oblige(p, "team", p->task->region->mark.at, RF_PROVEN,
                  "barriers, shuffles and slots are in order with %s",
                  team_name(p, team));
    prove_repeatable(p, team);
    update_results(emitted);
    if (!p->stopped)
        rf_share_axis(p, emitted);
    return !p->stopped;
}

bool rf_match_teams(rf_prover *p, rf_trace *source, rf_trace *emitted)
{
    const rf_team *a = source->team, *b = emitted->team;
    p->n_reds = (unsigned)source->reds.len;
    rf_range at = p->task->region->mark.at;
    if (!a && !b)
        return true;
    if (!a)
        return widen(p, emitted);
    bool same = a && b && a->width == b->width && a->cluster == b->cluster;
    rf_oblige(p, "team", at, same ? RF_PROVEN : RF_UNDECIDED,
              "the lanes that share a row are the source's");
    if (!same)
        return false;
    rf_oblige(p, "team", at, admits_all(a, b) ? RF_PROVEN : RF_REFUTED,
              "barriers, shuffles and slots are in order with %s",
              team_name(p, a));
    prove_repeatable(p, b);
    update_results(source);
    update_results(emitted);
    p->team = a;
    return !p->stopped;
}

/* ---- merges ---- */

typedef struct {
    rf_prover *p;
    const rf_accumulator *of;
    const rf_sym *left, *right;    /* atoms: the state of either side */
    const rf_sym *next;            /* the claim's value */
    const rf_sym *ratio[2];        /* R_l, R_r */
    const rf_sym **final, **at[3]; /* results, and on each side */
    unsigned n;                    /* of "final" */
} merge;

static rf_accumulator *accumulator_of(rf_prover *p, const rf_val *lane)
{
    for (size_t i = 0; i < p->acc.len; i++)
        if (is_part_of(p, lane->red, p->acc.data[i].red))
            return &p->acc.data[i];
    return NULL;
}

static const rf_val *part_of(const rf_prover *p, const rf_accumulator *a,
                             rf_side side)
{
    for (size_t i = 0; i < p->lanes->merge_parts.len; i++) {
        const rf_merge_part *m = &p->lanes->merge_parts.data[i];
        if (m->side == side && is_part_of(p, m->source->red, a->red))
            return m->value;
    }
    return NULL;
}

static const rf_sym *side_atom(rf_prover *p, const rf_accumulator *a,
                               const char *tail)
{
    return rf_sym_atom_signed(p->syms, RF_ATOM_RESULT,
                              rf_arena_printf(p->arena, "%s_%s", a->name, tail),
                              NULL, a->final->atom->sign);
}

/* The result over both sides of a plain reduction; NULL: it is none. */
static const rf_sym *joined(rf_prover *p, const rf_accumulator *a,
                            const rf_sym *left, const rf_sym *right)
{
    switch (a->red->op) {
    case RF_REDUCE_MAX:
        return rf_sym_max(p->syms, left, right);
    case RF_REDUCE_MIN:
        return rf_sym_min(p->syms, left, right);
    case RF_REDUCE_SUM:
        return rf_sym_add(p->syms, left, right);
    default:
        return NULL;
    }
}

static void bind_side(merge *m, const rf_accumulator *a, rf_side side,
                      const rf_sym *value)
{
    const rf_val *part = part_of(m->p, a, side);
    if (part && value)
        rf_reals_bind(m->p->reals, part, value);
    m->at[side][m->n] = value;
}

/* All states of the axis on either side, and over both. */
static void bind_sides(merge *m)
{
    rf_prover *p = m->p;
    size_t cap = p->acc.len + 1;
    m->final = RF_NEW_ARRAY(p->arena, cap, const rf_sym *);
    for (int i = 0; i < 3; i++)
        m->at[i] = RF_NEW_ARRAY(p->arena, cap, const rf_sym *);
    for (size_t i = 0; i < p->acc.len; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        if (a->loop != m->of->loop)
            continue;
        const rf_sym *l = side_atom(p, a, "left"),
                     *r = side_atom(p, a, "right");
        if (a == m->of)
            m->left = l, m->right = r;
        bind_side(m, a, RF_SIDE_LEFT, l);
        bind_side(m, a, RF_SIDE_RIGHT, r);
        bind_side(m, a, RF_SIDE_BOTH, joined(p, a, l, r));
        if (!m->at[RF_SIDE_BOTH][m->n])
            continue;
        m->final[m->n++] = a->final;
    }
}

static const rf_sym *with_states(const merge *m, int64_t left, int64_t right)
{
    const rf_sym *from[] = { m->left, m->right };
    const rf_sym *to[] = { rf_sym_int(m->p->syms, left),
                           rf_sym_int(m->p->syms, right) };
    return rf_algebra_simplify(m->p->alg,
                               rf_sym_subst(m->p->syms, m->next, 2, from, to));
}

/* T-3 */
static void prove_linear(merge *m, rf_range at)
{
    rf_prover *p = m->p;
    const rf_sym *none = with_states(m, 0, 0);
    m->ratio[0] = rf_sym_sub(p->syms, with_states(m, 1, 0), none);
    m->ratio[1] = rf_sym_sub(p->syms, with_states(m, 0, 1), none);
    const rf_sym *linear =
        rf_sym_add(p->syms, rf_sym_mul(p->syms, m->ratio[0], m->left),
                   rf_sym_mul(p->syms, m->ratio[1], m->right));
    rf_oblige_equal(p, "T-3", at, m->next, linear,
                    "two states of '%s' are joined as l*R + r*Q", m->of->name);
}

/* T-6, for one side: what it holds is relative to the results over both. */
static void prove_moved(merge *m, rf_side side, rf_range at)
{
    rf_prover *p = m->p;
    const rf_sym *here =
        rf_sym_subst(p->syms, m->of->lift, m->n, m->final, m->at[side]);
    const rf_sym *both =
        rf_sym_subst(p->syms, m->of->lift, m->n, m->final, m->at[RF_SIDE_BOTH]);
    const rf_sym *moved = rf_sym_mul(p->syms, here, m->ratio[side]);
    const char *name = side == RF_SIDE_LEFT ? "left" : "right";
    if (rf_algebra_equal(p->alg, moved, both) == RF_YES)
        rf_oblige_equal(p, "T-6", at, moved, both,
                        "joining takes every t of the %s state of '%s' along",
                        name, m->of->name);
    else
        rf_oblige(p, "T-6", at, RF_UNDECIDED,
                  "joining takes every t of the %s state of '%s' along", name,
                  m->of->name);
}

/* ---- lanes without elements ---- */

static const rf_val *float_number(rf_prover *p, const rf_type *type, double f)
{
    rf_expr *e = rf_expr_new(p->arena, RF_OP_FLOAT, type, 0, NULL);
    e->value.f = f;
    return rf_val_const(p->trace->vals, e);
}

/* What "part" is where the sides of "empty" (1: left, 2: right) hold no
 * element; the other side has one. */
static const rf_val *part_value(rf_prover *p, const rf_merge_part *part,
                                unsigned empty)
{
    const rf_red *r = part->source->red;
    bool none =
        part->side == RF_SIDE_BOTH ? empty == 3 : empty >> part->side & 1;
    bool is_state = r->op == RF_REDUCE_FOLD;
    return none || r->type->kind != RF_TYPE_FLOAT
               ? r->init
               : float_number(p, r->type, is_state ? 2 : 1.5);
}

/* T-7: next(empty, s) = next(s, empty) = s, with infinities as they are. */
static bool passes_empty(rf_prover *p, const rf_merge_claim *claim,
                         unsigned empty)
{
    unsigned n = 0, cap = (unsigned)p->lanes->merge_parts.len;
    const rf_val **from = RF_NEW_ARRAY(p->arena, cap + 1, const rf_val *);
    const rf_val **to = RF_NEW_ARRAY(p->arena, cap + 1, const rf_val *);
    for (; n < cap; n++) {
        const rf_merge_part *part = &p->lanes->merge_parts.data[n];
        from[n] = part->value;
        to[n] = part_value(p, part, empty);
    }
    const rf_val *next =
        rf_val_subst(p->trace->vals, claim->value, n, from, to);
    rf_run *run = rf_run_new(p, RF_DATA_FINITE, 0);
    double got = rf_run_value(run, next);
    double want = empty == 3 ? rf_run_value(run, claim->source->red->init) : 2;
    bool ok = !rf_run_failed(run) && got == want;
    rf_run_free(run);
    return ok;
}

static void check_empty(rf_prover *p, const rf_merge_claim *claim,
                        const char *name)
{
    bool ok = true;
    for (unsigned empty = 1; empty <= 3 && ok; empty++)
        ok = passes_empty(p, claim, empty);
    rf_oblige(p, "T-7", p->task->region->mark.at,
              ok ? RF_CHECKED : RF_UNDECIDED,
              "a state of '%s' without elements changes nothing", name);
}

/* Does the term use a result that has no value over both sides? */
static bool uses_state(const rf_prover *p, const rf_accumulator *of)
{
    for (size_t i = 0; i < p->acc.len; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        const rf_reduce_op op = a->red->op;
        bool plain = rf_reduce_is_extremum(op) || op == RF_REDUCE_SUM;
        if (!plain && rf_sym_mentions(of->lift, a->final))
            return true;
    }
    return false;
}

static void prove_merge(rf_prover *p, const rf_merge_claim *claim)
{
    rf_range at = p->task->region->mark.at;
    const rf_accumulator *a = accumulator_of(p, claim->source);
    if (!a || a->is_moment || !a->lift || uses_state(p, a)) {
        rf_oblige(p, "T-3", at, RF_UNDECIDED,
                  "two states of '%s' are joined as one",
                  a ? a->name : "a variable");
        return;
    }
    merge m = { .p = p, .of = a };
    bind_sides(&m);
    m.next = rf_real_of(p->reals, claim->value);
    prove_linear(&m, at);
    prove_moved(&m, RF_SIDE_LEFT, at);
    prove_moved(&m, RF_SIDE_RIGHT, at);
    check_empty(p, claim, a->name);
}

/* A state of one lane becomes the team's only by merges that were shown. */
static void check_accumulators(rf_prover *p)
{
    for (size_t i = 0; i < p->acc.len; i++) {
        const rf_accumulator *a = &p->acc.data[i];
        if (!a->red->team && !p->is_widened)
            continue;
        bool of_elements = !a->is_moment && !a->is_same;
        rf_oblige(p, "team", p->task->region->mark.at,
                  of_elements ? RF_PROVEN : RF_UNDECIDED,
                  "every lane ends with '%s' over all lanes, each once",
                  a->name);
    }
}

void rf_prove_merges(rf_prover *p)
{
    for (size_t i = 0; p->lanes && i < p->lanes->merges.len; i++)
        prove_merge(p, &p->lanes->merges.data[i]);
    if (p->team || p->is_widened)
        check_accumulators(p);
}
