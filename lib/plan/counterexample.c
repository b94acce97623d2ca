/* Numbers for which a running form would differ, told with a refusal.
 *
 * Either two inputs a, b that leave the same state
 *
 *     D(a) = D(b),  SUM F(a, D(a)) = SUM F(b, D(b))
 *
 * and differ once the same element follows: nothing computed from the state
 * can then be right for both. Or, where F separates but a ratio may leave the
 * range of the type (T-6), one input on which the running form
 *
 *     s' = s * ratio(D, D') + lift(x, D')
 *
 * is not what the source computes. */
#include "plan/derive.h"
#include "plan/formula.h"
#include "plan/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 3,
    MOST_INPUTS = 1500,
    MOST_STATES = 12,
    SOLVE_TRIES = 200,
    CELLS = (LONGEST + 1) * RF_SAMPLE_ARRAYS
};

typedef struct {
    double x[CELLS];
    double state[MOST_STATES]; /* in the order of the sample's reds */
} input;
typedef RF_ARRAY(input) inputs;

typedef struct {
    double at[16];
    unsigned n;
} numbers;

typedef struct {
    rf_deriver *d;
    rf_sample s;
    numbers domain[RF_SAMPLE_ARRAYS], tails[RF_SAMPLE_ARRAYS];
    uint32_t random;
    double apart; /* results that differ by less are not told apart */
    rf_buf *out;
} search;

static const char *name_of(const rf_red *red)
{
    return red->var ? red->var->name : "value";
}

/* ---- inputs ---- */

static bool admits(const search *q, unsigned array, double v)
{
    const rf_type *t = q->s.type[array];
    rf_sign sign = rf_reals_sign(q->d->reals, q->s.array[array]);
    if (t->kind == RF_TYPE_INT && (v != trunc(v) || (t->is_unsigned && v < 0)))
        return false;
    return sign == RF_SIGN_ANY || v > 0 || (v == 0 && sign == RF_SIGN_NONNEG);
}

static numbers admitted(const search *q, unsigned array, const double *from,
                        unsigned n)
{
    numbers list = { 0 };
    for (unsigned i = 0; i < n; i++)
        if (admits(q, array, from[i]))
            list.at[list.n++] = from[i];
    return list;
}

static void set_domains(search *q, const double *from, unsigned n,
                        unsigned n_tails)
{
    for (unsigned i = 0; i < q->s.n_arrays; i++) {
        q->domain[i] = admitted(q, i, from, n);
        q->tails[i] = admitted(q, i, from, n + n_tails);
    }
}

static unsigned points_of(const search *q, const numbers *of)
{
    unsigned n = 1;
    for (unsigned i = 0; i < q->s.n_arrays; i++)
        n *= of[i].n;
    return n;
}

/* One element of each array: point "k" of the grid "of". */
static void put_point(const search *q, const numbers *of, unsigned k, double *x)
{
    for (unsigned i = 0; i < q->s.n_arrays; k /= of[i++].n)
        x[i] = of[i].at[k % of[i].n];
}

static bool is_tired(const search *q)
{
    return q->s.work > RF_SAMPLE_MOST_WORK;
}

static bool run(search *q, input *in, unsigned length)
{
    rf_sample_set(&q->s, in->x, length);
    for (size_t i = 0; i < q->s.reds.len; i++)
        in->state[i] = rf_sample_result(&q->s, q->s.reds.data[i]);
    return !q->s.failed;
}

/* ---- two inputs with one state ---- */

static bool is_close(double x, double y, double tolerance)
{
    if (!isfinite(x) || !isfinite(y))
        return x == y || (isnan(x) && isnan(y));
    return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

static bool is_same(const search *q, const input *a, const input *b)
{
    for (size_t i = 0; i < q->s.reds.len; i++)
        if (!is_close(a->state[i], b->state[i], 1e-13))
            return false;
    return true;
}

static void put_number(rf_buf *out, double v)
{
    if (isnan(v))
        rf_buf_puts(out, "nan");
    else
        rf_buf_printf(out, "%.10g", v);
}

static void put_array(rf_buf *out, const search *q, const double *x,
                      unsigned length)
{
    for (unsigned k = 0; k < q->s.n_arrays; k++) {
        rf_buf_printf(out, "%s%s = [", k ? ", " : "", q->s.array[k]->name);
        for (unsigned i = 0; i < length; i++)
            rf_buf_printf(out, "%s%.10g", i ? ", " : "",
                          x[i * q->s.n_arrays + k]);
        rf_buf_putc(out, ']');
    }
}

static void put_params(const search *q)
{
    for (unsigned i = 0; i < q->s.n_params; i++)
        rf_buf_printf(q->out, "%s%s = %.10g", i ? ", " : "with ",
                      q->s.param[i]->name, q->s.value[i]);
    if (q->s.n_params)
        rf_buf_puts(q->out, ": ");
}

static void tell_pair(const search *q, const input *a, const input *b,
                      unsigned length, const double *tail, double total_a,
                      double total_b)
{
    put_params(q);
    put_array(q->out, q, a->x, length);
    rf_buf_puts(q->out, " and ");
    put_array(q->out, q, b->x, length);
    rf_buf_puts(q->out, " leave the same ");
    for (size_t i = 0; i < q->s.reds.len; i++) {
        rf_buf_printf(q->out, "%s%s = ", i ? ", " : "",
                      name_of(q->s.reds.data[i]));
        put_number(q->out, a->state[i]);
    }
    rf_buf_puts(q->out, ", but followed by ");
    for (unsigned k = 0; k < q->s.n_arrays; k++)
        rf_buf_printf(q->out, "%s%s = %.10g", k ? ", " : "",
                      q->s.array[k]->name, tail[k]);
    rf_buf_printf(q->out, " they give %s = %.10g and %.10g",
                  name_of(RF_LAST(q->s.reds)), total_a, total_b);
}

static bool tell_difference(search *q, const input *a, const input *b,
                            unsigned length)
{
    unsigned n = q->s.n_arrays, last = (unsigned)q->s.reds.len - 1;
    unsigned points = points_of(q, q->tails);
    for (unsigned k = 0; k < points; k++) {
        input u = *a, v = *b;
        double *tail = u.x + length * n;
        put_point(q, q->tails, k, tail);
        put_point(q, q->tails, k, v.x + length * n);
        if (!run(q, &u, length + 1) || !run(q, &v, length + 1) ||
            !isfinite(u.state[last]) || !isfinite(v.state[last]) ||
            is_close(u.state[last], v.state[last], q->apart))
            continue;
        tell_pair(q, a, b, length, tail, u.state[last], v.state[last]);
        return true;
    }
    return false;
}

static bool next_choice(unsigned *point, unsigned length, unsigned n)
{
    for (unsigned i = length; i-- > 0;) {
        if (++point[i] < n) {
            for (unsigned k = i + 1; k < length; k++)
                point[k] = point[i];
            return true;
        }
    }
    return false;
}

static inputs list_inputs(search *q, unsigned length)
{
    inputs list = { 0 };
    unsigned point[LONGEST] = { 0 }, n = points_of(q, q->domain);
    do {
        input in = { 0 };
        for (unsigned i = 0; i < length; i++)
            put_point(q, q->domain, point[i], in.x + i * q->s.n_arrays);
        if (run(q, &in, length))
            RF_PUSH(list, in);
    } while (list.len < MOST_INPUTS && !q->s.failed &&
             next_choice(point, length, n));
    return list;
}

static bool search_listed(search *q, unsigned length)
{
    inputs list = list_inputs(q, length);
    bool found = false;
    for (size_t i = 0; i < list.len && !found && !is_tired(q); i++)
        for (size_t k = i + 1; k < list.len && !found; k++)
            found = is_same(q, &list.data[i], &list.data[k]) &&
                    tell_difference(q, &list.data[i], &list.data[k], length);
    RF_CLEAR(list);
    return found;
}

/* ---- two values of b solved for ---- */

static unsigned draw(search *q, unsigned below)
{
    q->random = q->random * 1664525u + 1013904223u;
    return (q->random >> 8) % below;
}

static double missing(search *q, const input *a, input *b, unsigned length,
                      double *miss)
{
    double sum = 0;
    if (!run(q, b, length))
        return INFINITY;
    for (size_t i = 0; i < q->s.reds.len; i++) {
        miss[i] = b->state[i] - a->state[i];
        sum += miss[i] * miss[i];
    }
    return isfinite(sum) ? sum : INFINITY;
}

/* A step of Newton's method, in the sense of least squares. */
static bool improve(search *q, const input *a, input *b, unsigned length,
                    const unsigned *at)
{
    double miss[MOST_STATES], moved[MOST_STATES], slope[2][MOST_STATES];
    double g[2] = { 0 }, h[2][2] = { { 1e-12, 0 }, { 0, 1e-12 } };
    double was = missing(q, a, b, length, miss);
    for (int k = 0; k < 2; k++) {
        input near = *b;
        near.x[at[k]] += 1e-6;
        if (!isfinite(missing(q, a, &near, length, moved)))
            return false;
        for (size_t i = 0; i < q->s.reds.len; i++)
            slope[k][i] = (moved[i] - miss[i]) / 1e-6;
    }
    for (size_t i = 0; i < q->s.reds.len; i++)
        for (int k = 0; k < 2; k++) {
            g[k] += slope[k][i] * miss[i];
            h[k][0] += slope[k][i] * slope[0][i];
            h[k][1] += slope[k][i] * slope[1][i];
        }
    double det = h[0][0] * h[1][1] - h[0][1] * h[1][0];
    double by[2] = { (h[1][1] * g[0] - h[0][1] * g[1]) / det,
                     (h[0][0] * g[1] - h[1][0] * g[0]) / det };
    for (double part = 1; part > 1e-3; part /= 2) {
        input to = *b;
        for (int k = 0; k < 2; k++)
            to.x[at[k]] -= part * by[k];
        if (missing(q, a, &to, length, moved) < was) {
            *b = to;
            return run(q, b, length);
        }
    }
    return false;
}

/* The numbers as they are told, in the range of their types. */
static void round_told(search *q, input *in, unsigned length)
{
    char text[32];
    for (unsigned i = 0; i < length * q->s.n_arrays; i++) {
        snprintf(text, sizeof text, "%.10g", in->x[i]);
        in->x[i] = rf_sample_convert(&q->s, strtod(text, NULL),
                                     q->s.type[i % q->s.n_arrays]);
    }
}

/* One state but for the rounding of what is told, also where it is small. */
static bool is_near(const search *q, const input *a, const input *b)
{
    for (size_t i = 0; i < q->s.reds.len; i++) {
        double x = a->state[i], y = b->state[i];
        if (!is_close(x, y, 1e-8) ||
            fabs(x - y) > 1e-8 * fmax(fabs(x), fabs(y)))
            return false;
    }
    return true;
}

/* The last two numbers of b in arrays of floating point. */
static bool choose_unknowns(const search *q, unsigned length, unsigned *at)
{
    unsigned n = 0;
    for (unsigned i = length * q->s.n_arrays; i-- > 0 && n < 2;)
        if (q->s.type[i % q->s.n_arrays]->kind == RF_TYPE_FLOAT)
            at[n++] = i;
    return n == 2;
}

static bool fits(const search *q, const input *b, unsigned length)
{
    for (unsigned i = 0; i < length * q->s.n_arrays; i++)
        if (!admits(q, i % q->s.n_arrays, b->x[i]))
            return false;
    return true;
}

static bool search_solved(search *q, unsigned length)
{
    unsigned at[2];
    if (!choose_unknowns(q, length, at))
        return false;
    for (int t = 0; t < SOLVE_TRIES; t++) {
        input a = { 0 }, b = { 0 };
        for (unsigned i = 0; i < length * q->s.n_arrays; i++) {
            const numbers *of = &q->domain[i % q->s.n_arrays];
            a.x[i] = of->at[draw(q, of->n)];
            b.x[i] = of->at[draw(q, of->n)] + (i >= at[1] ? 0.3 : 0);
        }
        if (!run(q, &a, length))
            return false;
        for (int i = 0; i < 30 && improve(q, &a, &b, length, at); i++)
            ;
        round_told(q, &b, length);
        if (run(q, &b, length) && is_near(q, &a, &b) && fits(q, &b, length) &&
            tell_difference(q, &a, &b, length))
            return true;
    }
    return false;
}

static bool search_pairs(search *q)
{
    static const double values[] = {
        0, 1, 2, 3, 4, -1, -2, 257, 6, 10, 0.5, -5
    };
    bool found = false;
    q->apart = 1e-3;
    set_domains(q, values, 8, 4);
    for (unsigned n = 1; n <= LONGEST && !found && !q->s.failed; n++)
        found = search_listed(q, n);
    q->apart = 2e-5;
    for (unsigned n = 2; n <= LONGEST && !found && !q->s.failed; n++)
        found = search_solved(q, n);
    return found;
}

/* ---- one input that the running form gets wrong ---- */

/* What the running form leaves; "old" is for every member. */
static double run_form(search *q, const rf_val *ratio, const input *in,
                       unsigned length, double *old)
{
    const rf_plan *plan = q->d->p->plan;
    const rf_member *m = q->d->told.member;
    rf_sample *s = &q->s;
    rf_sample_set(s, in->x, length);
    double v = rf_sample_value(s, m->red->init, 0);
    for (unsigned i = 0; i < length; i++) {
        s->length = i;
        s->memo.len = 0;
        for (size_t k = 0; k < plan->members.len; k++)
            for (size_t j = 0; j + 1 < s->reds.len; j++)
                if (plan->members.data[k]->red == s->reds.data[j])
                    old[k] = rf_sample_result(s, s->reds.data[j]);
        s->length = i + 1;
        s->old = old;
        v = rf_sample_convert(s, v * rf_sample_value(s, ratio, i),
                              m->red->type);
        v += rf_sample_value(s, m->red->term, i);
        v = rf_sample_convert(s, v, m->red->type);
        s->old = NULL;
    }
    return v;
}

/* s·ratio + lift; m_old is the value of m before the step. */
static void put_form(const search *q, const rf_val *ratio)
{
    const rf_member *m = q->d->told.member;
    rf_formula f = { .plan = q->d->p->plan, .self = m, .before = "_old" };
    rf_buf_printf(q->out, "%s·", name_of(m->red));
    rf_formula_put(q->out, &f, ratio);
    rf_buf_puts(q->out, " + ");
    rf_formula_put(q->out, &f, m->red->term);
}

static bool try_form(search *q, const rf_val *ratio, input *in, unsigned length,
                     double *old)
{
    unsigned last = (unsigned)q->s.reds.len - 1;

    if (!run(q, in, length) || !isfinite(in->state[last]))
        return false;
    double got = run_form(q, ratio, in, length, old);
    if (q->s.failed || is_close(got, in->state[last], 1e-3))
        return false;
    const char *name = name_of(q->d->told.member->red);
    put_params(q);
    put_array(q->out, q, in->x, length);
    rf_buf_printf(q->out, " give %s = ", name);
    put_number(q->out, in->state[last]);
    rf_buf_printf(q->out, ", but %s = ", name);
    put_form(q, ratio);
    rf_buf_puts(q->out, " would give ");
    put_number(q->out, got);
    return true;
}

static bool search_form(search *q)
{
    static const double values[] = { 0, 1, -1, 100, -100, 300, -300 };
    const rf_member *m = q->d->told.member;
    const rf_val *ratio = rf_derive_val(q->d, m, q->d->told.ratio, NULL);
    double *old =
        RF_NEW_ARRAY(q->d->p->arena, q->d->p->plan->members.len + 1, double);
    set_domains(q, values, RF_COUNTOF(values), 0);
    unsigned n = points_of(q, q->domain);
    if (!ratio || m->red->op != RF_REDUCE_SUM)
        return false;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++) {
            input in = { 0 };
            put_point(q, q->domain, k, in.x);
            put_point(q, q->domain, i, in.x + q->s.n_arrays);
            if ((!i && try_form(q, ratio, &in, 1, old)) ||
                try_form(q, ratio, &in, 2, old))
                return true;
            if (q->s.failed)
                return false;
        }
    return false;
}

/* ---- the whole ---- */

static void set_params(search *q, double value)
{
    for (unsigned i = 0; i < q->s.n_params; i++) {
        const rf_type *t = q->s.param[i]->type;
        rf_sign sign = rf_reals_sign(q->d->reals, q->s.param[i]);
        double v = sign == RF_SIGN_ANY ? value : fabs(value);
        q->s.value[i] = t->kind == RF_TYPE_INT ? ceil(fabs(v)) : v;
    }
}

const char *rf_derive_counterexample(rf_deriver *d)
{
    static const double params[] = { 0.5, -1, 2 };
    rf_buf out = { 0 };
    search q = { .d = d, .random = 1, .out = &out };
    bool ok = rf_sample_init(&q.s, d->p, d->told.member->red) &&
              q.s.reds.len <= MOST_STATES;
    unsigned tries = ok ? (q.s.n_params ? RF_COUNTOF(params) : 1) : 0;
    bool found = false;
    for (unsigned i = 0; i < tries && !found && !q.s.failed; i++) {
        set_params(&q, params[i]);
        found = d->told.ratio ? search_form(&q) : search_pairs(&q);
    }
    const char *text =
        found ? rf_arena_strdup(d->p->arena, rf_buf_text(&out)) : NULL;
    rf_sample_clear(&q.s);
    rf_buf_free(&out);
    return text;
}
