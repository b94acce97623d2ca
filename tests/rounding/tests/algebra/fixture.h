/* Shared by the suites of algebra/: a table, an algebra, some atoms, and the
 * constructors under short names. */
#ifndef RF_TESTS_ALGEBRA_FIXTURE_H
#define RF_TESTS_ALGEBRA_FIXTURE_H

#include "algebra/algebra.h"
#include "support/array.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

extern rf_arena *arena;
extern rf_syms *s;
extern rf_algebra *alg;
/* x, y, w elements (w > 0); m, d, r results (r > 0); p > 0, c parameters */
extern const rf_sym *x, *y, *w, *m, *d, *r, *p, *c;

void algebra_setup(void);
void algebra_teardown(void);

const rf_sym *num(int64_t v);
const rf_sym *add(const rf_sym *a, const rf_sym *b);
const rf_sym *sub(const rf_sym *a, const rf_sym *b);
const rf_sym *mul(const rf_sym *a, const rf_sym *b);
const rf_sym *div_(const rf_sym *a, const rf_sym *b);
const rf_sym *sq(const rf_sym *a);
const rf_sym *cube(const rf_sym *a);
const rf_sym *expo(const rf_sym *a);
const rf_sym *call(const char *name, const rf_sym *a);
const char *text(const rf_sym *e);

#endif
