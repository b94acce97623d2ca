/* Obligations: decided in-process, and written so that z3 and cvc5 (where
 * they are installed) answer unsat at once; wrong ones are not proven. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(smt, .init = algebra_setup, .fini = algebra_teardown);

static const char *const solvers[] = { "z3 -T:10", "cvc5 --tlimit=10000" };

static bool is_installed(const char *solver)
{
    char command[200];
    snprintf(command, sizeof command, "command -v %.*s >/dev/null 2>&1",
             (int)strcspn(solver, " "), solver);
    return system(command) == 0;
}

static void ask_solver(const char *solver, const char *path, char answer[64])
{
    char command[300];
    snprintf(command, sizeof command, "%s %s 2>&1", solver, path);
    FILE *in = popen(command, "r");
    cr_assert_not_null(in);
    if (!fgets(answer, 64, in))
        answer[0] = '\0';
    answer[strcspn(answer, "\n")] = '\0';
    pclose(in);
}

static void expect_answer(const rf_obligation *ob, const char *expected)
{
    rf_buf out = { 0 };
    char path[] = "/tmp/rf-obligation-XXXXXX.smt2", answer[64];
    cr_assert_gt(rf_smt_print(alg, &out, ob), 0);
    int fd = mkstemps(path, 5);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, out.data, out.len), (ssize_t)out.len);
    close(fd);
    for (size_t i = 0; i < RF_COUNTOF(solvers); i++) {
        if (!is_installed(solvers[i]))
            continue;
        ask_solver(solvers[i], path, answer);
        cr_expect_str_eq(answer, expected, "%s: %s\n%s", solvers[i], answer,
                         out.data);
    }
    unlink(path);
    rf_buf_free(&out);
}

static const rf_sym *state(const char *name)
{
    return rf_sym_atom(s, RF_ATOM_STATE, name, NULL);
}

static const rf_sym *eq(const rf_sym *a, const rf_sym *b)
{
    return rf_sym_eq(s, a, b);
}

static void prove(const char *name, unsigned n, const rf_sym *const *h,
                  const rf_sym *goal)
{
    rf_obligation ob = { name, NULL, n, h, goal };
    cr_expect_eq(rf_obligation_decide(alg, &ob), RF_YES, "%s", name);
    expect_answer(&ob, "unsat");
}

static void reject(const char *name, unsigned n, const rf_sym *const *h,
                   const rf_sym *goal)
{
    rf_obligation ob = { name, NULL, n, h, goal };
    cr_expect_neq(rf_obligation_decide(alg, &ob), RF_YES, "%s", name);
    expect_answer(&ob, "sat");
}

/* m' = max(m, x), s' = s*exp(m - m') + exp(x - m') keeps s*exp(m) = S */
Test(smt, online_softmax_step)
{
    const rf_sym *acc = state("s"), *total = state("S");
    const rf_sym *m1 = rf_sym_max(s, m, x);
    const rf_sym *invariant = eq(mul(acc, expo(m)), total);
    const rf_sym *s1 = add(mul(acc, expo(sub(m, m1))), expo(sub(x, m1)));
    const rf_sym *goal = eq(mul(s1, expo(m1)), add(total, expo(x)));
    prove("T-6: online softmax step", 1, &invariant, goal);
    const rf_sym *wrong = add(mul(acc, expo(sub(m1, m))), expo(sub(x, m1)));
    reject("rescaled the wrong way", 1, &invariant,
           eq(mul(wrong, expo(m1)), add(total, expo(x))));
}

/* o*exp(m) = O = sum of exp(x)*y, and the division deferred to the end */
/* The same as emitted code guards it: a test, not a maximum; and a first
 * element that must not compute with the identity's shift. */
Test(smt, guarded_steps)
{
    const rf_sym *acc = state("s"), *total = state("S");
    const rf_sym *invariant = eq(mul(acc, expo(m)), total);
    const rf_sym *up = rf_sym_lt(s, m, x);
    const rf_sym *m1 = rf_sym_select(s, up, x, m);
    const rf_sym *s1 =
        rf_sym_select(s, up, add(mul(acc, expo(sub(m, x))), num(1)),
                      add(acc, expo(sub(x, m))));
    prove("a test for the maximum", 1, &invariant,
          eq(mul(s1, expo(m1)), add(total, expo(x))));
    const rf_sym *bottom = rf_sym_atom(s, RF_ATOM_PARAM, "bottom", NULL);
    const rf_sym *empty = eq(m, bottom);
    const rf_sym *either[] = { rf_sym_not(s, empty), eq(acc, num(0)) };
    const rf_sym *hypotheses[] = { invariant,
                                   rf_sym_make(s, RF_SYM_OR, 2, either) };
    const rf_sym *top = rf_sym_max(s, m, x);
    const rf_sym *scale = rf_sym_select(s, empty, num(0), expo(sub(m, top)));
    const rf_sym *s2 = add(mul(acc, scale), expo(sub(x, top)));
    prove("a guarded first element", 2, hypotheses,
          eq(mul(s2, expo(top)), add(total, expo(x))));
    reject("the guard without its invariant", 1, hypotheses,
           eq(mul(s2, expo(top)), add(total, expo(x))));
}

Test(smt, attention_step_and_finish)
{
    const rf_sym *l = state("l"), *o = state("o");
    const rf_sym *sl = state("SL"), *so = state("SO");
    const rf_sym *m1 = rf_sym_max(s, m, x);
    const rf_sym *invariants[] = { eq(mul(l, expo(m)), sl),
                                   eq(mul(o, expo(m)), so) };
    const rf_sym *back = expo(sub(m, m1)), *e = expo(sub(x, m1));
    const rf_sym *l1 = add(mul(l, back), e);
    const rf_sym *o1 = add(mul(o, back), mul(e, y));
    const rf_sym *goals[] = { eq(mul(l1, expo(m1)), add(sl, expo(x))),
                              eq(mul(o1, expo(m1)), add(so, mul(expo(x), y))) };
    prove("T-6: attention step", 2, invariants,
          rf_sym_make(s, RF_SYM_AND, 2, goals));
    /* T-7: o/l = sum of exp(x - m)/l * y */
    prove("T-7: deferred division", 2, invariants,
          eq(div_(o, l), div_(so, sl)));
}

Test(smt, welford)
{
    const rf_sym *m2 = state("M2"), *mean = state("mean"), *n = p;
    const rf_sym *sum = state("S1"), *squares = state("S2");
    /* mean*n = S1, M2 = S2 - S1*mean */
    const rf_sym *invariants[] = { eq(mul(mean, n), sum),
                                   eq(m2, sub(squares, mul(sum, mean))) };
    const rf_sym *n1 = add(n, num(1));
    const rf_sym *mean1 = add(mean, div_(sub(x, mean), n1));
    const rf_sym *m21 = add(m2, mul(sub(x, mean), sub(x, mean1)));
    const rf_sym *sum1 = add(sum, x), *squares1 = add(squares, sq(x));
    const rf_sym *goals[] = { eq(mul(mean1, n1), sum1),
                              eq(m21, sub(squares1, mul(sum1, mean1))) };
    prove("T-9: Welford", 2, invariants, rf_sym_make(s, RF_SYM_AND, 2, goals));
    const rf_sym *bad = add(m2, mul(sub(x, mean1), sub(x, mean1)));
    reject("the new mean twice", 2, invariants,
           eq(bad, sub(squares1, mul(sum1, mean1))));
}

/* Every row of T-8 for the fourth and sixth powers and for entropy. */
Test(smt, translation)
{
    const rf_sym *e = sub(x, d);
    const rf_sym *forms[] = { sq(sq(e)), rf_sym_pow(s, e, num(6)),
                              mul(sub(x, m), expo(sub(x, m))),
                              mul(mul(w, e), sub(y, m)) };
    const rf_sym *results[] = { m, d, r };
    for (size_t i = 0; i < RF_COUNTOF(forms); i++) {
        rf_closure k;
        cr_assert_eq(rf_closure_find(alg, forms[i], 3, results, NULL, &k),
                     RF_YES);
        for (unsigned row = 0; row < k.rank; row++) {
            const rf_sym *sum = num(0);
            for (unsigned j = 0; j < k.rank; j++)
                sum = add(sum,
                          mul(k.transfer[row * k.rank + j],
                              rf_algebra_at_old(alg, k.basis[j], 3, results)));
            prove("T-8", 0, NULL, eq(k.basis[row], sum));
        }
    }
}

Test(smt, roots_halves_and_choices)
{
    const rf_sym *v = add(sq(x), num(1));
    prove("root", 0, NULL, eq(div_(v, rf_sym_sqrt(s, v)), rf_sym_sqrt(s, v)));
    prove("halves", 0, NULL,
          eq(mul(expo(div_(x, num(2))), expo(div_(x, num(2)))), expo(x)));
    prove("choice", 0, NULL,
          eq(add(rf_sym_max(s, x, y), rf_sym_min(s, x, y)), add(x, y)));
    const rf_sym *le = rf_sym_le(s, x, y);
    prove("order", 1, &le, eq(rf_sym_max(s, x, y), y));
    prove("inequality", 0, NULL, rf_sym_le(s, num(0), add(sq(x), num(1))));
    reject(
        "product of maxima", 0, NULL,
        eq(rf_sym_max(s, mul(m, x), mul(m, y)), mul(m, rf_sym_max(s, x, y))));
}

/* Exponentials of equal exponents and roots of equal radicands are equal,
 * however they are written. */
Test(smt, equal_arguments)
{
    const rf_sym *m1 = rf_sym_max(s, m, sub(x, w));
    const rf_sym *moved = sub(m, m1);
    const rf_sym *ratio =
        rf_sym_select(s, eq(num(0), moved), num(1), expo(moved));
    prove("a guarded ratio", 0, NULL,
          eq(mul(ratio, expo(sub(y, m))), expo(sub(y, m1))));
    prove("two radicands", 0, NULL,
          eq(rf_sym_sqrt(s, add(div_(x, y), num(1))),
             rf_sym_sqrt(s, div_(add(x, y), y))));
}

Test(smt, derivatives)
{
    const rf_sym *f = mul(sub(x, m), expo(sub(x, m)));
    const rf_sym *e = rf_algebra_derivative(alg, f, m);
    cr_expect_eq(
        rf_algebra_equal(alg, e, rf_sym_neg(s, add(f, expo(sub(x, m))))),
        RF_YES);
    cr_expect_null(rf_algebra_derivative(alg, rf_sym_max(s, x, m), m));
    cr_expect_eq(rf_algebra_derivative(alg, sq(x), m), num(0));
}
