/* Two versions of the statements (D4):
 *
 *     if (x + hi <= out + lo || out + hi' <= x + lo') { fused } else { source }
 *
 * The second one is the author's text. In the first one, objects are apart
 * whose accesses the condition keeps apart: each access of one and each of the
 * other, one of them a store, lie in ranges that one term of the condition
 * says do not overlap. The emitted code touches nothing that the source does
 * not touch (order.c), so the source's accesses are enough. Threads of a team
 * must agree about the condition (D6). */
#include "depend/depend.h"
#include "plan/planning.h"
#include "proof/proving.h"

#include <ctype.h>
#include <stdio.h>

enum { MOST_TERMS = 16 };

/* ---- the second version ---- */

/* The next byte of [*c, end) that matters: blanks only divide words, and lines
 * end comments. */
static int next_byte(const char **c, const char *end)
{
    bool line = false, blank = false;
    while (*c < end && isspace((unsigned char)**c)) {
        line |= **c == '\n';
        blank = true;
        ++*c;
    }
    if (blank)
        return *c == end ? EOF : line ? '\n' : ' ';
    return *c == end ? EOF : (unsigned char)*(*c)++;
}

static bool same_text(const char *a, const char *a_end, const char *b,
                      const char *b_end)
{
    int x, y;
    do {
        x = next_byte(&a, a_end);
        y = next_byte(&b, b_end);
    } while (x == y && x != EOF);
    return x == y;
}

static const rf_stmt *find_if(const rf_stmt *s, rf_range inner)
{
    if (!s)
        return NULL;
    const rf_stmt *found = find_if(s->body, inner);
    found = found ? found : find_if(s->orelse, inner);
    for (unsigned i = 0; i < s->n && !found; i++)
        found = find_if(s->list[i], inner);
    bool is_it = s->kind == RF_STMT_IF && s->body &&
                 s->body->at.begin <= inner.begin &&
                 inner.end <= s->body->at.end;
    return !found && is_it ? s : found;
}

bool rf_open_versions(rf_prover *p)
{
    const rf_stmt *s = find_if(p->emitted.func->body, p->emitted.at);
    const char *source = p->source.unit->bytes, *text = p->task->bytes;
    if (!s || s->body != p->emitted.block || !s->orelse ||
        s->orelse->kind != RF_STMT_BLOCK || p->emitted.first ||
        p->emitted.last + 1 != s->body->n)
        return false;
    rf_range at = p->source.at, other = s->orelse->at;
    const char *begin = text + other.begin + 1;
    const char *end = text + other.end - 1;
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    p->condition = s->expr;
    p->emitted.at = s->at;
    return same_text(source + at.begin, source + at.end, begin, end);
}

/* ---- the condition ---- */

/* a <= b || c <= d of pointers: from each of two objects, the elements between
 * two places. */
typedef struct {
    rf_extent x, y;
} term;

typedef struct {
    rf_prover *p;
    rf_depend *depend;
    unsigned n;
    term terms[MOST_TERMS];
} condition;

/* base + index; false: it is no such pointer. */
static bool split(rf_prover *p, const rf_expr *e, const rf_val **base,
                  const rf_val **index)
{
    rf_vals *vals = p->trace->vals;
    const rf_val *v = rf_trace_expr(p->trace, e, false);
    *index = rf_val_int(vals, 0, &rf_type_long_long);
    while (v && v->kind == RF_VAL_CAST && v->type->elem &&
           v->type->elem->kind == RF_TYPE_VOID)
        v = v->arg[0];
    while (v && v->kind == RF_VAL_OP &&
           (v->op == RF_OP_ADD || v->op == RF_OP_SUB) &&
           rf_type_is_pointer_like(v->arg[0]->type)) {
        *index =
            rf_val_op2(vals, v->op, &rf_type_long_long, *index,
                       rf_val_cast(vals, &rf_type_long_long, v->arg[1], NULL));
        v = v->arg[0];
    }
    *base = v;
    return v && rf_type_is_pointer_like(v->type);
}

static bool read_term(condition *c, const rf_expr *e)
{
    rf_prover *p = c->p;
    const rf_val *base;
    if (e->op == RF_OP_GE) {
        const rf_val *v = rf_trace_expr(p->trace, e, true);
        if (v)
            rf_depend_fact(c->depend, v);
        return v;
    }
    if (e->op != RF_OP_OR || e->arg[0]->op != RF_OP_LE ||
        e->arg[1]->op != RF_OP_LE || c->n == MOST_TERMS)
        return false;
    term t = { 0 };
    if (!split(p, e->arg[0]->arg[0], &t.x.base, &t.x.high) ||
        !split(p, e->arg[1]->arg[1], &base, &t.x.low) || base != t.x.base ||
        !split(p, e->arg[1]->arg[0], &t.y.base, &t.y.high) ||
        !split(p, e->arg[0]->arg[1], &base, &t.y.low) || base != t.y.base)
        return false;
    c->terms[c->n++] = t;
    return true;
}

/* What is no such term only makes the condition stronger. */
static void read_terms(condition *c, const rf_expr *e)
{
    if (e->op != RF_OP_AND) {
        read_term(c, e);
        return;
    }
    read_terms(c, e->arg[0]);
    read_terms(c, e->arg[1]);
}

/* ---- accesses ---- */

typedef struct {
    const rf_val *root, *base, *index;
    unsigned n;
    const rf_loop *const *loops;
    bool is_store;
} touch;

typedef RF_ARRAY(touch) touches;

static void list_touches(rf_prover *p, touches *out)
{
    for (size_t i = 0; i < p->n_stores; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        touch t = { rf_trace_root(p->trace, s->base),
                    s->base,
                    s->index,
                    s->n_loops,
                    s->loops,
                    true };
        RF_PUSH(*out, t);
    }
    for (size_t i = 0; i < p->n_loads; i++) {
        const rf_load *l = &p->trace->loads.data[i];
        touch t = { rf_trace_root(p->trace, l->base),
                    l->base,
                    l->index,
                    l->n_loops,
                    l->loops,
                    false };
        RF_PUSH(*out, t);
    }
}

static bool is_within(condition *c, const touch *t, const rf_extent *x)
{
    rf_plan plan;
    rf_planner planner = rf_planner_of(c->p, &plan);
    return t->base == x->base && t->index &&
           rf_extent_holds(&planner, c->depend, x, t->index, t->n, t->loops);
}

static bool are_kept_apart(condition *c, const touch *s, const touch *t)
{
    for (unsigned i = 0; i < c->n; i++) {
        const term *m = &c->terms[i];
        if ((is_within(c, s, &m->x) && is_within(c, t, &m->y)) ||
            (is_within(c, s, &m->y) && is_within(c, t, &m->x)))
            return true;
    }
    return false;
}

static bool are_apart(condition *c, const touches *all, const rf_val *a,
                      const rf_val *b)
{
    for (size_t i = 0; i < all->len; i++)
        for (size_t k = 0; k < all->len; k++) {
            const touch *s = &all->data[i], *t = &all->data[k];
            if (s->root == a && t->root == b && (s->is_store || t->is_store) &&
                !are_kept_apart(c, s, t))
                return false;
        }
    return true;
}

/* ---- all objects ---- */

static void set_apart(condition *c, const touches *all, const rf_val *a,
                      const rf_val *b)
{
    rf_prover *p = c->p;
    if (!rf_may_overlap(p, a, b) || !are_apart(c, all, a, b))
        return;
    rf_oblige(p, "D4", p->task->region->mark.at, RF_PROVEN,
              "where the condition holds, '%s' and '%s' do not overlap",
              rf_plan_object_name(a), rf_plan_object_name(b));
    RF_PUSH(p->apart, ((rf_two_roots){ a, b }));
}

static bool is_uniform(rf_prover *p, const rf_expr *e)
{
    const rf_val *v = rf_trace_expr(p->trace, e, true);
    rf_plan plan;
    rf_planner planner = rf_planner_of(p, &plan);
    return v && rf_plan_is_for_block(&planner, v);
}

void rf_prove_versions(rf_prover *p)
{
    if (!p->condition)
        return;
    condition c = { .p = p, .depend = rf_source_facts(p) };
    rf_depend_assume_no_wrap(c.depend);
    touches all = { 0 };
    list_touches(p, &all);
    read_terms(&c, p->condition);
    for (size_t i = 0; i < all.len && c.n; i++)
        for (size_t k = 0; k < i; k++)
            if (all.data[i].is_store || all.data[k].is_store)
                set_apart(&c, &all, all.data[i].root, all.data[k].root);
    if (p->team)
        rf_oblige(p, "D6", p->task->region->mark.at,
                  is_uniform(p, p->condition) ? RF_PROVEN : RF_UNDECIDED,
                  "all threads of the block run the same version");
    RF_CLEAR(all);
    rf_depend_free(c.depend);
}
