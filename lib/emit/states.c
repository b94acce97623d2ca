/* The states of a plan: one variable for each member, one array for each
 * family o[n], the author's own where they serve. */
#include "emit/emitting.h"
#include "emit/print.h"

#include <string.h>

/* ---- states ---- */

/* True if "var" belongs to the replaced statements (or to a helper that they
 * call): the generated code has to declare it. */
bool rf_emit_is_declared(const rf_emitter *em, const rf_var *var)
{
    const rf_range at = em->plan->func->at;
    uint32_t window = em->plan->block->list[em->plan->first]->at.begin;
    bool before = var->at.begin >= at.begin && var->at.begin < window;
    return !before && var->storage != RF_VAR_PARAM && !strchr(var->name, '.');
}

static bool has_fixed_size(const rf_loop *l, int64_t *first)
{
    const rf_val *u = l->upper;
    bool fixed =
        u->kind == RF_VAL_CONST ||
        (u->kind == RF_VAL_ENTRY && (u->var->storage == RF_VAR_TEMPLATE ||
                                     u->var->storage == RF_VAR_CONSTANT));
    return fixed && rf_val_is_int(l->lower, first);
}

/* The accumulator of a helper: another call of it, or another helper, may have
 * one of the same name. */
static bool is_of_helper(const rf_emitter *em, const rf_var *var)
{
    const rf_range at = em->plan->func->at;
    return var->at.begin < at.begin || var->at.begin >= at.end;
}

/* The author reuses the variable for a later reduction: that one keeps it. */
static bool is_reused(const rf_emitter *em, const rf_member *m)
{
    bool after = false;
    for (size_t i = 0; i < em->plan->members.len; i++) {
        const rf_member *o = em->plan->members.data[i];
        if (after && o->red->var == m->red->var)
            return true;
        after |= o == m;
    }
    return false;
}

/* What else the author calls the result: const float shift = acc; */
static const char *second_name(const rf_emitter *em, const rf_red *red)
{
    for (size_t i = 0; i < em->trace->names.len; i++) {
        const rf_binding *b = &em->trace->names.data[i];
        if (b->value == red->result && b->var != red->var)
            return b->var->name;
    }
    return red->var->name;
}

/* A variable like the author's: the same object where it serves, so that code
 * after the region still finds it. */
static rf_var *state_var(rf_emitter *em, const rf_red *red, rf_state *s)
{
    const rf_val *first = s->member->init_later;
    if (first && red->var &&
        rf_val_mentions(first, rf_val_entry(em->vals, red->var)))
        return rf_new_var(em, rf_names_fresh(em, red->var->name), red->type,
                          false);
    if (!red->var)
        return NULL;
    if (is_reused(em, s->member) && !rf_names_is_taken(em, red->var->name))
        RF_PUSH(em->names, red->var->name);
    if (is_reused(em, s->member) || is_of_helper(em, red->var))
        return rf_new_var(em, rf_names_fresh(em, second_name(em, red)),
                          red->type, false);
    s->declared_outside = !rf_emit_is_declared(em, red->var);
    if (s->declared_outside || !rf_names_is_taken(em, red->var->name))
        RF_PUSH(em->names, red->var->name);
    return red->var;
}

static const char *home_name(const rf_emitter *em, const rf_red *red)
{
    const rf_val *root = rf_trace_root(em->trace, red->base);
    return root->kind == RF_VAL_ENTRY ? root->var->name : "acc";
}

/* The number of a family's results, or the most that the author assumes. */
static rf_expr *family_size(rf_emitter *em, const rf_member *m,
                            const rf_loop *loop)
{
    int64_t first;
    if (!has_fixed_size(loop, &first))
        return rf_expr_int(em->arena, m->most);
    rf_expr *size = rf_express(em, loop->upper);
    return first ? rf_binary(em, RF_OP_SUB, size->type, size,
                             rf_expr_int(em->arena, first))
                 : size;
}

/* float o[64]; for the family o[n]. */
static rf_var *family_var(rf_emitter *em, const rf_member *m,
                          const rf_loop *loop)
{
    const rf_red *red = m->red;
    rf_type *t = RF_NEW(em->arena, rf_type);
    rf_expr *size = family_size(em, m, loop);
    rf_buf text = { 0 };
    rf_print_expr(&text, size);
    *t = (rf_type){ .kind = RF_TYPE_ARRAY, .elem = red->type, .count = -1 };
    t->spelling = rf_arena_printf(em->arena, "%s[%s]", red->type->spelling,
                                  rf_buf_text(&text));
    if (size->op == RF_OP_INT && !size->spelling)
        t->count = size->value.i;
    rf_buf_free(&text);
    const char *wish = red->var    ? red->var->name
                       : red->base ? home_name(em, red)
                                   : "acc";
    if (!red->var)
        wish = rf_arena_printf(em->arena, "%s_acc", wish);
    return rf_new_var(em, rf_names_fresh(em, wish), t, false);
}

/* An array of the author's own that serves as the family's state. */
static rf_var *own_array(const rf_red *red)
{
    const rf_val *b = red->base;
    if (!b || b->kind != RF_VAL_ENTRY || b->var->storage != RF_VAR_LOCAL ||
        b->var->type->kind != RF_TYPE_ARRAY || red->n_free != 1 ||
        red->index != red->free[0]->index)
        return NULL;
    return b->var;
}

/* A thread has 255 registers; somewhat more may lie in its local memory. */
enum { MOST_RESULTS = 1024 };

/* assume(d <= 128) would help where "d" is a parameter. */
static const char *no_constant(rf_emitter *em, const rf_loop *l)
{
    const rf_val *n = rf_val_without_casts(l->upper);
    bool is_parameter =
        n->kind == RF_VAL_ENTRY && n->var->storage == RF_VAR_PARAM;
    return rf_arena_printf(
        em->arena,
        "the number of results of this reduction is not a constant%s%s%s",
        is_parameter ? "; assume(" : "", is_parameter ? n->var->name : "",
        is_parameter ? " <= NUMBER) bounds it" : "");
}

static const rf_loop *family_of(rf_emitter *em, const rf_member *m)
{
    const rf_red *red = m->red;
    unsigned n = red->n_outer + red->n_free;
    int64_t first;
    if (!n)
        return NULL;
    const rf_loop *l = red->n_outer ? red->outer[0] : red->free[0];
    int64_t size = m->most;
    rf_val_is_int(l->upper, &size);
    if (size > MOST_RESULTS) {
        rf_emit_fail(em, rf_plan_member_of(em->plan, red->result)->red->at,
                     "the results of this reduction have no room on the chip");
        em->refusal->name = RF_DIAG_CAPACITY;
    } else if (n > 1) {
        rf_emit_fail(em, red->at, "a result with two free indices");
    } else if (!has_fixed_size(l, &first) && !m->most) {
        rf_emit_fail(em, red->at, no_constant(em, l));
        em->refusal->name = RF_DIAG_CAPACITY;
    }
    return l;
}

void rf_emit_add_state(rf_emitter *em, const rf_member *m)
{
    rf_state s = { .member = m, .family = family_of(em, m) };
    if (em->refused)
        return;
    if (s.family) {
        s.var = own_array(m->red);
        s.declared_outside = s.var && !rf_emit_is_declared(em, s.var);
        if (!s.var)
            s.var = family_var(em, m, s.family);
        else
            RF_PUSH(em->names, s.var->name);
    } else if (m->wish) {
        s.var =
            rf_new_var(em, rf_names_fresh(em, m->wish), m->red->type, false);
    } else {
        s.var = state_var(em, m->red, &s);
        if (!s.var)
            s.var = rf_new_var(
                em,
                rf_names_fresh(em, rf_arena_printf(em->arena, "%s_%s",
                                                   home_name(em, m->red),
                                                   rf_reduce_name(m->red->op))),
                m->red->type, false);
    }
    RF_PUSH(em->states, s);
}

rf_state *rf_emit_state_for(rf_emitter *em, const rf_member *m)
{
    for (size_t i = 0; i < em->states.len; i++)
        if (em->states.data[i].member == m)
            return &em->states.data[i];
    return NULL;
}

/* ---- declarations ---- */

static void declare_family(rf_emitter *em, const rf_state *s)
{
    const rf_val *init = s->member->init;
    if (!s->declared_outside)
        rf_emit_append(em, rf_declare(em, s->var, NULL));
    rf_open_loop *loop = rf_loop_begin(em, s->family);
    rf_expr *at = rf_emit_use(em, RF_LAST(em->counters).var);
    rf_emit_append(em,
                   rf_assign(em, rf_state_place(em, s, at),
                             rf_express_as(em, init, s->member->red->type)));
    rf_loop_end(em, loop);
}

void rf_emit_declare_state(rf_emitter *em, rf_state *s)
{
    const rf_val *init = s->member->init;
    if (s->member->is_derived)
        return;
    if (s->family) {
        declare_family(em, s);
    } else if (!s->declared_outside || init->kind != RF_VAL_ENTRY ||
               init->var != s->var) {
        rf_emit_prepare(em, init);
        rf_expr *e = rf_express_as(em, init, s->member->red->type);
        if (s->declared_outside)
            rf_emit_append(em, rf_assign(em, rf_emit_use(em, s->var), e));
        else
            rf_emit_append(em, rf_declare(em, s->var, e));
    }
    if (!s->any)
        return;
    rf_expr *no = rf_expr_int(em->arena, 0);
    no->spelling = "false";
    rf_emit_append(em, rf_declare(em, s->any, no));
}
