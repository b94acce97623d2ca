/* Symbolic expressions: the canonical constructors. With c, e rational:
 *
 *     sums      flat, rational first, c1*t + c2*t = (c1+c2)*t, sorted by id
 *     products  flat, rational first, b^e1 * b^e2 = b^(e1+e2), sorted by id
 *     c * (a + b) = c*a + c*b        the only product that is distributed
 *     (a*b)^n = a^n * b^n, (a^e)^n = a^(e*n)                for integers n
 *     exp(a)^e = exp(e*a), exp(log(a)) = a, log(exp(a)) = a
 *     max, min, and, or: flat, sorted, without repetition
 *
 * No rule multiplies sums out, so a node is never larger than the sum of its
 * operands. */
#include "ir/sym_internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_rat(const rf_sym *e)
{
    return e->kind == RF_SYM_RAT;
}

/* ---- sums and products ---- */

/* One summand c*t or one factor t^c. */
typedef struct {
    const rf_sym *t;
    rf_rat c;
} part;
typedef RF_ARRAY(part) parts;

static int by_id(const void *a, const void *b)
{
    unsigned x = ((const part *)a)->t->id, y = ((const part *)b)->t->id;
    return x < y ? -1 : x > y;
}

/* Sort "ps" and add up the coefficients of equal t; drop zeros. */
static void collect_parts(parts *ps)
{
    if (ps->len)
        qsort(ps->data, ps->len, sizeof *ps->data, by_id);
    size_t n = 0;
    for (size_t i = 0; i < ps->len; i++) {
        part p = ps->data[i];
        if (n && ps->data[n - 1].t == p.t &&
            rf_rat_add(&p.c, ps->data[n - 1].c, p.c))
            n--;
        if (p.c.num)
            ps->data[n++] = p;
    }
    ps->len = n;
}

/* t without its rational factor, which multiplies "c". */
static part split_coefficient(rf_syms *s, const rf_sym *t, rf_rat c)
{
    if (t->kind != RF_SYM_MUL || !is_rat(t->arg[0]) ||
        !rf_rat_mul(&c, c, rf_rat_of(t->arg[0])))
        return (part){ t, c };
    if (t->n == 2)
        return (part){ t->arg[1], c };
    return (part){ rf_sym_intern_args(s, RF_SYM_MUL, t->n - 1, t->arg + 1), c };
}

static const rf_sym *scaled(rf_syms *s, rf_rat c, const rf_sym *t)
{
    if (c.num == 1 && c.den == 1)
        return t;
    rf_sym_list args = { 0 };
    RF_PUSH(args, rf_sym_from_rat(s, c));
    if (t->kind == RF_SYM_MUL)
        for (unsigned i = 0; i < t->n; i++)
            RF_PUSH(args, t->arg[i]);
    else
        RF_PUSH(args, t);
    const rf_sym *e = rf_sym_intern_args(s, RF_SYM_MUL, args.len, args.data);
    RF_CLEAR(args);
    return e;
}

/* Append the summands of c*e to "ps", the rational ones to "constant". */
static void add_summands(rf_syms *s, parts *ps, rf_rat *constant, rf_rat c,
                         const rf_sym *e)
{
    rf_rat v;
    if (e->kind == RF_SYM_ADD) {
        for (unsigned i = 0; i < e->n; i++)
            add_summands(s, ps, constant, c, e->arg[i]);
    } else if (is_rat(e) && rf_rat_mul(&v, c, rf_rat_of(e)) &&
               rf_rat_add(&v, *constant, v)) {
        *constant = v;
    } else {
        RF_PUSH(*ps, split_coefficient(s, e, c));
    }
}

static const rf_sym *finish_nary(rf_syms *s, rf_sym_kind kind,
                                 rf_sym_list *args)
{
    const rf_sym *e = args->len == 1
                          ? args->data[0]
                          : rf_sym_intern_args(s, kind, args->len, args->data);
    RF_CLEAR(*args);
    return e;
}

static const rf_sym *sum_of(rf_syms *s, parts *ps, rf_rat constant)
{
    collect_parts(ps);
    rf_sym_list args = { 0 };
    if (constant.num || ps->len == 0)
        RF_PUSH(args, rf_sym_from_rat(s, constant));
    for (size_t i = 0; i < ps->len; i++)
        RF_PUSH(args, scaled(s, ps->data[i].c, ps->data[i].t));
    RF_CLEAR(*ps);
    return finish_nary(s, RF_SYM_ADD, &args);
}

static const rf_sym *make_add(rf_syms *s, rf_rat c, unsigned n,
                              const rf_sym *const *args)
{
    parts ps = { 0 };
    rf_rat constant = { 0, 1 };
    for (unsigned i = 0; i < n; i++)
        add_summands(s, &ps, &constant, c, args[i]);
    return sum_of(s, &ps, constant);
}

static void add_factors(parts *ps, rf_rat *constant, const rf_sym *e)
{
    if (e->kind == RF_SYM_MUL) {
        for (unsigned i = 0; i < e->n; i++)
            add_factors(ps, constant, e->arg[i]);
    } else if (!is_rat(e) || !rf_rat_mul(constant, *constant, rf_rat_of(e))) {
        bool power = e->kind == RF_SYM_POW && is_rat(e->arg[1]);
        RF_PUSH(*ps, power ? (part){ e->arg[0], rf_rat_of(e->arg[1]) }
                           : (part){ e, { 1, 1 } });
    }
}

static const rf_sym *make_pow(rf_syms *s, const rf_sym *b, const rf_sym *e);

static const rf_sym *product_of(rf_syms *s, parts *ps, rf_rat constant)
{
    collect_parts(ps);
    rf_sym_list args = { 0 };
    if (constant.num == 0)
        ps->len = 0;
    for (size_t i = 0; i < ps->len; i++) {
        part p = ps->data[i];
        const rf_sym *f = make_pow(s, p.t, rf_sym_from_rat(s, p.c));
        if (!is_rat(f) || !rf_rat_mul(&constant, constant, rf_rat_of(f)))
            RF_PUSH(args, f);
    }
    RF_CLEAR(*ps);
    if (args.len == 0 || constant.num != 1 || constant.den != 1) {
        RF_PUSH(args, rf_sym_from_rat(s, constant));
        memmove(args.data + 1, args.data, (args.len - 1) * sizeof *args.data);
        args.data[0] = rf_sym_from_rat(s, constant);
    }
    if (args.len == 2 && is_rat(args.data[0]) &&
        args.data[1]->kind == RF_SYM_ADD) {
        const rf_sym *e = make_add(s, constant, 1, args.data + 1);
        RF_CLEAR(args);
        return e;
    }
    return finish_nary(s, RF_SYM_MUL, &args);
}

static const rf_sym *make_mul(rf_syms *s, unsigned n, const rf_sym *const *args)
{
    parts ps = { 0 };
    rf_rat constant = { 1, 1 };
    for (unsigned i = 0; i < n; i++)
        add_factors(&ps, &constant, args[i]);
    return product_of(s, &ps, constant);
}

/* ---- powers, exponentials, logarithms ---- */

static const rf_sym *pow_factors(rf_syms *s, const rf_sym *b, const rf_sym *e)
{
    rf_sym_list args = { 0 };
    for (unsigned i = 0; i < b->n; i++)
        RF_PUSH(args, make_pow(s, b->arg[i], e));
    const rf_sym *r = make_mul(s, args.len, args.data);
    RF_CLEAR(args);
    return r;
}

/* Powers of rational exponent "e". */
static const rf_sym *pow_rational(rf_syms *s, const rf_sym *b, const rf_sym *e)
{
    rf_rat v;
    if (rf_sym_is_int(b, 0) && e->num > 0)
        return b;
    if (is_rat(b) && rf_rat_pow(&v, rf_rat_of(b), rf_rat_of(e)))
        return rf_sym_from_rat(s, v);
    if (b->kind == RF_SYM_EXP)
        return rf_sym_exp(s, b->base, rf_sym_mul(s, e, b->arg[0]));
    if (e->den == 1 && b->kind == RF_SYM_MUL)
        return pow_factors(s, b, e);
    if (e->den == 1 && b->kind == RF_SYM_POW)
        return make_pow(s, b->arg[0], rf_sym_mul(s, b->arg[1], e));
    return rf_sym_intern_args(s, RF_SYM_POW, 2, (const rf_sym *[]){ b, e });
}

static const rf_sym *make_pow(rf_syms *s, const rf_sym *b, const rf_sym *e)
{
    if (rf_sym_is_int(e, 1))
        return b;
    if (rf_sym_is_int(e, 0) || rf_sym_is_int(b, 1))
        return rf_sym_int(s, 1);
    if (is_rat(e))
        return pow_rational(s, b, e);
    return rf_sym_intern_args(s, RF_SYM_POW, 2, (const rf_sym *[]){ b, e });
}

const rf_sym *rf_sym_exp(rf_syms *s, unsigned base, const rf_sym *a)
{
    if (rf_sym_is_int(a, 0))
        return rf_sym_int(s, 1);
    if (a->kind == RF_SYM_LOG && base == 0)
        return a->arg[0];
    return rf_sym_intern(
        s, (rf_sym){ .kind = RF_SYM_EXP, .base = base, .n = 1, .arg = &a });
}

static const rf_sym *make_log(rf_syms *s, const rf_sym *a)
{
    if (rf_sym_is_int(a, 1))
        return rf_sym_int(s, 0);
    if (a->kind == RF_SYM_EXP && a->base == 0)
        return a->arg[0];
    return rf_sym_intern_args(s, RF_SYM_LOG, 1, &a);
}

static const rf_sym *make_abs(rf_syms *s, const rf_sym *a)
{
    if (is_rat(a))
        return rf_sym_rat(s, a->num < 0 ? -a->num : a->num, a->den);
    if (a->kind == RF_SYM_ABS || a->kind == RF_SYM_EXP)
        return a;
    return rf_sym_intern_args(s, RF_SYM_ABS, 1, &a);
}

/* ---- lattices: max, min, and, or ---- */

/* The rational that absorbs the others, and the one that is absorbed. */
static const rf_sym *fold_lattice(rf_sym_kind kind, const rf_sym *a,
                                  const rf_sym *b)
{
    bool larger = rf_rat_cmp(rf_rat_of(a), rf_rat_of(b)) >= 0;
    return (kind == RF_SYM_MAX || kind == RF_SYM_OR) == larger ? a : b;
}

static void add_operands(rf_sym_list *out, const rf_sym **constant,
                         rf_sym_kind kind, const rf_sym *e)
{
    if (e->kind == kind) {
        for (unsigned i = 0; i < e->n; i++)
            add_operands(out, constant, kind, e->arg[i]);
    } else if (is_rat(e)) {
        *constant = *constant ? fold_lattice(kind, *constant, e) : e;
    } else {
        RF_PUSH(*out, e);
    }
}

static int node_by_id(const void *a, const void *b)
{
    unsigned x = (*(const rf_sym *const *)a)->id;
    unsigned y = (*(const rf_sym *const *)b)->id;
    return x < y ? -1 : x > y;
}

static const rf_sym *make_lattice(rf_syms *s, rf_sym_kind kind, unsigned n,
                                  const rf_sym *const *args)
{
    rf_sym_list out = { 0 };
    const rf_sym *constant = NULL;
    bool logic = kind == RF_SYM_AND || kind == RF_SYM_OR;
    for (unsigned i = 0; i < n; i++)
        add_operands(&out, &constant, kind, args[i]);
    if (logic && constant && constant->num == (kind == RF_SYM_OR))
        out.len = 0;
    if (constant && (!logic || out.len == 0))
        RF_PUSH(out, constant);
    if (out.len == 0)
        RF_PUSH(out, rf_sym_int(s, kind == RF_SYM_AND));
    qsort(out.data, out.len, sizeof *out.data, node_by_id);
    size_t m = 1;
    for (size_t i = 1; i < out.len; i++)
        if (out.data[i] != out.data[m - 1])
            out.data[m++] = out.data[i];
    out.len = m;
    return finish_nary(s, kind, &out);
}

/* ---- relations and choices ---- */

static const rf_sym *make_relation(rf_syms *s, rf_sym_kind kind,
                                   const rf_sym *a, const rf_sym *b)
{
    if (a == b)
        return rf_sym_int(s, kind != RF_SYM_LT);
    if (is_rat(a) && is_rat(b)) {
        int c = rf_rat_cmp(rf_rat_of(a), rf_rat_of(b));
        return rf_sym_int(s, kind != RF_SYM_EQ && c < 0);
    }
    bool swap = kind == RF_SYM_EQ && a->id > b->id;
    return rf_sym_intern_args(s, kind, 2,
                              swap ? (const rf_sym *[]){ b, a }
                                   : (const rf_sym *[]){ a, b });
}

static const rf_sym *make_not(rf_syms *s, const rf_sym *a)
{
    if (is_rat(a))
        return rf_sym_int(s, a->num == 0);
    if (a->kind == RF_SYM_NOT)
        return a->arg[0];
    if (a->kind == RF_SYM_LT)
        return make_relation(s, RF_SYM_LE, a->arg[1], a->arg[0]);
    if (a->kind == RF_SYM_LE)
        return make_relation(s, RF_SYM_LT, a->arg[1], a->arg[0]);
    return rf_sym_intern_args(s, RF_SYM_NOT, 1, &a);
}

static const rf_sym *make_select(rf_syms *s, const rf_sym *const *a)
{
    if (is_rat(a[0]))
        return a[0]->num ? a[1] : a[2];
    if (a[1] == a[2])
        return a[1];
    if (a[0]->kind == RF_SYM_NOT)
        return make_select(s, (const rf_sym *[]){ a[0]->arg[0], a[2], a[1] });
    return rf_sym_intern_args(s, RF_SYM_SELECT, 3, a);
}

const rf_sym *rf_sym_make(rf_syms *s, rf_sym_kind kind, unsigned n,
                          const rf_sym *const *a)
{
    switch (kind) {
    case RF_SYM_ADD:
        return make_add(s, (rf_rat){ 1, 1 }, n, a);
    case RF_SYM_MUL:
        return make_mul(s, n, a);
    case RF_SYM_POW:
        return make_pow(s, a[0], a[1]);
    case RF_SYM_EXP:
        return rf_sym_exp(s, 0, a[0]);
    case RF_SYM_LOG:
        return make_log(s, a[0]);
    case RF_SYM_ABS:
        return make_abs(s, a[0]);
    case RF_SYM_MAX:
    case RF_SYM_MIN:
    case RF_SYM_AND:
    case RF_SYM_OR:
        return make_lattice(s, kind, n, a);
    case RF_SYM_LT:
    case RF_SYM_LE:
    case RF_SYM_EQ:
        return make_relation(s, kind, a[0], a[1]);
    case RF_SYM_NOT:
        return make_not(s, a[0]);
    case RF_SYM_SELECT:
        return make_select(s, a);
    case RF_SYM_RAT:
    case RF_SYM_ATOM:
    case RF_SYM_ROUND:
    case RF_SYM_CALL:
        break;
    }
    return rf_sym_intern_args(s, kind, n, a);
}

const rf_sym *rf_sym_named(rf_syms *s, rf_sym_kind kind, const char *name,
                           unsigned n, const rf_sym *const *args)
{
    return rf_sym_intern(
        s, (rf_sym){ .kind = kind, .name = name, .n = n, .arg = args });
}

const rf_sym *rf_sym_rebuild(rf_syms *s, const rf_sym *e,
                             const rf_sym *const *args)
{
    if (e->n == 0)
        return e;
    if (e->kind == RF_SYM_EXP)
        return rf_sym_exp(s, e->base, args[0]);
    if (e->name)
        return rf_sym_named(s, e->kind, e->name, e->n, args);
    return rf_sym_make(s, e->kind, e->n, args);
}

/* name, kind */
#define UNARY(X) X(abs, ABS) X(log, LOG) X(not, NOT)
#define BINARY(X)                                                              \
    X(add, ADD)                                                                \
    X(mul, MUL)                                                                \
    X(pow, POW) X(max, MAX) X(min, MIN) X(lt, LT) X(le, LE) X(eq, EQ)

#define X(name, KIND)                                                          \
    const rf_sym *rf_sym_##name(rf_syms *s, const rf_sym *a)                   \
    {                                                                          \
        return rf_sym_make(s, RF_SYM_##KIND, 1, &a);                           \
    }
UNARY(X)
#undef X

#define X(name, KIND)                                                          \
    const rf_sym *rf_sym_##name(rf_syms *s, const rf_sym *a, const rf_sym *b)  \
    {                                                                          \
        return rf_sym_make(s, RF_SYM_##KIND, 2, (const rf_sym *[]){ a, b });   \
    }
BINARY(X)
#undef X

const rf_sym *rf_sym_neg(rf_syms *s, const rf_sym *a)
{
    return rf_sym_mul(s, rf_sym_int(s, -1), a);
}

const rf_sym *rf_sym_sub(rf_syms *s, const rf_sym *a, const rf_sym *b)
{
    return rf_sym_add(s, a, rf_sym_neg(s, b));
}

const rf_sym *rf_sym_div(rf_syms *s, const rf_sym *a, const rf_sym *b)
{
    return rf_sym_mul(s, a, rf_sym_pow(s, b, rf_sym_int(s, -1)));
}

const rf_sym *rf_sym_sqrt(rf_syms *s, const rf_sym *a)
{
    return rf_sym_pow(s, a, rf_sym_rat(s, 1, 2));
}

const rf_sym *rf_sym_select(rf_syms *s, const rf_sym *c, const rf_sym *a,
                            const rf_sym *b)
{
    return rf_sym_make(s, RF_SYM_SELECT, 3, (const rf_sym *[]){ c, a, b });
}
