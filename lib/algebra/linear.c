/* Linear algebra over the field of what does not depend on x. Expressions are
 * vectors: one coordinate for each product of x-dependent generators. */
#include "algebra/internal.h"

#include <stdlib.h>

/* ---- forms ---- */

static void add_term(rf_algebra *alg, rf_form *form, const rf_sym *key,
                     const rf_sym *coef)
{
    for (size_t i = 0; i < form->len; i++)
        if (form->data[i].key == key) {
            const rf_sym *sum = rf_sym_add(alg->syms, form->data[i].coef, coef);
            form->data[i].coef = sum;
            return;
        }
    RF_PUSH(*form, (rf_term){ key, coef });
}

static bool on_x(const rf_sym *e)
{
    return rf_sym_has_role(e, RF_ATOM_ELEMENT);
}

/* Split term i of "p" into what depends on x and what does not. */
static rf_term split_term(rf_ring *ring, const fmpq_mpoly_t p, slong i)
{
    rf_nodes key = { 0 }, coef = { 0 };
    fmpq_t c;
    fmpq_init(c);
    fmpq_mpoly_get_term_coeff_fmpq(c, p, i, ring->ctx);
    RF_PUSH(coef, rf_ring_constant(ring, c));
    fmpq_clear(c);
    for (size_t g = 0; g < ring->gen.len; g++) {
        slong e = fmpq_mpoly_get_term_var_exp_si(p, i, (slong)g, ring->ctx);
        const rf_sym *power = rf_ring_power(ring, g, e);
        if (on_x(ring->gen.data[g].sym))
            RF_PUSH(key, power);
        else
            RF_PUSH(coef, power);
    }
    rf_term t = { rf_product(ring->alg, key.len, key.data),
                  rf_product(ring->alg, coef.len, coef.data) };
    RF_CLEAR(key);
    RF_CLEAR(coef);
    return t;
}

/* 1/den as a part with x times one without; false if a factor mixes. */
static bool split_denominator(rf_ring *ring, const fmpq_mpoly_t den,
                              rf_term *out)
{
    rf_algebra *alg = ring->alg;
    rf_syms *s = alg->syms;
    rf_factors f;
    bool ok = rf_factor_sym(alg, rf_ring_sum(ring, den), &f);
    const rf_sym *key = rf_sym_int(s, 1), *coef = f.constant;
    for (size_t i = 0; ok && i < f.list.len; i++) {
        const rf_sym *p = rf_factor_power(alg, &f.list.data[i]);
        unsigned other = p->roles & ~(1u << RF_ATOM_ELEMENT);
        ok = !on_x(p) || !(other & (1u << RF_ATOM_RESULT));
        if (on_x(p))
            key = rf_sym_mul(s, key, p);
        else
            coef = rf_sym_mul(s, coef, p);
    }
    RF_CLEAR(f.list);
    *out = (rf_term){ rf_sym_pow(s, key, rf_sym_int(s, -1)),
                      rf_sym_pow(s, coef, rf_sym_int(s, -1)) };
    return ok;
}

static void fill_form(rf_ring *ring, const rf_frac *f, const rf_term *den,
                      rf_form *out)
{
    slong n = fmpq_mpoly_length(f->num, ring->ctx);
    for (slong i = 0; i < n; i++) {
        rf_term t = split_term(ring, f->num, i);
        const rf_sym *key[] = { t.key, den->key };
        const rf_sym *coef[] = { t.coef, den->coef };
        add_term(ring->alg, out, rf_product(ring->alg, 2, key),
                 rf_product(ring->alg, 2, coef));
    }
}

bool rf_form_of(rf_algebra *alg, const rf_sym *e, rf_form *out)
{
    rf_ring ring;
    rf_frac f;
    rf_term den;
    const rf_sym *p = rf_prepare(alg, e);
    *out = (rf_form){ 0 };
    rf_ring_init(&ring, alg, 1, &p);
    rf_frac_init(&ring, &f);
    bool ok =
        rf_ring_read(&ring, &f, p) && split_denominator(&ring, f.den, &den);
    if (ok)
        fill_form(&ring, &f, &den, out);
    rf_frac_clear(&ring, &f);
    rf_ring_clear(&ring);
    return ok;
}

const rf_sym *rf_generator_derivative(rf_algebra *alg, const rf_sym *e,
                                      const rf_sym *gen)
{
    rf_ring ring;
    rf_frac f;
    const rf_sym *r = rf_sym_int(alg->syms, 0), *p = rf_prepare(alg, e);
    rf_ring_init(&ring, alg, 1, &p);
    rf_frac_init(&ring, &f);
    slong var = -1;
    for (size_t i = 0; i < ring.gen.len; i++)
        if (ring.gen.data[i].sym == gen)
            var = (slong)i;
    bool ok = rf_ring_read(&ring, &f, p);
    if (!ok || (var >= 0 && fmpq_mpoly_degree_si(f.den, var, ring.ctx) > 0)) {
        r = NULL;
    } else if (var >= 0) {
        fmpq_mpoly_derivative(f.num, f.num, var, ring.ctx);
        r = rf_sym_div(alg->syms, rf_ring_sum(&ring, f.num),
                       rf_ring_sum(&ring, f.den));
    }
    rf_frac_clear(&ring, &f);
    rf_ring_clear(&ring);
    return r;
}

/* ---- systems of equations ---- */

/* One equation for each key, one column for each row and one for the target. */
typedef struct {
    rf_algebra *alg;
    size_t unknowns;
    rf_nodes keys;
    rf_nodes cell; /* [keys.len * (unknowns + 1)] */
} linear_system;

static const rf_sym **cell_at(linear_system *a, size_t row, size_t column)
{
    return &a->cell.data[row * (a->unknowns + 1) + column];
}

static size_t key_row(linear_system *a, const rf_sym *key)
{
    for (size_t i = 0; i < a->keys.len; i++)
        if (a->keys.data[i] == key)
            return i;
    RF_PUSH(a->keys, key);
    for (size_t i = 0; i <= a->unknowns; i++)
        RF_PUSH(a->cell, rf_sym_int(a->alg->syms, 0));
    return a->keys.len - 1;
}

static bool add_column(linear_system *a, const rf_sym *e, size_t column)
{
    rf_form form;
    bool ok = rf_form_of(a->alg, e, &form);
    for (size_t i = 0; ok && i < form.len; i++)
        *cell_at(a, key_row(a, form.data[i].key), column) = form.data[i].coef;
    RF_CLEAR(form);
    return ok;
}

static bool is_zero(const rf_sym *e)
{
    return rf_sym_is_int(e, 0);
}

static void swap_rows(linear_system *a, size_t i, size_t j)
{
    for (size_t c = 0; c <= a->unknowns; c++) {
        const rf_sym *t = *cell_at(a, i, c);
        *cell_at(a, i, c) = *cell_at(a, j, c);
        *cell_at(a, j, c) = t;
    }
}

/* Prefer a rational pivot: the quotients stay small. */
static size_t find_pivot(linear_system *a, size_t row, size_t column)
{
    size_t best = a->keys.len;
    for (size_t i = row; i < a->keys.len; i++) {
        const rf_sym *e = *cell_at(a, i, column);
        if (e->kind == RF_SYM_RAT && !is_zero(e))
            return i;
        if (!is_zero(e) && best == a->keys.len)
            best = i;
    }
    return best;
}

/* row i := row i - (its entry in "column") * row "pivot", pivot row scaled */
static void eliminate(linear_system *a, size_t i, size_t pivot, size_t column)
{
    rf_syms *s = a->alg->syms;
    const rf_sym *f = *cell_at(a, i, column);
    if (is_zero(f))
        return;
    for (size_t c = column; c <= a->unknowns; c++) {
        const rf_sym *t = rf_sym_mul(s, f, *cell_at(a, pivot, c));
        const rf_sym **e = cell_at(a, i, c);
        *e = rf_factored(a->alg, rf_sym_sub(s, *e, t));
    }
}

static void scale_row(linear_system *a, size_t row, size_t column)
{
    rf_syms *s = a->alg->syms;
    const rf_sym *p = *cell_at(a, row, column);
    for (size_t c = column; c <= a->unknowns; c++)
        *cell_at(a, row, c) =
            rf_factored(a->alg, rf_sym_div(s, *cell_at(a, row, c), p));
}

/* Gauss-Jordan; false if the equations contradict each other. An unknown
 * without a pivot is 0. */
static bool solve_system(linear_system *a, const rf_sym **c)
{
    size_t row = 0;
    for (size_t k = 0; k < a->unknowns; k++) {
        c[k] = rf_sym_int(a->alg->syms, 0);
        size_t pivot = find_pivot(a, row, k);
        if (pivot == a->keys.len)
            continue;
        swap_rows(a, row, pivot);
        scale_row(a, row, k);
        for (size_t i = 0; i < a->keys.len; i++)
            if (i != row)
                eliminate(a, i, row, k);
        row++;
    }
    for (size_t i = row; i < a->keys.len; i++)
        if (!is_zero(rf_factored(a->alg, *cell_at(a, i, a->unknowns))))
            return false;
    for (size_t k = 0, i = 0; k < a->unknowns && i < row; k++)
        if (rf_sym_is_int(*cell_at(a, i, k), 1))
            c[k] = *cell_at(a, i++, a->unknowns);
    return true;
}

bool rf_combine(rf_algebra *alg, size_t n, const rf_sym *const *rows,
                const rf_sym *target, const rf_sym **c)
{
    linear_system a = { .alg = alg, .unknowns = n };
    bool ok = add_column(&a, target, n);
    for (size_t k = 0; ok && k < n; k++)
        ok = add_column(&a, rows[k], k);
    ok = ok && solve_system(&a, c);
    RF_CLEAR(a.keys);
    RF_CLEAR(a.cell);
    return ok;
}
