#include "fixture.h"

rf_arena *arena;
rf_syms *s;
rf_algebra *alg;
const rf_sym *x, *y, *w, *m, *d, *r, *p, *c;

void algebra_setup(void)
{
    arena = rf_arena_new();
    s = rf_syms_new(arena);
    alg = rf_algebra_new(s);
    x = rf_sym_atom(s, RF_ATOM_ELEMENT, "x", NULL);
    y = rf_sym_atom(s, RF_ATOM_ELEMENT, "y", NULL);
    w = rf_sym_atom_signed(s, RF_ATOM_ELEMENT, "w", NULL, RF_SIGN_POSITIVE);
    m = rf_sym_atom(s, RF_ATOM_RESULT, "m", NULL);
    d = rf_sym_atom(s, RF_ATOM_RESULT, "d", NULL);
    r = rf_sym_atom_signed(s, RF_ATOM_RESULT, "r", NULL, RF_SIGN_POSITIVE);
    p = rf_sym_atom_signed(s, RF_ATOM_PARAM, "p", NULL, RF_SIGN_POSITIVE);
    c = rf_sym_atom(s, RF_ATOM_PARAM, "c", NULL);
}

void algebra_teardown(void)
{
    rf_algebra_free(alg);
    rf_syms_free(s);
    rf_arena_free(arena);
}

const rf_sym *num(int64_t v)
{
    return rf_sym_int(s, v);
}

const rf_sym *add(const rf_sym *a, const rf_sym *b)
{
    return rf_sym_add(s, a, b);
}

const rf_sym *sub(const rf_sym *a, const rf_sym *b)
{
    return rf_sym_sub(s, a, b);
}

const rf_sym *mul(const rf_sym *a, const rf_sym *b)
{
    return rf_sym_mul(s, a, b);
}

const rf_sym *div_(const rf_sym *a, const rf_sym *b)
{
    return rf_sym_div(s, a, b);
}

const rf_sym *sq(const rf_sym *a)
{
    return rf_sym_pow(s, a, num(2));
}

const rf_sym *cube(const rf_sym *a)
{
    return rf_sym_pow(s, a, num(3));
}

const rf_sym *expo(const rf_sym *a)
{
    return rf_sym_exp(s, 0, a);
}

const rf_sym *call(const char *name, const rf_sym *a)
{
    return rf_sym_named(s, RF_SYM_CALL, name, 1, &a);
}

const char *text(const rf_sym *e)
{
    return rf_sym_text(arena, e);
}
