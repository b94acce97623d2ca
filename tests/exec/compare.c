/* Comparisons and selections: setp, set, selp, slct, testp, copysign. */
#include "reference.h"
#include "rows.h"

#include "support/array.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A type: name, letter, class (u s b f), bits. */
typedef struct {
    const char *name;
    char letter, class;
    int bits;
} operand_type;

static const operand_type types[] = {
    { "u16", 'h', 'u', 16 }, { "s16", 'h', 's', 16 },  { "b16", 'h', 'b', 16 },
    { "u32", 'r', 'u', 32 }, { "s32", 'r', 's', 32 },  { "b32", 'r', 'b', 32 },
    { "u64", 'q', 'u', 64 }, { "s64", 'q', 's', 64 },  { "b64", 'q', 'b', 64 },
    { "f16", 'H', 'f', 16 }, { "bf16", 'B', 'f', 16 }, { "f32", 'F', 'f', 32 },
    { "f64", 'D', 'f', 64 },
};

/* A relation: name, for which classes, what it holds for. */
typedef struct {
    const char *name, *classes;
    bool less, equal, greater, unordered;
} relation;

static const relation relations[] = {
    { "eq", "usbf", false, true, false, false },
    { "ne", "usbf", true, false, true, false },
    { "lt", "usf", true, false, false, false },
    { "le", "usf", true, true, false, false },
    { "gt", "usf", false, false, true, false },
    { "ge", "usf", false, true, true, false },
    { "lo", "u", true, false, false, false },
    { "ls", "u", true, true, false, false },
    { "hi", "u", false, false, true, false },
    { "hs", "u", false, true, true, false },
    { "equ", "f", false, true, false, true },
    { "neu", "f", true, false, true, true },
    { "ltu", "f", true, false, false, true },
    { "leu", "f", true, true, false, true },
    { "gtu", "f", false, false, true, true },
    { "geu", "f", false, true, true, true },
    { "num", "f", true, true, true, false },
    { "nan", "f", false, false, false, true },
};

typedef struct {
    const operand_type *type;
    const relation *relation;
    const char *combine; /* and, or, xor of the result with c, or NULL */
    const char *result;  /* of set: u32, s32, f32; NULL: a predicate */
    bool ftz;
} comparison;

static double float_value(const comparison *c, uint64_t bits)
{
    mpfr_t x;
    mpfr_init2(x, 64);
    ref_decode(x, c->type->letter, bits);
    double v = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return c->ftz && fabs(v) < 0x1p-126 ? 0 : v;
}

static int order_floats(double a, double b)
{
    return isnan(a) || isnan(b) ? 2 : (a > b) - (a < b);
}

static int64_t extend(uint64_t v, int bits)
{
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* -1, 0, 1, or 2 for unordered. */
static int order(const comparison *c, uint64_t a, uint64_t b)
{
    int bits = c->type->bits;
    if (c->type->class == 'f')
        return order_floats(float_value(c, a), float_value(c, b));
    if (c->type->class == 's')
        return (extend(a, bits) > extend(b, bits)) -
               (extend(a, bits) < extend(b, bits));
    return (a > b) - (a < b);
}

static bool holds(const comparison *c, const uint64_t *s)
{
    const relation *r = c->relation;
    const bool table[] = { r->less, r->equal, r->greater, r->unordered };
    bool v = table[order(c, s[0], s[1]) + 1], other = s[2] & 1;
    if (!c->combine)
        return v;
    return !strcmp(c->combine, "and")  ? v && other
           : !strcmp(c->combine, "or") ? v || other
                                       : v != other;
}

static uint64_t want_comparison(const void *data, const uint64_t *s)
{
    const comparison *c = data;
    bool v = holds(c, s);
    if (!c->result)
        return v;
    return !v ? 0 : !strcmp(c->result, "f32") ? 0x3f800000 : 0xffffffff;
}

static int compare(comparison c)
{
    char ptx[80], letters[5] = { c.result ? 'r' : 'p', c.type->letter,
                                 c.type->letter, c.combine ? 'p' : 0, 0 };
    snprintf(ptx, sizeof ptx, "%s.%s%s%s%s%s%s.%s d, a, b%s;",
             c.result ? "set" : "setp", c.relation->name, c.combine ? "." : "",
             c.combine ? c.combine : "", c.ftz ? ".ftz" : "",
             c.result ? "." : "", c.result ? c.result : "", c.type->name,
             c.combine ? ", c" : "");
    row r = { ptx, letters, want_comparison, NULL, &c };
    return !row_run(&r);
}

static int compare_all(char class)
{
    int failed = 0;
    for (size_t t = 0; t < RF_COUNTOF(types); t++)
        for (size_t i = 0; i < RF_COUNTOF(relations); i++)
            if (types[t].class == class && strchr(relations[i].classes, class))
                failed += compare((comparison){ .type = &types[t],
                                                .relation = &relations[i] });
    return failed;
}

Test(compare, setp_unsigned)
{
    cr_assert_eq(compare_all('u'), 0);
}

Test(compare, setp_signed)
{
    cr_assert_eq(compare_all('s'), 0);
}

Test(compare, setp_bits)
{
    cr_assert_eq(compare_all('b'), 0);
}

Test(compare, setp_floats)
{
    cr_assert_eq(compare_all('f'), 0);
}

Test(compare, combined_and_flushed)
{
    static const char *const combine[] = { "and", "or", "xor" };
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(combine); i++)
        failed += compare((comparison){ .type = &types[4],
                                        .relation = &relations[2],
                                        .combine = combine[i] });
    failed += compare((comparison){
        .type = &types[11], .relation = &relations[0], .ftz = true });
    failed += compare((comparison){ .type = &types[11],
                                    .relation = &relations[12],
                                    .combine = "or",
                                    .ftz = true });
    cr_assert_eq(failed, 0);
}

Test(compare, set)
{
    static const char *const results[] = { "u32", "s32", "f32" };
    static const int of[] = { 1, 3, 4, 6, 7, 11, 12 };
    int failed = 0;
    for (size_t r = 0; r < RF_COUNTOF(results); r++)
        for (size_t t = 0; t < RF_COUNTOF(of); t++)
            failed += compare((comparison){ .type = &types[of[t]],
                                            .relation = &relations[3],
                                            .result = results[r] });
    cr_assert_eq(failed, 0);
}

/* ---- rows with a formula ---- */

static bool subnormal(uint64_t v)
{
    return !(v >> 23 & 0xff) && (v & 0x7fffff);
}

static bool is_nan32(uint64_t v)
{
    return (v & 0x7fffffff) > 0x7f800000;
}

/* A pair of predicates as bits 0 and 1. */
#define PAIR(p, q) ((uint64_t)(p) | (uint64_t)(q) << 1)

/* clang-format off */
#define SELECTIONS(X)                                                          \
    X(selp_b16, "hhhp", "selp.b16 d, a, b, c;", c ? a : b)                     \
    X(selp_b32, "rrrp", "selp.b32 d, a, b, c;", c ? a : b)                     \
    X(selp_b64, "qqqp", "selp.b64 d, a, b, c;", c ? a : b)                     \
    X(selp_f32, "FFFp", "selp.f32 d, a, b, c;", c ? a : b)                     \
    X(selp_f64, "DDDp", "selp.f64 d, a, b, c;", c ? a : b)                     \
    X(selp_not, "rrrp", "not.pred p0, c; selp.s32 d, a, b, p0;", c ? b : a)    \
    X(slct_u32, "rrrr", "slct.u32.s32 d, a, b, c;", (int32_t)c >= 0 ? a : b)   \
    X(slct_u64, "qqqr", "slct.u64.s32 d, a, b, c;", (int32_t)c >= 0 ? a : b)   \
    X(slct_f32, "FFFF", "slct.f32.f32 d, a, b, c;",                            \
      is_nan32(c) || (c >> 31 && c << 33) ? b : a)                             \
    X(slct_ftz, "FFFF", "slct.ftz.f32.f32 d, a, b, c;",                        \
      is_nan32(c) || (c >> 31 && c << 33 && !subnormal(c)) ? b : a)            \
    X(setp_pair, "rrr",                                                        \
      "setp.lt.s32 p0|p1, a, b; selp.b32 d, 1, 0, p0; selp.b32 r0, 2, 0, p1;"  \
      " or.b32 d, d, r0;",                                                     \
      PAIR((int32_t)a < (int32_t)b, (int32_t)a >= (int32_t)b))                 \
    X(testp_finite, "pF", "testp.finite.f32 d, a;",                            \
      (a & 0x7f800000) != 0x7f800000)                                          \
    X(testp_infinite, "pF", "testp.infinite.f32 d, a;",                        \
      (a & 0x7fffffff) == 0x7f800000)                                          \
    X(testp_number, "pF", "testp.number.f32 d, a;", !is_nan32(a))              \
    X(testp_nan, "pF", "testp.notanumber.f32 d, a;", is_nan32(a))              \
    X(testp_normal, "pF", "testp.normal.f32 d, a;",                            \
      (a >> 23 & 0xff) != 0xff && (a >> 23 & 0xff) != 0)                       \
    X(testp_subnormal, "pF", "testp.subnormal.f32 d, a;", subnormal(a))        \
    X(testp_f64, "pD", "testp.normal.f64 d, a;",                               \
      (a >> 52 & 0x7ff) != 0x7ff && (a >> 52 & 0x7ff) != 0)                    \
    X(testp_nan64, "pD", "testp.notanumber.f64 d, a;",                         \
      (a << 1) > 0xffe0000000000000)                                           \
    X(copysign_f32, "FFF", "copysign.f32 d, a, b;",                            \
      (a & 0x80000000) | (b & 0x7fffffff))                                     \
    X(copysign_f64, "DDD", "copysign.f64 d, a, b;",                            \
      (a & 1ull << 63) | (b & INT64_MAX))
/* clang-format on */

#define X(id, letters, ptx, value)                                             \
    static uint64_t want_##id(const void *data, const uint64_t *s)             \
    {                                                                          \
        uint64_t a = s[0], b = s[1], c = s[2];                                 \
        (void)data, (void)a, (void)b, (void)c;                                 \
        return (uint64_t)(value);                                              \
    }
SELECTIONS(X)
#undef X

#define X(id, letters, ptx, value) { ptx, letters, want_##id, NULL, NULL },
static const row selections[] = { SELECTIONS(X) };
#undef X

Test(compare, selections_and_tests)
{
    cr_assert_eq(rows_run(selections, RF_COUNTOF(selections)), 0);
}
