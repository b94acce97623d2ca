/* What float instructions must give, computed with MPFR: exact intermediate
 * results, one rounding with the precision and exponent range of the type. */
#include "reference.h"

#include "support/array.h"

#include <math.h>
#include <string.h>

enum { EXACT = 2500 }; /* holds a * b + c of any doubles */

static const struct {
    char letter;
    int exponent, fraction, pad;
    bool finite; /* no infinities */
} formats[] = {
    { 'D', 11, 52, 0, false }, { 'F', 8, 23, 0, false },
    { 'T', 8, 10, 13, false }, { 'H', 5, 10, 0, false },
    { 'B', 8, 7, 0, false },   { 'b', 4, 3, 0, true },
    { 'e', 5, 2, 0, false },
};

static int format_of(char type)
{
    int i = 0;
    while (formats[i].letter != type)
        i++;
    return i;
}

ref_mode ref_mode_of(const char *m)
{
    ref_mode r = { .round = MPFR_RNDN };
    if (strstr(m, ".rz"))
        r.round = MPFR_RNDZ;
    if (strstr(m, ".rm"))
        r.round = MPFR_RNDD;
    if (strstr(m, ".rp"))
        r.round = MPFR_RNDU;
    r.away = strstr(m, ".rna") != NULL;
    r.ftz = strstr(m, ".ftz") != NULL;
    r.satfinite = strstr(m, ".satfinite") != NULL;
    r.sat = !r.satfinite && strstr(m, ".sat") != NULL;
    r.relu = strstr(m, ".relu") != NULL;
    r.nan = strstr(m, ".NaN") != NULL;
    r.xorsign = strstr(m, ".xorsign") != NULL;
    return r;
}

static uint64_t field(char type, uint64_t bits, uint64_t *fraction, bool *neg)
{
    int f = format_of(type), low = formats[f].fraction + formats[f].pad;
    uint64_t exponents = (1ull << formats[f].exponent) - 1;
    *fraction = (bits & ((1ull << low) - 1)) >> formats[f].pad;
    *neg = bits >> (low + formats[f].exponent) & 1;
    return bits >> low & exponents;
}

static bool is_special(char type, uint64_t exponent, uint64_t fraction)
{
    int f = format_of(type);
    if (exponent != (1ull << formats[f].exponent) - 1)
        return false;
    return !formats[f].finite || fraction == (1ull << formats[f].fraction) - 1;
}

bool ref_is_nan(char type, uint64_t bits)
{
    uint64_t fraction;
    bool neg;
    uint64_t exponent = field(type, bits, &fraction, &neg);
    return is_special(type, exponent, fraction) && fraction;
}

void ref_decode(mpfr_t to, char type, uint64_t bits)
{
    int f = format_of(type), bias = (1 << (formats[f].exponent - 1)) - 1;
    uint64_t fraction;
    bool neg;
    uint64_t exponent = field(type, bits, &fraction, &neg);
    if (is_special(type, exponent, fraction)) {
        if (fraction)
            mpfr_set_nan(to);
        else
            mpfr_set_inf(to, neg ? -1 : 1);
        return;
    }
    uint64_t m = fraction | (exponent ? 1ull << formats[f].fraction : 0);
    int scale = (exponent ? (int)exponent : 1) - bias - formats[f].fraction;
    mpfr_set_ui_2exp(to, m, scale, MPFR_RNDN);
    mpfr_setsign(to, to, neg, MPFR_RNDN);
}

/* The bits of "r", which is a value of the type. */
static uint64_t exact_bits(int f, const mpfr_t r)
{
    int bias = (1 << (formats[f].exponent - 1)) - 1;
    int low = formats[f].fraction + formats[f].pad;
    uint64_t sign = mpfr_signbit(r) ? 1ull << (low + formats[f].exponent) : 0;
    uint64_t all = (1ull << formats[f].exponent) - 1;
    if (mpfr_zero_p(r))
        return sign;
    if (mpfr_inf_p(r))
        return sign | all << low;
    int exponent;
    double m = frexp(fabs(mpfr_get_d(r, MPFR_RNDN)), &exponent);
    exponent += bias - 1;
    int shift = exponent < 1 ? 1 - exponent : 0;
    uint64_t digits = (uint64_t)ldexp(m, formats[f].fraction + 1 - shift);
    uint64_t bits = exponent < 1 ? digits
                                 : digits + ((uint64_t)(exponent - 1)
                                             << formats[f].fraction);
    return sign | bits << formats[f].pad;
}

static uint64_t nan_bits(int f)
{
    if (formats[f].letter == 'D')
        return 0xfff8000000000000;
    int low = formats[f].fraction + formats[f].pad + formats[f].exponent;
    return (1ull << low) - 1;
}

/* The largest finite value. */
static uint64_t largest(int f)
{
    uint64_t all = (1ull << (formats[f].fraction + formats[f].exponent)) - 1;
    uint64_t top =
        formats[f].finite ? all - 1 : all - (1ull << formats[f].fraction);
    return top << formats[f].pad;
}

static void round_to(int f, mpfr_t r, const mpfr_t x, ref_mode mode)
{
    int bias = (1 << (formats[f].exponent - 1)) - 1;
    mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_set_prec(r, formats[f].fraction + 1);
    if (mode.away) {
        mpfr_round_nearest_away(mpfr_set, r, x);
        return;
    }
    mpfr_set_emin(1 - bias - formats[f].fraction + 1);
    mpfr_set_emax(bias + 1 + formats[f].finite);
    int inexact = mpfr_set(r, x, mode.round);
    inexact = mpfr_check_range(r, inexact, mode.round);
    mpfr_subnormalize(r, inexact, mode.round);
    mpfr_set_emin(low);
    mpfr_set_emax(high);
}

static void clamp(mpfr_t x, ref_mode mode)
{
    if (mode.sat && (mpfr_nan_p(x) || mpfr_sgn(x) <= 0))
        mpfr_set_zero(x, 1);
    if (mode.sat && mpfr_cmp_ui(x, 1) > 0)
        mpfr_set_ui(x, 1, MPFR_RNDN);
    if (mode.relu && !mpfr_nan_p(x) && mpfr_signbit(x))
        mpfr_set_zero(x, 1);
}

static uint64_t flush(int f, uint64_t bits, bool ftz)
{
    int low = formats[f].fraction + formats[f].pad;
    uint64_t exponents = (1ull << formats[f].exponent) - 1;
    if (ftz && !(bits >> low & exponents))
        return bits & 1ull << (low + formats[f].exponent);
    return bits;
}

uint64_t ref_encode(char type, const mpfr_t value, ref_mode mode)
{
    int f = format_of(type);
    mpfr_t x, r;
    mpfr_init2(x, mpfr_get_prec(value));
    mpfr_init2(r, 64);
    mpfr_set(x, value, MPFR_RNDN);
    clamp(x, mode);
    uint64_t bits = nan_bits(f);
    if (!mpfr_nan_p(x)) {
        round_to(f, r, x, mode);
        uint64_t sign = mpfr_signbit(r) ? nan_bits(f) + 1 : 0;
        bits = exact_bits(f, r);
        if (mpfr_inf_p(r) && formats[f].finite)
            bits = sign | nan_bits(f);
        if (mode.satfinite && (bits & ~sign) > largest(f))
            bits = sign | largest(f);
        bits = flush(f, bits, mode.ftz);
    }
    mpfr_clear(x);
    mpfr_clear(r);
    return bits;
}

bool ref_same(char type, uint64_t a, uint64_t b)
{
    return a == b || (ref_is_nan(type, a) && ref_is_nan(type, b));
}

static void extreme(mpfr_t r, mpfr_t *v, int sign, ref_mode mode)
{
    bool neg = mpfr_signbit(v[0]) != mpfr_signbit(v[1]);
    if (mode.xorsign) {
        mpfr_abs(v[0], v[0], MPFR_RNDN);
        mpfr_abs(v[1], v[1], MPFR_RNDN);
    }
    if (mpfr_zero_p(v[0]) && mpfr_zero_p(v[1])) {
        bool minus = sign < 0 ? mpfr_signbit(v[0]) || mpfr_signbit(v[1])
                              : mpfr_signbit(v[0]) && mpfr_signbit(v[1]);
        mpfr_set_zero(r, minus ? -1 : 1);
    } else {
        (sign < 0 ? mpfr_min : mpfr_max)(r, v[0], v[1], MPFR_RNDN);
    }
    if (mode.nan && (mpfr_nan_p(v[0]) || mpfr_nan_p(v[1])))
        mpfr_set_nan(r);
    else if (mode.xorsign)
        mpfr_setsign(r, r, neg, MPFR_RNDN);
}

/* Quotients and roots are not finite: three times the precision of the type
 * and an exact sticky bit decide every rounding. */
static void inexact_op(mpfr_t r, const char *op, mpfr_t *v)
{
    mpfr_set_prec(r, 200);
    int rest;
    if (!strcmp(op, "div"))
        rest = mpfr_div(r, v[0], v[1], MPFR_RNDZ);
    else if (!strcmp(op, "rcp"))
        rest = mpfr_ui_div(r, 1, v[0], MPFR_RNDZ);
    else
        rest = mpfr_sqrt(r, v[0], MPFR_RNDZ);
    if (!rest || !mpfr_regular_p(r))
        return;
    mpfr_prec_round(r, 260, MPFR_RNDN);
    if (mpfr_sgn(r) > 0)
        mpfr_nextabove(r);
    else
        mpfr_nextbelow(r);
}

static void exact_op(mpfr_t r, const char *op, mpfr_t *v, mpfr_rnd_t round)
{
    if (!strcmp(op, "add"))
        mpfr_add(r, v[0], v[1], round);
    else if (!strcmp(op, "sub"))
        mpfr_sub(r, v[0], v[1], round);
    else if (!strcmp(op, "mul"))
        mpfr_mul(r, v[0], v[1], round);
    else
        mpfr_fma(r, v[0], v[1], v[2], round);
}

static void op_value(mpfr_t r, const char *op, mpfr_t *v, ref_mode mode)
{
    if (!strcmp(op, "min") || !strcmp(op, "max"))
        extreme(r, v, !strcmp(op, "min") ? -1 : 1, mode);
    else if (strstr("add sub mul fma", op))
        exact_op(r, op, v, mode.round);
    else
        inexact_op(r, op, v);
}

uint64_t ref_op(const char *op, char type, ref_mode mode, const uint64_t *s)
{
    int f = format_of(type);
    uint64_t sign = nan_bits(f) + 1, in[3];
    if (type == 'D')
        sign = 1ull << 63;
    for (int i = 0; i < 3; i++)
        in[i] = flush(f, s[i], mode.ftz);
    if (!strcmp(op, "neg"))
        return in[0] ^ sign;
    if (!strcmp(op, "abs"))
        return in[0] & ~sign;
    mpfr_t v[3], r;
    mpfr_init2(r, EXACT * 2);
    for (int i = 0; i < 3; i++) {
        mpfr_init2(v[i], 64);
        ref_decode(v[i], type, in[i]);
    }
    op_value(r, op, v, mode);
    uint64_t bits = ref_encode(type, r, mode);
    for (int i = 0; i < 3; i++)
        mpfr_clear(v[i]);
    mpfr_clear(r);
    return bits;
}
