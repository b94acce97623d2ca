/* Races that the source has already (D7): the threads of a block that overwrite
 * one row, or a thread that reads what its neighbour overwrites. They are
 * named, not turned into other races. */
#include "depend/depend.h"
#include "plan/planning.h"

#include <string.h>

static bool names_thread(rf_planner *p, const rf_expr *e, int depth);

/* True unless "var" is known to be the same in all threads of a block. */
static bool may_name_thread(rf_planner *p, const rf_var *var, int depth)
{
    if (var->storage == RF_VAR_BUILTIN)
        return !strcmp(var->name, "threadIdx");
    if (var->storage == RF_VAR_PARAM)
        return !var->is_const; /* x += threadIdx.x * n */
    if (var->storage != RF_VAR_LOCAL)
        return false;
    const rf_stmt *decl = rf_plan_declaration(p, var);
    return !var->is_const || !decl || !decl->expr || depth > 16 ||
           names_thread(p, decl->expr, depth + 1);
}

static bool names_thread(rf_planner *p, const rf_expr *e, int depth)
{
    if (!e)
        return false;
    if (e->op == RF_OP_VAR && may_name_thread(p, e->var, depth))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (names_thread(p, e->arg[i], depth))
            return true;
    return false;
}

static bool is_thread_value(const rf_val *v, const void *data)
{
    rf_planner *p = (rf_planner *)(uintptr_t)data;
    return (v->kind == RF_VAL_ENTRY && may_name_thread(p, v->var, 0)) ||
           v->kind == RF_VAL_LOAD || v->kind == RF_VAL_UNKNOWN ||
           v->kind == RF_VAL_LAST;
}

/* True unless all threads of a block surely store to the same place. */
static bool row_names_thread(rf_planner *p, const rf_store *s)
{
    return rf_val_find(s->index, is_thread_value, p) ||
           rf_val_find(s->base, is_thread_value, p);
}

/* The function tells its threads apart somewhere: it has more than one. */
static bool mentions_thread(const rf_expr *e)
{
    if (!e)
        return false;
    if (e->op == RF_OP_VAR && !strcmp(e->var->name, "threadIdx"))
        return true;
    for (unsigned i = 0; i < e->n; i++)
        if (mentions_thread(e->arg[i]))
            return true;
    return false;
}

static bool has_siblings(const rf_stmt *s)
{
    if (!s)
        return false;
    /* if (threadIdx.x == 0): one thread only */
    if (s->kind == RF_STMT_IF && mentions_thread(s->expr))
        return false;
    bool uses = mentions_thread(s->expr) || has_siblings(s->init) ||
                has_siblings(s->body) || has_siblings(s->orelse);
    for (unsigned i = 0; i < s->n && !uses; i++)
        uses = has_siblings(s->list[i]);
    return uses;
}

/* One thread makes the store, or each thread those of its own elements. */
static bool is_dealt(rf_planner *p, const rf_store *s)
{
    for (unsigned i = 0; i < s->n_loops; i++)
        if (s->loops[i]->is_split)
            return true;
    return s->guard && rf_val_find(s->guard, is_thread_value, p);
}

/* Siblings that overwrite the row they read: some of them read exponentials
 * of exponentials. Only when other stores tell that there are siblings. */
static bool check_overwritten(rf_planner *p)
{
    for (size_t i = 0; i < p->trace->stores.len; i++) {
        const rf_store *s = &p->trace->stores.data[i];
        bool read = false;
        for (size_t k = 0; k < p->trace->loads.len; k++)
            read |= p->trace->loads.data[k].base == s->base;
        const rf_val *root = rf_trace_root(p->trace, s->base);
        if (!read || !s->index || !s->n_loops || root->kind != RF_VAL_ENTRY ||
            root->var->type->kind == RF_TYPE_ARRAY || row_names_thread(p, s) ||
            (p->trace->team && is_dealt(p, s)))
            continue;
        rf_plan_refuse(p, RF_DIAG_RACE, s->at,
                       "not fused: all threads of a block overwrite '%s'",
                       root->var->name);
        return false;
    }
    return true;
}

/* ---- neighbours ---- */

/* True if "e" is the number of the thread, or that plus what all threads of a
 * block share. */
static bool is_thread_number(rf_planner *p, const rf_expr *e)
{
    while (e->op == RF_OP_CAST)
        e = e->arg[0];
    if (e->op == RF_OP_FIELD)
        return !strcmp(e->name, "x") && mentions_thread(e);
    if (e->op != RF_OP_ADD)
        return false;
    const rf_expr *a = e->arg[0], *b = e->arg[1];
    return (is_thread_number(p, a) && !names_thread(p, b, 0)) ||
           (is_thread_number(p, b) && !names_thread(p, a, 0));
}

/* A value that is one more in the next thread of the block. */
static bool counts_threads(const rf_val *v, const void *data)
{
    rf_planner *p = (rf_planner *)(uintptr_t)data;
    if (v->kind == RF_VAL_OP && v->op == RF_OP_FIELD)
        return !strcmp(v->name, "x") && v->arg[0]->kind == RF_VAL_ENTRY &&
               !strcmp(v->arg[0]->var->name, "threadIdx");
    if (v->kind != RF_VAL_ENTRY || !v->var->is_const ||
        v->var->storage != RF_VAR_LOCAL)
        return false;
    const rf_stmt *decl = rf_plan_declaration(p, v->var);
    return decl && decl->expr && is_thread_number(p, decl->expr);
}

/* True if "load" reads what the thread "by" further on stores by "s". */
static bool reads_neighbour(rf_planner *p, rf_depend *d, const rf_load *load,
                            const rf_store *s, int64_t by)
{
    rf_vals *vals = p->trace->vals;
    const rf_val *row = rf_val_find(s->index, counts_threads, p);
    if (!row || !rf_val_mentions(load->index, row))
        return false;
    const rf_val *next = rf_val_op2(vals, RF_OP_ADD, row->type, row,
                                    rf_val_int(vals, by, row->type));
    rf_access read = { .nest = { load->n_loops, load->loops, NULL },
                       .base = load->base,
                       .index = load->index };
    rf_access write = { .nest = { s->n_loops, s->loops, s->guard },
                        .base = s->base,
                        .index = rf_val_subst(vals, s->index, 1, &row, &next) };
    return rf_access_compare(d, &read, &write, NULL) == RF_INDEX_SAME;
}

static bool check_neighbours(rf_planner *p, rf_depend *d, const rf_store *s)
{
    for (size_t i = 0; s->index && i < p->trace->loads.len; i++) {
        const rf_load *l = &p->trace->loads.data[i];
        if (l->base != s->base || l->index == s->index ||
            (!reads_neighbour(p, d, l, s, 1) &&
             !reads_neighbour(p, d, l, s, -1)))
            continue;
        const rf_val *root = rf_trace_root(p->trace, s->base);
        if (root->kind != RF_VAL_ENTRY ||
            root->var->type->kind == RF_TYPE_ARRAY)
            continue;
        rf_plan_refuse(p, RF_DIAG_RACE, l->at,
                       "not fused: another thread overwrites this element of "
                       "'%s'",
                       root->var->name);
        rf_plan_note(p, s->at, "it is written here");
        return false;
    }
    return true;
}

bool rf_plan_siblings(rf_planner *p)
{
    if (!p->trace->team && !has_siblings(p->region->func->body))
        return true;
    if (!check_overwritten(p))
        return false;
    if (p->trace->team)
        return true;
    rf_depend *d = rf_depend_new(p->arena);
    rf_plan_facts(p, d);
    bool ok = true;
    for (size_t i = 0; i < p->trace->stores.len && ok; i++)
        ok = check_neighbours(p, d, &p->trace->stores.data[i]);
    rf_depend_free(d);
    return ok;
}
