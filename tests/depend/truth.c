/* Claims against plain execution: pairs of loops and indices drawn from lists
 * are run for small parameters, and whatever was proven must be what happens.
 * The type `byte`, an unsigned type of 8 bits that is not promoted, makes
 * wrapping happen within reach. */
#include "build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char variables[] = "int n; int m; int a; byte u; int *p; float *x";

enum { N, M, A, U, N_PARAMS };
enum { DRAWS = 250, MAX_POINTS = 2000, MAX_TURNS = 300 };

typedef struct {
    world *w;
    int64_t param[N_PARAMS], thread, threads;
    int64_t counter[64]; /* by id of the loop */
} state;

/* ---- values ---- */

static int64_t as_type(int64_t v, const rf_type *t)
{
    if (t->kind == RF_TYPE_BOOL)
        return v != 0;
    if (t->bits >= 64)
        return v;
    uint64_t mask = ((uint64_t)1 << t->bits) - 1;
    int64_t low = (int64_t)((uint64_t)v & mask);
    bool negative = !t->is_unsigned && (low >> (t->bits - 1)) & 1;
    return negative ? low - (int64_t)mask - 1 : low;
}

static int64_t eval(const state *s, const rf_val *v);

static int64_t operate(const state *s, const rf_val *v)
{
    if (v->op == RF_OP_FIELD)
        return !strcmp(v->arg[0]->var->name, "threadIdx") ? s->thread
                                                          : s->threads;
    int64_t a = eval(s, v->arg[0]);
    if (v->op == RF_OP_SELECT)
        return eval(s, v->arg[a ? 1 : 2]);
    int64_t b = v->n > 1 ? eval(s, v->arg[1]) : 0;
    switch (v->op) {
    case RF_OP_ADD:
        return a + b;
    case RF_OP_SUB:
        return a - b;
    case RF_OP_MUL:
        return a * b;
    case RF_OP_DIV:
        return a / b;
    case RF_OP_REM:
        return a % b;
    case RF_OP_BIT_AND:
        return a & b;
    case RF_OP_LT:
        return a < b;
    case RF_OP_LE:
        return a <= b;
    case RF_OP_GT:
        return a > b;
    case RF_OP_GE:
        return a >= b;
    case RF_OP_EQ:
        return a == b;
    case RF_OP_NE:
        return a != b;
    case RF_OP_AND:
        return a && b;
    case RF_OP_NOT:
        return !a;
    default:
        cr_assert_fail("operator %s", rf_op_name(v->op));
        return 0;
    }
}

static int64_t eval(const state *s, const rf_val *v)
{
    int64_t r = 0;
    switch (v->kind) {
    case RF_VAL_CONST:
        rf_val_is_int(v, &r);
        return r;
    case RF_VAL_ENTRY:
        return s->param[v->var->id - s->w->vars[4]->id];
    case RF_VAL_INDEX:
        return s->counter[v->loop->id];
    case RF_VAL_CAST:
        return as_type(eval(s, v->arg[0]), v->type);
    case RF_VAL_LOAD: /* p[i], whatever is there */
        r = eval(s, v->arg[1]);
        return (r * r + 3) % 7;
    case RF_VAL_CALL:
        r = eval(s, v->arg[0]);
        int64_t b = eval(s, v->arg[1]);
        return (strcmp(v->name, "max") == 0) == (r > b) ? r : b;
    default:
        return as_type(operate(s, v), v->type);
    }
}

/* ---- runs ---- */

typedef struct {
    int64_t at[2]; /* counters */
    int64_t element;
} point;

typedef struct {
    unsigned n;
    bool endless; /* undefined: no claim is made about it */
    point point[MAX_POINTS];
} points;

static bool goes_on(const state *s, const rf_loop *l)
{
    const rf_val *limit = l->upper;
    int64_t i = s->counter[l->id], end = eval(s, limit);
    if (limit->type->is_unsigned && limit->type->bits >= l->type->bits)
        i = as_type(i, limit->type);
    else if (l->type->is_unsigned && l->type->bits >= limit->type->bits)
        end = as_type(end, l->type);
    if (l->is_equal_exit)
        return i != end;
    int64_t step = eval(s, l->step);
    if (i == end)
        return l->is_inclusive;
    return step > 0 ? i < end : i > end;
}

static void run(state *s, const rf_access *a, unsigned depth, points *out)
{
    const rf_nest *nest = &a->nest;
    if (depth == nest->n) {
        if (nest->guard && !eval(s, nest->guard))
            return;
        if (out->n == MAX_POINTS) {
            out->endless = true;
            return;
        }
        point *p = &out->point[out->n++];
        for (unsigned i = 0; i < nest->n; i++)
            p->at[i] = s->counter[nest->loops[i]->id];
        p->element = eval(s, a->index);
        return;
    }
    const rf_loop *l = nest->loops[depth];
    int64_t *i = &s->counter[l->id];
    *i = eval(s, l->lower);
    int turns = 0;
    bool first = l->at_least_once;
    while (first || goes_on(s, l)) {
        first = false;
        if (++turns > MAX_TURNS)
            out->endless = true;
        if (out->endless)
            return;
        run(s, a, depth + 1, out);
        *i = as_type(*i + eval(s, l->step), l->type);
    }
}

static void points_of(state *s, const rf_access *a, points *out)
{
    out->n = 0;
    out->endless = false;
    run(s, a, 0, out);
}

/* ---- what is true ---- */

static bool same_iteration(const point *p, const point *q, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (p->at[i] != q->at[i])
            return false;
    return true;
}

static bool relation_is_true(rf_index_relation r, const points *a,
                             const points *b, unsigned n)
{
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned j = 0; j < b->n; j++) {
            const point *p = &a->point[i], *q = &b->point[j];
            bool equal = p->element == q->element;
            if ((r == RF_INDEX_NEVER && equal) ||
                (r == RF_INDEX_ALWAYS && !equal) ||
                (r == RF_INDEX_SAME && equal != same_iteration(p, q, n)))
                return false;
        }
    return true;
}

static bool is_injective(const points *a)
{
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned j = 0; j < i; j++)
            if (a->point[i].element == a->point[j].element)
                return false;
    return true;
}

static bool covers(const points *a, const points *b)
{
    for (unsigned j = 0; j < b->n; j++) {
        bool found = false;
        for (unsigned i = 0; i < a->n && !found; i++)
            found = a->point[i].element == b->point[j].element;
        if (!found)
            return false;
    }
    return true;
}

/* True if the counters of "a" plus "shift" are among those of "b". */
static bool is_within(const points *a, const points *b, int64_t shift)
{
    for (unsigned i = 0; i < a->n; i++) {
        bool found = false;
        for (unsigned j = 0; j < b->n && !found; j++)
            found = a->point[i].at[0] + shift == b->point[j].at[0];
        if (!found)
            return false;
    }
    return true;
}

static bool has(const points *a, int64_t counter)
{
    for (unsigned i = 0; i < a->n; i++)
        if (a->point[i].at[0] == counter)
            return true;
    return false;
}

static bool axes_are_true(const rf_axis_match *m, const points *a,
                          const points *b)
{
    bool inside = is_within(b, a, 0);
    unsigned missing = 0;
    for (unsigned i = 0; i < a->n; i++) {
        int64_t extra = a->point[i].at[0];
        if (has(b, extra))
            continue;
        missing++;
        for (unsigned j = 0; j < b->n; j++)
            if ((m->relation == RF_AXIS_SUFFIX && b->point[j].at[0] < extra) ||
                (m->relation == RF_AXIS_PREFIX && b->point[j].at[0] > extra))
                return false;
    }
    switch (m->relation) {
    case RF_AXIS_SAME:
        for (unsigned i = 0; m->same_order == RF_YES && i < a->n; i++)
            if (i >= b->n || a->point[i].at[0] != b->point[i].at[0])
                return false;
        return inside && !missing;
    case RF_AXIS_SHIFTED:
        return is_within(a, b, m->shift) && is_within(b, a, -m->shift);
    case RF_AXIS_DISJOINT:
        return missing == a->n;
    case RF_AXIS_SUFFIX:
    case RF_AXIS_PREFIX:
        return inside && (!m->missing || missing <= m->missing);
    case RF_AXIS_SUBSET:
        return inside;
    default:
        return true;
    }
}

/* ---- draws ---- */

static const char *const loops[] = {
    "int i = 0; i < n; i += 1",
    "int i = 1; i < n; i += 1",
    "int i = 0; i <= n; i += 1",
    "int i = n - 1; i >= 0; i -= 1",
    "int i = 0; i != n; i += 1",
    "int i = a; i < n; i += 2",
    "int i = 0; i < n * m; i += 1",
    "do int i = 0; i < n; i += 1",
    "int i = 0; i < n / 2 * 2; i += 1",
    "int i = threadIdx.x; i < n; i += blockDim.x",
    "int i = max(0, a - m); i <= a; i += 1",
    "byte i = 0; i < u; i += 1",
    "byte i = 0; i <= u; i += 1",
    "byte i = 0; i < u; i += 7",
    "byte i = u; i > 3; i -= 5",
    "byte i = 0; i < u - (byte)3; i += 1",
    "int i = 0; i < u; i += 1",
    "int i = 0; i < n; i += 1 | if i <= a",
    "int i = 0; i < n; i += 1 | if p[i] < 3 && i > 0",
    "int i = 0; i < n; i += 1 | int d = 0; d < m; d += 1",
    "int i = 0; i < n; i += 1 | int d = 0; d <= i; d += 1",
    "int i = 0; i < n; i += 1 | int d = i; d < n; d += 1",
    "int i = 0; i < 3; i += 1 | int d = 0; d < 2; d += 1",
    "int i = 0; i < n; i += 1 | int d = 0; d < p[i]; d += 1",
    "",
};

/* With one loop, with two. */
static const char *const indices[][14] = {
    { "x[i]", "x[i + 1]", "x[2 * i]", "x[n + i]", "x[i * m]", "x[i * m + a]",
      "x[a]", "x[i / 2]", "x[i % 3]", "x[(byte)i]", "x[(byte)i * (byte)2]",
      "x[p[i]]", "x[min(i, a)]", "x[(byte)i * (byte)m]" },
    { "x[i]", "x[i * m + d]", "x[i * 2 + d]", "x[i * n + d]", "x[d * n + i]",
      "x[i + d]", "x[(i + 1) * m + d]", "x[i * m + d + a]", "x[d]",
      "x[(i * m + d) * 2]", "x[i * m + d + m]", "x[(byte)(i * m + d)]",
      "x[i * m * m + d]", "x[(a * n + i) * m + d]" },
};
static const char *const fact_lists[] = {
    "",       "n > 0",   "m > 0", "a >= 0; a < n * m", "a >= 0; a < m",
    "n <= m", "u < 200", "n == m"
};

static unsigned draw(unsigned *seed, size_t n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 12) % (unsigned)n;
}

static rf_access draw_access(world *w, unsigned *seed, char *told, size_t size)
{
    const char *nest_text = loops[draw(seed, RF_COUNTOF(loops))];
    unsigned i = draw(seed, RF_COUNTOF(indices[0]));
    const char *index = indices[strstr(nest_text, "int d") != NULL][i];
    if (!*nest_text)
        index = i % 2 ? "x[a]" : "x[n * m + a]";
    snprintf(told, size, "%s (%s)", index, nest_text);
    return access_of(w, nest_text, index);
}

typedef struct {
    rf_access a, b;
    rf_index_relation relation;
    rf_answer injective, covers;
    rf_axis_match axes;
    bool has_axes;
    const rf_val *facts[4];
    unsigned n_facts;
} claim;

static void take_facts(world *w, const char *text, claim *c)
{
    char copy[80];
    snprintf(copy, sizeof copy, "%s", text);
    facts(w, text);
    for (char *s = strtok(copy, ";"); s; s = strtok(NULL, ";"))
        c->facts[c->n_facts++] = value(w, s);
}

static void ask(world *w, claim *c)
{
    c->relation = rf_access_compare(w->depend, &c->a, &c->b, NULL);
    c->injective = rf_access_injective(w->depend, &c->a, NULL);
    c->covers = rf_access_covers(w->depend, &c->a, &c->b, NULL);
    c->has_axes = c->a.nest.n == 1 && c->b.nest.n == 1 && !c->a.nest.guard &&
                  !c->b.nest.guard;
    if (c->has_axes)
        c->axes =
            rf_loop_compare(w->depend, c->a.nest.loops[0], c->b.nest.loops[0]);
}

static bool facts_hold(const state *s, const claim *c)
{
    for (unsigned i = 0; i < c->n_facts; i++)
        if (!eval(s, c->facts[i]))
            return false;
    return true;
}

static void check(state *s, const claim *c, const char *told)
{
    static points pa, pb;
    if (!facts_hold(s, c))
        return;
    points_of(s, &c->a, &pa);
    points_of(s, &c->b, &pb);
    if (pa.endless || pb.endless)
        return;
    unsigned n = c->a.nest.n < c->b.nest.n ? c->a.nest.n : c->b.nest.n;
    cr_assert(relation_is_true(c->relation, &pa, &pb, n),
              "relation %d of %s: n %d m %d a %d u %d", c->relation, told,
              (int)s->param[N], (int)s->param[M], (int)s->param[A],
              (int)s->param[U]);
    cr_assert(c->injective != RF_YES || is_injective(&pa), "injective %s",
              told);
    cr_assert(c->covers != RF_YES || covers(&pa, &pb), "covers %s", told);
    cr_assert(!c->has_axes || axes_are_true(&c->axes, &pa, &pb),
              "axes %d of %s", c->axes.relation, told);
}

static void check_all(world *w, const claim *c, const char *told)
{
    static const int64_t bytes[] = { 0, 2, 5, 199, 251, 255 };
    state s = { .w = w };
    for (s.param[N] = -1; s.param[N] < 5; s.param[N]++)
        for (s.param[M] = -1; s.param[M] < 4; s.param[M]++)
            for (s.param[A] = -1; s.param[A] < 4; s.param[A] += 1)
                for (unsigned u = 0; u < RF_COUNTOF(bytes); u++) {
                    if (u && !strstr(told, "u"))
                        break;
                    s.param[U] = bytes[u];
                    s.threads = 1 + u % 2 + (s.param[A] & 1);
                    s.thread = s.threads - 1;
                    check(&s, c, told);
                }
}

Test(truth, random_pairs)
{
    unsigned seed = 20, proven[4] = { 0 }, yes = 0, covered = 0, axes = 0;
    for (int i = 0; i < DRAWS; i++) {
        world w = world_new(variables);
        char a[200], b[200], told[500];
        claim c = { 0 };
        const char *list = fact_lists[draw(&seed, RF_COUNTOF(fact_lists))];
        take_facts(&w, list, &c);
        c.a = draw_access(&w, &seed, a, sizeof a);
        c.b = draw_access(&w, &seed, b, sizeof b);
        snprintf(told, sizeof told, "[%s] %s | %s", list, a, b);
        ask(&w, &c);
        check_all(&w, &c, told);
        proven[c.relation]++;
        yes += c.injective == RF_YES;
        covered += c.covers == RF_YES;
        axes += c.has_axes && c.axes.relation != RF_AXIS_OTHER;
        world_free(&w);
    }
    /* The draws do not all end in "maybe". */
    cr_expect_gt(proven[RF_INDEX_NEVER], 4);
    cr_expect_gt(proven[RF_INDEX_SAME], 2);
    cr_expect_gt(yes, 60);
    cr_expect_gt(covered, 2);
    cr_expect_gt(axes, 10);
    cr_log_info("never %u same %u always %u injective %u covers %u axes %u",
                proven[0], proven[1], proven[2], yes, covered, axes);
}
