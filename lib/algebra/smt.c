/* Obligations as SMT-LIB2 (THEORY 10), in the form that solvers answer at
 * once: polynomials only.
 *
 *     exp(q1*t1 + q2*t2)   E1^q1 * E2^q2,  Ei > 0 for exp(ti);
 *                          equal exponents, equal exponentials
 *     s^(p/q)              R^p,  R >= 0,  R^q = s,  s is defined
 *     other functions      one variable for each node
 *     a/b                  a pair; a/b = c/d becomes a*d = c*b with b, d != 0
 *     max, min, |a|, ...   cases, outside of all arithmetic
 *
 * The polynomials are written as they come, products unexpanded: the solver
 * has to find by itself that they agree. */
#include "algebra/internal.h"

#include <ctype.h>
#include <inttypes.h>

enum { MOST_CASES = 256 };

typedef struct {
    const rf_sym *num, *den;
} fraction;

/* An exponential and what it is translated to. */
typedef struct {
    const rf_sym *e;
    fraction f;
} exponential;

typedef struct {
    rf_algebra *alg;
    rf_nodes key, variable; /* nodes that became variables */
    rf_nodes atoms;         /* all variables, to be declared */
    rf_nodes nonzero;       /* denominators of the case at hand */
    rf_form roots;          /* R^q = s as (R^q, s) */
    RF_ARRAY(exponential) exps;
    RF_ARRAY(rf_generator) scales; /* for the exp(t) */
} translation;

static rf_syms *syms_of(translation *t)
{
    return t->alg->syms;
}

/* ---- variables ---- */

static const rf_sym *variable_of(translation *t, const rf_sym *key,
                                 const char *name, rf_sign sign)
{
    for (size_t i = 0; i < t->key.len; i++)
        if (t->key.data[i] == key)
            return t->variable.data[i];
    const rf_sym *v =
        rf_sym_atom_signed(syms_of(t), RF_ATOM_PARAM, name, NULL, sign);
    RF_PUSH(t->key, key);
    RF_PUSH(t->variable, v);
    return v;
}

static fraction translate(translation *t, const rf_sym *e);

static fraction whole(translation *t, const rf_sym *e)
{
    return (fraction){ e, rf_sym_int(syms_of(t), 1) };
}

static fraction times(translation *t, fraction a, fraction b)
{
    rf_syms *s = syms_of(t);
    return (fraction){ rf_sym_mul(s, a.num, b.num),
                       rf_sym_mul(s, a.den, b.den) };
}

static fraction plus(translation *t, fraction a, fraction b)
{
    rf_syms *s = syms_of(t);
    if (a.den == b.den)
        return (fraction){ rf_sym_add(s, a.num, b.num), a.den };
    return (fraction){ rf_sym_add(s, rf_sym_mul(s, a.num, b.den),
                                  rf_sym_mul(s, b.num, a.den)),
                       rf_sym_mul(s, a.den, b.den) };
}

static fraction power_of(translation *t, fraction a, int64_t e)
{
    rf_syms *s = syms_of(t);
    if (e < 0)
        return power_of(t, (fraction){ a.den, a.num }, -e);
    const rf_sym *k = rf_sym_int(s, e);
    return (fraction){ rf_sym_pow(s, a.num, k), rf_sym_pow(s, a.den, k) };
}

/* Note that exp of the "term" c*t needs E = exp(t)^(1/k) with k*c whole. */
static void note_exp_term(translation *t, unsigned base, const rf_sym *term)
{
    rf_syms *s = syms_of(t);
    const rf_sym *c, *rest;
    rf_split_term(s, term, &c, &rest);
    const rf_sym *key = rf_sym_exp(s, base, rest);
    for (size_t i = 0; i < t->scales.len; i++)
        if (t->scales.data[i].sym == key) {
            rf_generator_refine(&t->scales.data[i], c->num, c->den);
            return;
        }
    if (c->num)
        RF_PUSH(t->scales, (rf_generator){ key, c->num < 0 ? -c->num : c->num,
                                           c->den, false });
}

static void note_scales(translation *t, const rf_sym *e)
{
    for (unsigned i = 0; i < e->n; i++)
        note_scales(t, e->arg[i]);
    if (e->kind != RF_SYM_EXP)
        return;
    const rf_sym *a = rf_algebra_expand(t->alg, e->arg[0]);
    bool sum = a->kind == RF_SYM_ADD;
    for (unsigned i = 0; i < (sum ? a->n : 1); i++)
        note_exp_term(t, e->base, sum ? a->arg[i] : a);
}

static fraction translate_exp_term(translation *t, unsigned base,
                                   const rf_sym *term)
{
    rf_syms *s = syms_of(t);
    const rf_sym *c, *rest;
    rf_split_term(s, term, &c, &rest);
    const rf_sym *key = rf_sym_exp(s, base, rest);
    rf_generator g = { key, 1, 1, false };
    for (size_t i = 0; i < t->scales.len; i++)
        if (t->scales.data[i].sym == key)
            g = t->scales.data[i];
    key = rf_sym_pow(s, key, rf_sym_rat(s, g.unit, g.scale));
    const rf_sym *v = variable_of(t, key, "e", RF_SIGN_POSITIVE);
    return power_of(t, whole(t, v), c->num / g.unit * (g.scale / c->den));
}

static fraction translate_exp(translation *t, const rf_sym *e)
{
    const rf_sym *a = rf_algebra_expand(t->alg, e->arg[0]);
    fraction f = whole(t, rf_sym_int(syms_of(t), 1));
    bool sum = a->kind == RF_SYM_ADD;
    for (unsigned i = 0; i < (sum ? a->n : 1); i++)
        f = times(t, f, translate_exp_term(t, e->base, sum ? a->arg[i] : a));
    for (size_t i = 0; i < t->exps.len; i++)
        if (t->exps.data[i].e == e)
            return f;
    RF_PUSH(t->exps, (exponential){ e, f });
    return f;
}

/* s^(p/q) */
static fraction translate_root(translation *t, const rf_sym *e)
{
    rf_syms *s = syms_of(t);
    const rf_sym *r = e->arg[1];
    const rf_sym *key = rf_sym_pow(s, e->arg[0], rf_sym_rat(s, 1, r->den));
    size_t before = t->key.len;
    const rf_sym *v = variable_of(t, key, "root", RF_SIGN_NONNEG);
    if (t->key.len > before)
        RF_PUSH(t->roots, (rf_term){ rf_sym_pow(s, v, rf_sym_int(s, r->den)),
                                     e->arg[0] });
    return power_of(t, whole(t, v), r->num);
}

static fraction translate_nary(translation *t, const rf_sym *e)
{
    fraction f = translate(t, e->arg[0]);
    for (unsigned i = 1; i < e->n; i++) {
        fraction g = translate(t, e->arg[i]);
        f = e->kind == RF_SYM_ADD ? plus(t, f, g) : times(t, f, g);
    }
    return f;
}

static fraction translate(translation *t, const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_RAT:
    case RF_SYM_ATOM:
        return whole(t, e);
    case RF_SYM_ADD:
    case RF_SYM_MUL:
        return translate_nary(t, e);
    case RF_SYM_EXP:
        return translate_exp(t, e);
    case RF_SYM_POW:
        if (e->arg[1]->kind == RF_SYM_RAT && e->arg[1]->den == 1)
            return power_of(t, translate(t, e->arg[0]), e->arg[1]->num);
        if (e->arg[1]->kind == RF_SYM_RAT)
            return translate_root(t, e);
        break;
    default:
        break;
    }
    const rf_sym *key = rf_prepare(t->alg, e);
    return whole(t, variable_of(t, key, "f", RF_SIGN_ANY));
}

/* ---- printing ---- */

/* name_k, k by order of appearance: no clash with reserved words. */
static void print_atom(translation *t, rf_buf *out, const rf_sym *e)
{
    size_t k = 0;
    while (k < t->atoms.len && t->atoms.data[k] != e)
        k++;
    if (k == t->atoms.len)
        RF_PUSH(t->atoms, e);
    const char *c = e->atom->name;
    if (!isalpha((unsigned char)*c))
        rf_buf_putc(out, 'v');
    for (; *c; c++)
        rf_buf_putc(out, isalnum((unsigned char)*c) ? *c : '_');
    rf_buf_printf(out, "_%zu", k + 1);
}

static void print_number(rf_buf *out, const rf_sym *e)
{
    if (e->num < 0)
        rf_buf_puts(out, "(- ");
    if (e->den != 1)
        rf_buf_puts(out, "(/ ");
    rf_buf_printf(out, "%" PRId64 ".0", e->num < 0 ? -e->num : e->num);
    if (e->den != 1)
        rf_buf_printf(out, " %" PRId64 ".0)", e->den);
    if (e->num < 0)
        rf_buf_putc(out, ')');
}

static void print_term(translation *t, rf_buf *out, const rf_sym *e);

static void print_list(translation *t, rf_buf *out, const char *op, unsigned n,
                       const rf_sym *const *e)
{
    rf_buf_printf(out, "(%s", op);
    for (unsigned i = 0; i < n; i++) {
        rf_buf_putc(out, ' ');
        print_term(t, out, e[i]);
    }
    rf_buf_putc(out, ')');
}

static void print_power(translation *t, rf_buf *out, const rf_sym *e)
{
    rf_buf_puts(out, "(*");
    for (int64_t i = 0; i < e->arg[1]->num; i++) {
        rf_buf_putc(out, ' ');
        print_term(t, out, e->arg[0]);
    }
    rf_buf_putc(out, ')');
}

/* A polynomial. */
static void print_term(translation *t, rf_buf *out, const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_RAT:
        print_number(out, e);
        break;
    case RF_SYM_ADD:
        print_list(t, out, "+", e->n, e->arg);
        break;
    case RF_SYM_MUL:
        print_list(t, out, "*", e->n, e->arg);
        break;
    case RF_SYM_POW:
        print_power(t, out, e);
        break;
    default:
        print_atom(t, out, e);
    }
}

static void need_nonzero(translation *t, const rf_sym *den)
{
    if (den->kind != RF_SYM_RAT)
        RF_PUSH(t->nonzero, den);
}

/* a = b: na*db = nb*da.  a < b: the same over a positive denominator, else
 * multiplied by the square of both. */
static void print_relation(translation *t, rf_buf *out, const rf_sym *e)
{
    rf_syms *s = syms_of(t);
    fraction a = translate(t, e->arg[0]), b = translate(t, e->arg[1]);
    const rf_sym *left = rf_sym_mul(s, a.num, b.den);
    const rf_sym *right = rf_sym_mul(s, b.num, a.den);
    const rf_sym *den = rf_sym_mul(s, a.den, b.den);
    need_nonzero(t, a.den);
    need_nonzero(t, b.den);
    if (e->kind != RF_SYM_EQ &&
        rf_algebra_sign(t->alg, den) != RF_IS_POSITIVE) {
        left = rf_sym_mul(s, left, den);
        right = rf_sym_mul(s, right, den);
    }
    const rf_sym *sides[] = { left, right };
    const char *op = e->kind == RF_SYM_EQ   ? "="
                     : e->kind == RF_SYM_LT ? "<"
                                            : "<=";
    print_list(t, out, op, 2, sides);
}

static void print_formula(translation *t, rf_buf *out, const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_RAT:
        rf_buf_puts(out, e->num ? "true" : "false");
        break;
    case RF_SYM_LT:
    case RF_SYM_LE:
    case RF_SYM_EQ:
        print_relation(t, out, e);
        break;
    case RF_SYM_NOT:
    case RF_SYM_AND:
    case RF_SYM_OR:
        rf_buf_printf(out, "(%s",
                      e->kind == RF_SYM_NOT   ? "not"
                      : e->kind == RF_SYM_AND ? "and"
                                              : "or");
        for (unsigned i = 0; i < e->n; i++) {
            rf_buf_putc(out, ' ');
            print_formula(t, out, e->arg[i]);
        }
        rf_buf_putc(out, ')');
        break;
    default:
        rf_buf_puts(out, "(not (= ");
        print_term(t, out, translate(t, e).num);
        rf_buf_puts(out, " 0.0))");
    }
}

/* ---- cases ---- */

/* One case: everything that is asserted in it. */
typedef struct {
    rf_nodes formulas;
} one_case;
typedef RF_ARRAY(one_case) case_list;

/* The first choice inside the arithmetic of the formula "e". */
static const rf_sym *choice_in(const rf_sym *e)
{
    switch (e->kind) {
    case RF_SYM_NOT:
    case RF_SYM_AND:
    case RF_SYM_OR:
    case RF_SYM_LT:
    case RF_SYM_LE:
    case RF_SYM_EQ:
        for (unsigned i = 0; i < e->n; i++) {
            bool logic = e->kind <= RF_SYM_OR && e->kind >= RF_SYM_NOT;
            const rf_sym *c =
                logic ? choice_in(e->arg[i]) : rf_choice_of(e->arg[i]);
            if (c)
                return c;
        }
        return NULL;
    default:
        return rf_choice_of(e);
    }
}

static const rf_sym *choice_of_case(const one_case *c)
{
    for (size_t i = 0; i < c->formulas.len; i++) {
        const rf_sym *m = choice_in(c->formulas.data[i]);
        if (m)
            return m;
    }
    return NULL;
}

/* The condition under which branch i of the choice "m" is taken. */
static const rf_sym *branch_condition(rf_syms *s, const rf_sym *m, unsigned i)
{
    const rf_sym *zero = rf_sym_int(s, 0), *all = rf_sym_int(s, 1);
    switch (m->kind) {
    case RF_SYM_MAX:
    case RF_SYM_MIN:
        for (unsigned k = 0; k < m->n; k++) {
            bool max = m->kind == RF_SYM_MAX;
            const rf_sym *le =
                rf_sym_le(s, m->arg[max ? k : i], m->arg[max ? i : k]);
            const rf_sym *both[] = { all, le };
            all = rf_sym_make(s, RF_SYM_AND, 2, both);
        }
        return all;
    case RF_SYM_ABS:
        return i ? rf_sym_le(s, m->arg[0], zero)
                 : rf_sym_le(s, zero, m->arg[0]);
    case RF_SYM_SELECT:
        return i ? rf_sym_not(s, m->arg[0]) : m->arg[0];
    default:
        return i ? rf_sym_not(s, m) : m;
    }
}

static const rf_sym *branch_value(rf_syms *s, const rf_sym *m, unsigned i)
{
    switch (m->kind) {
    case RF_SYM_MAX:
    case RF_SYM_MIN:
        return m->arg[i];
    case RF_SYM_ABS:
        return i ? rf_sym_neg(s, m->arg[0]) : m->arg[0];
    case RF_SYM_SELECT:
        return m->arg[i + 1];
    default:
        return rf_sym_int(s, !i);
    }
}

static one_case take_branch(rf_syms *s, const one_case *c, const rf_sym *m,
                            unsigned i)
{
    one_case out = { 0 };
    const rf_sym *value = branch_value(s, m, i);
    for (size_t k = 0; k < c->formulas.len; k++)
        RF_PUSH(out.formulas,
                rf_sym_subst(s, c->formulas.data[k], 1, &m, &value));
    RF_PUSH(out.formulas, branch_condition(s, m, i));
    return out;
}

/* Split until no case has a choice; false if there would be too many. */
static bool split_cases(rf_syms *s, case_list *list)
{
    for (size_t i = 0; i < list->len;) {
        const rf_sym *m = choice_of_case(&list->data[i]);
        if (!m) {
            i++;
            continue;
        }
        bool order = m->kind == RF_SYM_MAX || m->kind == RF_SYM_MIN;
        unsigned branches = order ? m->n : 2;
        if (list->len + branches > MOST_CASES)
            return false;
        one_case c = list->data[i];
        list->data[i] = take_branch(s, &c, m, 0);
        for (unsigned b = 1; b < branches; b++)
            RF_PUSH(*list, take_branch(s, &c, m, b));
        RF_CLEAR(c.formulas);
    }
    return true;
}

/* ---- the file ---- */

static void print_nonzero(translation *t, rf_buf *out, const char *before)
{
    for (size_t i = 0; i < t->nonzero.len; i++) {
        rf_buf_printf(out, "%s(not (= ", before);
        print_term(t, out, t->nonzero.data[i]);
        rf_buf_puts(out, " 0.0))");
    }
}

/* The formulas of one case and what its translation needs. */
static void print_case(translation *t, rf_buf *out, const one_case *c)
{
    t->nonzero.len = 0;
    rf_buf_puts(out, "  (and");
    for (size_t i = 0; i < c->formulas.len; i++) {
        rf_buf_puts(out, "\n    ");
        print_formula(t, out, c->formulas.data[i]);
    }
    print_nonzero(t, out, "\n    ");
    rf_buf_puts(out, ")\n");
}

/* t1 = t2 implies exp(t1) = exp(t2). */
static void print_exponentials(translation *t, rf_buf *out)
{
    rf_syms *s = syms_of(t);
    for (size_t i = 0; i < t->exps.len; i++)
        for (size_t k = 0; k < i; k++) {
            exponential a = t->exps.data[i], b = t->exps.data[k];
            const rf_sym *sides[] = { rf_sym_mul(s, a.f.num, b.f.den),
                                      rf_sym_mul(s, b.f.num, a.f.den) };
            if (a.e->base != b.e->base || sides[0] == sides[1])
                continue;
            t->nonzero.len = 0;
            rf_buf_puts(out, "(assert (=> (and ");
            print_relation(t, out, rf_sym_eq(s, a.e->arg[0], b.e->arg[0]));
            print_nonzero(t, out, " ");
            rf_buf_puts(out, ") ");
            print_list(t, out, "=", 2, sides);
            rf_buf_puts(out, "))\n");
        }
}

/* R^q = s where s is defined. */
static void print_roots(translation *t, rf_buf *out)
{
    for (size_t i = 0; i < t->roots.len; i++) {
        fraction f = translate(t, t->roots.data[i].coef);
        const rf_sym *sides[] = {
            rf_sym_mul(syms_of(t), t->roots.data[i].key, f.den), f.num
        };
        t->nonzero.len = 0;
        need_nonzero(t, f.den);
        rf_buf_puts(out, "(assert (and ");
        print_list(t, out, "=", 2, sides);
        print_nonzero(t, out, " ");
        rf_buf_puts(out, "))\n");
    }
}

static void print_declarations(translation *t, rf_buf *out)
{
    for (size_t i = 0; i < t->atoms.len; i++) {
        const rf_sym *a = t->atoms.data[i];
        rf_buf_puts(out, "(declare-const ");
        print_atom(t, out, a);
        rf_buf_puts(out, " Real)\n");
        if (a->atom->sign == RF_SIGN_ANY)
            continue;
        rf_buf_printf(out, "(assert (%s ",
                      a->atom->sign == RF_SIGN_POSITIVE ? ">" : ">=");
        print_atom(t, out, a);
        rf_buf_puts(out, " 0.0))\n");
    }
}

static void print_comment_lines(rf_buf *out, const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start)
            rf_buf_puts(out, "; ");
        rf_buf_putc(out, *text);
        start = *text == '\n';
    }
    if (!start)
        rf_buf_putc(out, '\n');
}

static void print_legend(translation *t, rf_buf *out)
{
    for (size_t i = 0; i < t->key.len; i++) {
        rf_buf_puts(out, "; ");
        print_atom(t, out, t->variable.data[i]);
        rf_buf_puts(out, " stands for ");
        rf_sym_print(out, t->key.data[i]);
        rf_buf_putc(out, '\n');
    }
}

static void print_head(rf_buf *out, const rf_obligation *ob)
{
    print_comment_lines(out, ob->name);
    if (ob->comment)
        print_comment_lines(out, ob->comment);
    for (unsigned i = 0; i < ob->n; i++) {
        rf_buf_puts(out, i ? ";   and " : "; if  ");
        rf_sym_print(out, ob->hypothesis[i]);
        rf_buf_putc(out, '\n');
    }
    rf_buf_puts(out, "; then ");
    rf_sym_print(out, ob->goal);
    rf_buf_puts(out, "\n; The negation is asserted: unsat means proven.\n");
}

static void translation_clear(translation *t)
{
    RF_CLEAR(t->key);
    RF_CLEAR(t->variable);
    RF_CLEAR(t->atoms);
    RF_CLEAR(t->nonzero);
    RF_CLEAR(t->roots);
    RF_CLEAR(t->exps);
    RF_CLEAR(t->scales);
}

static const rf_sym *fact_formula(rf_algebra *alg, const rf_fact *f)
{
    rf_syms *s = alg->syms;
    const rf_sym *zero = rf_sym_int(s, 0);
    if (f->kind == RF_FACT_NONZERO)
        return rf_sym_not(s, rf_sym_eq(s, f->e, zero));
    return f->kind == RF_FACT_POSITIVE ? rf_sym_lt(s, zero, f->e)
                                       : rf_sym_le(s, zero, f->e);
}

static case_list cases_of(rf_algebra *alg, const rf_obligation *ob)
{
    case_list list = { 0 };
    one_case all = { 0 };
    for (unsigned i = 0; i < ob->n; i++)
        RF_PUSH(all.formulas, ob->hypothesis[i]);
    RF_PUSH(all.formulas, rf_sym_not(alg->syms, ob->goal));
    for (size_t i = 0; i < alg->facts.len; i++)
        RF_PUSH(all.formulas, fact_formula(alg, &alg->facts.data[i]));
    RF_PUSH(list, all);
    return list;
}

unsigned rf_smt_print(rf_algebra *alg, rf_buf *out, const rf_obligation *ob)
{
    translation t = { .alg = alg };
    case_list cases = cases_of(alg, ob);
    rf_buf body = { 0 }, roots = { 0 };
    unsigned n = split_cases(alg->syms, &cases) ? cases.len : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < cases.data[i].formulas.len; k++)
            note_scales(&t, cases.data[i].formulas.data[k]);
    for (size_t i = 0; i < n; i++)
        print_case(&t, &body, &cases.data[i]);
    print_exponentials(&t, &roots);
    print_roots(&t, &roots);
    if (n) {
        print_head(out, ob);
        print_legend(&t, out);
        rf_buf_puts(out, "(set-logic QF_NRA)\n");
        print_declarations(&t, out);
        rf_buf_puts(out, rf_buf_text(&roots));
        rf_buf_printf(out, n > 1 ? "(assert (or\n%s))\n" : "(assert\n%s)\n",
                      rf_buf_text(&body));
        rf_buf_puts(out, "(check-sat)\n");
    }
    for (size_t i = 0; i < cases.len; i++)
        RF_CLEAR(cases.data[i].formulas);
    RF_CLEAR(cases);
    rf_buf_free(&body);
    rf_buf_free(&roots);
    translation_clear(&t);
    return n;
}
