/* Signs that follow from the signs of atoms and from assumed facts. A sign is
 * a set: which of <0, =0, >0 the value may be. */
#include "algebra/internal.h"

#include <stdlib.h>
#include <string.h>

enum { NEG = RF_IS_NEGATIVE, ZERO = RF_IS_ZERO, POS = RF_IS_POSITIVE };
enum { ANY = RF_IS_ANY, NONNEG = RF_IS_NONNEG };

static int mirror(int a)
{
    return (a & ZERO) | (a & NEG ? POS : 0) | (a & POS ? NEG : 0);
}

static int sum(int a, int b)
{
    if (a == ZERO)
        return b;
    if (b == ZERO)
        return a;
    int r = (a | b) & (NEG | POS);
    bool cancel = (a & NEG && b & POS) || (a & POS && b & NEG);
    if (cancel || (a & ZERO && b & ZERO))
        r |= ZERO;
    return r;
}

static int product(int a, int b)
{
    int r = (a | b) & ZERO;
    if ((a & POS && b & POS) || (a & NEG && b & NEG))
        r |= POS;
    if ((a & POS && b & NEG) || (a & NEG && b & POS))
        r |= NEG;
    return r;
}

/* The larger of two values. */
static int larger(int a, int b)
{
    int r = (a & b & NEG);
    if ((a & ZERO && b & (ZERO | NEG)) || (b & ZERO && a & (ZERO | NEG)))
        r |= ZERO;
    return r | ((a | b) & POS);
}

static int sign_of(rf_algebra *alg, const rf_sym *e);

static int fold(rf_algebra *alg, const rf_sym *e, int (*op)(int, int))
{
    int r = sign_of(alg, e->arg[0]);
    for (unsigned i = 1; i < e->n; i++)
        r = op(r, sign_of(alg, e->arg[i]));
    return r;
}

static int smaller(int a, int b)
{
    return mirror(larger(mirror(a), mirror(b)));
}

static int sign_of_power(rf_algebra *alg, const rf_sym *e)
{
    int b = sign_of(alg, e->arg[0]);
    const rf_sym *r = e->arg[1];
    if (b == POS)
        return POS;
    if (r->kind != RF_SYM_RAT)
        return NONNEG;
    int out = b;
    if (r->den != 1)
        out = NONNEG & (b | POS);
    else if (r->num % 2 == 0)
        out = (b & ZERO) | POS;
    return r->num < 0 ? out & ~ZERO : out;
}

static int sign_of_number(double v)
{
    return v < 0 ? NEG : v > 0 ? POS : ZERO;
}

static int sign_of_atom(const rf_atom *atom)
{
    return atom->sign == RF_SIGN_POSITIVE ? POS
           : atom->sign == RF_SIGN_NONNEG ? NONNEG
                                          : ANY;
}

/* name: functions that are >= 0 everywhere */
static const char *const nonneg_functions[] = { "fabs", "erfc", "cosh",
                                                "sigmoid" };

static int sign_of_call(const rf_sym *e)
{
    if (e->n == 0)
        return sign_of_number(rf_sym_value(e, 0, NULL, NULL));
    for (size_t i = 0; i < RF_COUNTOF(nonneg_functions); i++)
        if (strcmp(e->name, nonneg_functions[i]) == 0)
            return NONNEG;
    return ANY;
}

static int structural(rf_algebra *alg, const rf_sym *e)
{
    int a;
    switch (e->kind) {
    case RF_SYM_RAT:
        return sign_of_number((double)e->num);
    case RF_SYM_ATOM:
        return sign_of_atom(e->atom);
    case RF_SYM_ADD:
        return fold(alg, e, sum);
    case RF_SYM_MUL:
        return fold(alg, e, product);
    case RF_SYM_POW:
        return sign_of_power(alg, e);
    case RF_SYM_EXP:
        return POS;
    case RF_SYM_LOG:
        return sign_of(
            alg, rf_sym_sub(alg->syms, e->arg[0], rf_sym_int(alg->syms, 1)));
    case RF_SYM_ABS:
        a = sign_of(alg, e->arg[0]);
        return (a & ZERO) | (a & (NEG | POS) ? POS : 0);
    case RF_SYM_MAX:
        return fold(alg, e, larger);
    case RF_SYM_MIN:
        return fold(alg, e, smaller);
    case RF_SYM_SELECT:
        return sign_of(alg, e->arg[1]) | sign_of(alg, e->arg[2]);
    case RF_SYM_ROUND:
        return sign_of(alg, e->arg[0]) | ZERO;
    case RF_SYM_CALL:
        return sign_of_call(e);
    default:
        return NONNEG; /* truth values */
    }
}

/* e >= fact >= 0, and the same for -e. */
static int from_facts(rf_algebra *alg, const rf_sym *e, int sign)
{
    if (alg->in_facts)
        return sign;
    alg->in_facts = true;
    for (size_t i = 0; i < alg->facts.len && sign & (sign - 1); i++) {
        const rf_fact *f = &alg->facts.data[i];
        if (f->kind == RF_FACT_NONZERO) {
            if (rf_algebra_primitive(alg, e) == rf_algebra_primitive(alg, f->e))
                sign &= ~ZERO;
            continue;
        }
        int above = f->kind == RF_FACT_POSITIVE ? POS : NONNEG;
        int d = sign_of(alg,
                        rf_algebra_expand(alg, rf_sym_sub(alg->syms, e, f->e)));
        if (!(d & NEG))
            sign &= d & ZERO ? above : POS;
        d = sign_of(alg,
                    rf_algebra_expand(alg, rf_sym_add(alg->syms, e, f->e)));
        if (!(d & POS))
            sign &= d & ZERO ? mirror(above) : NEG;
    }
    alg->in_facts = false;
    return sign;
}

static int sign_of(rf_algebra *alg, const rf_sym *e)
{
    int sign = structural(alg, e);
    if (sign & (sign - 1) && alg->facts.len)
        sign = from_facts(alg, e, sign);
    return sign;
}

static void remember_sign(rf_algebra *alg, const rf_sym *e, int sign)
{
    if (alg->in_facts || alg->no_signs)
        return;
    while (alg->signs.len <= e->id)
        RF_PUSH(alg->signs, 0);
    alg->signs.data[e->id] = (unsigned char)(sign + 1);
}

rf_sign_fact rf_algebra_sign(rf_algebra *alg, const rf_sym *e)
{
    if (e->id < alg->signs.len && alg->signs.data[e->id] && !alg->no_signs)
        return (rf_sign_fact)(alg->signs.data[e->id] - 1);
    int sign = sign_of(alg, e);
    bool sum = e->kind == RF_SYM_ADD;
    if (sum && sign & NEG && sign & POS)
        sign &= sign_of(alg, rf_factored(alg, e));
    remember_sign(alg, e, sign);
    return (rf_sign_fact)sign;
}

bool rf_algebra_nonzero(rf_algebra *alg, const rf_sym *e)
{
    return !(rf_algebra_sign(alg, e) & ZERO);
}

/* The identity adds nothing to what a sum or product may be but 0 or 1. */
static int sign_of_fold(rf_reduce_op op, int f, int init)
{
    switch (op) {
    case RF_REDUCE_SUM:
        return sum(f | ZERO, init);
    case RF_REDUCE_PRODUCT:
        return product(product(f, f) | f | POS, init);
    case RF_REDUCE_MAX:
        return larger(f | init, init);
    case RF_REDUCE_MIN:
        return smaller(f | init, init);
    case RF_REDUCE_AND:
    case RF_REDUCE_OR:
        return NONNEG;
    default:
        return ANY;
    }
}

rf_sign rf_algebra_reduce_sign(rf_algebra *alg, rf_reduce_op op,
                               const rf_sym *f, const rf_sym *init)
{
    static const int identity[RF_REDUCE_COUNT] = {
        [RF_REDUCE_SUM] = ZERO,
        [RF_REDUCE_PRODUCT] = POS,
        [RF_REDUCE_MAX] = NEG,
        [RF_REDUCE_MIN] = POS,
    };
    int i = init ? (int)rf_algebra_sign(alg, init) : identity[op];
    int sign = sign_of_fold(op, rf_algebra_sign(alg, f), i);
    return sign == POS  ? RF_SIGN_POSITIVE
           : sign & NEG ? RF_SIGN_ANY
                        : RF_SIGN_NONNEG;
}

/* ---- definedness ---- */

static bool domain_holds(rf_algebra *alg, const rf_sym *e)
{
    if (e->kind == RF_SYM_LOG)
        return rf_algebra_sign(alg, e->arg[0]) == RF_IS_POSITIVE;
    if (e->kind != RF_SYM_POW)
        return true;
    int b = rf_algebra_sign(alg, e->arg[0]);
    const rf_sym *r = e->arg[1];
    if (r->kind != RF_SYM_RAT)
        return b == POS;
    return (r->num >= 0 || !(b & ZERO)) && (r->den == 1 || !(b & NEG));
}

bool rf_is_defined(rf_algebra *alg, const rf_sym *e)
{
    if (!domain_holds(alg, e))
        return false;
    for (unsigned i = 0; i < e->n; i++)
        if (!rf_is_defined(alg, e->arg[i]))
            return false;
    return true;
}
