/* Values of the trace as values of lanes: threadIdx.x is the lane, blockDim.x
 * the size of the world; what is not a number is one expression for all lanes
 * or, where it varies with the lane, a contribution of its own. */
#include "ir/lanes.h"

#include <string.h>

/* ---- declarations outside the traced statements ---- */

static bool points_to_shared(rf_team_run *r, const rf_val *v)
{
    if (!rf_type_is_pointer_like(v->type))
        return false;
    rf_var *root = rf_root_var(r->tr, v);
    return root && root->storage == RF_VAR_SHARED;
}

/* Arithmetic on variables that do not change: the same wherever it stands. */
static bool is_plain(const rf_expr *e)
{
    bool is_place =
        e->op == RF_OP_ADDRESS && e->arg[0]->n && e->arg[0]->op != RF_OP_FIELD;
    if (is_place)
        e = e->arg[0];
    if (e->op == RF_OP_CALL)
        return rf_group_query(e, &(int){ 0 });
    if (e->op == RF_OP_VAR)
        return e->var->is_const || e->var->storage == RF_VAR_BUILTIN ||
               e->var->storage == RF_VAR_SHARED ||
               e->var->storage == RF_VAR_CONSTANT;
    bool reads = e->op == RF_OP_INDEX || e->op == RF_OP_DEREF;
    if (e->op == RF_OP_OPAQUE || (reads && !is_place) || rf_op_assigns(e->op))
        return false;
    for (unsigned i = 0; i < e->n; i++)
        if (!is_plain(e->arg[i]))
            return false;
    return true;
}

/* The value of a variable that was set once, before the traced statements. */
static const rf_val *declared_value(rf_team_run *r, const rf_var *var)
{
    if (var->storage != RF_VAR_LOCAL || !var->is_const || !var->type ||
        !(var->type->kind == RF_TYPE_INT || var->type->kind == RF_TYPE_BOOL ||
          points_to_shared(r, rf_val_entry(r->tr->vals, (rf_var *)var))))
        return NULL;
    const rf_stmt *decl = rf_find_decl(r->tr->t->func->body, var);
    return decl && decl->expr && is_plain(decl->expr)
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
    return !rf_var_is_uniform(r, var, 0);
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
    if (r->assumed.len)
        return compute_varies(r, v); /* nothing to remember */
    while (r->varies.len <= v->id)
        RF_PUSH(r->varies, 0);
    if (!r->varies.data[v->id]) {
        r->varies.data[v->id] = 2; /* a cycle cannot arise */
        signed char yes = compute_varies(r, v) ? 2 : 1;
        r->varies.data[v->id] = yes;
    }
    return r->varies.data[v->id] == 2;
}

/* ---- what a team shares ---- */

static bool is_number(rf_team_run *r, const rf_val *v)
{
    return rf_lane_of(r, 0, v).kind == RF_LANE_NUM;
}

static bool is_multiple(rf_team_run *r, const rf_val *v, int64_t of)
{
    if (v->kind == RF_VAL_CAST)
        return is_multiple(r, v->arg[0], of);
    if (is_number(r, v))
        return rf_lane_of(r, 0, v).num % of == 0;
    return v->kind == RF_VAL_OP && v->op == RF_OP_MUL &&
           (is_multiple(r, v->arg[0], of) || is_multiple(r, v->arg[1], of));
}

/* "v" = multiple of "of" that all lanes share + *number of lane "t". */
static bool split_sum(rf_team_run *r, unsigned t, const rf_val *v, int64_t of,
                      int64_t *number)
{
    if (is_number(r, v)) {
        *number += rf_lane_of(r, t, v).num;
        return true;
    }
    if (v->kind == RF_VAL_CAST && v->type->kind == RF_TYPE_INT)
        return split_sum(r, t, v->arg[0], of, number);
    if (v->kind == RF_VAL_OP && v->op == RF_OP_ADD)
        return split_sum(r, t, v->arg[0], of, number) &&
               split_sum(r, t, v->arg[1], of, number);
    return !rf_lane_varies(r, v) && is_multiple(r, v, of);
}

/* (k * of + number) / of, the warp's index in the grid: number / of decides. */
static bool quotient(rf_team_run *r, unsigned t, const rf_val *v, int64_t *out)
{
    int64_t of;
    if (v->kind != RF_VAL_OP || (v->op != RF_OP_DIV && v->op != RF_OP_SHR) ||
        !is_number(r, v->arg[1]))
        return false;
    of = rf_lane_of(r, 0, v->arg[1]).num;
    if (v->op == RF_OP_SHR)
        of = of >= 0 && of < 31 ? (int64_t)1 << of : 0;
    *out = 0;
    if (of <= 0 || !split_sum(r, t, v->arg[0], of, out) || *out < 0)
        return false;
    *out /= of;
    return true;
}

static bool same_in_groups(rf_team_run *r, const rf_val *v, unsigned width)
{
    for (unsigned t = 0; t < r->w->size; t++) {
        unsigned first = width ? t - t % width : 0;
        int64_t a, b;
        if (is_number(r, v)) {
            a = rf_lane_of(r, t, v).num;
            b = rf_lane_of(r, first, v).num;
        } else if (!quotient(r, t, v, &a) || !quotient(r, first, v, &b)) {
            return false;
        }
        if (a != b)
            return false;
    }
    return true;
}

/* In every world. */
static bool same_in_worlds(rf_team_run *r, const rf_val *v, unsigned width)
{
    rf_world *world = r->w;
    size_t index = r->index;
    bool same = true;
    for (size_t i = 0; i < r->worlds.len && same; i++) {
        r->w = r->worlds.data[i];
        r->index = i;
        same = r->w->failed || same_in_groups(r, v, width);
    }
    r->w = world;
    r->index = index;
    return same;
}

bool rf_lane_is_uniform(rf_team_run *r, const rf_val *v, unsigned width)
{
    if (!rf_lane_varies(r, v))
        return true;
    if (v->kind == RF_VAL_RESULT)
        return v->red->team != NULL && v->red->team->width >= width && width;
    if (v->kind == RF_VAL_ENTRY) {
        const rf_val *value = declared_value(r, v->var);
        return value && value != v ? rf_lane_is_uniform(r, value, width)
                                   : rf_var_is_uniform(r, v->var, width);
    }
    if (v->type && v->type->kind != RF_TYPE_FLOAT &&
        same_in_worlds(r, v, width))
        return true;
    if (v->kind != RF_VAL_OP && v->kind != RF_VAL_CALL &&
        v->kind != RF_VAL_CAST)
        return false;
    for (unsigned i = 0; i < v->n; i++)
        if (!rf_lane_is_uniform(r, v->arg[i], width))
            return false;
    return v->n > 0 && v->op != RF_OP_FIELD;
}

bool rf_lane_is_shared(rf_team_run *r, const rf_val *v)
{
    return rf_lane_is_uniform(r, v, r->team->width);
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

/* Threads that differ in y or z are not followed. */
static void check_dimension(rf_team_run *r, const rf_val *v)
{
    if (v->name[0] != 'x' && !r->y_known)
        rf_refuse(r->tr, RF_DIAG_LAUNCH,
                  v->expr ? v->expr->at : r->tr->t->block->at,
                  "blocks of more than one dimension are not followed yet");
}

bool rf_lane_template_value(rf_team_run *r, const char *name, int64_t *n)
{
    rf_shape shape = { r->w->x, r->w->size };
    return r->y_known &&
           rf_launched_value(r->tr->t->unit, r->tr->t->func, name, shape, n);
}

static bool builtin_number(rf_team_run *r, unsigned t, const rf_val *v,
                           int64_t *n)
{
    if (field_of(v, "threadIdx", NULL) || field_of(v, "blockDim", NULL))
        check_dimension(r, v);
    if (field_of(v, "threadIdx", NULL))
        *n = v->name[0] == 'x'   ? t % r->w->x
             : v->name[0] == 'y' ? t / r->w->x
                                 : 0;
    else if (field_of(v, "blockDim", NULL))
        *n = v->name[0] == 'x'   ? r->w->x
             : v->name[0] == 'y' ? r->w->size / r->w->x
                                 : 1;
    else if (v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_BUILTIN &&
             !strcmp(v->var->name, "warpSize"))
        *n = RF_WARP;
    else if (v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_TEMPLATE)
        return rf_lane_template_value(r, v->var->name, n);
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
    bool is_call = v->kind == RF_VAL_CALL && v->n == 2 && v->expr;
    if (is_integral(v) &&
        (v->kind == RF_VAL_OP || v->kind == RF_VAL_CAST || is_call) &&
        v->op != RF_OP_FIELD) {
        rf_lane a = by_parts(r, t, v);
        if (a.kind == RF_LANE_NUM)
            return a;
    }
    return whole(r, t, v);
}

/* ---- who is here ---- */

/* False only if "path" is known to be false for lane "t"; "known": it is known
 * either way. */
static bool holds(rf_team_run *r, unsigned t, const rf_val *path, bool *known)
{
    if (!path)
        return true;
    if (path->kind == RF_VAL_OP && path->op == RF_OP_AND)
        return holds(r, t, path->arg[0], known) &&
               holds(r, t, path->arg[1], known);
    rf_lane a = rf_lane_of(r, t, path);
    *known &= a.kind == RF_LANE_NUM;
    return a.kind != RF_LANE_NUM || a.num != 0;
}

bool rf_lane_is_here(rf_team_run *r, unsigned t, bool *known)
{
    *known = true;
    for (const rf_frame *f = r->tr->frame; f; f = f->outer)
        if (!holds(r, t, f->path, known))
            return false;
    return holds(r, t, r->tr->path, known);
}

bool rf_lane_is_active(rf_team_run *r, unsigned t)
{
    bool known;
    return rf_lane_is_here(r, t, &known);
}
