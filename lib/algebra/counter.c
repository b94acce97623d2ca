/* Counterexamples: two inputs of one length with
 *
 *     REDUCE F(a, D_old) = REDUCE F(b, D_old)
 *     REDUCE F(a, D_new) != REDUCE F(b, D_new)
 *
 * so that no function of the partial value and of D leads from old to new.
 * Small whole numbers are tried first; then one value of b is solved for, by
 * bisection, to make the partial values equal. */
#include "algebra/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_TRIES = 4000, SOLVE_TRIES = 400, LONGEST = 3, BISECTIONS = 80 };

typedef struct {
    const rf_question *q;
    rf_order order; /* of F */
    rf_point point;
    rf_nodes elements, others;
    unsigned length;
    double *a, *b, *old, *new;
    double partial, new_a, new_b;
} trial;

double rf_fold_value(rf_reduce_op op, double x, double y)
{
    switch (op) {
    case RF_REDUCE_SUM:
        return x + y;
    case RF_REDUCE_PRODUCT:
        return x * y;
    case RF_REDUCE_MIN:
    case RF_REDUCE_ARGMIN:
    case RF_REDUCE_BOTTOMK:
    case RF_REDUCE_AND:
        return isnan(x) || x < y ? x : y;
    default:
        return isnan(x) || x > y ? x : y;
    }
}

/* Set the atoms named by "list" to "value" in the point. */
static void assign(trial *t, const rf_nodes *list, const double *value)
{
    for (size_t i = 0; i < list->len; i++)
        for (size_t k = 0; k < t->point.atoms.len; k++)
            if (t->point.atoms.data[k] == list->data[i])
                t->point.value[k] = value[i];
}

/* F at one element; NAN where undefined or excluded by assumed facts. */
static double element_value(trial *t, const double *element)
{
    assign(t, &t->elements, element);
    if (!rf_point_allowed(t->q->alg, &t->point))
        return NAN;
    return rf_order_value(&t->order, t->point.atoms.len, t->point.atoms.data,
                          t->point.value);
}

static double reduce(trial *t, const double *input, const double *others)
{
    assign(t, &t->others, others);
    double v = element_value(t, input);
    for (unsigned i = 1; i < t->length && !isnan(v); i++)
        v = rf_fold_value(t->q->op, v,
                          element_value(t, input + i * t->elements.len));
    return v;
}

/* ---- drawing ---- */

static void draw_list(trial *t, const rf_nodes *list, double *out, bool whole)
{
    for (size_t i = 0; i < list->len; i++) {
        const rf_atom *atom = list->data[i]->atom;
        do
            out[i] = rf_point_draw(&t->point, atom);
        while (whole && out[i] != rint(out[i]));
    }
}

static void draw(trial *t, bool whole)
{
    size_t e = t->elements.len;
    for (unsigned i = 0; i < t->length; i++) {
        draw_list(t, &t->elements, t->a + i * e, whole);
        draw_list(t, &t->elements, t->b + i * e, whole);
    }
    draw_list(t, &t->others, t->old, whole);
    draw_list(t, &t->others, t->new, whole);
    for (size_t i = 0; i < t->others.len; i++)
        if (rf_depends(t->q, t->others.data[i]) != RF_ON_D)
            t->new[i] = t->old[i];
}

/* ---- judging ---- */

static bool close_to(double x, double y, double tolerance)
{
    return isfinite(x) && isfinite(y) &&
           fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

static bool far_apart(double x, double y)
{
    return isfinite(x) && isfinite(y) && !close_to(x, y, 1e-3);
}

static bool judge(trial *t)
{
    t->partial = reduce(t, t->a, t->old);
    if (!close_to(t->partial, reduce(t, t->b, t->old), 1e-13))
        return false;
    t->new_a = reduce(t, t->a, t->new);
    t->new_b = reduce(t, t->b, t->new);
    return far_apart(t->new_a, t->new_b);
}

/* How far the partial value of b is from that of a when b[k] = v. */
static double miss(trial *t, size_t k, double v)
{
    t->b[k] = v;
    return reduce(t, t->b, t->old) - t->partial;
}

static bool bisect(trial *t, size_t k, double low, double high)
{
    double at_low = miss(t, k, low);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2, v = miss(t, k, middle);
        if (isnan(v))
            return false;
        if ((v < 0) == (at_low < 0))
            low = middle;
        else
            high = middle;
    }
    return judge(t);
}

/* Solve for the value b[k]. */
static bool solve(trial *t, size_t k)
{
    enum { STEPS = 16 };
    t->partial = reduce(t, t->a, t->old);
    const rf_atom *atom = t->elements.data[k % t->elements.len]->atom;
    double low = atom->sign == RF_SIGN_ANY ? -4 : 0.0625, step = 0.5;
    if (atom->is_integer || !isfinite(t->partial))
        return false;
    double before = miss(t, k, low);
    for (int i = 1; i <= STEPS; i++) {
        double v = miss(t, k, low + i * step);
        double from = low + (i - 1) * step;
        if (before * v < 0 && bisect(t, k, from, from + step))
            return true;
        before = v;
    }
    return false;
}

static bool search_at(trial *t, unsigned length, bool whole)
{
    t->length = length;
    int tries = whole ? GRID_TRIES : SOLVE_TRIES;
    for (int i = 0; i < tries; i++) {
        draw(t, whole);
        if (judge(t) || (!whole && solve(t, length * t->elements.len - 1)))
            return true;
    }
    return false;
}

/* ---- telling ---- */

static void tell_input(rf_buf *out, const trial *t, const double *input)
{
    size_t n = t->elements.len;
    for (size_t e = 0; e < n; e++) {
        rf_buf_printf(out, "%s%s = [", e ? ", " : "",
                      t->elements.data[e]->atom->name);
        for (unsigned i = 0; i < t->length; i++)
            rf_buf_printf(out, "%s%.9g", i ? ", " : "", input[i * n + e]);
        rf_buf_putc(out, ']');
    }
}

static void tell_others(rf_buf *out, const trial *t, const double *value,
                        bool all)
{
    const char *comma = "";
    for (size_t i = 0; i < t->others.len; i++) {
        if (!all && rf_depends(t->q, t->others.data[i]) != RF_ON_D)
            continue;
        rf_buf_printf(out, "%s%s = %.9g", comma, t->others.data[i]->atom->name,
                      value[i]);
        comma = ", ";
    }
}

static const char *tell(const trial *t)
{
    rf_buf b = { 0 };
    tell_input(&b, t, t->a);
    rf_buf_puts(&b, " and ");
    tell_input(&b, t, t->b);
    rf_buf_printf(&b, " both give %.9g at ", t->partial);
    tell_others(&b, t, t->old, true);
    rf_buf_printf(&b, ", but %.9g and %.9g at ", t->new_a, t->new_b);
    tell_others(&b, t, t->new, false);
    const char *text =
        rf_arena_strdup(rf_syms_arena(t->q->alg->syms), rf_buf_text(&b));
    rf_buf_free(&b);
    return text;
}

static void *keep(rf_arena *arena, const void *data, size_t n, size_t size)
{
    void *copy = rf_arena_array(arena, n, size);
    if (n)
        memcpy(copy, data, n * size);
    return copy;
}

static void keep_trial(const trial *t, rf_counterexample *out)
{
    rf_arena *arena = rf_syms_arena(t->q->alg->syms);
    size_t e = t->elements.len, o = t->others.len, in = t->length * e;
    *out = (rf_counterexample){
        .found = true,
        .length = t->length,
        .n_elements = e,
        .n_results = o,
        .element = keep(arena, t->elements.data, e, sizeof(void *)),
        .result = keep(arena, t->others.data, o, sizeof(void *)),
        .a = keep(arena, t->a, in, sizeof(double)),
        .b = keep(arena, t->b, in, sizeof(double)),
        .old_value = keep(arena, t->old, o, sizeof(double)),
        .new_value = keep(arena, t->new, o, sizeof(double)),
        .partial = t->partial,
        .new_a = t->new_a,
        .new_b = t->new_b,
        .text = tell(t),
    };
}

static void trial_init(trial *t, const rf_question *q)
{
    *t = (trial){ .q = q };
    rf_order_init(&t->order);
    rf_order_add(&t->order, q->f);
    rf_nodes all = { 0 };
    RF_PUSH(all, q->f);
    for (size_t i = 0; i < q->alg->facts.len; i++)
        RF_PUSH(all, q->alg->facts.data[i].e);
    rf_point_init(&t->point, all.len, all.data);
    RF_CLEAR(all);
    for (size_t i = 0; i < t->point.atoms.len; i++) {
        const rf_sym *a = t->point.atoms.data[i];
        if (a->atom->role == RF_ATOM_ELEMENT)
            RF_PUSH(t->elements, a);
        else
            RF_PUSH(t->others, a);
    }
    t->a = calloc(LONGEST * t->elements.len + 1, sizeof(double));
    t->b = calloc(LONGEST * t->elements.len + 1, sizeof(double));
    t->old = calloc(t->others.len + 1, sizeof(double));
    t->new = calloc(t->others.len + 1, sizeof(double));
}

static void trial_clear(trial *t)
{
    rf_order_clear(&t->order);
    rf_point_clear(&t->point);
    RF_CLEAR(t->elements);
    RF_CLEAR(t->others);
    free(t->a);
    free(t->b);
    free(t->old);
    free(t->new);
}

bool rf_counterexample_find(const rf_question *q, rf_counterexample *out)
{
    trial t;
    trial_init(&t, q);
    bool found = false;
    if (t.elements.len) {
        for (unsigned n = 1; n <= 2 && !found; n++)
            found = search_at(&t, n, true);
        for (unsigned n = 1; n <= LONGEST && !found; n++)
            found = search_at(&t, n, false);
    }
    if (found)
        keep_trial(&t, out);
    trial_clear(&t);
    return found;
}
