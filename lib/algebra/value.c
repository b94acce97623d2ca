/* Values of expressions at a point, in double precision. Functions that the
 * algebra does not know get an arbitrary smooth value that depends on all
 * their arguments. */
#include "algebra/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rounding and named functions ---- */

/* name, precision in bits, least exponent of a normal number, largest value */
#define FORMATS(X)                                                             \
    X("f64", 53, -1022, 1.7976931348623157e308)                                \
    X("f32", 24, -126, 3.4028234663852886e38)                                  \
    X("f16", 11, -14, 65504.0)                                                 \
    X("bf16", 8, -126, 3.3895313892515355e38)                                  \
    X("e4m3", 4, -6, 448.0)                                                    \
    X("e5m2", 3, -14, 57344.0)

static double round_to(double v, int bits, int least, double largest)
{
    if (v == 0 || !isfinite(v))
        return v;
    int e = ilogb(v) < least ? least : ilogb(v);
    double r = ldexp(nearbyint(ldexp(v, bits - 1 - e)), e - bits + 1);
    return fabs(r) > largest ? copysign(largest, r) : r;
}

static double smooth(const char *name, unsigned n, const double *a)
{
    double h = 0, v = 0;
    for (; *name; name++)
        h = fmod(h * 31 + *name, 97);
    for (unsigned i = 0; i < n; i++)
        v += sin(a[i] * (1 + 0.3 * i) + h + i) + 0.2 * a[i];
    return v;
}

double rf_round_value(const char *name, double v)
{
#define X(format, bits, least, largest)                                        \
    if (strcmp(name, format) == 0)                                             \
        return round_to(v, bits, least, largest);
    FORMATS(X)
#undef X
    if (name[0] == 'i' || name[0] == 'u')
        return trunc(v);
    return smooth(name, 1, &v);
}

/* functions of one argument of <math.h> */
#define FUNCTIONS(X)                                                           \
    X(tanh)                                                                    \
    X(erf)                                                                     \
    X(erfc)                                                                    \
    X(sin)                                                                     \
    X(cos)                                                                     \
    X(tan)                                                                     \
    X(asin)                                                                    \
    X(acos)                                                                    \
    X(atan)                                                                    \
    X(sinh)                                                                    \
    X(cosh)                                                                    \
    X(asinh)                                                                   \
    X(acosh)                                                                   \
    X(atanh)                                                                   \
    X(cbrt)                                                                    \
    X(expm1)                                                                   \
    X(log1p)                                                                   \
    X(floor) X(ceil) X(trunc) X(rint) X(round) X(tgamma) X(lgamma) X(fabs)

static double call_value(const rf_sym *e, const double *a)
{
    if (e->n == 0) {
        char *slash;
        double v = strtod(e->name, &slash);
        return *slash == '/' ? v / strtod(slash + 1, NULL) : v;
    }
#define X(f)                                                                   \
    if (e->n == 1 && strcmp(e->name, #f) == 0)                                 \
        return f(a[0]);
    FUNCTIONS(X)
#undef X
    return smooth(e->name, e->n, a);
}

/* ---- nodes ---- */

static double fold_value(const rf_sym *e, const double *a)
{
    double v = a[0];
    for (unsigned i = 1; i < e->n; i++)
        switch (e->kind) {
        case RF_SYM_ADD:
            v += a[i];
            break;
        case RF_SYM_MUL:
            v *= a[i];
            break;
        case RF_SYM_MAX:
        case RF_SYM_OR:
            v = a[i] > v || isnan(a[i]) ? a[i] : v;
            break;
        default:
            v = a[i] < v || isnan(a[i]) ? a[i] : v;
            break;
        }
    return v;
}

static double exp_value(unsigned base, double a)
{
    return base == 0 ? exp(a) : pow(base, a);
}

static double node_value(const rf_sym *e, const double *a)
{
    switch (e->kind) {
    case RF_SYM_POW:
        return a[0] == 0 && a[1] < 0 ? NAN : pow(a[0], a[1]);
    case RF_SYM_EXP:
        return exp_value(e->base, a[0]);
    case RF_SYM_LOG:
        return a[0] > 0 ? log(a[0]) : NAN;
    case RF_SYM_ABS:
        return fabs(a[0]);
    case RF_SYM_SELECT:
        return isnan(a[0]) ? NAN : a[0] != 0 ? a[1] : a[2];
    case RF_SYM_LT:
        return a[0] < a[1];
    case RF_SYM_LE:
        return a[0] <= a[1];
    case RF_SYM_EQ:
        return a[0] == a[1];
    case RF_SYM_NOT:
        return a[0] == 0;
    case RF_SYM_ROUND:
        return rf_round_value(e->name, a[0]);
    case RF_SYM_CALL:
        return call_value(e, a);
    default:
        return fold_value(e, a);
    }
}

static double atom_value(const rf_sym *e, unsigned n, const rf_sym *const *atom,
                         const double *value)
{
    for (unsigned i = 0; i < n; i++)
        if (atom[i] == e)
            return value[i];
    return NAN;
}

static double inner_value(const rf_order *o, const rf_sym *e,
                          const double *done)
{
    double few[8] = { NAN };
    double *a = e->n > RF_COUNTOF(few) ? calloc(e->n, sizeof *a) : few;
    for (unsigned i = 0; i < e->n; i++)
        a[i] = done[rf_order_index(o, e->arg[i])];
    double v = node_value(e, a);
    if (a != few)
        free(a);
    return v;
}

double rf_order_value(const rf_order *o, unsigned n, const rf_sym *const *atom,
                      const double *value)
{
    double *done = calloc(o->nodes.len + 1, sizeof *done), v = NAN;
    for (size_t i = 0; i < o->nodes.len; i++) {
        const rf_sym *e = o->nodes.data[i];
        v = e->kind == RF_SYM_ATOM  ? atom_value(e, n, atom, value)
            : e->kind == RF_SYM_RAT ? (double)e->num / (double)e->den
                                    : inner_value(o, e, done);
        done[i] = v;
    }
    free(done);
    return v;
}

double rf_sym_value(const rf_sym *e, unsigned n, const rf_sym *const *atom,
                    const double *value)
{
    rf_order o;
    rf_order_init(&o);
    rf_order_add(&o, e);
    double v = rf_order_value(&o, n, atom, value);
    rf_order_clear(&o);
    return v;
}

/* ---- atoms of an expression ---- */

static int oldest_first(const void *a, const void *b)
{
    unsigned x = (*(const rf_sym *const *)a)->id;
    unsigned y = (*(const rf_sym *const *)b)->id;
    return x < y ? -1 : x > y;
}

void rf_collect_atoms(rf_nodes *out, const rf_sym *e)
{
    rf_order o;
    size_t n = 0;
    rf_order_init(&o);
    rf_order_add(&o, e);
    for (size_t i = 0; i < o.nodes.len; i++)
        if (o.nodes.data[i]->kind == RF_SYM_ATOM)
            RF_PUSH(*out, o.nodes.data[i]);
    rf_order_clear(&o);
    if (out->len > 1)
        qsort(out->data, out->len, sizeof *out->data, oldest_first);
    for (size_t i = 0; i < out->len; i++)
        if (n == 0 || out->data[n - 1] != out->data[i])
            out->data[n++] = out->data[i];
    out->len = n;
}

bool rf_mentions_any(const rf_sym *e, unsigned n, const rf_sym *const *nodes)
{
    for (unsigned i = 0; i < n; i++)
        if (rf_sym_mentions(e, nodes[i]))
            return true;
    return false;
}
