/* Float arithmetic: exactly rounded operations and approximate functions. */
#include "reference.h"
#include "rows.h"

#include "support/array.h"
#include "support/buf.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A letter of rows.h, its PTX name, the letter of one element. */
static const struct {
    char letter, element;
    const char *name;
} float_types[] = {
    { 'F', 'F', "f32" },  { 'D', 'D', "f64" },   { 'H', 'H', "f16" },
    { 'B', 'B', "bf16" }, { 'X', 'H', "f16x2" }, { 'Y', 'B', "bf16x2" },
};

/* An operation, its number of sources, types and lists of modifiers. */
static const struct {
    const char *op;
    int sources;
    const char *types, *modifiers;
} operations[] = {
    { "add", 2, "FD", "| .rn .rz .rm .rp" },
    { "add", 2, "F", ".ftz .sat .rn.ftz .rz.ftz .rn.ftz.sat .rp.sat" },
    { "add", 2, "HX", "| .rn .rn.ftz .rn.sat .ftz.sat" },
    { "add", 2, "BY", "| .rn" },
    { "sub", 2, "FD", "| .rn .rz .rm .rp" },
    { "sub", 2, "F", ".ftz .sat .rn.ftz .rm.ftz.sat" },
    { "sub", 2, "HX", "| .rn .rn.ftz .rn.sat" },
    { "sub", 2, "BY", "| .rn" },
    { "mul", 2, "FD", "| .rn .rz .rm .rp" },
    { "mul", 2, "F", ".ftz .sat .rn.ftz .rp.ftz .rz.sat" },
    { "mul", 2, "HX", "| .rn .rn.ftz .rn.sat" },
    { "mul", 2, "BY", "| .rn" },
    { "fma", 3, "FD", ".rn .rz .rm .rp" },
    { "fma", 3, "F", ".rn.ftz .rn.sat .rz.ftz.sat" },
    { "fma", 3, "HX", ".rn .rn.ftz .rn.sat .rn.relu .rn.ftz.relu" },
    { "fma", 3, "BY", ".rn .rn.relu" },
    { "div", 2, "FD", ".rn .rz .rm .rp" },
    { "div", 2, "F", ".rn.ftz .rp.ftz" },
    { "rcp", 1, "FD", ".rn .rz .rm .rp" },
    { "rcp", 1, "F", ".rn.ftz .rz.ftz" },
    { "sqrt", 1, "FD", ".rn .rz .rm .rp" },
    { "sqrt", 1, "F", ".rn.ftz .rm.ftz" },
    { "min", 2, "FD", "|" },
    { "min", 2, "F", ".ftz .NaN .ftz.NaN .xorsign.abs .NaN.xorsign.abs" },
    { "min", 2, "HX", "| .ftz .NaN .xorsign.abs .ftz.NaN.xorsign.abs" },
    { "min", 2, "BY", "| .NaN .xorsign.abs" },
    { "max", 2, "FD", "|" },
    { "max", 2, "F", ".ftz .NaN .ftz.NaN .xorsign.abs .NaN.xorsign.abs" },
    { "max", 2, "HX", "| .ftz .NaN .xorsign.abs .ftz.NaN.xorsign.abs" },
    { "max", 2, "BY", "| .NaN .xorsign.abs" },
    { "abs", 1, "FDHBXY", "|" },
    { "abs", 1, "FHX", ".ftz" },
    { "neg", 1, "FDHBXY", "|" },
    { "neg", 1, "FHX", ".ftz" },
};

typedef struct {
    const char *op;
    char letter, element;
    ref_mode mode;
} float_data;

static bool packed(const float_data *d)
{
    return d->letter != d->element;
}

static uint64_t want_float(const void *data, const uint64_t *s)
{
    const float_data *d = data;
    if (!packed(d))
        return ref_op(d->op, d->element, d->mode, s);
    uint64_t low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = s[i] & 0xffff;
        high[i] = s[i] >> 16;
    }
    return ref_op(d->op, d->element, d->mode, low) |
           ref_op(d->op, d->element, d->mode, high) << 16;
}

static bool agree_float(const void *data, const uint64_t *s, uint64_t got,
                        uint64_t want)
{
    const float_data *d = data;
    (void)s;
    if (!packed(d))
        return ref_same(d->element, got, want);
    return ref_same(d->element, got & 0xffff, want & 0xffff) &&
           ref_same(d->element, got >> 16, want >> 16);
}

static bool run_float(const char *op, int sources, size_t type,
                      const char *modifiers)
{
    static const char *const operands[] = { "", " d, a;", " d, a, b;",
                                            " d, a, b, c;" };
    float_data data = { op, float_types[type].letter, float_types[type].element,
                        ref_mode_of(modifiers) };
    char ptx[80], types[5] = { 0 };
    snprintf(ptx, sizeof ptx, "%s%s.%s%s", op,
             *modifiers == '|' ? "" : modifiers, float_types[type].name,
             operands[sources]);
    memset(types, data.letter, sources + 1);
    row r = { ptx, types, want_float, agree_float, &data };
    return row_run(&r);
}

/* Run "op" for every modifier in the list. */
static int run_list(size_t row_number, size_t type)
{
    char list[128], *rest = list;
    int failed = 0;
    snprintf(list, sizeof list, "%s", operations[row_number].modifiers);
    for (char *m; (m = strsep(&rest, " "));)
        failed += !run_float(operations[row_number].op,
                             operations[row_number].sources, type, m);
    return failed;
}

static int run_type(char letter)
{
    size_t type = 0;
    int failed = 0;
    while (float_types[type].letter != letter)
        type++;
    for (size_t i = 0; i < RF_COUNTOF(operations); i++)
        if (strchr(operations[i].types, letter))
            failed += run_list(i, type);
    return failed;
}

Test(floats, f32)
{
    cr_assert_eq(run_type('F'), 0);
}

Test(floats, f64)
{
    cr_assert_eq(run_type('D'), 0);
}

Test(floats, f16)
{
    cr_assert_eq(run_type('H'), 0);
}

Test(floats, bf16)
{
    cr_assert_eq(run_type('B'), 0);
}

Test(floats, f16x2)
{
    cr_assert_eq(run_type('X'), 0);
}

Test(floats, bf16x2)
{
    cr_assert_eq(run_type('Y'), 0);
}

/* ---- approximate functions ---- */

typedef int function(mpfr_t, const mpfr_t, mpfr_rnd_t);

static int reciprocal(mpfr_t r, const mpfr_t x, mpfr_rnd_t round)
{
    return mpfr_ui_div(r, 1, x, round);
}

/* 1 / sqrt(-0) is -inf here, +inf in MPFR. */
static int reciprocal_root(mpfr_t r, const mpfr_t x, mpfr_rnd_t round)
{
    int inexact = mpfr_rec_sqrt(r, x, round);
    if (mpfr_zero_p(x))
        mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return inexact;
}

/* An instruction, its types, the function, its error bound (a power of two,
 * relative or absolute) as PTX gives it. */
typedef struct {
    const char *ptx, *types;
    function *f;
    double bound;
    bool relative, ftz;
} approximation;

static const approximation approximations[] = {
    { "ex2.approx.f32 d, a;", "FF", mpfr_exp2, 0x1p-22, true, false },
    { "ex2.approx.ftz.f32 d, a;", "FF", mpfr_exp2, 0x1p-22, true, true },
    { "ex2.approx.f16 d, a;", "HH", mpfr_exp2, 0x1p-9, true, false },
    { "ex2.approx.f16x2 d, a;", "XX", mpfr_exp2, 0x1p-9, true, false },
    { "ex2.approx.ftz.bf16 d, a;", "BB", mpfr_exp2, 0x1p-7, true, true },
    { "ex2.approx.ftz.bf16x2 d, a;", "YY", mpfr_exp2, 0x1p-7, true, true },
    { "lg2.approx.f32 d, a;", "FF", mpfr_log2, 0x1p-22, true, false },
    { "lg2.approx.ftz.f32 d, a;", "FF", mpfr_log2, 0x1p-22, true, true },
    { "rcp.approx.f32 d, a;", "FF", reciprocal, 0x1p-23, true, false },
    { "rcp.approx.ftz.f32 d, a;", "FF", reciprocal, 0x1p-23, true, true },
    { "rcp.approx.ftz.f64 d, a;", "DD", reciprocal, 0x1p-20, true, true },
    { "sqrt.approx.f32 d, a;", "FF", mpfr_sqrt, 0x1p-23, true, false },
    { "sqrt.approx.ftz.f32 d, a;", "FF", mpfr_sqrt, 0x1p-23, true, true },
    { "rsqrt.approx.f32 d, a;", "FF", reciprocal_root, 0x1p-22, true, false },
    { "rsqrt.approx.ftz.f32 d, a;", "FF", reciprocal_root, 0x1p-22, true,
      true },
    { "rsqrt.approx.f64 d, a;", "DD", reciprocal_root, 0x1p-20, true, false },
    { "rsqrt.approx.ftz.f64 d, a;", "DD", reciprocal_root, 0x1p-20, true,
      true },
    { "sin.approx.f32 d, a;", "FU", mpfr_sin, 0x1p-20, false, false },
    { "sin.approx.ftz.f32 d, a;", "FU", mpfr_sin, 0x1p-20, false, true },
    { "cos.approx.f32 d, a;", "FU", mpfr_cos, 0x1p-20, false, false },
    { "cos.approx.ftz.f32 d, a;", "FU", mpfr_cos, 0x1p-20, false, true },
    { "tanh.approx.f32 d, a;", "FF", mpfr_tanh, 0x1p-10, true, false },
    { "tanh.approx.f16 d, a;", "HH", mpfr_tanh, 0x1p-10, false, false },
    { "tanh.approx.f16x2 d, a;", "XX", mpfr_tanh, 0x1p-10, false, false },
    { "tanh.approx.bf16 d, a;", "BB", mpfr_tanh, 0x1p-8, false, false },
    { "tanh.approx.bf16x2 d, a;", "YY", mpfr_tanh, 0x1p-8, false, false },
};

/* Zeros stand for every result that may be flushed. */
static double least_normal(char type)
{
    return type == 'D' ? 0x1p-1022 : type == 'H' ? 0x1p-14 : 0x1p-126;
}

static bool near(const approximation *a, char type, uint64_t in, uint64_t got)
{
    mpfr_t x, want, value, error;
    mpfr_inits2(120, x, want, value, error, (mpfr_ptr)NULL);
    ref_decode(x, type, in);
    ref_decode(value, type, got);
    double least = least_normal(type);
    if (a->ftz && fabs(mpfr_get_d(x, MPFR_RNDZ)) < least)
        mpfr_set_zero(x, mpfr_signbit(x) ? -1 : 1);
    a->f(want, x, MPFR_RNDN);
    uint64_t nearest = ref_encode(type, want, ref_mode_of(".rn"));
    mpfr_sub(error, value, want, MPFR_RNDN);
    if (a->relative)
        mpfr_div(error, error, want, MPFR_RNDN);
    bool ok = ref_same(type, got, nearest) ||
              fabs(mpfr_get_d(error, MPFR_RNDN)) <= a->bound;
    if (a->ftz && fabs(mpfr_get_d(want, MPFR_RNDN)) < least)
        ok |= mpfr_zero_p(value);
    mpfr_clears(x, want, value, error, (mpfr_ptr)NULL);
    return ok;
}

static bool agree_near(const void *data, const uint64_t *s, uint64_t got,
                       uint64_t want)
{
    const approximation *a = data;
    char type = a->types[0];
    (void)want;
    if (type != 'X' && type != 'Y')
        return near(a, type, s[0], got);
    char element = type == 'X' ? 'H' : 'B';
    return near(a, element, s[0] & 0xffff, got & 0xffff) &&
           near(a, element, s[0] >> 16, got >> 16);
}

static uint64_t want_nothing(const void *data, const uint64_t *s)
{
    (void)data, (void)s;
    return 0;
}

Test(floats, approximate_functions)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(approximations); i++) {
        const approximation *a = &approximations[i];
        row r = { a->ptx, a->types, want_nothing, agree_near, a };
        failed += !row_run(&r);
    }
    cr_assert_eq(failed, 0);
}

/* ---- quotients that are not exact ---- */

typedef struct {
    const char *ptx;
    bool full, ftz; /* full: of the whole range of divisors */
} quotient;

static const quotient quotients[] = {
    { "div.approx.f32 d, a, b;", false, false },
    { "div.approx.ftz.f32 d, a, b;", false, true },
    { "div.full.f32 d, a, b;", true, false },
    { "div.full.ftz.f32 d, a, b;", true, true },
};

static uint64_t want_quotient(const void *data, const uint64_t *s)
{
    const quotient *q = data;
    ref_mode mode = ref_mode_of(q->ftz ? ".rn.ftz" : ".rn");
    uint64_t a = s[0] & 0x7fffffff, b = s[1] & 0x7fffffff;
    bool huge = b > 0x7e800000 && b < 0x7f800000; /* above 2^126 */
    if (q->full || !huge || a > 0x7f800000)
        return ref_op("div", 'F', mode, s);
    return a == 0x7f800000 ? 0x7fffffff : (s[0] ^ s[1]) & 0x80000000;
}

/* Two units in the last place; a result may be flushed early. */
static bool agree_quotient(const void *data, const uint64_t *s, uint64_t got,
                           uint64_t want)
{
    const quotient *q = data;
    (void)s;
    if (ref_same('F', got, want))
        return true;
    int64_t gap = (int64_t)(got & 0x7fffffff) - (int64_t)(want & 0x7fffffff);
    bool same_sign = !((got ^ want) >> 31);
    bool flushed =
        q->ftz && (got << 33) == 0 && (want & 0x7fffffff) <= 0x800001;
    return same_sign && (flushed || (gap >= -2 && gap <= 2));
}

Test(floats, approximate_quotients)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(quotients); i++) {
        const quotient *q = &quotients[i];
        row r = { q->ptx, "FFF", want_quotient, agree_quotient, q };
        failed += !row_run(&r);
    }
    cr_assert_eq(failed, 0);
}
