/* Execute statements for all lanes of a block at once, each with its own
 * values, under a mask of those that are here. Loops must end after a number
 * of turns that is known for every lane. */
#include "ir/lanes.h"

#include <string.h>

enum { MOST_STEPS = 200000, MOST_EMITTED_STEPS = 20000 };

rf_lane *rf_lanes_new(rf_team_run *r)
{
    return RF_NEW_ARRAY(r->w->arena, r->w->size, rf_lane);
}

static unsigned char *copy_mask(rf_team_run *r, const unsigned char *mask)
{
    unsigned char *copy = RF_NEW_ARRAY(r->w->arena, r->w->size, unsigned char);
    if (mask)
        memcpy(copy, mask, r->w->size);
    else
        memset(copy, 0, r->w->size);
    return copy;
}

static bool anyone(const rf_team_run *r, const unsigned char *mask)
{
    return memchr(mask, 1, r->w->size) != NULL;
}

static bool stopped(rf_team_run *r, rf_range at)
{
    if (r->w->failed || r->tr->t->refused)
        return true;
    unsigned most = r->tr->beside ? MOST_EMITTED_STEPS : MOST_STEPS;
    if (++r->steps < most)
        return false;
    rf_lane_fail(r, RF_DIAG_UNSUPPORTED, at,
                 "these statements take too long to be followed");
    return true;
}

/* ---- variables ---- */

static rf_lane_var *known_var(rf_team_run *r, const rf_var *var)
{
    for (size_t i = r->w->vars.len; i-- > 0;)
        if (r->w->vars.data[i].var == var)
            return &r->w->vars.data[i];
    return NULL;
}

rf_lane_var *rf_lanes_var(rf_team_run *r, rf_var *var)
{
    var = rf_alias_target(r->tr, var);
    rf_lane_var *known_one = known_var(r, var);
    if (known_one)
        return known_one;
    rf_lane_var v = { .var = var, .lanes = rf_lanes_new(r), .at = RF_NOWHERE };
    const rf_val *known = rf_env_get(r->tr, var);
    for (unsigned t = 0; t < r->w->size; t++)
        v.lanes[t] = rf_lane_of(r, t, known);
    RF_PUSH(r->w->vars, v);
    return &RF_LAST(r->w->vars);
}

static rf_lane guarded(rf_team_run *r, const rf_lanes *l, unsigned t,
                       rf_lane value, rf_lane old)
{
    if (!l->when)
        return value;
    return l->unless ? rf_lane_select(r, t, l->when[t], old, value)
                     : rf_lane_select(r, t, l->when[t], value, old);
}

static void set_var(rf_team_run *r, const rf_lanes *l, rf_var *var,
                    const rf_lane *value, rf_range at)
{
    rf_lane_var *v = rf_lanes_var(r, var);
    rf_lane *now = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        now[t] =
            l->mask[t] ? guarded(r, l, t, value[t], v->lanes[t]) : v->lanes[t];
    v->lanes = now;
    v->assigned = true;
    v->at = at;
}

/* ---- places ---- */

static rf_lane *element(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *p = rf_lanes_eval(r, l, e->arg[0]);
    rf_lane *i = e->n > 1 ? rf_lanes_eval(r, l, e->arg[1]) : NULL;
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        out[t] = i ? rf_lane_element(r, p[t], i[t]) : p[t];
    return out;
}

static rf_lane *address(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    while (e->op == RF_OP_CAST)
        e = e->arg[0];
    if (e->op == RF_OP_INDEX || e->op == RF_OP_DEREF)
        return element(r, l, e);
    rf_lane *out = rf_lanes_new(r);
    const rf_val *v =
        e->op == RF_OP_VAR
            ? rf_val_entry(r->tr->vals, rf_alias_target(r->tr, e->var))
            : NULL;
    for (unsigned t = 0; t < r->w->size; t++)
        out[t] = v && v->var->storage == RF_VAR_SHARED
                     ? rf_lane_of(r, t, v)
                     : rf_lane_mixed("an address that is not known");
    return out;
}

static bool is_scalar(const rf_lane_place *p)
{
    return p->type && p->type->kind != RF_TYPE_ARRAY;
}

static rf_lane *load(rf_team_run *r, const rf_lanes *l, const rf_lane *p,
                     rf_range at)
{
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t++) {
        if (!l->mask[t])
            continue;
        out[t] = p[t].kind != RF_LANE_PLACE ? p[t]
                 : !is_scalar(p[t].place)
                     ? (rf_lane){ .kind = RF_LANE_PLACE, .place = p[t].place }
                     : rf_lane_load(r, t, p[t].place, at);
        if (out[t].kind != RF_LANE_PLACE || is_scalar(out[t].place))
            continue;
        rf_lane_place *inner = RF_NEW(r->w->arena, rf_lane_place);
        *inner = *p[t].place;
        inner->type = inner->type->elem; /* the row decays to a pointer */
        out[t].place = inner;
    }
    return out;
}

/* Memory of the usual kind: a load of the trace. */
static rf_lane *load_global(rf_team_run *r, const rf_lanes *l, const rf_lane *p,
                            const rf_lane *i, const rf_expr *e)
{
    rf_lane *out = rf_lanes_new(r);
    const rf_val *last[2] = { 0 }, *value = NULL;
    for (unsigned t = 0; t < r->w->size; t++) {
        bool own = false;
        const rf_val *base, *at, *v = rf_lane_to_val(r, t, p[t], &own);
        const rf_val *k = i ? rf_lane_to_val(r, t, i[t], &own)
                            : rf_val_int(r->tr->vals, 0, &rf_type_int);
        out[t] = rf_lane_mixed("memory at an address that is not known");
        if (!l->mask[t] || !v || !k || v->kind == RF_VAL_UNKNOWN)
            continue;
        if (last[0] != v || last[1] != k) {
            rf_split_pointer(r->tr, v, &base, &at);
            at = rf_offset_sum(r->tr, RF_OP_ADD, at, k);
            value = rf_load_cell(r->tr, base, at, e->type, e->at);
            last[0] = v;
            last[1] = k;
        }
        own |= rf_lane_varies(r, value);
        out[t] = (rf_lane){ .kind = own ? RF_LANE_OWN : RF_LANE_SAME,
                            .lane = own ? t : 0,
                            .val = value };
    }
    return out;
}

static bool in_shared(const rf_team_run *r, const rf_lanes *l, const rf_lane *p)
{
    for (unsigned t = 0; t < r->w->size; t++)
        if (l->mask[t] && p[t].kind == RF_LANE_PLACE)
            return true;
    return false;
}

static rf_lane *eval_access(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *p = rf_lanes_eval(r, l, e->arg[0]);
    rf_lane *i = e->n > 1 ? rf_lanes_eval(r, l, e->arg[1]) : NULL;
    if (!in_shared(r, l, p))
        return load_global(r, l, p, i, e);
    rf_lane *at = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        at[t] = i && l->mask[t] ? rf_lane_element(r, p[t], i[t]) : p[t];
    return load(r, l, at, e->at);
}

static rf_lane *eval_var(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_var *var = rf_alias_target(r->tr, e->var);
    if (var->storage != RF_VAR_SHARED)
        return rf_lanes_var(r, var)->lanes;
    rf_lane *at = address(r, l, e);
    return var->type->kind == RF_TYPE_ARRAY ? at : load(r, l, at, e->at);
}

/* ---- assignments ---- */

static void store(rf_team_run *r, const rf_lanes *l, const rf_lane *place,
                  const rf_lane *value, rf_range at)
{
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t++) {
        if (!l->mask[t])
            continue;
        if (place[t].kind != RF_LANE_PLACE || !is_scalar(place[t].place)) {
            rf_lane_fail(r, RF_DIAG_UNSUPPORTED, at,
                         "memory is written between the loops at a place that "
                         "is not known");
            return;
        }
        rf_lane v = rf_lane_cast(r, t, place[t].place->type, value[t]);
        if (l->when)
            v = guarded(r, l, t, v, rf_lane_load(r, t, place[t].place, at));
        rf_lane_store(r, t, place[t].place, v, at);
    }
}

static void assign(rf_team_run *r, rf_lanes *l, const rf_expr *lhs,
                   const rf_lane *value)
{
    while (lhs->op == RF_OP_CAST && lhs->is_implicit)
        lhs = lhs->arg[0];
    if (lhs->op == RF_OP_VAR) {
        rf_var *var = rf_alias_target(r->tr, lhs->var);
        if (var->storage != RF_VAR_SHARED) {
            set_var(r, l, var, value, lhs->at);
            return;
        }
    } else if (lhs->op == RF_OP_FIELD && lhs->arg[0]->op == RF_OP_VAR &&
               !lhs->is_arrow && lhs->arg[0]->var->storage == RF_VAR_LOCAL) {
        set_var(r, l,
                rf_member_var(r->tr, lhs->arg[0]->var, lhs->name, lhs->type),
                value, lhs->at);
        return;
    }
    store(r, l, address(r, l, lhs), value, lhs->at);
}

static rf_lane *map_binary(rf_team_run *r, const rf_lanes *l, rf_op op,
                           const rf_type *type, const rf_lane *a,
                           const rf_lane *b)
{
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        if (l->mask[t])
            out[t] = rf_lane_binary(r, t, op, type, a[t], b[t]);
    return out;
}

static rf_lane *map_cast(rf_team_run *r, const rf_lanes *l, const rf_type *type,
                         const rf_lane *a)
{
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        if (l->mask[t])
            out[t] = rf_lane_cast(r, t, type, a[t]);
    return out;
}

static rf_lane *eval_assign(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *value = rf_lanes_eval(r, l, e->arg[1]);
    if (e->op == RF_OP_ASSIGN_OP) {
        rf_lane *old = rf_lanes_eval(r, l, e->arg[0]);
        value = map_binary(r, l, e->value.assign, e->arg[0]->type, old, value);
    }
    value = map_cast(r, l, e->arg[0]->type, value);
    assign(r, l, e->arg[0], value);
    return value;
}

static rf_lane *eval_step(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    bool up = e->op == RF_OP_PRE_INC || e->op == RF_OP_POST_INC;
    bool post = e->op == RF_OP_POST_INC || e->op == RF_OP_POST_DEC;
    rf_lane *old = rf_lanes_eval(r, l, e->arg[0]), *one = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        one[t] = rf_lane_num(1);
    rf_lane *now =
        map_binary(r, l, up ? RF_OP_ADD : RF_OP_SUB, e->arg[0]->type, old, one);
    assign(r, l, e->arg[0], now);
    return post ? old : now;
}

/* ---- calls ---- */

/* A method that asks its object for nothing: it has no members, or is a lambda
 * without captures. */
static bool is_free_method(const rf_expr *e)
{
    const rf_expr *object = e->arg[0];
    if (rf_is_closure(object))
        return object->n == 0;
    return object->type && object->type->knows_fields &&
           object->type->n_fields == 0;
}

/* Give the parameters of "f" the values, or the variables, of the call. */
static void bind_parameters(rf_team_run *r, rf_lanes *l, rf_lanes *inner,
                            const rf_func *f, const rf_expr *e)
{
    unsigned first = e->is_method;
    RF_ARRAY(rf_lane *) args = { 0 };
    for (unsigned i = 0; i < f->n_params && i + first < e->n; i++) {
        const rf_expr *arg = e->arg[i + first];
        bool is_alias =
            f->params[i]->type->is_reference && arg->op == RF_OP_VAR;
        RF_PUSH(args, is_alias ? NULL : rf_lanes_eval(r, l, arg));
    }
    for (unsigned i = 0; i < args.len; i++) {
        rf_var *p = f->params[i];
        const rf_expr *arg = e->arg[i + first];
        if (!args.data[i])
            RF_PUSH(r->tr->aliases,
                    (rf_alias_of){
                        .var = p, .target = rf_alias_target(r->tr, arg->var) });
        else
            set_var(r, inner, p, map_cast(r, l, p->type, args.data[i]), e->at);
    }
    RF_CLEAR(args);
}

static rf_lane *user_call(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    const rf_func *f = e->callee;
    rf_lanes inner = { .mask = copy_mask(r, l->mask),
                       .when = l->when,
                       .unless = l->unless };
    rf_lane_frame frame = { .outer = l->frame,
                            .returned = copy_mask(r, NULL),
                            .value = rf_lanes_new(r) };
    inner.frame = &frame;
    if (f->is_recursive || r->depth >= 16) {
        rf_lane_fail(r, RF_DIAG_UNSUPPORTED, e->at, "'%s' calls itself",
                     f->name);
        return frame.value;
    }
    if (e->is_method && !is_free_method(e)) {
        rf_lane_fail(r, RF_DIAG_UNSUPPORTED, e->at,
                     "the members of this object are not followed where "
                     "threads meet");
        return frame.value;
    }
    size_t aliases = r->tr->aliases.len;
    bind_parameters(r, l, &inner, f, e);
    r->depth++;
    rf_lanes_run(r, &inner, f->body);
    r->depth--;
    r->tr->aliases.len = aliases;
    return map_cast(r, l, f->result, frame.value);
}

static rf_lane *pure_call(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *out = rf_lanes_new(r);
    if (rf_math_find(e->name) == RF_MATH_LOAD && e->n)
        return load_global(r, l, rf_lanes_eval(r, l, e->arg[0]), NULL, e);
    if (rf_math_find(e->name) == RF_MATH_NONE || e->n > 4) {
        rf_lane_fail(r, RF_DIAG_SIDE_EFFECT, e->at,
                     "the call of '%s' may have effects that must stay where "
                     "they are",
                     e->name ? e->name : "a function");
        return out;
    }
    rf_lane *a[4];
    for (unsigned i = 0; i < e->n; i++)
        a[i] = rf_lanes_eval(r, l, e->arg[i]);
    for (unsigned t = 0; t < r->w->size; t++) {
        rf_lane args[4];
        for (unsigned i = 0; i < e->n; i++)
            args[i] = a[i][t];
        if (l->mask[t])
            out[t] = rf_lane_call(r, t, e, args);
    }
    return out;
}

/* ---- expressions ---- */

static rf_lane *constant(rf_team_run *r, const rf_val *v)
{
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        out[t] = rf_lane_of(r, t, v);
    return out;
}

static rf_lane *eval_field(rf_team_run *r, const rf_expr *e)
{
    const rf_expr *of = e->arg[0];
    if (of->op == RF_OP_VAR && !e->is_arrow && of->var->storage == RF_VAR_LOCAL)
        return rf_lanes_var(r, rf_member_var(r->tr, of->var, e->name, e->type))
            ->lanes;
    if (of->op == RF_OP_VAR && of->var->storage == RF_VAR_BUILTIN)
        return constant(r, rf_eval(r->tr, e));
    return constant(r, rf_val_unknown(r->tr->vals, e->type, "a field", e));
}

static rf_lane *eval_select(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *c = rf_lanes_eval(r, l, e->arg[0]);
    rf_lanes yes = *l, no = *l;
    yes.mask = copy_mask(r, l->mask);
    no.mask = copy_mask(r, l->mask);
    for (unsigned t = 0; t < r->w->size; t++)
        if (c[t].kind == RF_LANE_NUM) {
            yes.mask[t] &= c[t].num != 0;
            no.mask[t] &= c[t].num == 0;
        }
    rf_lane *a = anyone(r, yes.mask) ? rf_lanes_eval(r, &yes, e->arg[1]) : NULL;
    rf_lane *b = anyone(r, no.mask) ? rf_lanes_eval(r, &no, e->arg[2]) : NULL;
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++) {
        if (!l->mask[t])
            continue;
        if (yes.mask[t] && no.mask[t])
            out[t] = rf_lane_select(r, t, c[t], a[t], b[t]);
        else
            out[t] = yes.mask[t] ? a[t] : b[t];
        out[t] = rf_lane_cast(r, t, e->type, out[t]);
    }
    return out;
}

/* a && b, a || b: b is not evaluated where a decides. */
static rf_lane *eval_logic(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *a = rf_lanes_eval(r, l, e->arg[0]);
    rf_lanes rest = *l;
    rest.mask = copy_mask(r, l->mask);
    int64_t decides = e->op == RF_OP_OR;
    for (unsigned t = 0; t < r->w->size; t++)
        if (a[t].kind == RF_LANE_NUM && (a[t].num != 0) == decides)
            rest.mask[t] = 0;
    if (!anyone(r, rest.mask))
        return a;
    rf_lane *b = rf_lanes_eval(r, &rest, e->arg[1]);
    rf_lane *out = map_binary(r, &rest, e->op, &rf_type_bool, a, b);
    for (unsigned t = 0; t < r->w->size; t++)
        if (l->mask[t] && !rest.mask[t])
            out[t] = rf_lane_num(decides);
    return out;
}

static rf_lane *map_unary(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *a = rf_lanes_eval(r, l, e->arg[0]), *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        if (l->mask[t])
            out[t] = e->op == RF_OP_PLUS
                         ? a[t]
                         : rf_lane_unary(r, t, e->op, e->type, a[t]);
    return out;
}

static rf_lane *eval_call(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    if (rf_sync_of(e) != RF_SYNC_NONE)
        return rf_lanes_sync(r, l, e);
    return e->callee ? user_call(r, l, e) : pure_call(r, l, e);
}

rf_lane *rf_lanes_eval(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    if (stopped(r, e->at))
        return rf_lanes_new(r);
    switch (e->op) {
    case RF_OP_INT:
    case RF_OP_FLOAT:
        return constant(r, rf_val_const(r->tr->vals, e));
    case RF_OP_VAR:
        return eval_var(r, l, e);
    case RF_OP_INDEX:
    case RF_OP_DEREF:
        return eval_access(r, l, e);
    case RF_OP_ADDRESS:
        return address(r, l, e->arg[0]);
    case RF_OP_FIELD:
        return eval_field(r, e);
    case RF_OP_CALL:
        return eval_call(r, l, e);
    case RF_OP_CAST:
        return map_cast(r, l, e->type, rf_lanes_eval(r, l, e->arg[0]));
    case RF_OP_SELECT:
        return eval_select(r, l, e);
    case RF_OP_AND:
    case RF_OP_OR:
        return eval_logic(r, l, e);
    case RF_OP_COMMA:
        rf_lanes_eval(r, l, e->arg[0]);
        return rf_lanes_eval(r, l, e->arg[1]);
    case RF_OP_ASSIGN:
    case RF_OP_ASSIGN_OP:
        return eval_assign(r, l, e);
    case RF_OP_PRE_INC:
    case RF_OP_PRE_DEC:
    case RF_OP_POST_INC:
    case RF_OP_POST_DEC:
        return eval_step(r, l, e);
    case RF_OP_NEG:
    case RF_OP_PLUS:
    case RF_OP_NOT:
    case RF_OP_BIT_NOT:
        return map_unary(r, l, e);
    case RF_OP_STRING:
    case RF_OP_INIT_LIST:
    case RF_OP_OPAQUE:
        return constant(r, rf_val_unknown(r->tr->vals, e->type,
                                          "an expression that is not read", e));
    default:
        return map_binary(r, l, e->op, e->type, rf_lanes_eval(r, l, e->arg[0]),
                          rf_lanes_eval(r, l, e->arg[1]));
    }
}

/* ---- statements ---- */

static void run_decl(rf_team_run *r, rf_lanes *l, const rf_stmt *s)
{
    if (s->var->storage == RF_VAR_SHARED)
        return;
    if (s->expr && s->var->type->is_reference && s->expr->op == RF_OP_VAR) {
        RF_PUSH(r->tr->aliases, (rf_alias_of){ .var = s->var,
                                               .target = rf_alias_target(
                                                   r->tr, s->expr->var) });
        return;
    }
    rf_lanes plain = *l;
    plain.when = NULL;
    rf_lane *value;
    if (s->expr) {
        value = rf_lanes_eval(r, l, s->expr);
        value = map_cast(r, l, s->var->type, value);
    } else {
        value = rf_lanes_new(r);
        for (unsigned t = 0; t < r->w->size; t++)
            value[t] = rf_lane_undef("uninitialised");
    }
    rf_lane_var v = { .var = s->var, .lanes = rf_lanes_new(r), .at = s->at };
    if (!known_var(r, s->var))
        RF_PUSH(r->w->vars, v);
    set_var(r, &plain, s->var, value, s->at);
}

/* Split the lanes by "c": known conditions by mask, one unknown one by
 * predication. */
static bool split(rf_team_run *r, const rf_lanes *l, const rf_lane *c,
                  rf_lanes *yes, rf_lanes *no, rf_range at)
{
    bool unknown = false;
    *yes = *no = *l;
    yes->mask = copy_mask(r, l->mask);
    no->mask = copy_mask(r, l->mask);
    for (unsigned t = 0; t < r->w->size; t++) {
        if (!l->mask[t])
            continue;
        if (c[t].kind == RF_LANE_NUM) {
            yes->mask[t] = c[t].num != 0;
            no->mask[t] = c[t].num == 0;
        } else {
            unknown = true;
        }
    }
    if (!unknown)
        return true;
    for (unsigned t = 0; t < r->w->size; t++)
        if (l->mask[t] &&
            (l->when || c[t].kind == RF_LANE_NUM ||
             c[t].kind == RF_LANE_UNDEF || c[t].kind == RF_LANE_MIXED)) {
            rf_lane_fail(r, RF_DIAG_UNSUPPORTED, at,
                         "this condition is not known when the threads "
                         "exchange values");
            return false;
        }
    yes->when = no->when = c;
    yes->unless = false;
    no->unless = true;
    return true;
}

static void run_if(rf_team_run *r, rf_lanes *l, const rf_stmt *s)
{
    rf_lanes yes, no;
    rf_lane *c = rf_lanes_eval(r, l, s->expr);
    if (stopped(r, s->at) || !split(r, l, c, &yes, &no, s->expr->at))
        return;
    if (anyone(r, yes.mask))
        rf_lanes_run(r, &yes, s->body);
    if (s->orelse && anyone(r, no.mask))
        rf_lanes_run(r, &no, s->orelse);
    for (unsigned t = 0; t < r->w->size; t++)
        l->mask[t] = yes.mask[t] | no.mask[t];
}

/* ---- loops ---- */

/* The first call in "e" that acts on others without exchanging values in the
 * block: a barrier, an atomic operation on memory that is not shared. "other"
 * is set if there is another exchange. */
static const rf_expr *effect_in(const rf_expr *e, bool *other)
{
    const rf_expr *found = NULL;
    if (!e)
        return NULL;
    rf_sync sync = e->op == RF_OP_CALL ? rf_sync_of(e) : RF_SYNC_NONE;
    if (sync == RF_SYNC_BARRIER || sync == RF_SYNC_ATOMIC) {
        const rf_expr *root = e;
        while (root->n)
            root = root->arg[0];
        *other |= root->op == RF_OP_VAR && root->var->storage == RF_VAR_SHARED;
        found = e;
    } else {
        *other |= sync != RF_SYNC_NONE;
    }
    for (unsigned i = 0; i < e->n; i++) {
        const rf_expr *inner = effect_in(e->arg[i], other);
        found = found ? found : inner;
    }
    return found;
}

static const rf_expr *effect_of(const rf_stmt *s, bool *other)
{
    if (!s)
        return NULL;
    const rf_expr *found = effect_in(s->expr, other);
    const rf_stmt *parts[] = { s->body, s->orelse };
    for (size_t i = 0; i < RF_COUNTOF(parts); i++) {
        const rf_expr *inner = effect_of(parts[i], other);
        found = found ? found : inner;
    }
    for (unsigned i = 0; i < s->n; i++) {
        const rf_expr *inner = effect_of(s->list[i], other);
        found = found ? found : inner;
    }
    return found;
}

/* The test of loop "s" is no number: name the effect that made the loop one of
 * the team, or the test. */
static void fail_loop(rf_team_run *r, const rf_stmt *s)
{
    bool other = rf_team_writes_shared(r->tr, s);
    const rf_expr *effect = effect_of(s->body, &other);
    if (effect && !other)
        rf_lane_fail(r, RF_DIAG_SIDE_EFFECT, effect->at,
                     "'%s' in a loop must stay where it is", effect->name);
    else if (rf_stmt_is_collective(s) || other)
        rf_lane_fail(r, RF_DIAG_CONTROL, s->expr->at,
                     "the number of iterations of this loop, in which "
                     "threads exchange values, is not known");
    else
        rf_lane_fail(r, RF_DIAG_CONTROL, s->expr->at,
                     "what the threads make in this loop is exchanged in a "
                     "statement that is repeated or conditional");
}

/* Lanes whose condition is false leave: they move from "l" to "left". */
static bool test(rf_team_run *r, rf_lanes *l, const rf_stmt *s,
                 unsigned char *left)
{
    if (!s->expr)
        return true;
    rf_lane *c = rf_lanes_eval(r, l, s->expr);
    if (stopped(r, s->at))
        return false;
    for (unsigned t = 0; t < r->w->size; t++) {
        if (!l->mask[t])
            continue;
        if (c[t].kind != RF_LANE_NUM) {
            fail_loop(r, s);
            return false;
        }
        if (!c[t].num) {
            l->mask[t] = 0;
            left[t] = 1;
        }
    }
    return anyone(r, l->mask);
}

static void run_loop(rf_team_run *r, rf_lanes *l, const rf_stmt *s)
{
    if (s->init)
        rf_lanes_run(r, l, s->init);
    rf_lane_loop loop = { .outer = l->frame->loop,
                          .broke = copy_mask(r, NULL),
                          .continued = copy_mask(r, NULL) };
    unsigned char *left = copy_mask(r, NULL);
    l->frame->loop = &loop;
    bool first = s->kind == RF_STMT_DO;
    while (!stopped(r, s->at) && anyone(r, l->mask) &&
           (first || test(r, l, s, left))) {
        rf_lanes_run(r, l, s->body);
        for (unsigned t = 0; t < r->w->size; t++) {
            l->mask[t] |= loop.continued[t];
            loop.continued[t] = 0;
        }
        if (s->step && anyone(r, l->mask))
            rf_lanes_eval(r, l, s->step);
        if (s->kind == RF_STMT_DO && !test(r, l, s, left))
            break;
    }
    l->frame->loop = loop.outer;
    for (unsigned t = 0; t < r->w->size; t++)
        l->mask[t] |= left[t] | loop.broke[t];
}

static void leave(rf_team_run *r, rf_lanes *l, unsigned char *to, rf_range at)
{
    if (l->when || !to) {
        rf_lane_fail(r, RF_DIAG_CONTROL, at, "control leaves the region here");
        return;
    }
    for (unsigned t = 0; t < r->w->size; t++) {
        to[t] |= l->mask[t];
        l->mask[t] = 0;
    }
}

static void run_return(rf_team_run *r, rf_lanes *l, const rf_stmt *s)
{
    rf_lane *value = s->expr ? rf_lanes_eval(r, l, s->expr) : NULL;
    for (unsigned t = 0; t < r->w->size; t++)
        if (value && l->mask[t])
            l->frame->value[t] = value[t];
    leave(r, l, r->depth ? l->frame->returned : NULL, s->at);
}

void rf_lanes_run(rf_team_run *r, rf_lanes *l, const rf_stmt *s)
{
    if (!s || stopped(r, s->at) || !anyone(r, l->mask))
        return;
    rf_lane_loop *loop = l->frame->loop;
    switch (s->kind) {
    case RF_STMT_EMPTY:
    case RF_STMT_ALIAS:
        break;
    case RF_STMT_DECL:
        run_decl(r, l, s);
        break;
    case RF_STMT_EXPR:
        rf_lanes_eval(r, l, s->expr);
        break;
    case RF_STMT_IF:
        run_if(r, l, s);
        break;
    case RF_STMT_FOR:
    case RF_STMT_WHILE:
    case RF_STMT_DO:
        run_loop(r, l, s);
        break;
    case RF_STMT_BLOCK:
        for (unsigned i = 0; i < s->n; i++)
            rf_lanes_run(r, l, s->list[i]);
        break;
    case RF_STMT_BREAK:
        leave(r, l, loop ? loop->broke : NULL, s->at);
        break;
    case RF_STMT_CONTINUE:
        leave(r, l, loop ? loop->continued : NULL, s->at);
        break;
    case RF_STMT_RETURN:
        run_return(r, l, s);
        break;
    case RF_STMT_OPAQUE:
        rf_lane_fail(r, RF_DIAG_UNSUPPORTED, s->at, "'%s' is not modelled",
                     s->text ? s->text : "this statement");
        break;
    }
}
