/* Indices as polynomials over the integers, so that x[(i + 1) - 1] and x[i],
 * or x[(r + 1) * w] and x[r * w + w], are one element. */
#include "proof/proving.h"

#include <string.h>

enum { MAX_FACTORS = 4, MAX_TERMS = 16 };

typedef struct {
    int64_t k;
    unsigned n;
    const rf_val *factor[MAX_FACTORS]; /* by id */
} term;

typedef struct {
    unsigned n;
    term t[MAX_TERMS];
    bool failed;
} polynomial;

static bool same_factors(const term *a, const term *b)
{
    return a->n == b->n &&
           !memcmp(a->factor, b->factor, a->n * sizeof *a->factor);
}

static void add_term(polynomial *p, const term *t)
{
    for (unsigned i = 0; i < p->n; i++)
        if (same_factors(&p->t[i], t)) {
            p->failed |= __builtin_add_overflow(p->t[i].k, t->k, &p->t[i].k);
            return;
        }
    if (p->n == MAX_TERMS)
        p->failed = true;
    else
        p->t[p->n++] = *t;
}

static void multiply(polynomial *out, const term *a, const term *b)
{
    term r = { .n = 0 };
    unsigned i = 0, k = 0;
    out->failed |= __builtin_mul_overflow(a->k, b->k, &r.k);
    while (i < a->n || k < b->n) {
        bool left =
            k == b->n || (i < a->n && a->factor[i]->id <= b->factor[k]->id);
        if (r.n == MAX_FACTORS) {
            out->failed = true;
            return;
        }
        r.factor[r.n++] = left ? a->factor[i++] : b->factor[k++];
    }
    add_term(out, &r);
}

static bool is_integer(const rf_val *v)
{
    return v->type && v->type->kind == RF_TYPE_INT;
}

static void read(polynomial *out, const rf_val *v)
{
    int64_t k;
    if (rf_val_is_int(v, &k)) {
        add_term(out, &(term){ .k = k });
    } else if (v->kind == RF_VAL_CAST && is_integer(v) &&
               is_integer(v->arg[0])) {
        read(out, v->arg[0]);
    } else if (v->kind == RF_VAL_OP && v->op >= RF_OP_ADD &&
               v->op <= RF_OP_MUL && is_integer(v)) {
        polynomial a = { 0 }, b = { 0 };
        read(&a, v->arg[0]);
        read(&b, v->arg[1]);
        out->failed |= a.failed || b.failed;
        if (v->op != RF_OP_MUL)
            for (unsigned i = 0; i < a.n; i++)
                add_term(out, &a.t[i]);
        for (unsigned i = 0; i < b.n; i++)
            for (unsigned j = 0; v->op == RF_OP_MUL && j < a.n; j++)
                multiply(out, &a.t[j], &b.t[i]);
        for (unsigned i = 0; v->op != RF_OP_MUL && i < b.n; i++) {
            b.t[i].k *= v->op == RF_OP_SUB ? -1 : 1;
            add_term(out, &b.t[i]);
        }
    } else {
        add_term(out, &(term){ .k = 1, .n = 1, .factor = { v } });
    }
}

static int by_factors(const void *a, const void *b)
{
    const term *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (unsigned i = 0; i < x->n; i++)
        if (x->factor[i] != y->factor[i])
            return x->factor[i]->id < y->factor[i]->id ? -1 : 1;
    return 0;
}

static const rf_val *write_term(rf_vals *vals, const term *t)
{
    const rf_val *v = NULL;
    for (unsigned i = 0; i < t->n; i++)
        v = v ? rf_val_op2(vals, RF_OP_MUL, &rf_type_long, v, t->factor[i])
              : t->factor[i];
    if (v && t->k == 1)
        return v;
    const rf_val *k = rf_val_int(vals, t->k, &rf_type_long);
    return v ? rf_val_op2(vals, RF_OP_MUL, &rf_type_long, v, k) : k;
}

const rf_val *rf_index_form(rf_vals *vals, const rf_val *v)
{
    polynomial p = { 0 };
    if (!is_integer(v))
        return v;
    read(&p, v);
    if (p.failed)
        return v;
    qsort(p.t, p.n, sizeof *p.t, by_factors);
    const rf_val *sum = NULL;
    for (unsigned i = 0; i < p.n; i++) {
        if (!p.t[i].k)
            continue;
        const rf_val *t = write_term(vals, &p.t[i]);
        sum = sum ? rf_val_op2(vals, RF_OP_ADD, &rf_type_long, sum, t) : t;
    }
    return sum ? sum : rf_val_int(vals, 0, &rf_type_long);
}
