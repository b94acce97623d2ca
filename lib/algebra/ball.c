/* Values of expressions as balls: an interval that holds the true value, with
 * which a difference is proven and not only seen (Arb). A value that is
 * undefined, or a comparison that the balls leave open, is indeterminate. */
#include "algebra/internal.h"

#include <arb.h>
#include <arb_hypgeom.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISION = 256 };

typedef struct {
    unsigned n;
    const rf_sym *const *atom;
    const double *value;
} assignment;

static void set_truth(arb_t out, int truth)
{
    if (truth < 0)
        arb_indeterminate(out);
    else
        arb_set_si(out, truth);
}

/* a < 0, a <= 0, a = 0: 1, 0, or -1 when the ball leaves it open. */
static int decide(rf_sym_kind kind, const arb_t a)
{
    if (!arb_is_finite(a))
        return -1;
    if (kind == RF_SYM_EQ)
        return arb_is_zero(a) ? 1 : arb_contains_zero(a) ? -1 : 0;
    if (kind == RF_SYM_LT)
        return arb_is_negative(a) ? 1 : arb_is_nonnegative(a) ? 0 : -1;
    return arb_is_nonpositive(a) ? 1 : arb_is_positive(a) ? 0 : -1;
}

static void ball_relation(arb_t out, rf_sym_kind kind, arb_srcptr a)
{
    arb_t d;
    arb_init(d);
    arb_sub(d, a, a + 1, PRECISION);
    set_truth(out, decide(kind, d));
    arb_clear(d);
}

static void ball_select(arb_t out, arb_srcptr a)
{
    if (!arb_is_finite(a) || (arb_contains_zero(a) && !arb_is_zero(a)))
        arb_indeterminate(out);
    else
        arb_set(out, arb_is_zero(a) ? a + 2 : a + 1);
}

static void ball_pow(arb_t out, const rf_sym *e, arb_srcptr a)
{
    const rf_sym *r = e->arg[1];
    if (r->kind == RF_SYM_RAT && r->den == 1) {
        fmpz_t k;
        fmpz_init_set_si(k, r->num);
        arb_pow_fmpz(out, a, k, PRECISION);
        fmpz_clear(k);
    } else if (arb_is_zero(a) && arb_is_positive(a + 1)) {
        arb_zero(out);
    } else if (arb_is_positive(a)) {
        arb_pow(out, a, a + 1, PRECISION);
    } else {
        arb_indeterminate(out);
    }
}

static void ball_exp(arb_t out, unsigned base, arb_srcptr a)
{
    if (base == 0) {
        arb_exp(out, a, PRECISION);
        return;
    }
    arb_t b;
    arb_init(b);
    arb_set_ui(b, base);
    arb_pow(out, b, a, PRECISION);
    arb_clear(b);
}

static void ball_log(arb_t out, arb_srcptr a)
{
    if (arb_is_positive(a))
        arb_log(out, a, PRECISION);
    else
        arb_indeterminate(out);
}

/* Rounding is monotone: one value if both ends round to it. */
static void ball_round(arb_t out, const char *name, arb_srcptr a)
{
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    arb_get_interval_arf(low, high, a, 53);
    double u = rf_round_value(name, arf_get_d(low, ARF_RND_FLOOR));
    double v = rf_round_value(name, arf_get_d(high, ARF_RND_CEIL));
    if (arb_is_finite(a) && u == v)
        arb_set_d(out, u);
    else
        arb_indeterminate(out);
    arf_clear(low);
    arf_clear(high);
}

static void ball_smooth(arb_t out, const rf_sym *e, arb_srcptr a)
{
    double h = 0;
    arb_t t;
    arb_init(t);
    arb_zero(out);
    for (const char *c = e->name; *c; c++)
        h = fmod(h * 31 + *c, 97);
    for (unsigned i = 0; i < e->n; i++) {
        arb_set_d(t, 1 + 0.25 * i);
        arb_mul(t, t, a + i, PRECISION);
        arb_add_si(t, t, (slong)h + i, PRECISION);
        arb_sin(t, t, PRECISION);
        arb_add(out, out, t, PRECISION);
        arb_mul_2exp_si(t, a + i, -2);
        arb_add(out, out, t, PRECISION);
    }
    arb_clear(t);
}

static void ball_expm1(arb_t out, const arb_t a, slong precision)
{
    arb_expm1(out, a, precision);
}

/* name, function */
#define FUNCTIONS(X)                                                           \
    X(tanh, arb_tanh)                                                          \
    X(erf, arb_hypgeom_erf)                                                    \
    X(erfc, arb_hypgeom_erfc)                                                  \
    X(sin, arb_sin)                                                            \
    X(cos, arb_cos)                                                            \
    X(tan, arb_tan)                                                            \
    X(atan, arb_atan)                                                          \
    X(sinh, arb_sinh)                                                          \
    X(cosh, arb_cosh)                                                          \
    X(expm1, ball_expm1)                                                       \
    X(log1p, arb_log1p)                                                        \
    X(floor, arb_floor)                                                        \
    X(ceil, arb_ceil)

static void ball_number(arb_t out, const char *text)
{
    const char *slash = strchr(text, '/');
    arb_t d;
    if (!slash) {
        if (arb_set_str(out, text, PRECISION))
            arb_indeterminate(out);
        return;
    }
    char *num = strndup(text, (size_t)(slash - text));
    arb_init(d);
    if (arb_set_str(out, num, PRECISION) ||
        arb_set_str(d, slash + 1, PRECISION))
        arb_indeterminate(d);
    arb_div(out, out, d, PRECISION);
    arb_clear(d);
    free(num);
}

static void ball_call(arb_t out, const rf_sym *e, arb_srcptr a)
{
    if (e->n == 0) {
        ball_number(out, e->name);
        return;
    }
#define X(f, function)                                                         \
    if (e->n == 1 && strcmp(e->name, #f) == 0) {                               \
        function(out, a, PRECISION);                                           \
        return;                                                                \
    }
    FUNCTIONS(X)
#undef X
    ball_smooth(out, e, a);
}

static void ball_fold(arb_t out, rf_sym_kind kind, unsigned n, arb_srcptr a)
{
    arb_set(out, a);
    for (unsigned i = 1; i < n; i++)
        switch (kind) {
        case RF_SYM_ADD:
            arb_add(out, out, a + i, PRECISION);
            break;
        case RF_SYM_MUL:
            arb_mul(out, out, a + i, PRECISION);
            break;
        case RF_SYM_MAX:
        case RF_SYM_OR:
            arb_max(out, out, a + i, PRECISION);
            break;
        default:
            arb_min(out, out, a + i, PRECISION);
            break;
        }
}

static void ball_node(arb_t out, const rf_sym *e, arb_srcptr a)
{
    switch (e->kind) {
    case RF_SYM_POW:
        ball_pow(out, e, a);
        break;
    case RF_SYM_EXP:
        ball_exp(out, e->base, a);
        break;
    case RF_SYM_LOG:
        ball_log(out, a);
        break;
    case RF_SYM_ABS:
        arb_abs(out, a);
        break;
    case RF_SYM_SELECT:
        ball_select(out, a);
        break;
    case RF_SYM_LT:
    case RF_SYM_LE:
    case RF_SYM_EQ:
        ball_relation(out, e->kind, a);
        break;
    case RF_SYM_NOT:
        set_truth(out, decide(RF_SYM_EQ, a));
        break;
    case RF_SYM_ROUND:
        ball_round(out, e->name, a);
        break;
    case RF_SYM_CALL:
        ball_call(out, e, a);
        break;
    default:
        ball_fold(out, e->kind, e->n, a);
    }
}

static void ball_leaf(const assignment *b, arb_t out, const rf_sym *e)
{
    if (e->kind == RF_SYM_RAT) {
        arb_set_si(out, e->num);
        arb_div_si(out, out, e->den, PRECISION);
        return;
    }
    arb_indeterminate(out);
    for (unsigned i = 0; i < b->n; i++)
        if (b->atom[i] == e)
            arb_set_d(out, b->value[i]);
}

static void ball_inner(arb_t out, const rf_order *o, const rf_sym *e,
                       arb_srcptr done)
{
    arb_ptr a = _arb_vec_init(e->n);
    for (unsigned i = 0; i < e->n; i++)
        arb_set(a + i, done + rf_order_index(o, e->arg[i]));
    ball_node(out, e, a);
    _arb_vec_clear(a, e->n);
}

static void evaluate(arb_ptr done, const rf_order *o, const assignment *b)
{
    for (size_t i = 0; i < o->nodes.len; i++) {
        const rf_sym *e = o->nodes.data[i];
        if (e->kind == RF_SYM_ATOM || e->kind == RF_SYM_RAT)
            ball_leaf(b, done + i, e);
        else
            ball_inner(done + i, o, e, done);
    }
}

bool rf_values_differ(const rf_sym *x, const rf_sym *y, unsigned n,
                      const rf_sym *const *atom, const double *value)
{
    assignment b = { n, atom, value };
    rf_order o;
    rf_order_init(&o);
    rf_order_add(&o, x);
    rf_order_add(&o, y);
    arb_ptr done = _arb_vec_init(o.nodes.len);
    evaluate(done, &o, &b);
    arb_srcptr u = done + rf_order_index(&o, x);
    arb_srcptr v = done + rf_order_index(&o, y);
    bool differ = arb_is_finite(u) && arb_is_finite(v) && !arb_overlaps(u, v);
    _arb_vec_clear(done, o.nodes.len);
    rf_order_clear(&o);
    return differ;
}
