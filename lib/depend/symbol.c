/* Symbols: the parameters of the integer sets, and what is known of them.
 *
 * A leaf value that is no polynomial (a size, a counter, a load, a quotient)
 * is a symbol; so is a product of them, for isl is linear. What remains of
 * p = a * b is, for integers,
 *
 *     a = 0 or b = 0:  p = 0         a, b > 0:  p >= a, p >= b
 *
 * and the same with signs turned. That is enough to conclude from
 * 0 <= id < rows * cols that cols is positive. */
#include "depend/inside.h"

#include <stdio.h>
#include <string.h>

/* ---- the table ---- */

static bool varies(const rf_val *v, const void *data)
{
    const rf_nest *nest = data;
    switch (v->kind) {
    case RF_VAL_INDEX:
    case RF_VAL_PHI:
    case RF_VAL_CELL:
        for (unsigned i = 0; i < nest->n; i++)
            if (nest->loops[i] == v->loop)
                return true;
        return false;
    case RF_VAL_LAST:
    case RF_VAL_UNKNOWN:
        return nest->n > 0;
    default:
        return false;
    }
}

bool rf_varies_in(const rf_val *v, const rf_nest *nest)
{
    return nest->n && rf_val_find(v, varies, nest);
}

/* "blockDim.x" if "v" is a builtin variable or a field of one. */
static const char *builtin_name(rf_scope *scope, const rf_val *v)
{
    const rf_val *var = v;
    if (v->kind == RF_VAL_OP && v->op == RF_OP_FIELD)
        var = v->arg[0];
    if (var->kind != RF_VAL_ENTRY || var->var->storage != RF_VAR_BUILTIN)
        return NULL;
    if (var == v)
        return v->var->name;
    return rf_arena_printf(scope->arena, "%s.%s", var->var->name, v->name);
}

static const rf_symbol *symbol_add(rf_depend *d, rf_symbol proto)
{
    rf_symbol *s = RF_NEW(d->arena, rf_symbol);
    *s = proto;
    s->id = (unsigned)d->symbols.len;
    char name[16];
    snprintf(name, sizeof name, "s%u", s->id);
    s->isl = isl_id_alloc(d->ctx, name, s);
    RF_PUSH(d->symbols, s);
    return s;
}

static const rf_symbol *symbol_builtin(rf_depend *d, const char *name)
{
    for (size_t i = 0; i < d->symbols.len; i++) {
        const rf_symbol *s = d->symbols.data[i];
        if (s->builtin && !strcmp(s->builtin, name))
            return s;
    }
    return symbol_add(
        d, (rf_symbol){ .builtin = rf_arena_strdup(d->arena, name) });
}

const rf_symbol *rf_symbol_of(rf_scope *scope, unsigned tag, const rf_val *v)
{
    rf_depend *d = scope->depend;
    const char *builtin = builtin_name(scope, v);
    if (builtin)
        return symbol_builtin(d, builtin);
    if (!rf_varies_in(v, &scope->side[tag]))
        tag = 0;
    for (size_t i = 0; i < d->symbols.len; i++) {
        const rf_symbol *s = d->symbols.data[i];
        if (s->val == v && s->tag == tag)
            return s;
    }
    return symbol_add(d, (rf_symbol){ .val = v, .tag = tag });
}

static bool same_factors(const rf_symbol *s, const rf_term *term)
{
    return s->n == term->n &&
           !memcmp(s->factor, term->factor, s->n * sizeof *s->factor);
}

const rf_symbol *rf_symbol_product(rf_scope *scope, const rf_term *term)
{
    rf_depend *d = scope->depend;
    if (term->n == 1)
        return term->factor[0];
    rf_symbol s = { .n = term->n };
    for (unsigned i = 0; i < term->n; i++) {
        s.factor[i] = term->factor[i];
        if (s.factor[i]->tag)
            s.tag = s.factor[i]->tag;
    }
    for (size_t i = 0; i < d->symbols.len; i++)
        if (same_factors(d->symbols.data[i], term))
            return d->symbols.data[i];
    return symbol_add(d, s);
}

/* ---- isl ---- */

static bool is_counter(const rf_symbol *s)
{
    return s->val && s->val->kind == RF_VAL_INDEX;
}

static isl_pw_aff *parameter(rf_depend *d, const rf_symbol *s)
{
    isl_space *space = isl_space_set_alloc(d->ctx, 0, 0);
    space = isl_space_add_param_id(space, isl_id_copy(s->isl));
    return isl_pw_aff_from_aff(
        isl_aff_param_on_domain_space_id(space, isl_id_copy(s->isl)));
}

isl_pw_aff *rf_symbol_parameter(rf_scope *scope, const rf_symbol *s)
{
    if (s->tag && !is_counter(s))
        scope->loose[s->tag] = true;
    return parameter(scope->depend, s);
}

/* ---- what is known ---- */

static const struct {
    const char *name;
    int64_t low, high;
    const char *below; /* and smaller than this one */
} builtins[] = {
    { "threadIdx.x", 0, 1023, "blockDim.x" },
    { "threadIdx.y", 0, 1023, "blockDim.y" },
    { "threadIdx.z", 0, 63, "blockDim.z" },
    { "blockIdx.x", 0, INT32_MAX - 1, "gridDim.x" },
    { "blockIdx.y", 0, 65534, "gridDim.y" },
    { "blockIdx.z", 0, 65534, "gridDim.z" },
    { "blockDim.x", 1, 1024, NULL },
    { "blockDim.y", 1, 1024, NULL },
    { "blockDim.z", 1, 64, NULL },
    { "gridDim.x", 1, INT32_MAX, NULL },
    { "gridDim.y", 1, 65535, NULL },
    { "gridDim.z", 1, 65535, NULL },
    { "warpSize", 32, 32, NULL },
};

static isl_set *at_least(rf_scope *scope, isl_set *set, isl_pw_aff *p,
                         int64_t low)
{
    isl_pw_aff *bound = rf_affine_constant(scope, low);
    return isl_set_intersect(set, isl_pw_aff_ge_set(p, bound));
}

static isl_set *builtin_bound(rf_scope *scope, const rf_symbol *s, isl_set *set)
{
    rf_depend *d = scope->depend;
    for (size_t i = 0; i < RF_COUNTOF(builtins); i++) {
        if (strcmp(builtins[i].name, s->builtin))
            continue;
        set = at_least(scope, set, parameter(d, s), builtins[i].low);
        isl_pw_aff *high = rf_affine_constant(scope, builtins[i].high);
        set = isl_set_intersect(set, isl_pw_aff_le_set(parameter(d, s), high));
        if (builtins[i].below) {
            const rf_symbol *t = symbol_builtin(d, builtins[i].below);
            set = isl_set_intersect(
                set, isl_pw_aff_lt_set(parameter(d, s), parameter(d, t)));
        }
    }
    return set;
}

/* With signs s, t: where s*a > 0, t*b > 0, s*t*p >= s*a and s*t*p >= t*b. */
static isl_set *quadrant(rf_scope *scope, isl_pw_aff *const abp[3], int s,
                         int t)
{
    isl_pw_aff *a = isl_pw_aff_copy(abp[0]), *b = isl_pw_aff_copy(abp[1]);
    isl_pw_aff *p = isl_pw_aff_copy(abp[2]);
    a = s < 0 ? isl_pw_aff_neg(a) : a;
    b = t < 0 ? isl_pw_aff_neg(b) : b;
    p = s * t < 0 ? isl_pw_aff_neg(p) : p;
    isl_set *set = isl_pw_aff_ge_set(isl_pw_aff_copy(p), isl_pw_aff_copy(a));
    set = isl_set_intersect(set, isl_pw_aff_ge_set(p, isl_pw_aff_copy(b)));
    return at_least(scope, at_least(scope, set, a, 1), b, 1);
}

/* Where factor "i" and the product are 0. */
static isl_set *vanishing(isl_pw_aff *const abp[3], int i)
{
    isl_set *set = isl_pw_aff_zero_set(isl_pw_aff_copy(abp[i]));
    return isl_set_intersect(set, isl_pw_aff_zero_set(isl_pw_aff_copy(abp[2])));
}

static isl_set *product_bound(rf_scope *scope, const rf_symbol *s, isl_set *set)
{
    rf_depend *d = scope->depend;
    rf_term rest = { 1, s->n - 1, { 0 } };
    memcpy(rest.factor, s->factor + 1, rest.n * sizeof *rest.factor);
    isl_pw_aff *abp[3] = { parameter(d, s->factor[0]),
                           parameter(d, rf_symbol_product(scope, &rest)),
                           parameter(d, s) };
    isl_set *any = isl_set_union(vanishing(abp, 0), vanishing(abp, 1));
    for (int signs = 0; signs < 4; signs++)
        any = isl_set_union(
            any, quadrant(scope, abp, signs & 1 ? -1 : 1, signs & 2 ? -1 : 1));
    for (int i = 0; i < 3; i++)
        isl_pw_aff_free(abp[i]);
    return isl_set_intersect(set, any);
}

/* r = a % b: -b < r < b or b < r < -b. */
static isl_set *remainder_bound(rf_scope *scope, const rf_symbol *s,
                                isl_set *set)
{
    isl_pw_aff *b = rf_affine_value(scope, s->tag, s->val->arg[1]);
    if (!b)
        return set;
    isl_pw_aff *ends[] = { b, isl_pw_aff_neg(isl_pw_aff_copy(b)) };
    isl_set *any = NULL;
    for (int i = 0; i < 2; i++) {
        isl_set *part =
            isl_set_intersect(isl_pw_aff_gt_set(parameter(scope->depend, s),
                                                isl_pw_aff_copy(ends[i])),
                              isl_pw_aff_lt_set(parameter(scope->depend, s),
                                                isl_pw_aff_copy(ends[1 - i])));
        any = any ? isl_set_union(any, part) : part;
    }
    isl_pw_aff_free(ends[0]);
    isl_pw_aff_free(ends[1]);
    return isl_set_intersect(set, any);
}

static bool is_remainder(const rf_val *v)
{
    return v->kind == RF_VAL_OP && v->op == RF_OP_REM;
}

static isl_set *symbol_bound(rf_scope *scope, const rf_symbol *s, isl_set *set,
                             unsigned *n_products)
{
    enum { PRODUCTS = 3 }; /* each one multiplies the pieces */
    if (s->builtin)
        return builtin_bound(scope, s, set);
    if (s->n)
        return ++*n_products > PRODUCTS ? set : product_bound(scope, s, set);
    if (!rf_type_is_integer(s->val->type))
        return set;
    if (is_remainder(s->val))
        set = remainder_bound(scope, s, set);
    isl_pw_aff *p = parameter(scope->depend, s);
    return isl_set_intersect(set, rf_affine_in_type(scope, p, s->val->type));
}

static const rf_symbol *symbol_at(isl_set *set, unsigned position)
{
    isl_id *id = isl_set_get_dim_id(set, isl_dim_param, position);
    const rf_symbol *s = isl_id_get_user(id);
    isl_id_free(id);
    return s;
}

static unsigned n_parameters(isl_set *set)
{
    isl_size n = isl_set_dim(set, isl_dim_param);
    return n < 0 ? 0 : (unsigned)n;
}

isl_set *rf_symbols_bound(rf_scope *scope, isl_set *set)
{
    RF_ARRAY(const rf_symbol *) done = { 0 };
    unsigned n_products = 0;
    for (unsigned i = 0; i < n_parameters(set); i++) {
        const rf_symbol *s = symbol_at(set, i);
        bool seen = false;
        for (size_t j = 0; j < done.len; j++)
            seen |= done.data[j] == s;
        if (seen)
            continue;
        RF_PUSH(done, s);
        set = symbol_bound(scope, s, set, &n_products);
        i = (unsigned)-1; /* the parameters may have moved */
    }
    RF_CLEAR(done);
    return set;
}

bool rf_symbols_plain(isl_set *set)
{
    for (unsigned i = 0; i < n_parameters(set); i++) {
        const rf_symbol *s = symbol_at(set, i);
        bool plain = s->builtin || is_counter(s) ||
                     (s->val && s->val->kind == RF_VAL_ENTRY);
        if (!plain && isl_set_involves_dims(set, isl_dim_param, i, 1))
            return false;
    }
    return true;
}

/* ---- witnesses ---- */

static void symbol_print(rf_buf *out, const rf_symbol *s)
{
    if (s->builtin)
        rf_buf_puts(out, s->builtin);
    for (unsigned i = 0; i < s->n; i++) {
        rf_buf_puts(out, i ? "*" : "");
        symbol_print(out, s->factor[i]);
    }
    if (is_counter(s))
        rf_buf_puts(out, s->val->loop->name ? s->val->loop->name : "i");
    else if (s->val)
        rf_val_print(out, s->val);
    if (!s->n && s->tag == 2)
        rf_buf_putc(out, '\'');
}

/* The points of "set" whose parameters lie in [low, high]. */
static isl_set *in_box(rf_scope *scope, isl_set *set, int low, int high)
{
    isl_set *box = isl_set_copy(set);
    for (unsigned i = 0; i < n_parameters(set); i++) {
        isl_pw_aff *p = parameter(scope->depend, symbol_at(set, i));
        isl_pw_aff *top = rf_affine_constant(scope, high);
        box = at_least(scope, box, isl_pw_aff_copy(p), low);
        box = isl_set_intersect(box, isl_pw_aff_le_set(p, top));
    }
    return box;
}

/* True if "set" constrains the parameter of "s". */
static bool constrains(isl_set *set, const rf_symbol *s)
{
    int at = isl_set_find_dim_by_id(set, isl_dim_param, s->isl);
    return at >= 0 &&
           isl_set_involves_dims(set, isl_dim_param, (unsigned)at, 1);
}

/* The symbols that "set" constrains and their values at "point". */
static char *point_print(rf_scope *scope, isl_set *set, isl_point *point)
{
    rf_depend *d = scope->depend;
    isl_space *space = isl_point_get_space(point);
    rf_buf out = { 0 };
    for (size_t i = 0; i < d->symbols.len; i++) {
        const rf_symbol *s = d->symbols.data[i];
        int at = isl_space_find_dim_by_id(space, isl_dim_param, s->isl);
        if (at < 0 || !constrains(set, s))
            continue;
        isl_val *v = isl_point_get_coordinate_val(point, isl_dim_param, at);
        char *text = isl_val_to_str(v);
        rf_buf_puts(&out, out.len ? ", " : "");
        symbol_print(&out, s);
        rf_buf_printf(&out, " = %s", text ? text : "?");
        free(text);
        isl_val_free(v);
    }
    isl_space_free(space);
    char *text = rf_arena_strdup(d->arena, rf_buf_text(&out));
    rf_buf_free(&out);
    return text;
}

const char *rf_symbols_witness(rf_scope *scope, isl_set *set)
{
    static const int box[][2] = { { 0, 4 }, { -2, 40 }, { -100, 4000 } };
    const char *text = NULL;
    for (size_t i = 0; i <= RF_COUNTOF(box) && !text; i++) {
        isl_set *part = i < RF_COUNTOF(box)
                            ? in_box(scope, set, box[i][0], box[i][1])
                            : isl_set_copy(set);
        isl_point *point = isl_set_sample_point(part);
        if (isl_point_is_void(point) == isl_bool_false)
            text = point_print(scope, set, point);
        isl_point_free(point);
    }
    return text;
}
