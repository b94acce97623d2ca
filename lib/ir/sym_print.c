/* Symbolic expressions in mathematical notation: positive terms before
 * negative ones, negative powers below a fraction bar, x^(1/2) as sqrt(x). */
#include "ir/sym.h"

#include <inttypes.h>

/* How tightly a form binds; what binds less needs parentheses. */
enum { LOOSE, OR_, AND_, RELATION, SUM, PRODUCT, POWER, TIGHT };

static void print(rf_buf *out, const rf_sym *e, int around);

static void print_list(rf_buf *out, const char *name, const rf_sym *e)
{
    rf_buf_printf(out, "%s(", name);
    for (unsigned i = 0; i < e->n; i++) {
        if (i)
            rf_buf_puts(out, ", ");
        print(out, e->arg[i], LOOSE);
    }
    rf_buf_putc(out, ')');
}

static void print_infix(rf_buf *out, const char *op, const rf_sym *e, int level)
{
    for (unsigned i = 0; i < e->n; i++) {
        if (i)
            rf_buf_printf(out, " %s ", op);
        print(out, e->arg[i], level + 1);
    }
}

static bool is_negative(const rf_sym *e)
{
    if (e->kind == RF_SYM_MUL)
        e = e->arg[0];
    return e->kind == RF_SYM_RAT && e->num < 0;
}

static bool is_below(const rf_sym *e)
{
    return e->kind == RF_SYM_POW && e->arg[1]->kind == RF_SYM_RAT &&
           e->arg[1]->num < 0;
}

/* b^(num/den), num > 0 */
static void print_power(rf_buf *out, const rf_sym *b, int64_t num, int64_t den)
{
    if (num == 1 && den == 1) {
        print(out, b, POWER);
    } else if (num == 1 && den == 2) {
        rf_buf_puts(out, "sqrt(");
        print(out, b, LOOSE);
        rf_buf_putc(out, ')');
    } else {
        print(out, b, TIGHT);
        rf_buf_printf(out,
                      den == 1 ? "^%" PRId64 : "^(%" PRId64 "/%" PRId64 ")",
                      num, den);
    }
}

static void print_factor(rf_buf *out, const rf_sym *e)
{
    if (e->kind == RF_SYM_POW && e->arg[1]->kind == RF_SYM_RAT) {
        int64_t num = e->arg[1]->num;
        print_power(out, e->arg[0], num < 0 ? -num : num, e->arg[1]->den);
    } else {
        print(out, e, POWER);
    }
}

static unsigned print_above(rf_buf *out, const rf_sym *const *f, unsigned n,
                            int64_t num)
{
    unsigned printed = 0;
    if (num != 1) {
        rf_buf_printf(out, "%" PRId64, num);
        printed++;
    }
    for (unsigned i = 0; i < n; i++) {
        if (is_below(f[i]) || f[i]->kind == RF_SYM_RAT)
            continue;
        if (printed++)
            rf_buf_putc(out, '*');
        print_factor(out, f[i]);
    }
    return printed;
}

static void print_below(rf_buf *out, const rf_sym *const *f, unsigned n,
                        int64_t den)
{
    unsigned below = den != 1;
    for (unsigned i = 0; i < n; i++)
        below += is_below(f[i]);
    if (!below)
        return;
    rf_buf_puts(out, below > 1 ? "/(" : "/");
    unsigned printed = den != 1;
    if (printed)
        rf_buf_printf(out, "%" PRId64, den);
    for (unsigned i = 0; i < n; i++) {
        if (!is_below(f[i]))
            continue;
        if (printed++)
            rf_buf_putc(out, '*');
        print_factor(out, f[i]);
    }
    if (below > 1)
        rf_buf_putc(out, ')');
}

/* The product "e", or its opposite: the sign was printed by the caller. */
static void print_product(rf_buf *out, const rf_sym *e, bool opposite)
{
    bool product = e->kind == RF_SYM_MUL;
    const rf_sym *const *f = product ? e->arg : &e;
    unsigned n = product ? e->n : 1;
    int64_t num = 1, den = 1;
    if (f[0]->kind == RF_SYM_RAT) {
        num = opposite ? -f[0]->num : f[0]->num;
        den = f[0]->den;
    }
    if (num == -1 && n > 1) {
        rf_buf_putc(out, '-');
        num = 1;
    }
    if (!print_above(out, f, n, num))
        rf_buf_putc(out, '1');
    print_below(out, f, n, den);
}

/* Positive terms, then negative ones; the constant comes last, but first when
 * it alone is positive: 1 - x. */
static int turn_of(const rf_sym *e, unsigned i)
{
    if (i > 0 || e->arg[0]->kind != RF_SYM_RAT)
        return 1 + is_negative(e->arg[i]);
    bool positive = false;
    for (unsigned k = 1; k < e->n; k++)
        positive |= !is_negative(e->arg[k]);
    return positive || e->arg[0]->num < 0 ? 3 : 0;
}

static void print_sum(rf_buf *out, const rf_sym *e)
{
    unsigned printed = 0;
    for (int turn = 0; turn <= 3; turn++)
        for (unsigned i = 0; i < e->n; i++) {
            if (turn_of(e, i) != turn)
                continue;
            bool negative = is_negative(e->arg[i]);
            if (printed)
                rf_buf_puts(out, negative ? " - " : " + ");
            print_product(out, e->arg[i], negative && printed);
            printed++;
        }
}

static int level_of(const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_RAT:
        return e->num < 0 ? SUM : e->den != 1 ? PRODUCT : TIGHT;
    case RF_SYM_ADD:
        return SUM;
    case RF_SYM_MUL:
        return is_negative(e) ? SUM : PRODUCT;
    case RF_SYM_POW:
        return is_below(e) ? PRODUCT : POWER;
    case RF_SYM_LT:
    case RF_SYM_LE:
    case RF_SYM_EQ:
        return RELATION;
    case RF_SYM_AND:
        return AND_;
    case RF_SYM_OR:
        return OR_;
    case RF_SYM_SELECT:
        return LOOSE;
    default:
        return TIGHT;
    }
}

static void print_select(rf_buf *out, const rf_sym *e)
{
    print(out, e->arg[0], OR_);
    rf_buf_puts(out, " ? ");
    print(out, e->arg[1], OR_);
    rf_buf_puts(out, " : ");
    print(out, e->arg[2], OR_);
}

static void print_general_power(rf_buf *out, const rf_sym *e)
{
    if (e->arg[1]->kind == RF_SYM_RAT) {
        print_product(out, e, false);
        return;
    }
    print(out, e->arg[0], TIGHT);
    rf_buf_putc(out, '^');
    print(out, e->arg[1], TIGHT);
}

static const char *exp_name(unsigned base)
{
    return base == 2 ? "exp2" : base == 10 ? "exp10" : "exp";
}

/* kind, spelling */
#define FUNCTIONS(X) X(LOG, "log") X(ABS, "abs") X(MAX, "max") X(MIN, "min")
/* kind, spelling, level */
#define INFIX(X)                                                               \
    X(LT, "<", RELATION)                                                       \
    X(LE, "<=", RELATION)                                                      \
    X(EQ, "==", RELATION) X(AND, "&&", AND_) X(OR, "||", OR_)

static void print_named(rf_buf *out, const rf_sym *e)
{
    if (e->n)
        print_list(out, e->name, e);
    else
        rf_buf_puts(out, e->name);
}

static void print_arithmetic(rf_buf *out, const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_ADD:
        print_sum(out, e);
        break;
    case RF_SYM_POW:
        print_general_power(out, e);
        break;
    case RF_SYM_EXP:
        print_list(out, exp_name(e->base), e);
        break;
    default:
        print_product(out, e, false);
    }
}

static void print_open(rf_buf *out, const rf_sym *e)
{
    switch (e->kind) {
#define X(KIND, name)                                                          \
    case RF_SYM_##KIND:                                                        \
        print_list(out, name, e);                                              \
        break;
        FUNCTIONS(X)
#undef X
#define X(KIND, op, level)                                                     \
    case RF_SYM_##KIND:                                                        \
        print_infix(out, op, e, level);                                        \
        break;
        INFIX(X)
#undef X
    case RF_SYM_ATOM:
        rf_buf_puts(out, e->atom->name);
        break;
    case RF_SYM_SELECT:
        print_select(out, e);
        break;
    case RF_SYM_NOT:
        rf_buf_putc(out, '!');
        print(out, e->arg[0], TIGHT);
        break;
    case RF_SYM_ROUND:
    case RF_SYM_CALL:
        print_named(out, e);
        break;
    default:
        print_arithmetic(out, e);
    }
}

static void print(rf_buf *out, const rf_sym *e, int around)
{
    bool closed = level_of(e) < around;
    if (closed)
        rf_buf_putc(out, '(');
    print_open(out, e);
    if (closed)
        rf_buf_putc(out, ')');
}

void rf_sym_print(rf_buf *out, const rf_sym *e)
{
    print(out, e, LOOSE);
}

const char *rf_sym_text(rf_arena *arena, const rf_sym *e)
{
    rf_buf buf = { 0 };
    rf_sym_print(&buf, e);
    const char *text = rf_arena_strdup(arena, rf_buf_text(&buf));
    rf_buf_free(&buf);
    return text;
}
