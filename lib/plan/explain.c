/* What --explain tells of a cascade. The text is made from the plan alone, so
 * it cannot say anything that is not emitted:
 *
 *     the source     d = REDUCE F(x, D)                               (T-1)
 *     the reason     F = G (x) H, the ratio, deferred factors         (T-5..7)
 *     the loop       s' = s (x) R (+) t
 *     the invariant  s = REDUCE t over the elements so far            (T-3)
 *     the merge      s_u (x) R_u (+) s_v (x) R_v                      (T-6)
 */
#include "plan/explain.h"

#include "plan/bounds.h"
#include "plan/formula.h"
#include "plan/widen.h"

#include <string.h>

typedef struct {
    rf_buf *out;
    const rf_unit *unit;
    const rf_plan *plan;
    const rf_val *element; /* what x_j stands for, or NULL */
} telling;

static rf_formula at_rest(const telling *t, const rf_member *m)
{
    return (rf_formula){
        .plan = t->plan, .self = m, .before = "", .element = t->element
    };
}

static rf_formula in_step(const telling *t, const rf_member *m)
{
    rf_formula f = at_rest(t, m);
    f.stepping = true;
    return f;
}

static void put_name(const telling *t, const rf_member *m, const char *mark)
{
    rf_formula_put_name(t->out, t->plan, m, mark);
}

static bool is_recurrence(const rf_member *m)
{
    return m->red->op == RF_REDUCE_FOLD;
}

/* A state that the author does not have. */
static bool is_extra(const rf_member *m)
{
    return m->wish != NULL;
}

/* ---- the source ------------------------------------------------------ */

static void put_source(const telling *t, const rf_member *m)
{
    rf_formula f = at_rest(t, m);
    rf_buf_puts(t->out, "    ");
    put_name(t, m, "");
    rf_buf_puts(t->out, " = ");
    if (is_recurrence(m)) {
        rf_buf_printf(t->out, "for each %s: ", m->red->axis->name);
        rf_formula_put(t->out, &f, m->red->term);
    } else {
        rf_formula_put_reduction(t->out, &f, m, m->red->term);
    }
    if (m->red->guard) {
        rf_buf_puts(t->out, "   where ");
        rf_formula_put(t->out, &f, m->red->guard);
    }
    rf_buf_puts(t->out, "   from ");
    rf_formula_put(t->out, &f, m->red->init);
    rf_buf_puts(t->out, "\n");
}

static bool is_used(const rf_plan *plan, const rf_val *v)
{
    for (size_t i = 0; i < plan->members.len; i++)
        if (rf_val_mentions(plan->members.data[i]->red->term, v))
            return true;
    return false;
}

/* Values that the author named and the cascade does not carry itself. */
static void put_named(const telling *t)
{
    const rf_trace *trace = t->plan->trace;
    for (size_t i = 0; i < trace->names.len; i++) {
        const rf_val *v = trace->names.data[i].value;
        const char *name = rf_formula_author_name(t->plan, v);
        bool is_last = true;
        for (size_t k = i + 1; k < trace->names.len; k++)
            is_last &= trace->names.data[k].value != v;
        if (!name || !is_last || !is_used(t->plan, v))
            continue;
        rf_formula f = at_rest(t, NULL);
        f.open = v;
        rf_buf_printf(t->out, "    %s = ", name);
        rf_formula_put(t->out, &f, v);
        rf_buf_puts(t->out, "\n");
    }
}

static void put_element(const telling *t)
{
    rf_formula f = at_rest(t, NULL);
    f.element = NULL;
    if (!t->element)
        return;
    rf_buf_printf(t->out, "    x_%s = ", t->plan->axis->name);
    rf_formula_put(t->out, &f, t->element);
    rf_buf_puts(t->out, "\n");
}

static bool is_long(const telling *t, const rf_val *v)
{
    rf_formula f = at_rest(t, NULL);
    rf_buf text = { 0 };
    rf_formula_put(&text, &f, v);
    bool answer = text.len > 8;
    rf_buf_free(&text);
    return answer;
}

/* The term of a member, if it is long and others use it: it gets a name. */
static const rf_val *common_element(const telling *t)
{
    const rf_plan *plan = t->plan;
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_member *m = plan->members.data[i];
        unsigned uses = 0;
        for (size_t k = 0; k < plan->members.len; k++)
            uses +=
                rf_val_mentions(plan->members.data[k]->red->term, m->red->term);
        if (uses > 1 && !m->depends && rf_reduce_is_order(m->red->op) &&
            is_long(t, m->red->term))
            return m->red->term;
    }
    return NULL;
}

static void tell_source(const telling *t)
{
    const rf_loop *l = t->plan->axis;
    rf_formula f = at_rest(t, NULL);
    rf_buf_printf(t->out, "### The source\n\nOver `%s` from `", l->name);
    rf_formula_put(t->out, &f, l->lower);
    rf_buf_puts(t->out, l->is_inclusive ? "` to and with `" : "` up to `");
    rf_formula_put(t->out, &f, l->upper);
    rf_buf_printf(t->out, "`, in %u passes:\n\n", t->plan->passes_before);
    put_element(t);
    put_named(t);
    for (size_t i = 0; i < t->plan->members.len; i++)
        if (!is_extra(t->plan->members.data[i]))
            put_source(t, t->plan->members.data[i]);
    rf_buf_puts(t->out, "\n");
}

/* ---- why one pass is enough ------------------------------------------ */

static void put_term(const telling *t, const char *before, const rf_val *v,
                     const rf_member *m, const char *behind)
{
    rf_formula f = at_rest(t, m);
    rf_buf_puts(t->out, before);
    rf_formula_put(t->out, &f, v);
    rf_buf_puts(t->out, behind);
}

static void tell_split(const telling *t, const rf_member *m)
{
    if (!m->g || !m->h || !m->times)
        return;
    put_term(t, "  `F = ", m->red->term, m,
             "`\n  splits into a part that only the element decides and one "
             "that only earlier\n  results decide:\n");
    put_term(t, "  `G = ", m->g, m, "`, ");
    put_term(t, "`H = ", m->h, m, "`, ");
    rf_buf_printf(t->out, "`F = G (%s) H`.\n", m->times);
}

static void tell_ratio(const telling *t, const rf_member *m)
{
    rf_formula f = in_step(t, m);
    rf_buf_puts(t->out, "  When an element changes an earlier result, all "
                        "terms added before it are\n  off by one and the same "
                        "factor, `H(new)/H(old) = ");
    rf_formula_put(t->out, &f, m->ratio);
    rf_buf_puts(t->out, "`:\n  correcting the accumulator is enough, no "
                        "element is read again. Only this\n  ratio is ever "
                        "computed; `H` alone might overflow.\n");
}

static void tell_later(const telling *t, const rf_member *m)
{
    put_term(t,
             "  What the elements have in common is put off until after the "
             "loop, where the\n  result is `",
             m->later, m, "` (a deferred factor).\n");
}

static void tell_translation(const telling *t, const rf_member *m)
{
    put_term(t, "  `F = ", m->red->term, m,
             "`\n  does not split. But a sum about one reference value can be "
             "moved to another by\n  sums that are known, so the loop keeps "
             "the sum about the value so far and moves\n  it with every "
             "element.\n");
}

static void tell_extra(const telling *t, const rf_member *m)
{
    rf_buf_puts(t->out, "- `");
    put_name(t, m, "");
    rf_buf_puts(t->out, "` is no result of the source: ");
    if (m->holds)
        put_term(t, "it is `", m->holds, m,
                 "` of the elements so far, the reference\n  that sums are "
                 "taken about.\n");
    else
        rf_buf_puts(t->out, "it is a sum that the others need when their "
                            "reference moves.\n");
}

static void tell_member(const telling *t, const rf_member *m)
{
    if (is_extra(m)) {
        tell_extra(t, m);
        return;
    }
    rf_buf_puts(t->out, "- `");
    put_name(t, m, "");
    if (!m->depends) {
        rf_buf_puts(t->out, "` depends on no other result: its running value "
                            "is all it needs.\n");
        return;
    }
    rf_buf_puts(t->out, "` uses results that are known only when their own "
                        "loop has ended.\n");
    tell_split(t, m);
    if (m->step || m->is_derived)
        tell_translation(t, m);
    if (m->ratio)
        tell_ratio(t, m);
    if (m->later)
        tell_later(t, m);
    if (!m->ratio && !m->later && !m->step)
        rf_buf_printf(t->out, "  They are final when pass %u begins.\n",
                      m->pass + 1);
}

static void tell_reason(const telling *t)
{
    rf_buf_printf(t->out, "### Why %u %s enough\n\n", t->plan->n_loops,
                  t->plan->n_loops == 1 ? "loop is" : "loops are");
    for (size_t i = 0; i < t->plan->members.len; i++)
        tell_member(t, t->plan->members.data[i]);
    rf_buf_puts(t->out, "\n");
}

/* ---- the loop -------------------------------------------------------- */

static void put_start(const telling *t, const rf_member *m)
{
    rf_buf_puts(t->out, "    ");
    put_name(t, m, "");
    put_term(t, " = ", m->init, m, "\n");
}

/* The value of "m" after an element: old values plain, new ones with a '. */
static void put_update(const telling *t, const rf_member *m)
{
    rf_formula f = in_step(t, m);
    rf_buf state = { 0 }, term = { 0 };
    if (m->step || is_recurrence(m)) {
        rf_formula_put(t->out, &f, m->step ? m->step : m->term);
        return;
    }
    rf_formula_put_name(&state, t->plan, m, "");
    if (m->ratio) {
        rf_buf_puts(&state, "·");
        rf_formula_put(&state, &f, m->ratio);
    }
    rf_formula_put(&term, &f, m->term);
    rf_formula_put_joined(t->out, m->red->op, state.data, term.data);
    rf_buf_free(&state);
    rf_buf_free(&term);
}

static void put_step(const telling *t, const rf_member *m)
{
    rf_formula f = in_step(t, m);
    rf_buf_puts(t->out, "        ");
    put_name(t, m, "'");
    rf_buf_puts(t->out, " = ");
    put_update(t, m);
    if (m->guard) {
        rf_buf_puts(t->out, "   if ");
        rf_formula_put(t->out, &f, m->guard);
    }
    rf_buf_puts(t->out, "\n");
}

static void put_finish(const telling *t, const rf_member *m)
{
    rf_formula f = at_rest(t, m);
    rf_buf_puts(t->out, "    ");
    put_name(t, m, "");
    rf_buf_puts(t->out, " = ");
    rf_formula_put(t->out, &f, m->later);
    rf_buf_puts(t->out, "\n");
}

static void put_store(const telling *t, const rf_placed_store *s)
{
    rf_formula f = at_rest(t, NULL);
    unsigned deep = s->in_pass ? 8 : 4;
    rf_buf_printf(t->out, "%*s", (int)deep, "");
    if (!s->in_pass && s->store->n_loops)
        rf_buf_printf(t->out, "for each %s:  ", s->store->loops[0]->name);
    rf_formula_put(t->out, &f, s->store->base);
    rf_buf_puts(t->out, "[");
    if (s->store->index)
        rf_formula_put(t->out, &f, s->store->index);
    rf_buf_puts(t->out, "] = ");
    rf_formula_put(t->out, &f, s->store->value);
    rf_buf_puts(t->out, "\n");
}

static void put_pass(const telling *t, unsigned pass)
{
    const rf_plan *plan = t->plan;
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->pass == pass &&
            !plan->members.data[i]->is_derived)
            put_start(t, plan->members.data[i]);
    rf_buf_printf(t->out, "    for each %s:\n", plan->axis->name);
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->pass == pass &&
            !plan->members.data[i]->is_derived)
            put_step(t, plan->members.data[i]);
    for (size_t i = 0; i < plan->stores.len; i++)
        if (plan->stores.data[i].in_pass && plan->stores.data[i].pass == pass)
            put_store(t, &plan->stores.data[i]);
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->pass == pass && plan->members.data[i]->later)
            put_finish(t, plan->members.data[i]);
}

static void tell_loop(const telling *t)
{
    const rf_plan *plan = t->plan;
    rf_buf_puts(t->out, "### The online algorithm\n\n"
                        "`'` marks values that this element has just "
                        "changed.\n\n");
    for (unsigned pass = 0; pass <= plan->n_loops; pass++) {
        if (pass < plan->n_loops)
            put_pass(t, pass);
        for (size_t i = 0; i < plan->stores.len; i++)
            if (!plan->stores.data[i].in_pass &&
                plan->stores.data[i].pass == pass + 1)
                put_store(t, &plan->stores.data[i]);
    }
    rf_buf_puts(t->out, "\n");
}

/* ---- invariants ------------------------------------------------------ */

static void put_invariant(const telling *t, const rf_member *m)
{
    rf_formula f = at_rest(t, m);
    rf_buf_puts(t->out, "    ");
    put_name(t, m, "");
    rf_buf_puts(t->out, " = ");
    if (m->holds)
        put_term(t, "", m->holds, m,
                 rf_val_mentions(m->holds, t->plan->axis->upper)
                     ? ", the count so far being the length"
                     : "");
    else if (is_extra(m) || is_recurrence(m))
        rf_buf_puts(t->out, "its recurrence");
    else
        rf_formula_put_reduction(t->out, &f, m,
                                 m->step ? m->red->term : m->term);
    rf_buf_puts(t->out, "\n");
}

static void tell_invariants(const telling *t)
{
    rf_buf_printf(
        t->out,
        "### What the state holds\n\nBefore every iteration, over the `%s` "
        "seen so far and with the values of that\nmoment:\n\n",
        t->plan->axis->name);
    for (size_t i = 0; i < t->plan->members.len; i++)
        if (!t->plan->members.data[i]->is_derived)
            put_invariant(t, t->plan->members.data[i]);
    rf_buf_puts(t->out,
                "\nTrue before the first element and kept by every step: after "
                "the last one it is\nwhat the source computes.\n\n");
}

/* ---- the merge ------------------------------------------------------- */

static void put_side(const telling *t, const rf_member *m, const char *side,
                     rf_buf *out)
{
    rf_formula f = at_rest(t, m);
    f.before = side;
    rf_formula_put_name(out, t->plan, m, side);
    if (!m->ratio)
        return;
    rf_buf_puts(out, "·");
    rf_formula_put(out, &f, m->ratio);
}

static bool merges(const rf_plan *plan)
{
    for (size_t i = 0; i < plan->members.len; i++)
        if (plan->members.data[i]->step ||
            is_recurrence(plan->members.data[i]) ||
            plan->members.data[i]->red->op > RF_REDUCE_FOLD)
            return false;
    return true;
}

static const char *team_of(const rf_plan *plan)
{
    static const char *const levels[] = {
        [RF_LEVEL_AUTO] = "threads",
        [RF_LEVEL_THREAD] = "a thread",
        [RF_LEVEL_WARP] = "a warp",
        [RF_LEVEL_BLOCK] = "a block",
        [RF_LEVEL_CLUSTER] = "a cluster of blocks",
        [RF_LEVEL_GRID] = "the grid",
    };
    const rf_team *team = plan->trace->team;
    if (plan->wide)
        return levels[plan->wide->level];
    return !team ? NULL : team->width ? "lanes of a warp" : "a block";
}

static void tell_merge(const telling *t)
{
    const char *team = team_of(t->plan);
    if (!merges(t->plan))
        return;
    rf_buf_puts(t->out, "### Parts of the axis\n\nThe states of two parts u "
                        "and v merge into that of both");
    if (team)
        rf_buf_printf(t->out, "; %s folds a row so", team);
    rf_buf_puts(t->out, ":\n\n");
    for (size_t i = 0; i < t->plan->members.len; i++) {
        const rf_member *m = t->plan->members.data[i];
        rf_buf u = { 0 }, v = { 0 };
        put_side(t, m, "_u", &u);
        put_side(t, m, "_v", &v);
        rf_buf_puts(t->out, "    ");
        put_name(t, m, "");
        rf_buf_puts(t->out, " = ");
        rf_formula_put_joined(t->out, m->red->op, u.data, v.data);
        rf_buf_puts(t->out, "\n");
        rf_buf_free(&u);
        rf_buf_free(&v);
    }
    rf_buf_puts(t->out, "\n");
}

/* ---- edges, rounding, traffic ---------------------------------------- */

static void tell_edges(const telling *t)
{
    bool any = false;
    for (size_t i = 0; i < t->plan->members.len; i++) {
        const rf_member *m = t->plan->members.data[i];
        if (!m->dead_when && !(m->later && m->later_needs_steps))
            continue;
        if (!any)
            rf_buf_puts(t->out, "### Edges\n\n");
        any = true;
        rf_buf_puts(t->out, "- `");
        put_name(t, m, "");
        rf_buf_puts(t->out, "`: ");
        if (m->dead_when) {
            put_term(t, "while `", m->dead_when, m, "` and all before it are ");
            rf_buf_printf(t->out,
                          "%s∞, nothing is added:\n  the difference of two "
                          "infinities is never taken.\n",
                          m->dead_at_plus ? "+" : "-");
        } else {
            rf_buf_puts(t->out, "without an element the deferred factor is "
                                "not applied.\n");
        }
    }
    rf_buf_puts(t->out, any ? "\n" : "");
}

static const char *meaning_of(rf_rounding_class class)
{
    return class == RF_ROUNDING_EXACT
               ? "the same operations in the same order: bit for bit the "
                 "source's results"
           : class == RF_ROUNDING_REASSOCIATED
               ? "the same terms, added or scaled in another order: the last "
                 "bits may differ"
               : "sums are corrected while they run: a few more roundings, the "
                 "last bits may differ";
}

static void tell_costs(const telling *t)
{
    const rf_plan *p = t->plan;
    rf_buf_printf(t->out,
                  "### Cost\n\n- Rounding: %s, %s.\n- Passes over `%s`: %u -> "
                  "%u.\n",
                  rf_rounding_name(p->rounding), meaning_of(p->rounding),
                  p->axis->name, p->passes_before, p->passes_after);
    if (p->array && p->reads_after < p->reads_before)
        rf_buf_printf(t->out, "- `%s` is read %u -> %u times.\n", p->array,
                      p->reads_before, p->reads_after);
    if (p->bytes_before > 0)
        rf_buf_printf(t->out,
                      "- Memory traffic for each `%s`: %s -> %s bytes.\n",
                      p->axis->name, p->moved_before, p->moved_after);
    if (p->barriers_before)
        rf_buf_printf(t->out, "- Barriers: %u -> %u.\n", p->barriers_before,
                      p->barriers_after);
    rf_buf_puts(t->out, "\n");
}

static void tell_objects(const telling *t)
{
    for (size_t i = 0; i < t->plan->apart.len; i++) {
        const rf_apart *x = &t->plan->apart.data[i];
        rf_buf_printf(t->out, "%s- `%s` and `%s` do not overlap: %s.\n",
                      i ? "" : "### Memory\n\n", rf_plan_object_name(x->a),
                      rf_plan_object_name(x->b), rf_apart_words(x->why));
    }
    rf_buf_puts(t->out, t->plan->apart.len ? "\n" : "");
}

void rf_plan_explain(rf_buf *out, const rf_unit *unit, const rf_plan *plan)
{
    telling t = { .out = out, .unit = unit, .plan = plan };
    rf_place at = rf_unit_place(unit, plan->block->at.begin);
    rf_buf_printf(out, "## `%s`, line %u: cascade %s\n\n",
                  plan->func ? plan->func->name : "?", at.line, plan->formula);
    t.element = common_element(&t);
    tell_source(&t);
    tell_reason(&t);
    tell_loop(&t);
    tell_invariants(&t);
    tell_merge(&t);
    tell_edges(&t);
    rf_plan_tell_bounds(out, plan);
    tell_objects(&t);
    tell_costs(&t);
}
