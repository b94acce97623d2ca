/* Symbolic expressions: canonical shape, substitution, notation. */
#include "ir/sym.h"

#include <criterion/criterion.h>
#include <stdio.h>

static rf_arena *arena;
static rf_syms *s;
static const rf_sym *x, *y, *m;

static void setup(void)
{
    arena = rf_arena_new();
    s = rf_syms_new(arena);
    x = rf_sym_atom(s, RF_ATOM_ELEMENT, "x", NULL);
    y = rf_sym_atom(s, RF_ATOM_ELEMENT, "y", NULL);
    m = rf_sym_atom(s, RF_ATOM_RESULT, "m", NULL);
}

static void teardown(void)
{
    rf_syms_free(s);
    rf_arena_free(arena);
}

TestSuite(sym, .init = setup, .fini = teardown);

static const rf_sym *num(int64_t v)
{
    return rf_sym_int(s, v);
}

static void expect(const rf_sym *e, const char *text)
{
    cr_expect_str_eq(rf_sym_text(arena, e), text);
}

Test(sym, sums_and_products_are_canonical)
{
    cr_expect_eq(rf_sym_add(s, x, y), rf_sym_add(s, y, x));
    cr_expect_eq(rf_sym_sub(s, rf_sym_add(s, x, y), y), x);
    cr_expect_eq(rf_sym_add(s, x, x), rf_sym_mul(s, num(2), x));
    cr_expect_eq(rf_sym_sub(s, x, x), num(0));
    cr_expect_eq(rf_sym_div(s, x, x), num(1));
    cr_expect_eq(rf_sym_mul(s, x, rf_sym_mul(s, y, x)),
                 rf_sym_mul(s, y, rf_sym_pow(s, x, num(2))));
    cr_expect_eq(rf_sym_mul(s, num(0), x), num(0));
    cr_expect_eq(rf_sym_neg(s, rf_sym_sub(s, x, y)), rf_sym_sub(s, y, x));
    cr_expect_eq(rf_sym_rat(s, 6, -4), rf_sym_rat(s, -3, 2));
    cr_expect_neq(rf_sym_atom(s, RF_ATOM_ELEMENT, "x", NULL), x);
}

Test(sym, products_of_sums_stay_products)
{
    const rf_sym *p = num(1), *sum = rf_sym_add(s, x, y);
    for (int i = 0; i < 60; i++)
        p = rf_sym_mul(s, p, rf_sym_add(s, sum, num(i)));
    cr_expect_eq(p->kind, RF_SYM_MUL);
    cr_expect_eq(p->n, 60);
}

Test(sym, powers_exponentials_logarithms)
{
    const rf_sym *e = rf_sym_exp(s, 0, x);
    cr_expect_eq(rf_sym_pow(s, e, num(-1)), rf_sym_exp(s, 0, rf_sym_neg(s, x)));
    cr_expect_eq(rf_sym_log(s, e), x);
    cr_expect_eq(rf_sym_exp(s, 0, rf_sym_log(s, x)), x);
    cr_expect_neq(rf_sym_exp(s, 2, x), e);
    cr_expect_eq(rf_sym_exp(s, 0, num(0)), num(1));
    cr_expect_eq(rf_sym_sqrt(s, rf_sym_rat(s, 9, 4)), rf_sym_rat(s, 3, 2));
    cr_expect_eq(rf_sym_pow(s, num(2), num(-3)), rf_sym_rat(s, 1, 8));
    /* sqrt(x^2) is |x|, not x */
    cr_expect_neq(rf_sym_sqrt(s, rf_sym_pow(s, x, num(2))), x);
    cr_expect_eq(rf_sym_pow(s, rf_sym_sqrt(s, x), num(2)), x);
}

Test(sym, lattices_relations_choices)
{
    cr_expect_eq(rf_sym_max(s, x, rf_sym_max(s, y, x)), rf_sym_max(s, y, x));
    cr_expect_eq(rf_sym_max(s, num(3), num(5)), num(5));
    cr_expect_eq(rf_sym_min(s, num(3), num(5)), num(3));
    cr_expect_eq(rf_sym_not(s, rf_sym_lt(s, x, y)), rf_sym_le(s, y, x));
    cr_expect_eq(rf_sym_eq(s, x, y), rf_sym_eq(s, y, x));
    cr_expect_eq(rf_sym_select(s, rf_sym_lt(s, num(1), num(2)), x, y), x);
    cr_expect_eq(rf_sym_select(s, rf_sym_eq(s, x, m), y, y), y);
    const rf_sym *both[] = { rf_sym_lt(s, x, y), num(0) };
    cr_expect_eq(rf_sym_make(s, RF_SYM_AND, 2, both), num(0));
    cr_expect_eq(rf_sym_make(s, RF_SYM_OR, 2, both), both[0]);
}

Test(sym, overflow_stays_exact)
{
    const rf_sym *big = num(INT64_C(1) << 62);
    const rf_sym *p = rf_sym_mul(s, rf_sym_mul(s, big, big), x);
    cr_expect_neq(p, rf_sym_mul(s, big, x));
    cr_expect_eq(rf_sym_add(s, big, rf_sym_neg(s, big)), num(0));
}

Test(sym, reals)
{
    cr_expect_eq(rf_sym_real(s, 0.5), rf_sym_rat(s, 1, 2));
    cr_expect_eq(rf_sym_real(s, -3.0), num(-3));
    cr_expect_eq(rf_sym_real(s, 1e-300)->kind, RF_SYM_CALL);
    cr_expect_eq(rf_sym_real(s, 1e-300), rf_sym_real(s, 1e-300));
    cr_expect_eq(rf_sym_real(s, 0.0), num(0));
}

Test(sym, substitution_is_simultaneous)
{
    const rf_sym *e = rf_sym_exp(s, 0, rf_sym_sub(s, x, y));
    const rf_sym *from[] = { x, y }, *to[] = { y, x };
    cr_expect_eq(rf_sym_subst(s, e, 2, from, to),
                 rf_sym_exp(s, 0, rf_sym_sub(s, y, x)));
    cr_expect(rf_sym_mentions(e, x));
    cr_expect_not(rf_sym_mentions(e, m));
    cr_expect(rf_sym_has_role(e, RF_ATOM_ELEMENT));
    cr_expect_not(rf_sym_has_role(e, RF_ATOM_RESULT));
}

Test(sym, shared_nodes_are_visited_once)
{
    const rf_sym *e = rf_sym_max(s, x, y);
    for (int i = 0; i < 100; i++)
        e = rf_sym_named(s, RF_SYM_CALL, "f", 2, (const rf_sym *[]){ e, e });
    cr_expect_not(rf_sym_mentions(e, m));
    cr_expect(rf_sym_mentions(rf_sym_subst(s, e, 1, &y, &m), m));
}

Test(sym, notation)
{
    const rf_sym *d = rf_sym_sub(s, x, m);
    expect(rf_sym_mul(s, rf_sym_exp(s, 0, d), y), "y*exp(x - m)");
    expect(rf_sym_sub(s, m, x), "m - x");
    expect(rf_sym_neg(s, x), "-x");
    expect(rf_sym_div(s, rf_sym_mul(s, x, y), rf_sym_mul(s, m, d)),
           "x*y/(m*(x - m))");
    expect(rf_sym_div(s, num(1), rf_sym_sqrt(s, m)), "1/sqrt(m)");
    expect(rf_sym_mul(s, rf_sym_rat(s, -1, 2), x), "-x/2");
    expect(rf_sym_add(s, rf_sym_mul(s, rf_sym_rat(s, 3, 2), x), num(-1)),
           "3*x/2 - 1");
    expect(rf_sym_pow(s, d, num(2)), "(x - m)^2");
    expect(rf_sym_select(s, rf_sym_lt(s, x, m), x, y), "x < m ? x : y");
    expect(rf_sym_pow(s, x, m), "x^m");
    expect(rf_sym_max(s, rf_sym_abs(s, x), m), "max(m, abs(x))");
    expect(rf_sym_exp(s, 2, num(-3)), "exp2(-3)");
    expect(rf_sym_rat(s, -1, 2), "-1/2");
    expect(rf_sym_mul(s, x, rf_sym_pow(s, rf_sym_neg(s, m), m)), "x*(-m)^m");
}
