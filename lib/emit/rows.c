/* Families whose steps use one another, element by element: several rows that
 * one thread folds at a time.
 *
 *     for (int r = 0; r < 4; r++) {
 *         const float m_old = m[r];
 *         m[r] = fmaxf(m[r], x[r][i]);
 *         if (m[r] != m_old) s[r] *= expf(m_old - m[r]);
 *         s[r] += expf(x[r][i] - m[r]);
 *     } */
#include "emit/emitting.h"

static bool is_of_family(const rf_state *s, const rf_state *other)
{
    return s->family && s->family == other->family &&
           s->member->pass == other->member->pass;
}

typedef struct {
    const rf_red *red;
    const rf_val *own; /* its result in the same row */
} row_query;

static bool is_in_row(const rf_val *v, const void *data)
{
    const row_query *q = data;
    return v == q->own;
}

static bool is_in_other_row(const rf_val *v, const void *data)
{
    const row_query *q = data;
    return v->kind == RF_VAL_RESULT && v->red == q->red && v != q->own;
}

/* True if the step of "m" has a part for which "test" is true of "other". */
static bool step_has(const rf_member *m, const rf_member *other,
                     bool (*test)(const rf_val *, const void *))
{
    row_query q = { other->red, other->red->result };
    const rf_val *parts[] = { m->term, m->guard, m->ratio, m->dead_when };
    for (size_t i = 0; i < RF_COUNTOF(parts); i++)
        if (parts[i] && rf_val_find(parts[i], test, &q))
            return true;
    return false;
}

static void join(rf_emitter *em, const rf_state *a)
{
    for (size_t i = 0; i < em->states.len; i++)
        em->states.data[i].is_joint |= is_of_family(&em->states.data[i], a);
}

/* All rows step at the first of them: what they use has stepped before. */
static void check_order(rf_emitter *em, const rf_state *row)
{
    const rf_state *first = NULL;
    for (size_t i = 0; i < em->states.len; i++) {
        const rf_state *o = &em->states.data[i];
        first = first ? first : is_of_family(o, row) ? o : NULL;
        if (first && !is_of_family(o, row) &&
            o->member->pass == row->member->pass &&
            step_has(row->member, o->member, is_in_row))
            rf_emit_fail(em, row->member->red->at,
                         "a row uses a result that is summed after another "
                         "row's");
    }
    if (row->any)
        rf_emit_fail(em, row->member->red->at,
                     "rows whose elements are under a condition");
}

void rf_emit_join_rows(rf_emitter *em)
{
    for (size_t i = 0; i < em->states.len; i++)
        for (size_t k = 0; k < em->states.len; k++) {
            const rf_state *a = &em->states.data[i], *b = &em->states.data[k];
            if (a->member->pass != b->member->pass || !b->family)
                continue;
            if (step_has(a->member, b->member, is_in_other_row))
                rf_emit_fail(em, a->member->red->at,
                             "a row uses the result of another row");
            else if (is_of_family(a, b) &&
                     step_has(a->member, b->member, is_in_row))
                join(em, a);
        }
    for (size_t i = 0; i < em->states.len && !em->refused; i++)
        if (em->states.data[i].is_joint)
            check_order(em, &em->states.data[i]);
}

/* ---- their loop ---- */

rf_open_loop *rf_rows_begin(rf_emitter *em, const rf_state *s)
{
    if (!s->family)
        return NULL;
    rf_open_loop *loop = rf_loop_begin(em, s->family);
    for (size_t i = 0; i < em->states.len; i++)
        em->states.data[i].is_open = is_of_family(&em->states.data[i], s);
    return loop;
}

void rf_rows_end(rf_emitter *em, rf_open_loop *loop)
{
    if (!loop)
        return;
    for (size_t i = 0; i < em->states.len; i++) {
        rf_state *s = &em->states.data[i];
        if (s->is_open)
            s->old = NULL;
        s->is_open = false;
    }
    rf_loop_end(em, loop);
}

/* What the step of "m" makes of the input. */
static const rf_val *made_of(rf_emitter *em, const rf_member *m)
{
    return rf_emit_is_authors(m) ? m->red->next : rf_emit_term(em, m);
}

void rf_emit_rows(rf_emitter *em, rf_state *first,
                  void (*write)(rf_emitter *, rf_state *const *, size_t))
{
    RF_ARRAY(rf_state *) rows = { 0 };
    for (size_t i = 0; i < em->states.len; i++)
        if (is_of_family(&em->states.data[i], first))
            RF_PUSH(rows, &em->states.data[i]);
    for (size_t i = 0; i < rows.len; i++)
        rf_emit_hoist(em, made_of(em, rows.data[i]->member), first->family);
    rf_open_loop *loop = rf_rows_begin(em, first);
    for (size_t i = 0; i < rows.len; i++) {
        rf_emit_tally(em, made_of(em, rows.data[i]->member), 1);
        if (rows.data[i]->member->guard)
            rf_emit_tally(em, rows.data[i]->member->guard, 1);
    }
    write(em, rows.data, rows.len);
    rf_rows_end(em, loop);
    RF_CLEAR(rows);
}
