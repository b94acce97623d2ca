/* Values of the trace as values of lanes: threadIdx.x is the lane, blockDim.x
 * the size of the world; what is not a number is one expression for all lanes
 * or, where it varies with the lane, a contribution of its own. */
#include "ir/lanes.h"

#include <string.h>

/* ---- declarations outside the traced statements ---- */

static const rf_stmt *find_decl(const rf_stmt *s, const rf_var *var)
{
    if (!s)
        return NULL;
    if (s->kind == RF_STMT_DECL && s->var == var)
        return s;
    const rf_stmt *parts[] = { s->init, s->body, s->orelse };
    for (size_t i = 0; i < RF_COUNTOF(parts); i++) {
        const rf_stmt *found = find_decl(parts[i], var);
        if (found)
            return found;
    }
    for (unsigned i = 0; i < s->n; i++) {
        const rf_stmt *found = find_decl(s->list[i], var);
        if (found)
            return found;
    }
    return NULL;
}

/* The value of a variable that was set once, before the traced statements. */
static const rf_val *declared_value(rf_team_run *r, const rf_var *var)
{
    if (var->storage != RF_VAR_LOCAL || !var->is_const ||
        !(var->type->kind == RF_TYPE_INT || var->type->kind == RF_TYPE_BOOL))
        return NULL;
    const rf_stmt *decl = find_decl(r->tr->t->func->body, var);
    return decl && decl->expr
               ? rf_usual_cast(r->tr, rf_eval(r->tr, decl->expr), var->type)
               : NULL;
}

/* ---- what varies ---- */

static bool field_of(const rf_val *v, const char *record, const char *name)
{
    return v->kind == RF_VAL_OP && v->op == RF_OP_FIELD &&
           v->arg[0]->kind == RF_VAL_ENTRY &&
           v->arg[0]->var->storage == RF_VAR_BUILTIN &&
           !strcmp(v->arg[0]->var->name, record) &&
           (!name || !strcmp(v->name, name));
}

static const rf_marked *marked(const rf_team_run *r, const rf_val *v)
{
    if (v->kind == RF_VAL_UNKNOWN)
        for (size_t i = 0; i < r->marked.len; i++)
            if (r->marked.data[i].marker == v)
                return &r->marked.data[i];
    return NULL;
}

static bool red_varies(rf_team_run *r, const rf_red *red)
{
    if (red->team)
        return red->team->width != 0;
    const rf_val *parts[] = { red->axis->lower, red->axis->upper,
                              red->axis->step,  red->init,
                              red->term,        red->guard };
    for (size_t i = 0; i < RF_COUNTOF(parts); i++)
        if (parts[i] && rf_lane_varies(r, parts[i]))
            return true;
    return false;
}

static bool entry_varies(rf_team_run *r, const rf_var *var)
{
    if (var->storage == RF_VAR_BUILTIN)
        return !strcmp(var->name, "threadIdx");
    if (var->storage != RF_VAR_LOCAL || var->type->kind == RF_TYPE_ARRAY)
        return false;
    const rf_stmt *decl =
        var->is_const ? find_decl(r->tr->t->func->body, var) : NULL;
    return !decl || !decl->expr ||
           rf_lane_varies(r, rf_eval(r->tr, decl->expr));
}

static bool compute_varies(rf_team_run *r, const rf_val *v)
{
    if (v->kind == RF_VAL_UNKNOWN || v->kind == RF_VAL_PHI ||
        v->kind == RF_VAL_CELL || v->kind == RF_VAL_LAST)
        return true;
    if (v->kind == RF_VAL_ENTRY)
        return entry_varies(r, v->var);
    if (v->kind == RF_VAL_RESULT)
        return red_varies(r, v->red);
    for (unsigned i = 0; i < v->n; i++)
        if (rf_lane_varies(r, v->arg[i]))
            return true;
    return false;
}

bool rf_lane_varies(rf_team_run *r, const rf_val *v)
{
    while (r->varies.len <= v->id)
        RF_PUSH(r->varies, 0);
    if (!r->varies.data[v->id]) {
        r->varies.data[v->id] = 2; /* a cycle cannot arise */
        signed char yes = compute_varies(r, v) ? 2 : 1;
        r->varies.data[v->id] = yes;
    }
    return r->varies.data[v->id] == 2;
}

bool rf_lane_is_shared(rf_team_run *r, const rf_val *v)
{
    if (!rf_lane_varies(r, v))
        return true;
    if (v->kind == RF_VAL_RESULT)
        return v->red->team != NULL;
    if (v->kind != RF_VAL_OP && v->kind != RF_VAL_CALL &&
        v->kind != RF_VAL_CAST)
        return false;
    for (unsigned i = 0; i < v->n; i++)
        if (!rf_lane_is_shared(r, v->arg[i]))
            return false;
    return v->n > 0;
}

/* ---- values ---- */

static bool has_marker(const rf_team_run *r, const rf_val *v)
{
    if (v->kind == RF_VAL_UNKNOWN)
        return marked(r, v) != NULL;
    for (unsigned i = 0; i < v->n; i++)
        if (has_marker(r, v->arg[i]))
            return true;
    return false;
}

static bool builtin_number(const rf_team_run *r, unsigned t, const rf_val *v,
                           int64_t *n)
{
    if (field_of(v, "threadIdx", NULL))
        *n = v->name[0] == 'x' ? t : 0;
    else if (field_of(v, "blockDim", NULL))
        *n = v->name[0] == 'x' ? r->w->size : 1;
    else if (v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_BUILTIN &&
             !strcmp(v->var->name, "warpSize"))
        *n = RF_WARP;
    else
        return rf_val_is_int(v, n);
    return true;
}

/* "v" over its parts: they are numbers, or hold what lanes disagree about. */
static rf_lane by_parts(rf_team_run *r, unsigned t, const rf_val *v)
{
    rf_lane a[3];
    for (unsigned i = 0; i < v->n && i < 3; i++)
        a[i] = rf_lane_of(r, t, v->arg[i]);
    if (v->kind == RF_VAL_CAST)
        return rf_lane_cast(r, t, v->type, a[0]);
    if (v->kind == RF_VAL_CALL && v->n <= 3 && v->expr)
        return rf_lane_call(r, t, v->expr, a);
    if (v->kind != RF_VAL_OP || v->op == RF_OP_FIELD)
        return rf_lane_mixed("a value that is not known");
    if (v->op == RF_OP_SELECT)
        return rf_lane_select(r, t, a[0], a[1], a[2]);
    if (v->n == 1)
        return rf_lane_unary(r, t, v->op, v->type, a[0]);
    return rf_lane_binary(r, t, v->op, v->type, a[0], a[1]);
}

static bool is_integral(const rf_val *v)
{
    return v->type &&
           (v->type->kind == RF_TYPE_INT || v->type->kind == RF_TYPE_BOOL);
}

static rf_lane whole(rf_team_run *r, unsigned t, const rf_val *v)
{
    bool own = rf_lane_varies(r, v);
    return (rf_lane){ .kind = own ? RF_LANE_OWN : RF_LANE_SAME,
                      .lane = own ? t : 0,
                      .val = v };
}

static rf_lane entry_of(rf_team_run *r, unsigned t, const rf_val *v)
{
    if (v->var->storage == RF_VAR_SHARED) {
        rf_lane_place *p = RF_NEW(r->w->arena, rf_lane_place);
        const rf_type *type = v->var->type;
        *p = (rf_lane_place){ .var = v->var,
                              .type = type->kind == RF_TYPE_ARRAY ? type->elem
                                                                  : type };
        return (rf_lane){ .kind = RF_LANE_PLACE, .place = p };
    }
    const rf_val *value = declared_value(r, v->var);
    return value && value != v ? rf_lane_of(r, t, value) : whole(r, t, v);
}

static bool points_to_shared(rf_team_run *r, const rf_val *v)
{
    if (!rf_type_is_pointer_like(v->type))
        return false;
    rf_var *root = rf_root_var(r->tr, v);
    return root && root->storage == RF_VAR_SHARED;
}

rf_lane rf_lane_of(rf_team_run *r, unsigned t, const rf_val *v)
{
    int64_t n;
    const rf_marked *m = marked(r, v);
    if (m)
        return m->lanes[r->index][t];
    if (builtin_number(r, t, v, &n))
        return rf_lane_num(n);
    if (v->kind == RF_VAL_UNKNOWN)
        return rf_lane_undef(v->name);
    if (v->kind == RF_VAL_ENTRY)
        return entry_of(r, t, v);
    if (v->n && (points_to_shared(r, v) || has_marker(r, v)))
        return by_parts(r, t, v);
    if (is_integral(v) && (v->kind == RF_VAL_OP || v->kind == RF_VAL_CAST) &&
        v->op != RF_OP_FIELD) {
        rf_lane a = by_parts(r, t, v);
        if (a.kind == RF_LANE_NUM)
            return a;
    }
    return whole(r, t, v);
}

/* ---- who is here ---- */

/* False only if "path" is known to be false for lane "t". */
static bool may_hold(rf_team_run *r, unsigned t, const rf_val *path)
{
    if (!path)
        return true;
    if (path->kind == RF_VAL_OP && path->op == RF_OP_AND)
        return may_hold(r, t, path->arg[0]) && may_hold(r, t, path->arg[1]);
    rf_lane a = rf_lane_of(r, t, path);
    return a.kind != RF_LANE_NUM || a.num != 0;
}

bool rf_lane_is_active(rf_team_run *r, unsigned t)
{
    for (const rf_frame *f = r->tr->frame; f; f = f->outer)
        if (!may_hold(r, t, f->path))
            return false;
    return may_hold(r, t, r->tr->path);
}
