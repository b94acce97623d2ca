/* The matrix of conversions: every source type to every target type. */
#include "reference.h"
#include "rows.h"

#include "support/array.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A scalar type: PTX name, letter of rows.h, bits; class u, s or f. */
typedef struct {
    const char *name;
    char letter, class;
    int bits;
} scalar;

static const scalar integers[] = {
    { "u8", 'h', 'u', 8 },   { "s8", 'h', 's', 8 },   { "u16", 'h', 'u', 16 },
    { "s16", 'h', 's', 16 }, { "u32", 'r', 'u', 32 }, { "s32", 'r', 's', 32 },
    { "u64", 'q', 'u', 64 }, { "s64", 'q', 's', 64 },
};

static const scalar floats[] = {
    { "f16", 'H', 'f', 16 },
    { "bf16", 'B', 'f', 16 },
    { "f32", 'F', 'f', 32 },
    { "f64", 'D', 'f', 64 },
};

typedef struct {
    const scalar *to, *from;
    ref_mode mode;
    bool integral;
} conversion;

static uint64_t low_bits(uint64_t v, int bits)
{
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static __int128 integer_value(const scalar *type, uint64_t v)
{
    v = low_bits(v, type->bits);
    if (type->class == 's' && v >> (type->bits - 1))
        return (__int128)v - ((__int128)1 << type->bits);
    return v;
}

static __int128 integer_limit(const scalar *type, bool high)
{
    int n = type->bits - (type->class == 's');
    if (high)
        return ((__int128)1 << n) - 1;
    return type->class == 's' ? -((__int128)1 << n) : 0;
}

/* The register after a conversion to "type": extended to its own width. */
static uint64_t in_register(const scalar *type, __int128 v)
{
    return (uint64_t)integer_value(type, (uint64_t)v);
}

static uint64_t clamp_to(const scalar *type, __int128 v)
{
    __int128 low = integer_limit(type, false), high = integer_limit(type, true);
    return in_register(type, v < low ? low : v > high ? high : v);
}

static uint64_t want_int_to_int(const void *data, const uint64_t *s)
{
    const conversion *c = data;
    __int128 v = integer_value(c->from, s[0]);
    return c->mode.sat ? clamp_to(c->to, v) : in_register(c->to, v);
}

static uint64_t want_int_to_float(const void *data, const uint64_t *s)
{
    const conversion *c = data;
    __int128 v = integer_value(c->from, s[0]);
    mpfr_t x;
    mpfr_init2(x, 64);
    if (v < 0)
        mpfr_set_si(x, (int64_t)v, MPFR_RNDN);
    else
        mpfr_set_ui(x, (uint64_t)v, MPFR_RNDN);
    uint64_t bits = ref_encode(c->to->letter, x, c->mode);
    mpfr_clear(x);
    return bits;
}

static void flush_source(const conversion *c, mpfr_t x)
{
    if (!c->mode.ftz || c->from->letter != 'F' || !mpfr_regular_p(x))
        return;
    if (mpfr_get_exp(x) <= -126)
        mpfr_set_zero(x, mpfr_signbit(x) ? -1 : 1);
}

/* cvt: NaN becomes 0, or the top bit where 64 bits are involved. */
static uint64_t nan_as_integer(const conversion *c)
{
    if (c->from->letter == 'D' || c->to->bits == 64)
        return in_register(c->to, (__int128)1 << (c->to->bits - 1));
    return 0;
}

static uint64_t finite_to_int(const conversion *c, mpfr_t x)
{
    mpfr_rint(x, x, c->mode.round);
    if (mpfr_cmp_d(x, 0x1p64) >= 0)
        return in_register(c->to, integer_limit(c->to, true));
    if (mpfr_cmp_d(x, -0x1p63) <= 0)
        return in_register(c->to, integer_limit(c->to, false));
    __int128 v = mpfr_sgn(x) < 0 ? (__int128)mpfr_get_si(x, MPFR_RNDZ)
                                 : (__int128)mpfr_get_ui(x, MPFR_RNDZ);
    return clamp_to(c->to, v);
}

static uint64_t want_float_to_int(const void *data, const uint64_t *s)
{
    const conversion *c = data;
    mpfr_t x;
    mpfr_init2(x, 64);
    ref_decode(x, c->from->letter, s[0]);
    flush_source(c, x);
    uint64_t v = mpfr_nan_p(x) ? nan_as_integer(c) : finite_to_int(c, x);
    mpfr_clear(x);
    return v;
}

static uint64_t want_float_to_float(const void *data, const uint64_t *s)
{
    const conversion *c = data;
    ref_mode mode = c->mode;
    mpfr_t x;
    mpfr_init2(x, 64);
    ref_decode(x, c->from->letter, s[0]);
    flush_source(c, x);
    if (c->integral)
        mpfr_rint(x, x, mode.round);
    mode.ftz = mode.ftz && c->to->letter == 'F';
    uint64_t bits = ref_encode(c->to->letter, x, mode);
    mpfr_clear(x);
    return bits;
}

static bool agree_float(const void *data, const uint64_t *s, uint64_t got,
                        uint64_t want)
{
    const conversion *c = data;
    (void)s;
    return ref_same(c->to->letter, got, want);
}

static int convert(const scalar *to, const scalar *from, const char *modifiers,
                   row_want *want)
{
    char ptx[64], types[3] = { to->letter, from->letter, 0 };
    snprintf(ptx, sizeof ptx, "cvt%s.%s.%s d, a;", modifiers, to->name,
             from->name);
    conversion c = { to, from, ref_mode_of(modifiers),
                     strstr(modifiers, "i") && from == to };
    row r = { ptx, types, want, to->class == 'f' ? agree_float : NULL, &c };
    return !row_run(&r);
}

/* PTX allows .sat only where the target cannot hold every source value. */
static bool may_saturate(const scalar *to, const scalar *from)
{
    return integer_limit(from, true) > integer_limit(to, true) ||
           integer_limit(from, false) < integer_limit(to, false);
}

Test(convert, between_integers)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(integers); i++)
        for (size_t j = 0; j < RF_COUNTOF(integers); j++) {
            const scalar *to = &integers[i], *from = &integers[j];
            failed += convert(to, from, "", want_int_to_int);
            if (may_saturate(to, from))
                failed += convert(to, from, ".sat", want_int_to_int);
        }
    cr_assert_eq(failed, 0);
}

/* PTX has no conversion between bf16 and 8-bit integers. */
static bool exists(const scalar *real, const scalar *integer)
{
    return real->letter != 'B' || integer->bits > 8;
}

Test(convert, integers_to_floats)
{
    static const char *const modes[] = { ".rn", ".rz", ".rm", ".rp" };
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(floats); i++)
        for (size_t j = 0; j < RF_COUNTOF(integers); j++)
            for (size_t m = 0; m < RF_COUNTOF(modes); m++)
                if (exists(&floats[i], &integers[j]))
                    failed += convert(&floats[i], &integers[j], modes[m],
                                      want_int_to_float);
    cr_assert_eq(failed, 0);
}

Test(convert, floats_to_integers)
{
    static const char *const modes[] = { ".rni", ".rzi", ".rmi", ".rpi" };
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(integers); i++)
        for (size_t j = 0; j < RF_COUNTOF(floats); j++)
            for (size_t m = 0; m < RF_COUNTOF(modes); m++)
                if (exists(&floats[j], &integers[i]))
                    failed += convert(&integers[i], &floats[j], modes[m],
                                      want_float_to_int);
    failed += convert(&integers[5], &floats[2], ".rpi.ftz", want_float_to_int);
    failed += convert(&integers[0], &floats[2], ".rni.sat", want_float_to_int);
    cr_assert_eq(failed, 0);
}

/* Indices into floats[] and the modifiers that PTX allows for the pair. */
static const struct {
    int to, from;
    const char *modifiers;
} narrowing[] = {
    { 0, 2, ".rn .rz .rm .rp .rn.ftz .rn.sat .rn.relu .rz.relu" },
    { 0, 2, ".rn.satfinite .rn.relu.satfinite" },
    { 0, 3, ".rn .rz .rm .rp" },
    { 1, 2, ".rn .rz .rm .rp .rn.relu .rz.relu .rn.satfinite" },
    { 1, 3, ".rn .rz .rm .rp" },
    { 2, 3, ".rn .rz .rm .rp .rn.ftz .rz.sat" },
    { 1, 0, ".rn .rz .rm .rp" },
    { 0, 1, ".rn .rz .rm .rp" },
    { 2, 0, "| .ftz .sat" },
    { 2, 1, "|" },
    { 3, 0, "|" },
    { 3, 1, "|" },
    { 3, 2, "| .ftz .sat" },
    { 0, 0, ".rni .rzi .rmi .rpi" },
    { 1, 1, ".rni .rzi .rmi .rpi" },
    { 2, 2, ".rni .rzi .rmi .rpi .rni.ftz .rpi.sat .ftz .sat" },
    { 3, 3, ".rni .rzi .rmi .rpi .sat" },
};

Test(convert, between_floats)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(narrowing); i++) {
        char list[96], *rest = list;
        snprintf(list, sizeof list, "%s", narrowing[i].modifiers);
        for (char *m; (m = strsep(&rest, " "));)
            failed +=
                convert(&floats[narrowing[i].to], &floats[narrowing[i].from],
                        *m == '|' ? "" : m, want_float_to_float);
    }
    cr_assert_eq(failed, 0);
}

/* ---- packed and narrow formats ---- */

/* Two elements of type "to" from a and b, or from the halves of a. */
typedef struct {
    const char *ptx, *types;
    char to, from;
    int to_bits;
} packing;

static const packing packings[] = {
    { "cvt.rn.f16x2.f32 d, a, b;", "XFF", 'H', 'F', 16 },
    { "cvt.rz.f16x2.f32 d, a, b;", "XFF", 'H', 'F', 16 },
    { "cvt.rn.relu.f16x2.f32 d, a, b;", "XFF", 'H', 'F', 16 },
    { "cvt.rn.satfinite.f16x2.f32 d, a, b;", "XFF", 'H', 'F', 16 },
    { "cvt.rn.bf16x2.f32 d, a, b;", "YFF", 'B', 'F', 16 },
    { "cvt.rz.bf16x2.f32 d, a, b;", "YFF", 'B', 'F', 16 },
    { "cvt.rz.relu.bf16x2.f32 d, a, b;", "YFF", 'B', 'F', 16 },
    { "cvt.rn.satfinite.e4m3x2.f32 d, a, b;", "bFF", 'b', 'F', 8 },
    { "cvt.rn.satfinite.relu.e4m3x2.f32 d, a, b;", "bFF", 'b', 'F', 8 },
    { "cvt.rn.satfinite.e5m2x2.f32 d, a, b;", "eFF", 'e', 'F', 8 },
    { "cvt.rn.satfinite.relu.e5m2x2.f32 d, a, b;", "eFF", 'e', 'F', 8 },
    { "cvt.rn.satfinite.e4m3x2.f16x2 d, a;", "bX", 'b', 'H', 8 },
    { "cvt.rn.satfinite.e5m2x2.f16x2 d, a;", "eX", 'e', 'H', 8 },
    { "cvt.rn.satfinite.relu.e5m2x2.f16x2 d, a;", "eX", 'e', 'H', 8 },
    { "cvt.rn.f16x2.e4m3x2 d, a;", "Xb", 'H', 'b', 16 },
    { "cvt.rn.relu.f16x2.e4m3x2 d, a;", "Xb", 'H', 'b', 16 },
    { "cvt.rn.f16x2.e5m2x2 d, a;", "Xe", 'H', 'e', 16 },
    { "cvt.rn.relu.f16x2.e5m2x2 d, a;", "Xe", 'H', 'e', 16 },
    { "cvt.rna.tf32.f32 d, a;", "FF", 'T', 'F', 32 },
    { "cvt.rna.satfinite.tf32.f32 d, a;", "FF", 'T', 'F', 32 },
    { "cvt.rn.tf32.f32 d, a;", "FF", 'T', 'F', 32 },
    { "cvt.rz.tf32.f32 d, a;", "FF", 'T', 'F', 32 },
    { "cvt.rn.relu.tf32.f32 d, a;", "FF", 'T', 'F', 32 },
};

static uint64_t convert_one(const packing *p, uint64_t v)
{
    ref_mode mode = ref_mode_of(p->ptx);
    mpfr_t x;
    mpfr_init2(x, 64);
    ref_decode(x, p->from, v);
    uint64_t bits = ref_encode(p->to, x, mode);
    mpfr_clear(x);
    return bits;
}

static uint64_t want_packed(const void *data, const uint64_t *s)
{
    const packing *p = data;
    if (p->to_bits == 32)
        return convert_one(p, s[0]);
    int from = strchr("be", p->from) ? 8 : 16;
    uint64_t high = p->types[2] ? s[0] : s[0] >> from;
    uint64_t low = p->types[2] ? s[1] : low_bits(s[0], from);
    return convert_one(p, low) | convert_one(p, high) << p->to_bits;
}

static bool agree_packed(const void *data, const uint64_t *s, uint64_t got,
                         uint64_t want)
{
    const packing *p = data;
    (void)s;
    int n = p->to_bits;
    if (n == 32)
        return ref_same('T', got, want);
    return ref_same(p->to, low_bits(got, n), low_bits(want, n)) &&
           ref_same(p->to, got >> n, want >> n);
}

Test(convert, packed)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(packings); i++) {
        const packing *p = &packings[i];
        row r = { p->ptx, p->types, want_packed, agree_packed, p };
        failed += !row_run(&r);
    }
    cr_assert_eq(failed, 0);
}

/* cvt.pack: two clamped integers below the upper bits of c. */
typedef struct {
    const char *ptx, *types;
    scalar to;
} int_packing;

static const int_packing int_packings[] = {
    { "cvt.pack.sat.u16.s32 d, a, b;", "rrr", { "", 'h', 'u', 16 } },
    { "cvt.pack.sat.s16.s32 d, a, b;", "rrr", { "", 'h', 's', 16 } },
    { "cvt.pack.sat.u8.s32.b32 d, a, b, c;", "rrrr", { "", 'h', 'u', 8 } },
    { "cvt.pack.sat.s8.s32.b32 d, a, b, c;", "rrrr", { "", 'h', 's', 8 } },
    { "cvt.pack.sat.s4.s32.b32 d, a, b, c;", "rrrr", { "", 'h', 's', 4 } },
};

static uint64_t want_pack(const void *data, const uint64_t *s)
{
    const int_packing *p = data;
    int n = p->to.bits;
    uint64_t high = low_bits(clamp_to(&p->to, (int32_t)s[0]), n);
    uint64_t low = low_bits(clamp_to(&p->to, (int32_t)s[1]), n);
    uint64_t rest = p->types[3] ? s[2] << 2 * n : 0;
    return low | high << n | rest;
}

Test(convert, pack)
{
    int failed = 0;
    for (size_t i = 0; i < RF_COUNTOF(int_packings); i++) {
        const int_packing *p = &int_packings[i];
        row r = { p->ptx, p->types, want_pack, NULL, p };
        failed += !row_run(&r);
    }
    cr_assert_eq(failed, 0);
}
