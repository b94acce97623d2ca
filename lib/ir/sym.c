/* Symbolic expressions: the table, numbers, atoms, substitution.
 *
 * A node is looked up by its contents before it is made, so equal trees are
 * one pointer. Numbers are exact rationals of 64 bits; what leaves that range
 * stays unfolded. The canonical shapes are made in sym_canon.c. */
#include "ir/sym_internal.h"

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

const rf_sym *rf_sym_intern(rf_syms *s, rf_sym e)
{
    if ((s->count + 1) * 2 > s->cap)
        grow_table(s);
    const rf_sym **slot = find_slot(s->slot, s->cap, &e);
    if (!*slot)
        *slot = copy_node(s, &e);
    return *slot;
}

const rf_sym *rf_sym_intern_args(rf_syms *s, rf_sym_kind kind, unsigned n,
                                 const rf_sym *const *args)
{
    return rf_sym_intern(s, (rf_sym){ .kind = kind, .n = n, .arg = args });
}

/* ---- rationals ---- */

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
static bool rat_set(rf_rat *out, wide num, wide den)
{
    wide g = wide_gcd(num, den);
    if (den < 0)
        g = -g;
    num /= g;
    den /= g;
    if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX)
        return false;
    *out = (rf_rat){ (int64_t)num, (int64_t)den };
    return true;
}

bool rf_rat_add(rf_rat *out, rf_rat a, rf_rat b)
{
    return rat_set(out, (wide)a.num * b.den + (wide)b.num * a.den,
                   (wide)a.den * b.den);
}

bool rf_rat_mul(rf_rat *out, rf_rat a, rf_rat b)
{
    return rat_set(out, (wide)a.num * b.num, (wide)a.den * b.den);
}

int rf_rat_cmp(rf_rat a, rf_rat b)
{
    wide d = (wide)a.num * b.den - (wide)b.num * a.den;
    return d < 0 ? -1 : d > 0;
}

rf_rat rf_rat_of(const rf_sym *e)
{
    return (rf_rat){ e->num, e->den };
}

static bool is_rat(const rf_sym *e)
{
    return e->kind == RF_SYM_RAT;
}

bool rf_sym_is_int(const rf_sym *e, int64_t num)
{
    return is_rat(e) && e->num == num && e->den == 1;
}

const rf_sym *rf_sym_from_rat(rf_syms *s, rf_rat r)
{
    return rf_sym_intern(
        s, (rf_sym){ .kind = RF_SYM_RAT, .num = r.num, .den = r.den });
}

const rf_sym *rf_sym_rat(rf_syms *s, int64_t num, int64_t den)
{
    rf_rat r;
    if (rat_set(&r, num, den))
        return rf_sym_from_rat(s, r);
    return rf_sym_real(s, (double)num / (double)den);
}

const rf_sym *rf_sym_int(rf_syms *s, int64_t value)
{
    return rf_sym_rat(s, value, 1);
}

static const rf_sym *named_number(rf_syms *s, double value)
{
    char name[40];
    snprintf(name, sizeof name, "%.17g", value);
    return rf_sym_named(s, RF_SYM_CALL, name, 0, NULL);
}

const rf_sym *rf_sym_real(rf_syms *s, double value)
{
    int exponent;
    if (!isfinite(value))
        return named_number(s, value);
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
    return named_number(s, value);
}

static bool exact_root(int64_t v, int64_t *root)
{
    int64_t r = (int64_t)llround(sqrt((double)v));
    *root = r;
    return v >= 0 && (wide)r * r == v;
}

bool rf_rat_pow(rf_rat *out, rf_rat b, rf_rat e)
{
    if (e.den == 2 && exact_root(b.num, &b.num) && exact_root(b.den, &b.den))
        e.den = 1;
    if (e.den != 1 || e.num > 64 || e.num < -64 || b.num == 0)
        return false;
    if (e.num < 0 && !rat_set(&b, b.den, b.num))
        return false;
    rf_rat r = { 1, 1 };
    for (int64_t i = llabs(e.num); i > 0; i--)
        if (!rf_rat_mul(&r, r, b))
            return false;
    *out = r;
    return true;
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
    return rf_sym_intern(s, (rf_sym){ .kind = RF_SYM_ATOM, .atom = atom });
}

const rf_sym *rf_sym_atom(rf_syms *s, rf_atom_role role, const char *name,
                          const void *key)
{
    return rf_sym_atom_signed(s, role, name, key, RF_SIGN_ANY);
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
        rf_sym_list args = { 0 };
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
