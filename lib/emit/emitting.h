/* Inside emit/: the program being built. */
#ifndef RF_EMIT_EMITTING_H
#define RF_EMIT_EMITTING_H

#include "emit/emit.h"

struct rf_print_style; /* print.h */

typedef RF_ARRAY(rf_stmt *) rf_stmts;

/* "value" is in scope as "var" (or var[index]). */
typedef struct {
    const rf_val *value;
    rf_var *var;
    const rf_val *index; /* NULL: a scalar */
} rf_in_scope;

typedef struct {
    const rf_loop *loop;
    rf_var *var;
} rf_counter;

/* The state of a member: a scalar variable or an array over its family. */
typedef struct {
    const rf_member *member;
    rf_var *var;
    const rf_loop *family; /* NULL: scalar */
    bool is_joint;         /* steps with the others of its family: rows.c */
    bool is_open;          /* ... now: the loop over the family is open */
    rf_var *old;           /* value before the step, while it is needed */
    rf_var *any;           /* set when a step contributed, or NULL */
    const rf_expr *place;  /* the state is this element, not "var" */
    bool declared_outside;
    bool finished; /* "later" was applied to the variable */
} rf_state;

typedef struct rf_emitter {
    rf_arena *arena;
    const rf_unit *unit;
    const rf_plan *plan;
    rf_trace *trace;
    rf_vals *vals;
    rf_stmts *out; /* where statements go now */
    RF_ARRAY(rf_in_scope) scope;
    RF_ARRAY(rf_counter) counters;
    RF_ARRAY(rf_state) states;
    RF_ARRAY(const char *) names; /* taken */
    RF_ARRAY(rf_var *) used;      /* the author's variables that are read */
    unsigned *uses;               /* by value id, of the body being written */
    size_t n_uses;
    bool has_met; /* the blocks of a cluster, in an earlier combine */
    bool refused;
    rf_refusal *refusal;
} rf_emitter;

void rf_emit_fail(rf_emitter *, rf_range at, const char *why);
/* place.c: where the author's code first uses "v", which cannot be written. */
rf_range rf_emit_use_place(const rf_emitter *em, const rf_val *v);

/* names.c */
void rf_names_take_function(rf_emitter *);
/* A name like "wish" that is free; it is taken from now on. */
const char *rf_names_fresh(rf_emitter *, const char *wish);
bool rf_names_is_taken(const rf_emitter *, const char *name);
/* What the author calls "v", or NULL. */
const rf_var *rf_names_authors(const rf_emitter *, const rf_val *v);
bool rf_type_is_nameless(const rf_type *t);
rf_var *rf_new_var(rf_emitter *, const char *name, const rf_type *type,
                   bool is_const);

/* express.c: values as expressions; a value that is in scope is its name. */
rf_expr *rf_express(rf_emitter *, const rf_val *v);
/* What has the value "v" now, or NULL. */
const rf_in_scope *rf_emit_in_scope(const rf_emitter *, const rf_val *v);
/* The helper call of the author's whose value "v" is, or NULL. */
const rf_inlined *rf_emit_call_of(const rf_emitter *, const rf_val *v);
/* For a place of type "type": conversions that C makes by itself go away. */
rf_expr *rf_express_as(rf_emitter *, const rf_val *v, const rf_type *type);
rf_expr *rf_express_index(rf_emitter *, const rf_val *v);
rf_expr *rf_emit_use(rf_emitter *, rf_var *var);
rf_expr *rf_binary(rf_emitter *, rf_op op, const rf_type *type, rf_expr *a,
                   rf_expr *b);
rf_state *rf_state_of(rf_emitter *, const rf_val *v);
/* "v" is the state "s" (at its family's index) until rf_unbind; what came into
 * scope in between stays. */
void rf_bind_state(rf_emitter *, const rf_val *v, const rf_state *s);
void rf_unbind(rf_emitter *, const rf_val *v);
/* The lvalue of a state for the family index "at" (NULL: scalar). */
rf_expr *rf_state_place(rf_emitter *, const rf_state *s, rf_expr *at);
/* The same for a scalar, or in the open loop over the family. */
rf_expr *rf_state_here(rf_emitter *, const rf_state *s);

/* body.c: statements of loop bodies. */
/* Make "v" cheap to use in what follows: shared parts get names. */
void rf_emit_prepare(rf_emitter *, const rf_val *v);
/* Prepare the parts of "v" that do not change in "loop". */
void rf_emit_hoist(rf_emitter *, const rf_val *v, const rf_loop *loop);
/* Give "v" a name now; "wish" if the author has none. */
void rf_emit_name(rf_emitter *, const rf_val *v, const char *wish);
void rf_emit_tally(rf_emitter *, const rf_val *v, unsigned weight);
/* "place" = next(phi) in the author's form. */
void rf_emit_update(rf_emitter *, rf_expr *place, const rf_red *red,
                    const rf_val *next);
rf_stmt *rf_assign(rf_emitter *, rf_expr *place, rf_expr *value);
/* The same, by the intrinsic that the author stores with. */
rf_stmt *rf_assign_store(rf_emitter *, const rf_store *, rf_expr *place,
                         rf_expr *value);
rf_stmt *rf_assign_op(rf_emitter *, rf_expr *place, rf_op op, rf_expr *value);
rf_stmt *rf_declare(rf_emitter *, rf_var *var, rf_expr *init);
rf_stmt *rf_if(rf_emitter *, rf_expr *condition, rf_stmts *body);
rf_stmt *rf_block(rf_emitter *, rf_stmts *list);
void rf_emit_append(rf_emitter *, rf_stmt *s);

/* loops.c */
/* Begin "for (...)": returns the statement, whose body is the block into
 * which statements go until rf_loop_end. */
typedef struct {
    rf_stmt *stmt;
    rf_stmts body, *outer;
    size_t scope, names;
    const rf_loop *loop;
    unsigned *uses;
    size_t n_uses;
} rf_open_loop;
rf_open_loop *rf_loop_begin(rf_emitter *, const rf_loop *loop);
void rf_loop_end(rf_emitter *, rf_open_loop *open);
/* Enter a nested block of statements (an if); the scope is restored. */
typedef struct {
    rf_stmts body, *outer;
    size_t scope;
} rf_open_block;
void rf_block_begin(rf_emitter *, rf_open_block *open);
void rf_block_end(rf_emitter *, rf_open_block *open);
/* lower < upper, or NULL when the loop is known to run. */
const rf_val *rf_loop_runs(rf_emitter *, const rf_loop *loop);

/* resident.c: loops over the axis, in which the elements of a kept row are in
 * scope; loops like any other where no row is kept. */
typedef struct {
    rf_open_loop *loop;
    rf_expr *test; /* the slot has an element */
    rf_open_block inside;
    bool has_test, has_counter;
} rf_open_axis;
void rf_axis_begin(rf_emitter *, rf_open_axis *open, const rf_loop *loop);
void rf_axis_end(rf_emitter *, rf_open_axis *open);
/* Read the row into the registers of the team. */
void rf_emit_keep_row(rf_emitter *);

/* states.c */
bool rf_emit_is_declared(const rf_emitter *, const rf_var *var);
void rf_emit_add_state(rf_emitter *, const rf_member *member);
rf_state *rf_emit_state_for(rf_emitter *, const rf_member *member);
void rf_emit_declare_state(rf_emitter *, rf_state *state);
bool rf_emit_is_state_name(const rf_emitter *, const rf_var *var);

/* step.c */
rf_expr *rf_emit_constant(rf_emitter *, const rf_type *type,
                          const char *spelling, double value);
/* The value at which a shifted term is dead: -INFINITY for a maximum. */
const rf_val *rf_emit_dead_value(rf_emitter *, const rf_member *member);
/* What a step adds, safe against infinite shifts. */
const rf_val *rf_emit_term(rf_emitter *, const rf_member *member);
/* The author's update without the condition it stands under. */
const rf_val *rf_emit_next(const rf_member *member);
bool rf_emit_is_authors(const rf_member *member);
/* The function that takes the larger or the smaller value: `fmaxf`. */
const char *rf_emit_extremum_name(const rf_member *member);
/* A loop over the family of "state", or none; "place" is the lvalue. */
rf_open_loop *rf_family_begin(rf_emitter *, const rf_state *state,
                              rf_expr **place);
void rf_family_end(rf_emitter *, rf_open_loop *loop);
void rf_emit_update_member(rf_emitter *, rf_state *state);

/* moment.c */
void rf_emit_step_member(rf_emitter *, rf_state *state);
/* True if "pass" of a team has moments: each thread counts its elements. */
bool rf_emit_is_counted(const rf_emitter *, unsigned pass);
void rf_emit_declare_count(rf_emitter *, unsigned pass);
void rf_emit_step_count(rf_emitter *, unsigned pass);

/* shift.c */
void rf_emit_step_shift(rf_emitter *, rf_state *state);
void rf_emit_declare_old(rf_emitter *, rf_state *state);

/* pass.c */
void rf_emit_pass(rf_emitter *, unsigned pass);
/* "store" in its loops from loops[from] on, under its condition. */
void rf_emit_store_nest(rf_emitter *, const rf_store *store, unsigned from);
bool rf_emit_is_state_store(const rf_emitter *, const rf_store *store);

/* rows.c: families whose steps use one another. */
/* Find them; refuse steps that use another member of a family. */
void rf_emit_join_rows(rf_emitter *);
/* Run "write" on the states of "pass" that step with "first", in one loop. */
void rf_emit_rows(rf_emitter *, rf_state *first,
                  void (*write)(rf_emitter *, rf_state *const *, size_t));
/* Open the loop over the family of "s" for all that step with it; NULL: it is
 * a scalar. */
rf_open_loop *rf_rows_begin(rf_emitter *, const rf_state *s);
void rf_rows_end(rf_emitter *, rf_open_loop *loop);

/* team.c */
/* The states of "pass" become those of the team. */
void rf_emit_combine(rf_emitter *, unsigned pass);
void rf_emit_last_barrier(rf_emitter *);

/* lane.c: of widened plans; nothing otherwise. */
void rf_emit_lane(rf_emitter *);
/* An expression of the author's, with the row's index as it is now. */
rf_expr *rf_emit_in_team(rf_emitter *, rf_expr *e);
/* What stands in between is done by lane 0. */
void rf_emit_leader_begin(rf_emitter *, rf_open_block *block);
void rf_emit_leader_end(rf_emitter *, rf_open_block *block);

/* grid.c: "pass", or what the blocks of the grid left of it. */
void rf_emit_turn(rf_emitter *, unsigned pass);
/* Blocks of a grid share the row. */
bool rf_emit_is_grid(const rf_emitter *);
/* This is launch "turn" of the kernel. */
rf_expr *rf_emit_is_turn(rf_emitter *, unsigned turn);

/* needs.c: assertions about the types that a template leaves open. */
void rf_emit_needs(rf_emitter *, rf_stmts *out);

/* overlap.c: `if (...)` the pointers are apart, with no body yet; NULL: nothing
 * needs to be tested. */
rf_stmt *rf_emit_overlap_test(rf_emitter *);
/* "test", then "fused", else the bytes at "authors". */
rf_emitted rf_emit_two_versions(rf_emitter *, rf_stmt *test,
                                const rf_stmts *fused, rf_range authors,
                                const struct rf_print_style *style);

/* alias.c: names of types that the replaced statements make come first in
 * "list" where "text", which it prints as, or later code uses them. Returns
 * true if there are any. */
bool rf_emit_keep_aliases(rf_emitter *, const char *text, rf_stmts *list);

/* unused.c: what "fused" has no use for is "gone" from the region, or "out"
 * says that it has none. "region" may be NULL: nothing is gone. */
void rf_emit_unused(rf_emitter *, const rf_region *region,
                    const rf_stmts *fused, rf_stmts *out,
                    rf_emitted_list *gone);

/* after.c */
void rf_emit_finish(rf_emitter *, unsigned pass);
void rf_emit_dead_rows(rf_emitter *, unsigned pass);
void rf_emit_names(rf_emitter *, unsigned pass);
void rf_emit_stores(rf_emitter *, unsigned pass);
void rf_emit_early_finals(rf_emitter *, unsigned pass);
void rf_emit_finals(rf_emitter *);

/* keep.c */
/* True if the declaration of "var" stays as the author wrote it. */
bool rf_emit_is_kept(const rf_emitter *, const rf_var *var);
/* Declared before the replaced statements, which set it. */
bool rf_emit_is_declared_before(const rf_emitter *, const rf_var *var);
void rf_emit_bind_kept(rf_emitter *);
void rf_emit_keep_declarations(rf_emitter *, rf_stmts *out);

#endif
