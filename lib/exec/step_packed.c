/* Integers packed in one register (add.u16x2, vabsdiff4) and rare integer
 * instructions. */
#include "exec/decode.h"
#include "exec/step_macros.h"

#include <string.h>

/* ---- operations on parts of a word ---- */

/* The k-th part of "bits" bits. */
static inline s64 part_of(u32 x, int k, int bits, bool is_signed)
{
    u32 up = x << (32 - bits * (k + 1));
    return is_signed ? (s64)((s32)up >> (32 - bits)) : (s64)(up >> (32 - bits));
}

/* name without "v" and width, operation on the parts a and b */
#define PART_OPS(X)                                                            \
    X(add, a + b)                                                              \
    X(sub, a - b)                                                              \
    X(min, a < b ? a : b)                                                      \
    X(max, a > b ? a : b)                                                      \
    X(absdiff, a > b ? a - b : b - a)                                          \
    X(avrg, (a + b + (a + b >= 0)) >> 1)

typedef s64 part_op(s64 a, s64 b);

#define X(name, value)                                                         \
    static s64 part_##name(s64 a, s64 b)                                       \
    {                                                                          \
        return value;                                                          \
    }
PART_OPS(X)
#undef X

static const struct {
    const char *name;
    part_op *op;
} part_ops[] = {
#define X(name, value) { #name, part_##name },
    PART_OPS(X)
#undef X
};

typedef struct {
    part_op *op;
    int bits;
    bool signed_a, signed_b, signed_d;
    bool sum; /* the parts are added up, and to c */
    bool sat, relu;
} parts;

static s64 part_value(const parts *p, u32 a, u32 b, int k)
{
    s64 v = p->op(part_of(a, k, p->bits, p->signed_a),
                  part_of(b, k, p->bits, p->signed_b));
    s64 high = (1ll << (p->bits - p->signed_d)) - 1;
    s64 low = p->signed_d ? -high - 1 : 0;
    if (p->sat)
        v = v < low ? low : v > high ? high : v;
    return p->relu && v < 0 ? 0 : v;
}

static u32 all_parts(const parts *p, u32 a, u32 b, u32 c)
{
    u32 r = p->sum ? c : 0, keep = (1u << p->bits) - 1;
    for (int k = 0; k < 32 / p->bits; k++) {
        s64 v = part_value(p, a, b, k);
        r = p->sum ? r + (u32)v : r | ((u32)v & keep) << k * p->bits;
    }
    return r;
}

static void step_parts(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    const parts *p = in->extra->data;
    RF_EACH_LANE(i, mask)
    {
        u32 a = (u32)rf_get(w, &in->o[1], i), b = (u32)rf_get(w, &in->o[2], i);
        u32 c = in->n > 3 ? (u32)rf_get(w, &in->o[3], i) : 0;
        rf_set(w, &in->o[0], i, all_parts(p, a, b, c));
    }
}

static part_op *part_op_of(const char *name, size_t length)
{
    for (size_t i = 0; i < RF_COUNTOF(part_ops); i++)
        if (strlen(part_ops[i].name) == length &&
            !strncmp(part_ops[i].name, name, length))
            return part_ops[i].op;
    return NULL;
}

static bool emit_parts(rf_reader *r, const rf_statement *s, parts p)
{
    rf_operand o[4];
    if (!p.op || s->n < 3 || s->n > 4)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], RF_T_B32);
    rf_instr *in = rf_emit(r, s, step_parts, RF_KIND_STEP, RF_CLASS_INT);
    memcpy(in->o, o, s->n * sizeof *o);
    in->n = (uint8_t)s->n;
    in->extra = RF_NEW(r->arena, rf_extra);
    parts *data = RF_NEW(r->arena, parts);
    *data = p;
    in->extra->data = data;
    return true;
}

/* add.u16x2 d, a, b */
bool rf_decode_x2(rf_reader *r, const rf_statement *s)
{
    bool is_signed = rf_has(s, "s16x2");
    if (!is_signed && !rf_has(s, "u16x2"))
        return false;
    return emit_parts(r, s,
                      (parts){ .op = part_op_of(s->part[0], strlen(s->part[0])),
                               .bits = 16,
                               .signed_a = is_signed,
                               .signed_b = is_signed,
                               .signed_d = is_signed,
                               .relu = rf_has(s, "relu") });
}

static bool is_signed_type(const rf_statement *s, uint32_t n)
{
    return rf_type_class(rf_nth_type(s, n)) == 's';
}

/* vabsdiff4.u32.s32.s32.add d, a, b, c, without selected parts. */
bool rf_decode_video(rf_reader *r, const rf_statement *s)
{
    size_t length = strlen(s->part[0]);
    char width = s->part[0][length - 1];
    for (uint32_t i = 0; i < s->n; i++)
        if (s->arg[i].kind == RF_ARG_NAME && strchr(s->arg[i].name, '.'))
            return false;
    if (width != '2' && width != '4')
        return false;
    return emit_parts(r, s,
                      (parts){ .op = part_op_of(s->part[0] + 1, length - 2),
                               .bits = width == '2' ? 16 : 8,
                               .signed_d = is_signed_type(s, 0),
                               .signed_a = is_signed_type(s, 1),
                               .signed_b = is_signed_type(s, 2),
                               .sum = rf_has(s, "add"),
                               .sat = rf_has(s, "sat") });
}

/* ---- single words ---- */

/* The n low bits of a, extended. */
static inline u32 extend_low(u32 a, u32 n, bool is_signed)
{
    if (n >= 32 || !n)
        return n ? a : 0;
    return (u32)part_of(a, 0, (int)n, is_signed);
}

/* The place of the |n|-th set bit of "word" from "base" on. */
static inline u32 nth_set(u32 word, u32 base, s32 n)
{
    s32 step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
    if (base > 31)
        return ~0u;
    if (!n)
        return word >> base & 1 ? base : ~0u;
    for (s32 at = (s32)base; at >= 0 && at < 32; at += step)
        if ((word >> at & 1) && --left == 0)
            return (u32)at;
    return ~0u;
}

STEP2(szext_clamp_u32, u32, u32, extend_low(a, b, false))
STEP2(szext_clamp_s32, u32, u32, extend_low(a, b, true))
STEP2(szext_wrap_u32, u32, u32, extend_low(a, b & 31, false))
STEP2(szext_wrap_s32, u32, u32, extend_low(a, b & 31, true))
STEP3(fns_b32, u32, s32, u32, nth_set(a, b, c))
STEP2(min_relu_s32, s32, s32, a < 0 || b < 0 ? 0 : a < b ? a : b)
STEP2(max_relu_s32, s32, s32, a < 0 && b < 0 ? 0 : a > b ? a : b)

/* min.relu.s32 has the key min.s32: relu is a modifier. */
rf_step *rf_step_relu(const rf_statement *s)
{
    if (!rf_has(s, "relu") || rf_last_type(s) != RF_T_S32)
        return NULL;
    return !strcmp(s->part[0], "min") ? min_relu_s32 : max_relu_s32;
}

/* clang-format off */
const rf_step_row rf_steps_packed[] = {
    { "szext.clamp.u32", szext_clamp_u32, RF_CLASS_INT },
    { "szext.clamp.s32", szext_clamp_s32, RF_CLASS_INT },
    { "szext.wrap.u32", szext_wrap_u32, RF_CLASS_INT },
    { "szext.wrap.s32", szext_wrap_s32, RF_CLASS_INT },
    { "fns.b32", fns_b32, RF_CLASS_INT },
    { NULL, NULL, 0 },
};
/* clang-format on */
