/* The numbers of the model: integers as C has them, real numbers modulo
 * p = 2^61 - 1, unknown functions as hashes.
 *
 *     a + b, a - b, a * b, a / b    in the field; exact: h(op, a, b)
 *     a < b                         h(a) < h(b)
 *     f(a, b ..)                    h(f, a, b ..)
 *     2^-k                          the field's own                        */
#include "proof/model.h"

#include <math.h>

static const uint64_t P = (UINT64_C(1) << 61) - 1;

/* ---- the field ---- */

static uint64_t mod(uint64_t x)
{
    x = (x & P) + (x >> 61);
    return x >= P ? x - P : x;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return mod(a + b);
}

static uint64_t times(uint64_t a, uint64_t b)
{
    unsigned __int128 x = (unsigned __int128)a * b;
    return add((uint64_t)x & P, (uint64_t)(x >> 61));
}

static uint64_t power(uint64_t a, uint64_t n)
{
    uint64_t y = 1;
    for (; n; n >>= 1, a = times(a, a))
        y = n & 1 ? times(y, a) : y;
    return y;
}

static uint64_t negative(uint64_t a)
{
    return a ? P - a : 0;
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t rf_model_hash(const rf_model *m, const char *name, uint64_t a,
                       uint64_t b)
{
    uint64_t h = mix(m->seed + UINT64_C(0x9e3779b97f4a7c15));
    for (; *name; name++)
        h = mix(h + (unsigned char)*name + 1);
    h = mix(h ^ mix(a + 1));
    return mod(mix(h + mix(b + 2)));
}

/* ---- cells ---- */

rf_cell rf_model_int(int64_t i)
{
    return (rf_cell){ .kind = RF_CELL_INT, .i = i };
}

rf_cell rf_model_real(uint64_t r)
{
    return (rf_cell){ .kind = RF_CELL_REAL, .r = r };
}

uint64_t rf_model_number(const rf_cell *c)
{
    if (c->kind != RF_CELL_INT)
        return c->r;
    uint64_t size = c->i < 0 ? mod(-(uint64_t)c->i) : mod((uint64_t)c->i);
    return c->i < 0 ? negative(size) : size;
}

rf_cell rf_model_constant(const rf_model *m, double value)
{
    if (!isfinite(value))
        return rf_model_real(rf_model_hash(m,
                                           value > 0   ? "+inf"
                                           : value < 0 ? "-inf"
                                                       : "nan",
                                           0, 0));
    int e;
    double f = frexp(fabs(value), &e); /* f 2^53 is whole */
    uint64_t r = mod((uint64_t)ldexp(f, 53));
    uint64_t two = e < 53 ? power(2, P - 2) : 2;
    r = times(r, power(two, (uint64_t)(e < 53 ? 53 - e : e - 53)));
    return rf_model_real(value < 0 ? negative(r) : r);
}

bool rf_model_is_true(const rf_cell *c)
{
    return c->kind == RF_CELL_POINTER || c->i != 0;
}

bool rf_model_same(const rf_cell *a, const rf_cell *b)
{
    if (a->kind == RF_CELL_POINTER || b->kind == RF_CELL_POINTER)
        return a->kind == b->kind && a->object == b->object && a->i == b->i;
    if (a->kind == RF_CELL_INT && b->kind == RF_CELL_INT)
        return a->i == b->i;
    return rf_model_number(a) == rf_model_number(b);
}

bool rf_model_less(const rf_model *m, const rf_cell *a, const rf_cell *b)
{
    if (a->kind != RF_CELL_REAL && b->kind != RF_CELL_REAL)
        return a->i < b->i;
    if (rf_model_same(a, b))
        return false;
    return rf_model_hash(m, "order", rf_model_number(a), 0) <
           rf_model_hash(m, "order", rf_model_number(b), 0);
}

/* ---- arithmetic ---- */

static bool is_negative(uint64_t a)
{
    return a > P / 2;
}

static uint64_t size_of(uint64_t a)
{
    return is_negative(a) ? negative(a) : a;
}

/* What IEEE arithmetic guarantees: a + b = b + a, a - b = a + -b, and a sign
 * can be taken out of sums, products and quotients. */
static uint64_t exact_sum(const rf_model *m, uint64_t a, uint64_t b)
{
    bool swap = size_of(a) > size_of(b);
    uint64_t x = swap ? b : a, y = swap ? a : b;
    if (!is_negative(x))
        return rf_model_hash(m, "+", x, y);
    return negative(rf_model_hash(m, "+", negative(x), negative(y)));
}

static uint64_t exact_product(const rf_model *m, rf_op op, uint64_t a,
                              uint64_t b)
{
    uint64_t x = size_of(a), y = size_of(b);
    bool swap = op == RF_OP_MUL && x > y;
    uint64_t h = rf_model_hash(m, rf_op_name(op), swap ? y : x, swap ? x : y);
    return is_negative(a) != is_negative(b) ? negative(h) : h;
}

static rf_cell exact_binary(const rf_model *m, rf_op op, uint64_t a, uint64_t b)
{
    if (op == RF_OP_ADD || op == RF_OP_SUB)
        return rf_model_real(
            exact_sum(m, a, op == RF_OP_SUB ? negative(b) : b));
    if (op == RF_OP_MUL || op == RF_OP_DIV)
        return rf_model_real(exact_product(m, op, a, b));
    return rf_model_real(rf_model_hash(m, rf_op_name(op), a, b));
}

static rf_cell real_binary(const rf_model *m, rf_op op, uint64_t a, uint64_t b)
{
    if (m->exact)
        return exact_binary(m, op, a, b);
    switch (op) {
    case RF_OP_ADD:
        return rf_model_real(add(a, b));
    case RF_OP_SUB:
        return rf_model_real(add(a, negative(b)));
    case RF_OP_MUL:
        return rf_model_real(times(a, b));
    case RF_OP_DIV:
        return rf_model_real(times(a, power(b, P - 2)));
    default:
        return rf_model_real(rf_model_hash(m, rf_op_name(op), a, b));
    }
}

static int64_t int_binary(rf_op op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case RF_OP_ADD:
        return (int64_t)(x + y);
    case RF_OP_SUB:
        return (int64_t)(x - y);
    case RF_OP_MUL:
        return (int64_t)(x * y);
    case RF_OP_DIV:
        return b == -1 ? (int64_t)-x : b ? a / b : 0;
    case RF_OP_REM:
        return b == -1 || !b ? 0 : a % b;
    case RF_OP_SHL:
        return (int64_t)(x << (y & 63));
    case RF_OP_SHR:
        return a >> (y & 63);
    case RF_OP_BIT_AND:
        return a & b;
    case RF_OP_BIT_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

rf_cell rf_model_binary(const rf_model *m, rf_op op, const rf_cell *a,
                        const rf_cell *b)
{
    if (a->kind == RF_CELL_NONE || b->kind == RF_CELL_NONE)
        return (rf_cell){ .kind = RF_CELL_NONE };
    if (a->kind == RF_CELL_INT && b->kind == RF_CELL_INT)
        return rf_model_int(int_binary(op, a->i, b->i));
    return real_binary(m, op, rf_model_number(a), rf_model_number(b));
}

/* Changing the sign is exact. */
rf_cell rf_model_minus(const rf_cell *a)
{
    return rf_model_real(negative(rf_model_number(a)));
}

/* ---- conversions ---- */

static int64_t wrap(int64_t i, const rf_type *t)
{
    if (t->kind == RF_TYPE_BOOL)
        return i != 0;
    if (t->kind != RF_TYPE_INT || !t->bits || t->bits >= 64)
        return i;
    uint64_t low = (uint64_t)i & ((UINT64_C(1) << t->bits) - 1);
    bool sign = !t->is_unsigned && low >> (t->bits - 1);
    return (int64_t)(sign ? low - (UINT64_C(1) << t->bits) : low);
}

static int width(rf_float_format f)
{
    return f == RF_F64 ? 8 : f == RF_F32 ? 4 : f <= RF_BF16 ? 2 : 1;
}

static bool loses(const rf_type *from, const rf_type *to)
{
    if (!from || from->kind != RF_TYPE_FLOAT || from->format == to->format)
        return false;
    return width(from->format) <= width(to->format) ? width(to->format) <= 2
                                                    : true;
}

rf_cell rf_model_convert(const rf_model *m, const rf_cell *c,
                         const rf_type *from, const rf_type *to)
{
    bool whole = to->kind == RF_TYPE_INT || to->kind == RF_TYPE_BOOL;
    if (c->kind == RF_CELL_NONE || c->kind == RF_CELL_POINTER)
        return *c;
    if (whole && c->kind == RF_CELL_REAL) {
        bool truth = to->kind == RF_TYPE_BOOL;
        uint64_t h = truth ? c->r : rf_model_hash(m, "whole", c->r, 0);
        return rf_model_int(wrap((int64_t)(truth ? h != 0 : h % 4096), to));
    }
    if (whole)
        return rf_model_int(wrap(c->i, to));
    if (to->kind != RF_TYPE_FLOAT)
        return *c;
    rf_cell r = rf_model_real(rf_model_number(c));
    if (c->kind == RF_CELL_REAL && loses(from, to))
        r.r = rf_model_hash(m, "round", r.r, to->format);
    return r;
}
