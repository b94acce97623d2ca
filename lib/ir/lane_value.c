/* Values of lanes. Numbers are computed; contributions are collected:
 *
 *     {A, v} (+) {B, v} = {A u B, v}        A n B empty, or (+) idempotent
 *     e (+) a = a                           e neutral
 *     c ? a : b  with  c = (a > b)          max {a, b}
 *
 * and what is neither becomes an expression over the values of one lane. */
#include "ir/lanes.h"

#include <math.h>
#include <string.h>

rf_lane rf_lane_num(int64_t value)
{
    return (rf_lane){ .kind = RF_LANE_NUM, .num = value };
}

rf_lane rf_lane_undef(const char *why)
{
    return (rf_lane){ .kind = RF_LANE_UNDEF, .why = why };
}

rf_lane rf_lane_mixed(const char *why)
{
    return (rf_lane){ .kind = RF_LANE_MIXED, .why = why };
}

static bool same_order(const rf_lane_order *a, const rf_lane_order *b)
{
    return a->op == b->op && rf_lane_equal(a->a, b->a) &&
           rf_lane_equal(a->b, b->b);
}

static bool same_set(const rf_lane_set *a, const rf_lane_set *b)
{
    return a->op == b->op && a->source == b->source && a->extra == b->extra &&
           a->n == b->n && a->twice == b->twice &&
           !memcmp(a->bits, b->bits, sizeof a->bits);
}

bool rf_lane_equal(rf_lane a, rf_lane b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case RF_LANE_NUM:
        return a.num == b.num;
    case RF_LANE_SAME:
        return a.val == b.val;
    case RF_LANE_OWN:
        return a.val == b.val && a.lane == b.lane;
    case RF_LANE_SET:
        return a.set == b.set || same_set(a.set, b.set);
    case RF_LANE_PLACE:
        return a.place->var == b.place->var && a.place->at == b.place->at;
    case RF_LANE_ORDER:
        return same_order(a.order, b.order);
    case RF_LANE_TERM:
        return rf_lane_term_equal(a.term, b.term);
    default:
        return false;
    }
}

/* ---- numbers ---- */

static int64_t wrap(int64_t v, const rf_type *t)
{
    if (!t || t->kind == RF_TYPE_BOOL)
        return t ? v != 0 : v;
    if (t->kind != RF_TYPE_INT || t->bits >= 64 || !t->bits)
        return v;
    uint64_t low = (uint64_t)v & (((uint64_t)1 << t->bits) - 1);
    if (!t->is_unsigned && low >> (t->bits - 1))
        return (int64_t)(low | ~(((uint64_t)1 << t->bits) - 1));
    return (int64_t)low;
}

static bool num_relation(rf_op op, int64_t a, int64_t b, int64_t *r)
{
    switch (op) {
    case RF_OP_LT:
        return *r = a < b, true;
    case RF_OP_LE:
        return *r = a <= b, true;
    case RF_OP_GT:
        return *r = a > b, true;
    case RF_OP_GE:
        return *r = a >= b, true;
    case RF_OP_EQ:
        return *r = a == b, true;
    case RF_OP_NE:
        return *r = a != b, true;
    case RF_OP_AND:
        return *r = a && b, true;
    case RF_OP_OR:
        return *r = a || b, true;
    default:
        return false;
    }
}

static bool num_arithmetic(rf_op op, int64_t a, int64_t b, int64_t *r)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case RF_OP_ADD:
        return *r = (int64_t)(x + y), true;
    case RF_OP_SUB:
        return *r = (int64_t)(x - y), true;
    case RF_OP_MUL:
        return *r = (int64_t)(x * y), true;
    case RF_OP_DIV:
        return b && b != -1 && (*r = a / b, true);
    case RF_OP_REM:
        return b && b != -1 && (*r = a % b, true);
    case RF_OP_SHL:
        return b >= 0 && b < 64 && (*r = (int64_t)(x << y), true);
    case RF_OP_SHR:
        return b >= 0 && b < 64 && (*r = a >> b, true);
    case RF_OP_BIT_AND:
        return *r = a & b, true;
    case RF_OP_BIT_OR:
        return *r = a | b, true;
    case RF_OP_BIT_XOR:
        return *r = a ^ b, true;
    default:
        return false;
    }
}

static bool num_binary(rf_op op, const rf_type *type, int64_t a, int64_t b,
                       rf_lane *out)
{
    int64_t r;
    if (num_relation(op, a, b, &r)) {
        *out = rf_lane_num(r);
        return true;
    }
    bool real = type && type->kind == RF_TYPE_FLOAT;
    bool is_fraction = real && op == RF_OP_DIV && b && a % b;
    if (is_fraction || (real && op == RF_OP_REM) ||
        !num_arithmetic(op, a, b, &r))
        return false;
    *out = rf_lane_num(real ? r : wrap(r, type));
    return true;
}

/* ---- contributions ---- */

/* "v" as type "t" holds it; false: not known. */
static bool round_to(const rf_type *t, double v, double *out)
{
    *out = v;
    if (!t || t->kind == RF_TYPE_BOOL)
        return v == 0 || v == 1;
    if (t->kind == RF_TYPE_INT) {
        *out = trunc(v);
        return fabs(v) < 0x1p31 && (v >= 0 || !t->is_unsigned) && t->bits >= 32;
    }
    if (t->kind == RF_TYPE_FLOAT && t->format == RF_F32)
        *out = (double)(float)v;
    bool is_wide = t->kind == RF_TYPE_FLOAT && t->format <= RF_F64;
    return is_wide || isinf(v) || v == 0 || fabs(v) == 1;
}

static bool constant_of(const rf_val *v, double *out);

/* The operators of floating point. */
static bool result_of(const rf_val *v, double *out)
{
    double a, b;
    if (v->n != 2 || !v->type || v->type->kind != RF_TYPE_FLOAT ||
        v->op < RF_OP_ADD || v->op > RF_OP_DIV || !constant_of(v->arg[0], &a) ||
        !constant_of(v->arg[1], &b))
        return false;
    double r = v->op == RF_OP_ADD   ? a + b
               : v->op == RF_OP_SUB ? a - b
               : v->op == RF_OP_MUL ? a * b
                                    : a / b;
    return round_to(v->type, r, out);
}

static bool constant_of(const rf_val *v, double *out)
{
    double a;
    if (v->kind == RF_VAL_CAST)
        return constant_of(v->arg[0], &a) && round_to(v->type, a, out);
    if (v->kind == RF_VAL_OP && v->op == RF_OP_NEG)
        return constant_of(v->arg[0], &a) && (*out = -a, true);
    if (v->kind == RF_VAL_OP)
        return result_of(v, out);
    if (v->kind != RF_VAL_CONST)
        return false;
    *out =
        v->expr->op == RF_OP_INT ? (double)v->expr->value.i : v->expr->value.f;
    return v->expr->op == RF_OP_INT || v->expr->op == RF_OP_FLOAT;
}

static bool is_neutral_number(rf_reduce_op op, double c)
{
    switch (op) {
    case RF_REDUCE_SUM:
    case RF_REDUCE_OR:
    case RF_REDUCE_BIT_OR:
    case RF_REDUCE_BIT_XOR:
        return c == 0;
    case RF_REDUCE_PRODUCT:
        return c == 1;
    case RF_REDUCE_AND:
        return c != 0;
    case RF_REDUCE_MAX:
        return isinf(c) && c < 0;
    case RF_REDUCE_MIN:
        return isinf(c) && c > 0;
    default:
        return false;
    }
}

static bool is_neutral(rf_reduce_op op, rf_lane a)
{
    double c;
    if (a.kind == RF_LANE_NUM)
        return is_neutral_number(op, (double)a.num);
    return a.kind == RF_LANE_SAME && constant_of(a.val, &c) &&
           is_neutral_number(op, c);
}

static rf_lane_set *as_set(rf_team_run *r, rf_reduce_op op, rf_lane a)
{
    rf_lane_set *s = RF_NEW(r->w->arena, rf_lane_set);
    if (a.kind == RF_LANE_SET) {
        *s = *a.set;
        return s->op == op ? s : NULL;
    }
    *s = (rf_lane_set){ .op = op };
    if (a.kind == RF_LANE_OWN) {
        s->source = a.val;
        s->n = 1;
        s->bits[a.lane / 64] = (uint64_t)1 << a.lane % 64;
    } else if (a.kind == RF_LANE_SAME && rf_reduce_is_idempotent(op)) {
        s->extra = a.val;
    } else {
        return NULL;
    }
    return s;
}

static bool join_extra(rf_lane_set *s, const rf_lane_set *b)
{
    if (!s->extra || !b->extra || s->extra == b->extra) {
        s->extra = s->extra ? s->extra : b->extra;
        return true;
    }
    return false;
}

static bool join(rf_lane_set *s, const rf_lane_set *b)
{
    if ((s->source && b->source && s->source != b->source) || !join_extra(s, b))
        return false;
    s->source = s->source ? s->source : b->source;
    s->n = 0;
    s->twice |= b->twice;
    for (size_t i = 0; i < RF_COUNTOF(s->bits); i++) {
        s->twice |= (s->bits[i] & b->bits[i]) != 0;
        s->bits[i] |= b->bits[i];
        s->n += (unsigned)__builtin_popcountll(s->bits[i]);
    }
    if (rf_reduce_is_idempotent(s->op))
        s->twice = false;
    return true;
}

static bool contributes(rf_lane a)
{
    return a.kind == RF_LANE_SET || a.kind == RF_LANE_OWN;
}

static bool combine(rf_team_run *r, rf_reduce_op op, rf_lane a, rf_lane b,
                    rf_lane *out)
{
    if (!contributes(a) && !contributes(b))
        return false;
    if (a.kind == RF_LANE_OWN && b.kind == RF_LANE_OWN && a.lane == b.lane) {
        *out = a;
        return a.val == b.val && rf_reduce_is_idempotent(op);
    }
    if (a.kind == RF_LANE_NUM || b.kind == RF_LANE_NUM)
        return false;
    rf_lane_set *x = as_set(r, op, a), *y = as_set(r, op, b);
    if (!x || !y || !join(x, y))
        return false;
    *out = (rf_lane){ .kind = RF_LANE_SET, .set = x };
    return true;
}

static uint64_t mix(uint64_t h, rf_lane a)
{
    h = (h ^ (uint64_t)a.num) * 0x9e3779b97f4a7c15u;
    return (h ^ (uint64_t)(a.kind * 4099u + a.lane)) * 0xff51afd7ed558ccdu;
}

static bool same_bits(rf_lane a, rf_lane b)
{
    return a.kind == b.kind && a.lane == b.lane && a.num == b.num;
}

bool rf_lane_combine(rf_team_run *r, rf_reduce_op op, rf_lane a, rf_lane b,
                     rf_lane *out)
{
    if (is_neutral(op, a) && (contributes(b) || is_neutral(op, b))) {
        *out = b;
        return true;
    }
    if (is_neutral(op, b) && contributes(a)) {
        *out = a;
        return true;
    }
    uint64_t h = mix(mix((uint64_t)op, a), b);
    rf_lane_memo *m = &r->w->memo[(h >> 40) % RF_MEMO];
    if (m->op == (int)op + 1 && same_bits(m->a, a) && same_bits(m->b, b)) {
        *out = m->r;
        return true;
    }
    if (!combine(r, op, a, b, out))
        return false;
    *m = (rf_lane_memo){ .a = a, .b = b, .r = *out, .op = (int)op + 1 };
    return true;
}

/* ---- expressions over the values of one lane ---- */

static const rf_val *number(rf_team_run *r, const rf_type *type, int64_t n)
{
    if (!type || type->kind != RF_TYPE_FLOAT)
        return rf_val_int(r->tr->vals, n,
                          type && type->kind == RF_TYPE_INT ? type
                                                            : &rf_type_int);
    rf_expr *e = rf_expr_new(r->tr->t->arena, RF_OP_FLOAT, type, 0, NULL);
    e->value.f = (double)n;
    return rf_val_const(r->tr->vals, e);
}

const rf_val *rf_lane_to_val(rf_team_run *r, unsigned t, rf_lane a, bool *own)
{
    switch (a.kind) {
    case RF_LANE_NUM:
        return number(r, NULL, a.num);
    case RF_LANE_SAME:
        return a.val;
    case RF_LANE_OWN:
        *own = true;
        return a.lane == t ? a.val : NULL;
    case RF_LANE_SET:
        return rf_lane_result(r, t, a.set, own);
    case RF_LANE_TERM:
        return rf_lane_term_val(r, t, a.term, own);
    default:
        return NULL;
    }
}

static rf_lane made(unsigned t, const rf_val *v, bool own)
{
    return (rf_lane){ .kind = own ? RF_LANE_OWN : RF_LANE_SAME,
                      .lane = own ? t : 0,
                      .val = v };
}

static bool spoils(rf_lane a, rf_lane *out)
{
    if (a.kind != RF_LANE_UNDEF && a.kind != RF_LANE_MIXED)
        return false;
    if (out->kind != RF_LANE_UNDEF)
        *out = a;
    return true;
}

static rf_lane scalar(rf_team_run *r, unsigned t, rf_op op, const rf_type *type,
                      rf_lane a, rf_lane b)
{
    bool own = false;
    const rf_val *x = rf_lane_to_val(r, t, a, &own);
    const rf_val *y = rf_lane_to_val(r, t, b, &own);
    if (!x || !y)
        return rf_lane_mixed("contributions of several lanes are mixed");
    if (op != RF_OP_SHL && op != RF_OP_SHR && op != RF_OP_AND &&
        op != RF_OP_OR && x->type && y->type) {
        const rf_type *common = rf_common_type(x->type, y->type);
        x = rf_usual_cast(r->tr, x, common);
        y = rf_usual_cast(r->tr, y, common);
    }
    return made(t, rf_val_op2(r->tr->vals, op, type ? type : x->type, x, y),
                own);
}

static rf_lane advance(rf_team_run *r, rf_op op, rf_lane p, rf_lane n)
{
    if (n.kind != RF_LANE_NUM)
        return rf_lane_mixed("a pointer moves by an unknown distance");
    if (op == RF_OP_SUB)
        n.num = -n.num;
    return rf_lane_element(r, p, n);
}

static bool number_of(rf_lane a, double *out)
{
    *out = (double)a.num;
    return a.kind == RF_LANE_NUM ||
           (a.kind == RF_LANE_SAME && constant_of(a.val, out));
}

/* threadIdx.x < blockDim.x / 32.0f, once both are numbers. */
static bool relation(rf_op op, rf_lane a, rf_lane b, rf_lane *out)
{
    double x, y;
    if (op < RF_OP_LT || op > RF_OP_NE || !number_of(a, &x) ||
        !number_of(b, &y))
        return false;
    *out = rf_lane_num(rf_relation_holds(op, x, y));
    return true;
}

/* 0 && x, 1 || x: the other side does not matter. */
static bool short_circuit(rf_op op, rf_lane a, rf_lane b, rf_lane *out)
{
    if (op != RF_OP_AND && op != RF_OP_OR)
        return false;
    int64_t decides = op == RF_OP_OR;
    for (int i = 0; i < 2; i++) {
        rf_lane x = i ? b : a, other = i ? a : b;
        if (x.kind != RF_LANE_NUM)
            continue;
        *out = (x.num != 0) == decides ? rf_lane_num(decides) : other;
        return true;
    }
    return false;
}

static rf_lane joined(rf_team_run *r, rf_op op, const rf_type *type, rf_lane a,
                      rf_lane b)
{
    rf_lane out;
    rf_lane term = rf_lane_term_new(r, op, type, NULL, 2, (rf_lane[]){ a, b });
    bool merges = op == RF_OP_ADD && term.kind == RF_LANE_TERM &&
                  rf_lane_merge(r, term.term, &out);
    return merges ? out : term;
}

rf_lane rf_lane_binary(rf_team_run *r, unsigned t, rf_op op,
                       const rf_type *type, rf_lane a, rf_lane b)
{
    rf_lane out = rf_lane_num(0);
    if (a.kind == RF_LANE_NUM && b.kind == RF_LANE_NUM &&
        num_binary(op, type, a.num, b.num, &out))
        return out;
    if (short_circuit(op, a, b, &out))
        return out;
    if (spoils(a, &out) | spoils(b, &out) || relation(op, a, b, &out))
        return out;
    if (a.kind == RF_LANE_PLACE && (op == RF_OP_ADD || op == RF_OP_SUB))
        return advance(r, op, a, b);
    if (b.kind == RF_LANE_PLACE && op == RF_OP_ADD)
        return advance(r, op, b, a);
    rf_reduce_op reduce;
    if (rf_reduce_of_op(op, &reduce) && rf_lane_combine(r, reduce, a, b, &out))
        return out;
    if (op >= RF_OP_LT && op <= RF_OP_GE &&
        (contributes(a) || contributes(b))) {
        rf_lane_order *o = RF_NEW(r->w->arena, rf_lane_order);
        *o = (rf_lane_order){ .op = op, .a = a, .b = b };
        return (rf_lane){ .kind = RF_LANE_ORDER, .order = o };
    }
    if (rf_lane_is_open(r, t, a) || rf_lane_is_open(r, t, b))
        return joined(r, op, type, a, b);
    return scalar(r, t, op, type, a, b);
}

rf_lane rf_lane_unary(rf_team_run *r, unsigned t, rf_op op, const rf_type *type,
                      rf_lane a)
{
    bool own = false;
    if (a.kind == RF_LANE_UNDEF || a.kind == RF_LANE_MIXED)
        return a;
    if (a.kind == RF_LANE_NUM && op == RF_OP_NOT)
        return rf_lane_num(!a.num);
    if (a.kind == RF_LANE_NUM && op == RF_OP_NEG)
        return rf_lane_num(wrap(-a.num, type));
    if (a.kind == RF_LANE_NUM && op == RF_OP_BIT_NOT)
        return rf_lane_num(wrap(~a.num, type));
    if (rf_lane_is_open(r, t, a))
        return rf_lane_term_new(r, op, type, NULL, 1, &a);
    const rf_val *v = rf_lane_to_val(r, t, a, &own);
    if (!v)
        return rf_lane_mixed("a part of the contributions is used");
    if (op == RF_OP_NOT)
        return made(t, rf_val_not(r->tr->vals, v), own);
    return made(
        t, rf_val_op(r->tr->vals, op, type ? type : v->type, 1, &v, NULL), own);
}

/* float and double hold the same real numbers in the model. */
static bool keeps_contributions(const rf_lane_set *s, const rf_type *to)
{
    const rf_type *from = s->source ? s->source->type : NULL;
    if (!from)
        return false;
    if (to->kind == RF_TYPE_FLOAT)
        return from->kind == RF_TYPE_FLOAT && from->format <= RF_F64 &&
               to->format <= RF_F64;
    return from->kind == to->kind &&
           (to->kind != RF_TYPE_INT || from->bits <= to->bits);
}

static bool is_reinterpreted(const rf_lane_place *p, const rf_type *to)
{
    const rf_type *elem = to && rf_type_is_pointer_like(to) ? to->elem : NULL;
    const rf_type *from = p->type;
    while (from && from->kind == RF_TYPE_ARRAY)
        from = from->elem;
    while (elem && elem->kind == RF_TYPE_ARRAY)
        elem = elem->elem;
    return elem && from && elem->kind != RF_TYPE_DEPENDENT &&
           from->kind != RF_TYPE_DEPENDENT && !rf_type_same(elem, from);
}

static bool keeps_term(const rf_lane_term *a, const rf_type *to)
{
    const rf_type *from = a->type;
    if (!from || from->kind != to->kind)
        return false;
    return to->kind == RF_TYPE_BOOL ||
           (to->kind == RF_TYPE_FLOAT && from->format <= RF_F64 &&
            to->format <= RF_F64);
}

rf_lane rf_lane_cast(rf_team_run *r, unsigned t, const rf_type *type, rf_lane a)
{
    bool own = false;
    if (a.kind == RF_LANE_PLACE)
        return is_reinterpreted(a.place, type)
                   ? rf_lane_mixed("shared memory is read as another type")
                   : a;
    if (!type || a.kind == RF_LANE_UNDEF || a.kind == RF_LANE_MIXED ||
        type->kind == RF_TYPE_DEPENDENT || type->kind == RF_TYPE_OTHER)
        return a;
    if (a.kind == RF_LANE_NUM)
        return type->kind == RF_TYPE_FLOAT ? a : rf_lane_num(wrap(a.num, type));
    if (a.kind == RF_LANE_ORDER && type->kind == RF_TYPE_BOOL)
        return a;
    if (a.kind == RF_LANE_SET && keeps_contributions(a.set, type))
        return a;
    if (a.kind == RF_LANE_TERM)
        return keeps_term(a.term, type)
                   ? a
                   : rf_lane_term_new(r, RF_OP_CAST, type, NULL, 1, &a);
    if (a.kind == RF_LANE_OWN && a.lane != t)
        return a.val->type && (rf_type_same(type, a.val->type) ||
                               (type->kind == RF_TYPE_FLOAT &&
                                a.val->type->kind == RF_TYPE_FLOAT))
                   ? a
                   : rf_lane_mixed("a value of another lane is converted");
    const rf_val *v = rf_lane_to_val(r, t, a, &own);
    if (!v)
        return rf_lane_mixed("a part of the contributions is converted");
    return made(t, rf_usual_cast(r->tr, v, type), own);
}

static rf_lane by_order(rf_team_run *r, const rf_lane_order *o, rf_lane a,
                        rf_lane b)
{
    bool direct = rf_lane_equal(o->a, a) && rf_lane_equal(o->b, b);
    bool swapped = rf_lane_equal(o->a, b) && rf_lane_equal(o->b, a);
    bool greater = o->op == RF_OP_GT || o->op == RF_OP_GE;
    rf_lane out;
    if ((direct || swapped) &&
        rf_lane_combine(r, greater == direct ? RF_REDUCE_MAX : RF_REDUCE_MIN, a,
                        b, &out))
        return out;
    return rf_lane_mixed("a choice between contributions is no maximum");
}

rf_lane rf_lane_select(rf_team_run *r, unsigned t, rf_lane c, rf_lane a,
                       rf_lane b)
{
    bool own = false;
    if (c.kind == RF_LANE_NUM)
        return c.num ? a : b;
    if (rf_lane_equal(a, b))
        return a;
    if (c.kind == RF_LANE_ORDER)
        return by_order(r, c.order, a, b);
    if (rf_lane_is_open(r, t, c) || rf_lane_is_open(r, t, a) ||
        rf_lane_is_open(r, t, b))
        return rf_lane_term_new(r, RF_OP_SELECT, NULL, NULL, 3,
                                (rf_lane[]){ c, a, b });
    const rf_val *x = rf_lane_to_val(r, t, c, &own);
    const rf_val *y = rf_lane_to_val(r, t, a, &own);
    const rf_val *z = rf_lane_to_val(r, t, b, &own);
    if (!x || !y || !z)
        return rf_lane_mixed("a choice that is not known");
    return made(t, rf_val_select(r->tr->vals, x, y, z), own);
}

/* ---- pure functions ---- */

static rf_lane extremum(rf_team_run *r, unsigned t, const rf_expr *e, bool max,
                        const rf_lane *args)
{
    rf_lane a = args[0], b = args[1], out = rf_lane_num(0);
    if (a.kind == RF_LANE_NUM && b.kind == RF_LANE_NUM)
        return (a.num > b.num) == max ? a : b;
    if (spoils(a, &out) | spoils(b, &out))
        return out;
    if (rf_lane_equal(a, b))
        return a;
    if (rf_lane_combine(r, max ? RF_REDUCE_MAX : RF_REDUCE_MIN, a, b, &out))
        return out;
    bool own = false;
    const rf_val *v[] = { rf_lane_to_val(r, t, a, &own),
                          rf_lane_to_val(r, t, b, &own) };
    if (!v[0] || !v[1])
        return rf_lane_mixed("contributions of several lanes are mixed");
    return made(t,
                rf_val_make(r->tr->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                                    .type = e->type,
                                                    .name = e->name,
                                                    .n = 2,
                                                    .arg = v,
                                                    .expr = e }),
                own);
}

static rf_lane open_call(rf_team_run *r, const rf_expr *e, const rf_lane *args)
{
    rf_lane out = rf_lane_num(0);
    for (unsigned i = 0; i < e->n; i++)
        if (spoils(args[i], &out))
            return out;
    return rf_lane_term_new(r, RF_OP_CALL, e->type, e, e->n, args);
}

rf_lane rf_lane_call(rf_team_run *r, unsigned t, const rf_expr *e,
                     const rf_lane *args)
{
    rf_math meaning = rf_math_find(e->name);
    if ((meaning == RF_MATH_MAX || meaning == RF_MATH_MIN) && e->n == 2)
        return extremum(r, t, e, meaning == RF_MATH_MAX, args);
    if (meaning == RF_MATH_ADD && e->n == 2)
        return rf_lane_binary(r, t, RF_OP_ADD, e->type, args[0], args[1]);
    bool own = false;
    const rf_val **v = RF_NEW_ARRAY(r->tr->t->arena, e->n + 1, const rf_val *);
    rf_lane out = rf_lane_num(0);
    for (unsigned i = 0; i < e->n && e->n <= 3; i++)
        if (rf_lane_is_open(r, t, args[i]))
            return open_call(r, e, args);
    for (unsigned i = 0; i < e->n; i++) {
        if (spoils(args[i], &out))
            return out;
        v[i] = rf_lane_to_val(r, t, args[i], &own);
        if (!v[i])
            return rf_lane_mixed("a part of the contributions is used");
    }
    return made(t,
                rf_val_make(r->tr->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                                    .type = e->type,
                                                    .name = e->name,
                                                    .n = e->n,
                                                    .arg = v,
                                                    .expr = e }),
                own);
}
