/* Inside plan/: the state of planning one block. */
#ifndef RF_PLAN_PLANNING_H
#define RF_PLAN_PLANNING_H

#include "plan/plan.h"
#include "plan/real.h"

typedef struct {
    rf_arena *arena;
    const rf_unit *unit;
    const rf_region *region;
    const rf_mark *mark;
    rf_plan *plan;
    rf_trace *trace;
    rf_refusal refusal; /* when refused */
    bool refused;
    bool is_silent;        /* nobody asks why */
    bool may_test;         /* pointers may be compared when the code runs */
    const char *unwritten; /* values for which a loop does not write what
                            * another one reads, or NULL */
    unsigned phases; /* that the block went through before it was refused */
} rf_planner;

void rf_plan_refuse(rf_planner *p, rf_diag_name name, rf_range at,
                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rf_plan_note(rf_planner *p, rf_range at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* find.c: the statements that matter. */
bool rf_stmt_has_loop(const rf_stmt *s);
bool rf_stmt_reads(const rf_stmt *s, const rf_var *var);
/* True if "s" always assigns "var" before anything else. */
bool rf_stmt_sets(const rf_stmt *s, const rf_var *var);
/* True if the function reads "var" anywhere but in the window, also in the
 * conditions and steps of the statements around it. */
bool rf_plan_is_read_outside(const rf_plan *plan, const rf_var *var);
/* live.c: where "var" is used behind the window; the last loop if nowhere. */
rf_range rf_plan_use_after(const rf_plan *plan, const rf_var *var);
/* instances.c: what the open types of a template must be; refuse if the file
 * makes it for others. */
bool rf_plan_instances(rf_planner *p);

/* The parameter of the kernel with this name of "n" bytes, or NULL. */
rf_var *rf_plan_find_param(const rf_planner *p, const char *name, size_t n);

/* assume(var op number), about a parameter. */
typedef struct {
    rf_var *var;
    rf_op op;
    int64_t number;
} rf_bound;
/* True if "text" is such a predicate. */
bool rf_plan_predicate(const rf_planner *p, const char *text, rf_bound *out);

/* facts.c: what holds where the block begins: guards around it, early returns
 * before it, assumptions about parameters. */
struct rf_depend;
void rf_plan_facts(rf_planner *p, struct rf_depend *depend);
/* The constant that local variable "var" holds where the block begins, or
 * NULL. */
const rf_expr *rf_plan_entry_constant(rf_planner *p, const rf_var *var);

/* What the local variable that entry "v" stands for was set to, as a value
 * where the block begins; "v" itself if something may have changed since. */
const rf_val *rf_plan_entry_value(rf_planner *p, const rf_val *v);

/* The declaration of "var" in the function, or NULL. */
const rf_stmt *rf_plan_declaration(rf_planner *p, const rf_var *var);
/* What the integer constant "v" of the function was declared as, or NULL. */
const rf_val *rf_plan_definition(rf_planner *p, const rf_val *v);
/* "v" with integer constants of the function replaced by what they were
 * declared as: `const int end = begin + n;`. */
const rf_val *rf_plan_resolve(rf_planner *p, const rf_val *v);

/* blame.c: where "v" was written (its operator), or "otherwise". */
rf_range rf_plan_place_of(rf_planner *p, const rf_val *v, rf_range otherwise);
/* The operator of the update whose left side is at "lhs". */
rf_range rf_plan_update_place(rf_planner *p, rf_range lhs);

/* axis.c: unify the loops over one axis; choose the axis of the cascade. */
bool rf_plan_axis(rf_planner *p);

/* merge.c: rewrite "trace" so that loop i is loop map[i], its counters being
 * those of map[i] plus shift[i]. */
void rf_trace_remap(rf_trace *trace, const rf_loop *const *map,
                    const int64_t *shift);
/* Replace "from" by "to" in all values of "trace"; false: it is too large. */
bool rf_trace_replace(rf_trace *trace, const rf_val *from, const rf_val *to);
/* Replace from[i] by to[i] and each loop by map[its id], all at once. */
bool rf_trace_replace_all(rf_trace *trace, const rf_loop *const *map,
                          unsigned n, const rf_val *const *from,
                          const rf_val *const *to);
/* As rf_trace_remap; what a team folds is folded by one thread from then on. */
void rf_trace_as_one(rf_trace *trace, const rf_loop *const *map,
                     const int64_t *shift);

/* lanes.c: true if "v" has another value for each value of "counter", which it
 * mentions once, beside other terms. */
bool rf_plan_is_injective(const rf_val *v, const rf_val *counter);

/* The version of a load that reads back what a pass of the plan keeps. */
#define RF_VERSION_KEPT UINT32_MAX

/* resident.c: true if "v" itself makes "load", not only the members whose
 * results it uses. "v" may be NULL. */
bool rf_plan_makes_load(const rf_plan *plan, const rf_val *v,
                        const rf_val *load);

/* traffic.c: reads of the input. */
void rf_plan_count_traffic(rf_plan *plan);
/* The array in memory behind "base"; NULL for what lies on the chip. */
const rf_var *rf_plan_array_behind(const rf_plan *plan, const rf_val *base);
/* bytes.c: loads and stores for each element of the axis. */
void rf_plan_count_bytes(rf_planner *p);

/* members.c: the stand-ins for the state of "m" and its old value. */
void rf_plan_name_states(rf_planner *p, rf_member *m);
/* members.c: the reductions over the axis, in dependence order. */
bool rf_plan_members(rf_planner *p);
/* True if the variable of "f" may be read after the window. */
bool rf_plan_is_live(const rf_planner *p, const rf_binding *f);
/* The first member result in "v" for which pass >= "pass", or NULL. */
const rf_val *rf_plan_result_in(const rf_plan *plan, const rf_val *v,
                                unsigned pass);

/* exact.c: refuse exact tests of values that would be rounded otherwise. */
bool rf_plan_exact_tests(rf_planner *p);

/* meet.c: refuse what the lanes of a team cannot merge. */
bool rf_plan_meets(rf_planner *p, const rf_member *m);
/* Each lane counts its own elements. */
void rf_plan_count_elements(rf_plan *plan);

/* team.c: reductions over the threads of a block or warp. */
bool rf_plan_team(rf_planner *p);
/* Refuse members that the team cannot merge. */
bool rf_plan_team_meets(rf_planner *p);
/* True if the block of the plan stands in a loop. */
bool rf_plan_is_repeated(const rf_planner *p);
/* How many barriers a block passes, before and after. */
void rf_plan_count_barriers(rf_plan *plan);
/* Refuse what rests on values that threads disagree about. */
bool rf_plan_doubts(rf_planner *p);
/* True if "s", of "f", exchanges values between threads, or reads shared
 * memory.
 */
bool rf_stmt_is_of_team(const rf_func *f, const rf_stmt *s);

/* assume.c: signs of parameters that the author vouches for. */
void rf_plan_assume(rf_planner *p, rf_reals *reals);

/* extent.c: the most steps that "loop" can make, if that is known. */
bool rf_plan_extent(rf_planner *p, const rf_loop *loop, int64_t *steps);
/* n of a loop from 0 to n, or from any b to b + n; NULL: other bounds. */
const rf_val *rf_plan_length(rf_planner *p, const rf_loop *loop);

/* resident.c: the passes of the source, each after those whose results it
 * uses; false if a team cannot keep a row on the chip. */
bool rf_plan_depths(rf_planner *p);
/* What the threads keep of a row, after the stores have their places; false
 * if nothing is read twice or the row is too long. */
bool rf_plan_keep_row(rf_planner *p);

/* derive.c: separate every term (algebra/) and assign passes. */
bool rf_plan_derive(rf_planner *p);

/* siblings.c: refuse rows that other threads of the block overwrite (D7). */
bool rf_plan_siblings(rf_planner *p);
/* Refuse reads of local arrays before they are written (D7). */
bool rf_plan_defined(rf_planner *p);
/* memory order: live stores, their places, and aliasing (depend/). */
bool rf_plan_stores(rf_planner *p);
bool rf_plan_aliases(rf_planner *p);
/* overlap.c: what the emitted code compares where pointers may overlap. */
bool rf_plan_overlap_tests(rf_planner *p);
/* Is every base[index] in the "n" loops an element of "x"? */
bool rf_extent_holds(rf_planner *p, struct rf_depend *d, const rf_extent *x,
                     const rf_val *index, unsigned n,
                     const rf_loop *const *loops);
/* Do all threads of the block agree about "v"? */
bool rf_plan_is_for_block(rf_planner *p, const rf_val *v);
/* store_order.c: stores to one object keep their order where they meet. */
bool rf_plan_store_order(rf_planner *p);

#endif
