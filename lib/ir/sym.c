/* Symbolic expressions: the table and the canonical constructors.
 *
 * A node is looked up by its contents before it is made, so equal trees are
 * one pointer. The canonical shape, with c, e rational:
 *
 *     sums      flat, rational first, c1*t + c2*t = (c1+c2)*t, sorted by id
 *     products  flat, rational first, b^e1 * b^e2 = b^(e1+e2), sorted by id
 *     c * (a + b) = c*a + c*b        the only product that is distributed
 *     (a*b)^n = a^n * b^n, (a^e)^n = a^(e*n)                for integers n
 *     exp(a)^e = exp(e*a), exp(log(a)) = a, log(exp(a)) = a
 *     max, min, and, or: flat, sorted, without repetition
 *
 * No rule multiplies sums out, so a node is never larger than the sum of its
 * operands. Rationals that leave int64 stay unfolded. */
#include "ir/sym.h"

#include "support/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rf_syms {
    rf_arena *arena;
    const rf_sym **slot; /* open addressing; NULL is free */
    size_t cap;
    unsigned count, atoms;
};

typedef RF_ARRAY(const rf_sym *) nodes;

rf_syms *rf_syms_new(rf_arena *arena)
{
    rf_syms *s = rf_malloc(sizeof *s);
    *s = (rf_syms){ .arena = arena, .cap = 256 };
    s->slot = calloc(s->cap, sizeof *s->slot);
    return s;
}

void rf_syms_free(rf_syms *s)
{
    if (!s)
        return;
    free(s->slot);
    free(s);
}

rf_arena *rf_syms_arena(rf_syms *s)
{
    return s->arena;
}

unsigned rf_syms_count(const rf_syms *s)
{
    return s->count;
}

/* ---- the table ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdu;
}

static uint64_t hash_name(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; name && *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

static uint64_t hash_node(const rf_sym *e)
{
    uint64_t h = mix(e->kind, e->base);
    h = mix(mix(h, (uint64_t)e->num), (uint64_t)e->den);
    h = mix(mix(h, (uintptr_t)e->atom), hash_name(e->name));
    for (unsigned i = 0; i < e->n; i++)
        h = mix(h, e->arg[i]->id);
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 33);
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_node(const rf_sym *a, const rf_sym *b)
{
    return a->kind == b->kind && a->base == b->base && a->num == b->num &&
           a->den == b->den && a->atom == b->atom && a->n == b->n &&
           same_name(a->name, b->name) &&
           (a->n == 0 || memcmp(a->arg, b->arg, a->n * sizeof *a->arg) == 0);
}

static const rf_sym **find_slot(const rf_sym **slot, size_t cap,
                                const rf_sym *e)
{
    size_t i = hash_node(e) & (cap - 1);
    while (slot[i] && !same_node(slot[i], e))
        i = (i + 1) & (cap - 1);
    return &slot[i];
}

static void grow_table(rf_syms *s)
{
    size_t cap = s->cap * 2;
    const rf_sym **slot = calloc(cap, sizeof *slot);
    for (size_t i = 0; i < s->cap; i++)
        if (s->slot[i])
            *find_slot(slot, cap, s->slot[i]) = s->slot[i];
    free(s->slot);
    s->slot = slot;
    s->cap = cap;
}

static unsigned roles_of(const rf_sym *e)
{
    unsigned roles = e->atom ? 1u << e->atom->role : 0;
    for (unsigned i = 0; i < e->n; i++)
        roles |= e->arg[i]->roles;
    return roles;
}

static const rf_sym *copy_node(rf_syms *s, const rf_sym *e)
{
    rf_sym *new = RF_NEW(s->arena, rf_sym);
    *new = *e;
    new->id = s->count++;
    new->roles = roles_of(e);
    if (e->name)
        new->name = rf_arena_strdup(s->arena, e->name);
    if (e->n) {
        const rf_sym **arg = RF_NEW_ARRAY(s->arena, e->n, const rf_sym *);
        memcpy(arg, e->arg, e->n * sizeof *arg);
        new->arg = arg;
    }
    return new;
}

/* The node with the contents of "e", made if it is new. */
static const rf_sym *intern(rf_syms *s, rf_sym e)
{
    if ((s->count + 1) * 2 > s->cap)
        grow_table(s);
    const rf_sym **slot = find_slot(s->slot, s->cap, &e);
    if (!*slot)
        *slot = copy_node(s, &e);
    return *slot;
}

static const rf_sym *intern_args(rf_syms *s, rf_sym_kind kind, unsigned n,
                                 const rf_sym *const *args)
{
    return intern(s, (rf_sym){ .kind = kind, .n = n, .arg = args });
}

/* ---- rationals ---- */

typedef struct {
    int64_t num, den;
} rat;
typedef __int128 wide;

static wide wide_gcd(wide a, wide b)
{
    while (b) {
        wide t = a % b;
        a = b;
        b = t;
    }
    return a < 0 ? -a : a;
}

/* Reduce num / den into "out"; false if it does not fit. */
static bool rat_set(rat *out, wide num, wide den)
{
    wide g = wide_gcd(num, den);
    if (den < 0)
        g = -g;
    num /= g;
    den /= g;
    if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX)
        return false;
    *out = (rat){ (int64_t)num, (int64_t)den };
    return true;
}

static bool rat_add(rat *out, rat a, rat b)
{
    return rat_set(out, (wide)a.num * b.den + (wide)b.num * a.den,
                   (wide)a.den * b.den);
}

static bool rat_mul(rat *out, rat a, rat b)
{
    return rat_set(out, (wide)a.num * b.num, (wide)a.den * b.den);
}

static int rat_cmp(rat a, rat b)
{
    wide d = (wide)a.num * b.den - (wide)b.num * a.den;
    return d < 0 ? -1 : d > 0;
}

static rat value_of(const rf_sym *e)
{
    return (rat){ e->num, e->den };
}

static bool is_rat(const rf_sym *e)
{
    return e->kind == RF_SYM_RAT;
}

bool rf_sym_is_int(const rf_sym *e, int64_t num)
{
    return is_rat(e) && e->num == num && e->den == 1;
}

static const rf_sym *from_rat(rf_syms *s, rat r)
{
    return intern(s,
                  (rf_sym){ .kind = RF_SYM_RAT, .num = r.num, .den = r.den });
}

const rf_sym *rf_sym_rat(rf_syms *s, int64_t num, int64_t den)
{
    rat r;
    if (rat_set(&r, num, den))
        return from_rat(s, r);
    return rf_sym_real(s, (double)num / (double)den);
}

const rf_sym *rf_sym_int(rf_syms *s, int64_t value)
{
    return rf_sym_rat(s, value, 1);
}

const rf_sym *rf_sym_real(rf_syms *s, double value)
{
    int exponent;
    double m = ldexp(frexp(value, &exponent), 53);
    int64_t num = (int64_t)m;
    for (exponent -= 53; num && num % 2 == 0; exponent++)
        num /= 2;
    if (num == 0)
        return rf_sym_int(s, 0);
    if (exponent <= 0 && exponent >= -62)
        return rf_sym_rat(s, num, INT64_C(1) << -exponent);
    if (exponent > 0 && fabs(value) < 9e18)
        return rf_sym_int(s, (int64_t)value);
    char name[40];
    snprintf(name, sizeof name, "%.17g", value);
    return rf_sym_named(s, RF_SYM_CALL, name, 0, NULL);
}

/* ---- atoms ---- */

const rf_sym *rf_sym_atom_signed(rf_syms *s, rf_atom_role role,
                                 const char *name, const void *key,
                                 rf_sign sign)
{
    rf_atom *atom = RF_NEW(s->arena, rf_atom);
    *atom = (rf_atom){ .role = role,
                       .sign = sign,
                       .index = s->atoms++,
                       .name = rf_arena_strdup(s->arena, name),
                       .key = key };
    return intern(s, (rf_sym){ .kind = RF_SYM_ATOM, .atom = atom });
}

const rf_sym *rf_sym_atom(rf_syms *s, rf_atom_role role, const char *name,
                          const void *key)
{
    return rf_sym_atom_signed(s, role, name, key, RF_SIGN_ANY);
}

/* ---- sums and products ---- */

/* One summand c*t or one factor t^c. */
typedef struct {
    const rf_sym *t;
    rat c;
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
            rat_add(&p.c, ps->data[n - 1].c, p.c))
            n--;
        if (p.c.num)
            ps->data[n++] = p;
    }
    ps->len = n;
}

/* t without its rational factor, which multiplies "c". */
static part split_coefficient(rf_syms *s, const rf_sym *t, rat c)
{
    if (t->kind != RF_SYM_MUL || !is_rat(t->arg[0]) ||
        !rat_mul(&c, c, value_of(t->arg[0])))
        return (part){ t, c };
    if (t->n == 2)
        return (part){ t->arg[1], c };
    return (part){ intern_args(s, RF_SYM_MUL, t->n - 1, t->arg + 1), c };
}

static const rf_sym *scaled(rf_syms *s, rat c, const rf_sym *t)
{
    if (c.num == 1 && c.den == 1)
        return t;
    nodes args = { 0 };
    RF_PUSH(args, from_rat(s, c));
    if (t->kind == RF_SYM_MUL)
        for (unsigned i = 0; i < t->n; i++)
            RF_PUSH(args, t->arg[i]);
    else
        RF_PUSH(args, t);
    const rf_sym *e = intern_args(s, RF_SYM_MUL, args.len, args.data);
    RF_CLEAR(args);
    return e;
}

/* Append the summands of c*e to "ps", the rational ones to "constant". */
static void add_summands(rf_syms *s, parts *ps, rat *constant, rat c,
                         const rf_sym *e)
{
    rat v;
    if (e->kind == RF_SYM_ADD) {
        for (unsigned i = 0; i < e->n; i++)
            add_summands(s, ps, constant, c, e->arg[i]);
    } else if (is_rat(e) && rat_mul(&v, c, value_of(e)) &&
               rat_add(&v, *constant, v)) {
        *constant = v;
    } else {
        RF_PUSH(*ps, split_coefficient(s, e, c));
    }
}

static const rf_sym *finish_nary(rf_syms *s, rf_sym_kind kind, nodes *args)
{
    const rf_sym *e = args->len == 1
                          ? args->data[0]
                          : intern_args(s, kind, args->len, args->data);
    RF_CLEAR(*args);
    return e;
}

static const rf_sym *sum_of(rf_syms *s, parts *ps, rat constant)
{
    collect_parts(ps);
    nodes args = { 0 };
    if (constant.num || ps->len == 0)
        RF_PUSH(args, from_rat(s, constant));
    for (size_t i = 0; i < ps->len; i++)
        RF_PUSH(args, scaled(s, ps->data[i].c, ps->data[i].t));
    RF_CLEAR(*ps);
    return finish_nary(s, RF_SYM_ADD, &args);
}

static const rf_sym *make_add(rf_syms *s, rat c, unsigned n,
                              const rf_sym *const *args)
{
    parts ps = { 0 };
    rat constant = { 0, 1 };
    for (unsigned i = 0; i < n; i++)
        add_summands(s, &ps, &constant, c, args[i]);
    return sum_of(s, &ps, constant);
}

static void add_factors(parts *ps, rat *constant, const rf_sym *e)
{
    if (e->kind == RF_SYM_MUL) {
        for (unsigned i = 0; i < e->n; i++)
            add_factors(ps, constant, e->arg[i]);
    } else if (!is_rat(e) || !rat_mul(constant, *constant, value_of(e))) {
        bool power = e->kind == RF_SYM_POW && is_rat(e->arg[1]);
        RF_PUSH(*ps, power ? (part){ e->arg[0], value_of(e->arg[1]) }
                           : (part){ e, { 1, 1 } });
    }
}

static const rf_sym *make_pow(rf_syms *s, const rf_sym *b, const rf_sym *e);

static const rf_sym *product_of(rf_syms *s, parts *ps, rat constant)
{
    collect_parts(ps);
    nodes args = { 0 };
    if (constant.num == 0)
        ps->len = 0;
    for (size_t i = 0; i < ps->len; i++) {
        part p = ps->data[i];
        const rf_sym *f = make_pow(s, p.t, from_rat(s, p.c));
        if (!is_rat(f) || !rat_mul(&constant, constant, value_of(f)))
            RF_PUSH(args, f);
    }
    RF_CLEAR(*ps);
    if (args.len == 0 || constant.num != 1 || constant.den != 1) {
        RF_PUSH(args, from_rat(s, constant));
        memmove(args.data + 1, args.data, (args.len - 1) * sizeof *args.data);
        args.data[0] = from_rat(s, constant);
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
    rat constant = { 1, 1 };
    for (unsigned i = 0; i < n; i++)
        add_factors(&ps, &constant, args[i]);
    return product_of(s, &ps, constant);
}

/* ---- powers, exponentials, logarithms ---- */

static bool exact_root(int64_t v, int64_t *root)
{
    int64_t r = (int64_t)llround(sqrt((double)v));
    *root = r;
    return v >= 0 && (wide)r * r == v;
}

/* b^e for rationals, when the value is one that fits. */
static bool rat_pow(rat *out, rat b, rat e)
{
    if (e.den == 2 && exact_root(b.num, &b.num) && exact_root(b.den, &b.den))
        e.den = 1;
    if (e.den != 1 || e.num > 64 || e.num < -64 || b.num == 0)
        return false;
    if (e.num < 0 && !rat_set(&b, b.den, b.num))
        return false;
    rat r = { 1, 1 };
    for (int64_t i = llabs(e.num); i > 0; i--)
        if (!rat_mul(&r, r, b))
            return false;
    *out = r;
    return true;
}

static const rf_sym *pow_factors(rf_syms *s, const rf_sym *b, const rf_sym *e)
{
    nodes args = { 0 };
    for (unsigned i = 0; i < b->n; i++)
        RF_PUSH(args, make_pow(s, b->arg[i], e));
    const rf_sym *r = make_mul(s, args.len, args.data);
    RF_CLEAR(args);
    return r;
}

/* Powers of rational exponent "e". */
static const rf_sym *pow_rational(rf_syms *s, const rf_sym *b, const rf_sym *e)
{
    rat v;
    if (rf_sym_is_int(b, 0) && e->num > 0)
        return b;
    if (is_rat(b) && rat_pow(&v, value_of(b), value_of(e)))
        return from_rat(s, v);
    if (b->kind == RF_SYM_EXP)
        return rf_sym_exp(s, b->base, rf_sym_mul(s, e, b->arg[0]));
    if (e->den == 1 && b->kind == RF_SYM_MUL)
        return pow_factors(s, b, e);
    if (e->den == 1 && b->kind == RF_SYM_POW)
        return make_pow(s, b->arg[0], rf_sym_mul(s, b->arg[1], e));
    return intern_args(s, RF_SYM_POW, 2, (const rf_sym *[]){ b, e });
}

static const rf_sym *make_pow(rf_syms *s, const rf_sym *b, const rf_sym *e)
{
    if (rf_sym_is_int(e, 1))
        return b;
    if (rf_sym_is_int(e, 0) || rf_sym_is_int(b, 1))
        return rf_sym_int(s, 1);
    if (is_rat(e))
        return pow_rational(s, b, e);
    return intern_args(s, RF_SYM_POW, 2, (const rf_sym *[]){ b, e });
}

const rf_sym *rf_sym_exp(rf_syms *s, unsigned base, const rf_sym *a)
{
    if (rf_sym_is_int(a, 0))
        return rf_sym_int(s, 1);
    if (a->kind == RF_SYM_LOG && base == 0)
        return a->arg[0];
    return intern(
        s, (rf_sym){ .kind = RF_SYM_EXP, .base = base, .n = 1, .arg = &a });
}

static const rf_sym *make_log(rf_syms *s, const rf_sym *a)
{
    if (rf_sym_is_int(a, 1))
        return rf_sym_int(s, 0);
    if (a->kind == RF_SYM_EXP && a->base == 0)
        return a->arg[0];
    return intern_args(s, RF_SYM_LOG, 1, &a);
}

static const rf_sym *make_abs(rf_syms *s, const rf_sym *a)
{
    if (is_rat(a))
        return rf_sym_rat(s, a->num < 0 ? -a->num : a->num, a->den);
    if (a->kind == RF_SYM_ABS || a->kind == RF_SYM_EXP)
        return a;
    return intern_args(s, RF_SYM_ABS, 1, &a);
}

/* ---- lattices: max, min, and, or ---- */

/* The rational that absorbs the others, and the one that is absorbed. */
static const rf_sym *fold_lattice(rf_sym_kind kind, const rf_sym *a,
                                  const rf_sym *b)
{
    bool larger = rat_cmp(value_of(a), value_of(b)) >= 0;
    return (kind == RF_SYM_MAX || kind == RF_SYM_OR) == larger ? a : b;
}

static void add_operands(nodes *out, const rf_sym **constant, rf_sym_kind kind,
                         const rf_sym *e)
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
    nodes out = { 0 };
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
        int c = rat_cmp(value_of(a), value_of(b));
        return rf_sym_int(s, kind != RF_SYM_EQ && c < 0);
    }
    bool swap = kind == RF_SYM_EQ && a->id > b->id;
    return intern_args(s, kind, 2,
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
    return intern_args(s, RF_SYM_NOT, 1, &a);
}

static const rf_sym *make_select(rf_syms *s, const rf_sym *const *a)
{
    if (is_rat(a[0]))
        return a[0]->num ? a[1] : a[2];
    if (a[1] == a[2])
        return a[1];
    if (a[0]->kind == RF_SYM_NOT)
        return make_select(s, (const rf_sym *[]){ a[0]->arg[0], a[2], a[1] });
    return intern_args(s, RF_SYM_SELECT, 3, a);
}

const rf_sym *rf_sym_make(rf_syms *s, rf_sym_kind kind, unsigned n,
                          const rf_sym *const *a)
{
    switch (kind) {
    case RF_SYM_ADD:
        return make_add(s, (rat){ 1, 1 }, n, a);
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
    return intern_args(s, kind, n, a);
}

const rf_sym *rf_sym_named(rf_syms *s, rf_sym_kind kind, const char *name,
                           unsigned n, const rf_sym *const *args)
{
    return intern(s,
                  (rf_sym){ .kind = kind, .name = name, .n = n, .arg = args });
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

/* ---- substitution and questions ---- */

typedef struct {
    rf_syms *syms;
    unsigned n;
    const rf_sym *const *from, *const *to;
    const rf_sym **done; /* by id; NULL: not yet */
} substitution;

static const rf_sym *subst_node(substitution *q, const rf_sym *e)
{
    if (q->done[e->id])
        return q->done[e->id];
    const rf_sym *r = NULL;
    for (unsigned i = 0; i < q->n && !r; i++)
        if (q->from[i] == e)
            r = q->to[i];
    if (!r) {
        nodes args = { 0 };
        for (unsigned i = 0; i < e->n; i++)
            RF_PUSH(args, subst_node(q, e->arg[i]));
        r = rf_sym_rebuild(q->syms, e, args.data);
        RF_CLEAR(args);
    }
    return q->done[e->id] = r;
}

const rf_sym *rf_sym_subst(rf_syms *s, const rf_sym *e, unsigned n,
                           const rf_sym *const *from, const rf_sym *const *to)
{
    substitution q = { s, n, from, to, calloc(e->id + 1, sizeof(void *)) };
    const rf_sym *r = subst_node(&q, e);
    free(q.done);
    return r;
}

bool rf_sym_has_role(const rf_sym *e, rf_atom_role role)
{
    return e->roles >> role & 1;
}

/* Operands are older than their node, so younger trees need no look. */
static bool find_node(const rf_sym *e, const rf_sym *node, bool *seen)
{
    if (e == node)
        return true;
    if (e->id < node->id || seen[e->id])
        return false;
    seen[e->id] = true;
    for (unsigned i = 0; i < e->n; i++)
        if (find_node(e->arg[i], node, seen))
            return true;
    return false;
}

bool rf_sym_mentions(const rf_sym *e, const rf_sym *node)
{
    bool *seen = calloc(e->id + 1, sizeof *seen);
    bool found = find_node(e, node, seen);
    free(seen);
    return found;
}
