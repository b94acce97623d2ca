/* Values and loops from C text, for the tests of depend/.
 *
 *     world w = world_new("int n; size_t m; float *x");
 *     value(&w, "(size_t)n * 4 + threadIdx.x")
 *     nest(&w, "int j = 0; j < n; j += 1 | int d = 0; d != 8; d += 1")
 *
 * A name is the innermost loop's counter of that name, else a declared
 * variable. "do int i = ..." is a loop that tests at its end. */
#ifndef RF_TESTS_DEPEND_BUILD_H
#define RF_TESTS_DEPEND_BUILD_H

#include "depend/depend.h"

typedef struct {
    rf_arena *arena;
    rf_vals *vals;
    rf_depend *depend;
    unsigned n_vars, n_loops;
    rf_var *vars[40];
    const rf_loop *loops[40]; /* in scope, innermost last */
    unsigned next_loop;
} world;

/* Declare the variables; "shared float t[8]" gives a shared array, "local"
 * and "global" likewise, "restrict float *x" a restricted parameter. */
world world_new(const char *declarations);
void world_free(world *w);
const rf_val *value(world *w, const char *text);
/* One loop; it stays in scope. */
const rf_loop *loop(world *w, const char *text);
/* Loops divided by '|', then optionally "if condition". */
rf_nest nest(world *w, const char *text);
/* The access "x[i]" in "nest"; the loops go out of scope. */
rf_access access_of(world *w, const char *nest, const char *text);
/* Take facts divided by ';'. */
void facts(world *w, const char *text);

#endif
