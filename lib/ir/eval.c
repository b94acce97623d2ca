/* Expressions to values: C's conversions made explicit, helpers inlined. */
#include "ir/collective.h"

#include <string.h>

enum { DEEPEST_INLINING = 16 };

/* The type of a op b (usual arithmetic conversions). */
const rf_type *rf_common_type(const rf_type *a, const rf_type *b)
{
    if (rf_type_is_pointer_like(a) || b->kind == RF_TYPE_DEPENDENT)
        return a;
    if (rf_type_is_pointer_like(b) || a->kind == RF_TYPE_DEPENDENT)
        return b;
    if (a->kind == RF_TYPE_FLOAT && b->kind == RF_TYPE_FLOAT) {
        if (a->format == RF_F64 || b->format == RF_F64)
            return a->format == RF_F64 ? a : b;
        return a->format == RF_F32 ? a : b;
    }
    if (a->kind == RF_TYPE_FLOAT)
        return a;
    if (b->kind == RF_TYPE_FLOAT)
        return b;
    if (a->kind != RF_TYPE_INT || b->kind != RF_TYPE_INT)
        return a->kind == RF_TYPE_INT ? a : &rf_type_int;
    if (a->bits < 32 && b->bits < 32)
        return &rf_type_int;
    if (a->bits != b->bits)
        return a->bits > b->bits ? a : b;
    return a->is_unsigned ? a : b;
}

const rf_val *rf_usual_cast(rf_tracer *tr, const rf_val *v, const rf_type *t)
{
    if (!t || t->kind == RF_TYPE_DEPENDENT || t->kind == RF_TYPE_OTHER ||
        rf_type_is_pointer_like(t) || !v->type ||
        v->type->kind == RF_TYPE_DEPENDENT || v->type->kind == RF_TYPE_RECORD)
        return v;
    if (t->is_reference)
        t = t->elem;
    return rf_val_cast(tr->vals, t, v, NULL);
}

void rf_bind_name(rf_tracer *tr, rf_var *var, const rf_val *value, rf_range at)
{
    RF_PUSH(tr->t->names, (rf_binding){ .var = var, .value = value, .at = at });
}

static bool is_relation(rf_op op)
{
    return (op >= RF_OP_LT && op <= RF_OP_OR) || op == RF_OP_NOT;
}

/* "v" as a truth value: v itself if it is one, else v != 0. */
const rf_val *rf_truth_of(rf_tracer *tr, const rf_val *v)
{
    int64_t known;
    if (v->kind == RF_VAL_CAST && v->arg[0]->type &&
        v->arg[0]->type->kind == RF_TYPE_BOOL)
        return rf_truth_of(tr, v->arg[0]);
    if (v->kind == RF_VAL_CAST && v->type && v->type->kind == RF_TYPE_BOOL &&
        v->arg[0]->kind == RF_VAL_LOAD && v->arg[0]->type->kind == RF_TYPE_INT)
        v = v->arg[0]; /* if (mask[i]) is if (mask[i] != 0) */
    if ((v->kind == RF_VAL_OP && is_relation(v->op)) ||
        (v->type && v->type->kind == RF_TYPE_BOOL))
        return v;
    if (rf_val_is_int(v, &known))
        return rf_val_int(tr->vals, known != 0, &rf_type_bool);
    return rf_val_op2(tr->vals, RF_OP_NE, &rf_type_bool, v,
                      rf_val_int(tr->vals, 0, &rf_type_int));
}

/* True if members of "record" have values of their own. */
static bool has_members(rf_tracer *tr, const rf_var *record)
{
    for (size_t i = 0; i < tr->members.len; i++)
        if (tr->members.data[i].record == record &&
            rf_env_find(tr, tr->members.data[i].var))
            return true;
    return false;
}

/* "to" is a copy of local record "from": member by member. */
static void copy_members(rf_tracer *tr, rf_var *to, rf_var *from)
{
    size_t n = tr->members.len;
    for (size_t i = 0; i < n; i++) {
        rf_record_member m = tr->members.data[i];
        const rf_val *v = m.record == from ? rf_env_find(tr, m.var) : NULL;
        if (v)
            rf_env_set(tr, rf_member_var(tr, to, m.field, m.var->type), v);
    }
}

static const rf_val *eval_var(rf_tracer *tr, const rf_expr *e)
{
    rf_var *var = rf_alias_target(tr, e->var);
    const rf_alias_of *memory = rf_alias_memory(tr, var);
    if (memory)
        return rf_load_cell(tr, memory->base, memory->index, memory->type,
                            e->at);
    if (var->storage == RF_VAR_SHARED && var->type->kind != RF_TYPE_ARRAY)
        return rf_load_cell(tr, rf_val_entry(tr->vals, var),
                            rf_val_int(tr->vals, 0, &rf_type_int), var->type,
                            e->at);
    if (var->type && var->type->kind == RF_TYPE_RECORD && has_members(tr, var))
        return rf_val_unknown(tr->vals, var->type, "record", e);
    if (var->type && var->type->kind == RF_TYPE_OTHER)
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, e->at,
                  "an object of type '%s' is not modelled",
                  var->type->spelling);
    const rf_val *v = rf_env_get(tr, var);
    if (tr->frame && var->storage == RF_VAR_LOCAL)
        RF_PUSH(tr->t->reads, (rf_read){ .var = var,
                                         .value = v,
                                         .at = e->at,
                                         .pass = tr->pass,
                                         .is_own = tr->target == var });
    return rf_team_read_var(tr, var, v);
}

static const rf_type *element_type(const rf_type *t, const rf_type *fallback)
{
    return rf_type_is_pointer_like(t) && t->elem ? t->elem : fallback;
}

/* The address of an lvalue as a base and an element index. */
static bool eval_place(rf_tracer *tr, const rf_expr *e, const rf_val **base,
                       const rf_val **index)
{
    const rf_val *zero = rf_val_int(tr->vals, 0, &rf_type_int);
    if (e->op == RF_OP_INDEX) {
        rf_split_pointer(tr, rf_eval(tr, e->arg[0]), base, index);
        const rf_val *i = rf_eval(tr, e->arg[1]);
        if (i->kind == RF_VAL_CAST && i->type->kind == RF_TYPE_INT &&
            i->arg[0]->type->kind == RF_TYPE_INT &&
            i->arg[0]->type->bits < i->type->bits && !i->type->is_unsigned)
            i = i->arg[0]; /* the promotion of a signed index to 64 bits */
        *index = rf_offset_sum(tr, RF_OP_ADD, *index, i);
        return true;
    }
    if (e->op == RF_OP_DEREF) {
        rf_split_pointer(tr, rf_eval(tr, e->arg[0]), base, index);
        return true;
    }
    const rf_alias_of *memory =
        e->op == RF_OP_VAR ? rf_alias_memory(tr, rf_alias_target(tr, e->var))
                           : NULL;
    if (memory) {
        *base = memory->base;
        *index = memory->index;
        return true;
    }
    if (e->op == RF_OP_VAR && e->var->storage == RF_VAR_SHARED) {
        *base = rf_val_entry(tr->vals, e->var);
        *index = zero;
        return true;
    }
    if (e->op == RF_OP_CAST && e->n == 1)
        return eval_place(tr, e->arg[0], base, index);
    return false;
}

static const rf_val *eval_access(rf_tracer *tr, const rf_expr *e)
{
    const rf_val *base, *index;
    if (!eval_place(tr, e, &base, &index))
        return rf_val_unknown(tr->vals, e->type, "access", e);
    const rf_type *elem = element_type(base->type, e->type);
    if (elem && elem->kind == RF_TYPE_ARRAY)
        return rf_val_op(tr->vals, RF_OP_INDEX, elem, 2,
                         (const rf_val *[]){ base, index }, e);
    return rf_load_cell(tr, base, index, elem, e->at);
}

/* A record as a value, its fields in order: what no expression says is 0. */
static const char record_name[] = "{}";

static bool is_record(const rf_val *v)
{
    return v->kind == RF_VAL_CALL && v->name == record_name;
}

static const rf_val *eval_record(rf_tracer *tr, const rf_expr *e)
{
    const rf_type *t = e->type;
    if (!t || !t->knows_fields || e->n > t->n_fields) {
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, e->at,
                  "this initialiser is not modelled");
        return rf_val_unknown(tr->vals, e->type, "initialiser", e);
    }
    const rf_val **fields =
        RF_NEW_ARRAY(tr->t->arena, t->n_fields + 1, const rf_val *);
    for (unsigned i = 0; i < t->n_fields; i++) {
        const rf_val *v = i < e->n ? rf_eval(tr, e->arg[i])
                                   : rf_val_int(tr->vals, 0, &rf_type_int);
        fields[i] = rf_usual_cast(tr, v, t->field_types[i]);
    }
    return rf_val_make(tr->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                            .type = t,
                                            .name = record_name,
                                            .n = t->n_fields,
                                            .arg = fields });
}

static const rf_val *field_of_record(const rf_val *record, const char *name)
{
    for (unsigned i = 0; i < record->n; i++)
        if (!strcmp(record->type->fields[i], name))
            return record->arg[i];
    return NULL;
}

/* make_float3(a, b, c).y is b. */
static const rf_val *field_of_call(const rf_val *record, const char *name)
{
    if (is_record(record))
        return field_of_record(record, name);
    static const char fields[] = "xyzw";
    const char *at = name[0] && !name[1] ? strchr(fields, name[0]) : NULL;
    if (record->kind != RF_VAL_CALL || strncmp(record->name, "make_", 5) ||
        !at || (unsigned)(at - fields) >= record->n)
        return NULL;
    return record->arg[at - fields];
}

/* A local record that was assigned as a whole, or NULL. */
static const rf_val *whole_record(rf_tracer *tr, rf_var *var)
{
    const rf_val *v = rf_env_get(tr, var);
    return v->kind == RF_VAL_ENTRY ? NULL : v;
}

static void refuse_union(rf_tracer *tr, const rf_expr *member, const rf_var *of)
{
    rf_refuse(tr, RF_DIAG_UNSUPPORTED, member->at,
              "a member of '%s' shares its bytes with others", of->name);
}

static const rf_val *eval_field(rf_tracer *tr, const rf_expr *e)
{
    const rf_expr *of = e->arg[0];
    const rf_val *record = NULL;
    bool is_own = tr->self && of->op == RF_OP_VAR &&
                  of->var->storage == RF_VAR_BUILTIN &&
                  !strcmp(of->var->name, "this");
    bool is_arrow =
        is_own ? rf_type_is_pointer_like(tr->self->type) : e->is_arrow;
    of = is_own ? tr->self : of;
    if (of->op == RF_OP_VAR && !is_arrow &&
        (of->var->storage == RF_VAR_LOCAL ||
         of->var->storage == RF_VAR_PARAM)) {
        if (of->var->type->kind == RF_TYPE_OTHER)
            refuse_union(tr, e, of->var);
        rf_var *member = rf_member_var(tr, of->var, e->name, e->type);
        const rf_val *known = rf_env_find(tr, member);
        record = whole_record(tr, of->var);
        if (known || (!record && !of->var->is_const))
            return known ? known : rf_val_entry(tr->vals, member);
    }
    if (!record)
        record = rf_eval(tr, of);
    if (is_arrow) {
        const rf_val *base, *index;
        rf_split_pointer(tr, record, &base, &index);
        record = rf_load_cell(tr, base, index, element_type(base->type, NULL),
                              e->at);
    }
    const rf_val *part = field_of_call(record, e->name);
    if (part)
        return rf_usual_cast(tr, part, e->type);
    return rf_val_make(tr->vals, &(rf_val){ .kind = RF_VAL_OP,
                                            .op = RF_OP_FIELD,
                                            .type = e->type,
                                            .name = e->name,
                                            .n = 1,
                                            .arg = &record,
                                            .expr = e });
}

static const rf_val *eval_address(rf_tracer *tr, const rf_expr *e)
{
    const rf_val *base, *index;
    const rf_expr *of = e->arg[0];
    if (of->op == RF_OP_VAR && of->var->type->kind == RF_TYPE_ARRAY)
        return rf_val_entry(tr->vals, of->var);
    if (of->op == RF_OP_VAR && of->var->storage == RF_VAR_LOCAL) {
        rf_refuse(tr, RF_DIAG_ESCAPE, e->at,
                  "the address of '%s' is taken: its partial values may be "
                  "seen",
                  of->var->name);
        return rf_val_unknown(tr->vals, e->type, "address", e);
    }
    if (eval_place(tr, of, &base, &index))
        return rf_val_op2(tr->vals, RF_OP_ADD, e->type, base, index);
    rf_refuse(tr, RF_DIAG_UNSUPPORTED, e->at,
              "the address of a variable is taken");
    return rf_val_unknown(tr->vals, e->type, "address", e);
}

/* ---- assignments ---- */

/* A record of x, y, z, w is its members. */
void rf_set_record(rf_tracer *tr, rf_var *var, const rf_val *value)
{
    if (value->kind != RF_VAL_CALL) {
        rf_env_set(tr, var, value);
        return;
    }
    if (var->type->n_fields == value->n) {
        for (unsigned i = 0; i < value->n; i++)
            rf_env_set(
                tr,
                rf_member_var(tr, var, var->type->fields[i],
                              var->type->field_types[i]),
                rf_usual_cast(tr, value->arg[i], var->type->field_types[i]));
        return;
    }
    for (unsigned i = 0; i < value->n && i < 4; i++) {
        const char *name = rf_arena_strndup(tr->t->arena, &"xyzw"[i], 1);
        rf_env_set(tr, rf_member_var(tr, var, name, value->arg[i]->type),
                   value->arg[i]);
    }
}

/* `a.b` of a variable; those of the toolkit have no type. */
static bool is_dotted(const rf_expr *e)
{
    return e->op == RF_OP_FIELD && !e->is_arrow && e->arg[0]->op == RF_OP_VAR &&
           e->arg[0]->var->type;
}

static void assign(rf_tracer *tr, const rf_expr *lhs, const rf_val *value)
{
    const rf_val *base, *index;
    while (lhs->op == RF_OP_CAST && lhs->is_implicit)
        lhs = lhs->arg[0];
    if (lhs->op == RF_OP_VAR && lhs->var->storage != RF_VAR_SHARED &&
        !rf_alias_memory(tr, rf_alias_target(tr, lhs->var))) {
        rf_var *var = rf_alias_target(tr, lhs->var);
        if (var->storage != RF_VAR_LOCAL && var->storage != RF_VAR_PARAM) {
            rf_refuse(tr, RF_DIAG_SIDE_EFFECT, lhs->at,
                      "the global variable '%s' is written", var->name);
            return;
        }
        if (var->type->kind == RF_TYPE_RECORD)
            rf_set_record(tr, var, value);
        else
            rf_env_set(tr, var, value);
        rf_bind_name(tr, var, value, lhs->at);
    } else if (is_dotted(lhs) &&
               lhs->arg[0]->var->type->kind != RF_TYPE_OTHER &&
               lhs->arg[0]->var->storage == RF_VAR_LOCAL) {
        rf_env_set(tr,
                   rf_member_var(tr, lhs->arg[0]->var, lhs->name, lhs->type),
                   value);
    } else if (is_record(value)) {
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, lhs->at,
                  "a record that is made here is stored as a whole");
    } else if (eval_place(tr, lhs, &base, &index)) {
        rf_store_cell(tr, base, index, element_type(base->type, lhs->type),
                      value, lhs->at);
    } else if (is_dotted(lhs) &&
               lhs->arg[0]->var->type->kind == RF_TYPE_OTHER) {
        refuse_union(tr, lhs, lhs->arg[0]->var);
    } else {
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, lhs->at,
                  "an assignment of this form is not modelled");
    }
}

static const rf_val *eval_assign(rf_tracer *tr, const rf_expr *e)
{
    const rf_type *type = e->arg[0]->type;
    if (type && type->is_volatile)
        rf_refuse(tr, RF_DIAG_SIDE_EFFECT, e->at,
                  "a volatile object is written");
    const rf_var *outer = tr->target;
    if (e->arg[0]->op == RF_OP_VAR)
        tr->target = rf_alias_target(tr, e->arg[0]->var);
    const rf_val *value = rf_eval(tr, e->arg[1]);
    const rf_val *old =
        e->op == RF_OP_ASSIGN_OP ? rf_eval(tr, e->arg[0]) : NULL;
    tr->target = outer;
    if (old) {
        const rf_type *t = rf_common_type(old->type, value->type);
        bool is_shift =
            e->value.assign == RF_OP_SHL || e->value.assign == RF_OP_SHR;
        if (!rf_type_is_pointer_like(old->type) && !is_shift)
            value = rf_usual_cast(tr, value, t);
        value = rf_val_op(
            tr->vals, e->value.assign, is_shift ? old->type : t, 2,
            (const rf_val *[]){ rf_usual_cast(tr, old, t), value }, e);
    }
    value = rf_usual_cast(tr, value, type);
    size_t stores = tr->t->stores.len;
    assign(tr, e->arg[0], value);
    if (tr->t->stores.len > stores)
        RF_LAST(tr->t->stores).hint = e->name;
    return value;
}

static const rf_val *eval_step(rf_tracer *tr, const rf_expr *e)
{
    bool up = e->op == RF_OP_PRE_INC || e->op == RF_OP_POST_INC;
    bool post = e->op == RF_OP_POST_INC || e->op == RF_OP_POST_DEC;
    const rf_val *old = rf_eval(tr, e->arg[0]);
    const rf_type *t =
        rf_type_is_pointer_like(old->type) ? &rf_type_int : old->type;
    const rf_val *one =
        rf_usual_cast(tr, rf_val_int(tr->vals, 1, &rf_type_int), t);
    const rf_val *now =
        rf_val_op2(tr->vals, up ? RF_OP_ADD : RF_OP_SUB, old->type, old, one);
    assign(tr, e->arg[0], now);
    return post ? old : now;
}

/* ---- calls ---- */

/* make_float3(...) and its kin only gather their arguments. */
static bool is_constructor(const rf_expr *e)
{
    return e->name && !strncmp(e->name, "make_", 5) &&
           e->type->kind == RF_TYPE_RECORD;
}

/* A texture fetch or a functor of a template parameter has no effects that one
 * could see; it is just not read. */
static bool is_opaque_call(rf_tracer *tr, const rf_expr *e)
{
    const rf_func *f = tr->call->func;
    for (unsigned i = 0; e->name && i < f->n_params; i++)
        if (!strcmp(f->params[i]->name, e->name))
            return f->params[i]->type->kind == RF_TYPE_DEPENDENT ||
                   f->params[i]->type->kind == RF_TYPE_RECORD;
    return e->is_method || !e->name || !strncmp(e->name, "tex", 3) ||
           !strcmp(e->name, "operator()");
}

static const rf_val *unknown_call(rf_tracer *tr, const rf_expr *e)
{
    bool opaque = is_opaque_call(tr, e);
    rf_refuse(tr, opaque ? RF_DIAG_UNSUPPORTED : RF_DIAG_SIDE_EFFECT, e->at,
              opaque ? "what '%s' computes is not known"
                     : "the call of '%s' may have effects that must stay where "
                       "they are",
              e->name ? e->name : "this call");
    return rf_val_unknown(tr->vals, e->type, "call", e);
}

static const rf_val *library_call(rf_tracer *tr, const rf_expr *e)
{
    const rf_val *query = rf_team_query(tr, e);
    if (query)
        return query;
    rf_math meaning = rf_math_find(e->name);
    if (meaning == RF_MATH_NONE && !is_constructor(e))
        return unknown_call(tr, e);
    const rf_val **args =
        RF_NEW_ARRAY(tr->t->arena, e->n ? e->n : 1, const rf_val *);
    for (unsigned i = 0; i < e->n; i++)
        args[i] = rf_eval(tr, e->arg[i]);
    if (meaning == RF_MATH_LOAD && e->n) {
        const rf_val *base, *index;
        rf_split_pointer(tr, args[0], &base, &index);
        return rf_load_cell(tr, base, index, element_type(base->type, e->type),
                            e->at);
    }
    return rf_val_make(tr->vals, &(rf_val){ .kind = RF_VAL_CALL,
                                            .type = e->type,
                                            .name = e->name,
                                            .n = e->n,
                                            .arg = args,
                                            .expr = e });
}

/* The value of a finished inlined call: its returns, innermost path first. */
static const rf_val *returned(rf_tracer *tr, rf_inline *call,
                              const rf_type *type)
{
    const rf_val *value = NULL;
    for (size_t i = call->returns.len; i-- > 0;) {
        rf_exit *exit = &call->returns.data[i];
        if (!exit->value)
            continue;
        value = value && exit->path
                    ? rf_val_select(tr->vals, exit->path, exit->value, value)
                    : exit->value;
    }
    return value ? rf_usual_cast(tr, value, type)
                 : rf_val_unknown(tr->vals, type, "void", NULL);
}

/* "var" names the object "e" from now on; false if "e" is just a value. */
bool rf_bind_reference(rf_tracer *tr, rf_var *var, const rf_expr *e)
{
    rf_alias_of alias = { .var = var, .type = var->type->elem };
    while (e->op == RF_OP_CAST || e->op == RF_OP_ADDRESS)
        e = e->arg[0];
    if (eval_place(tr, e, &alias.base, &alias.index))
        alias.type = element_type(alias.base->type, e->type);
    else if (e->op == RF_OP_VAR)
        alias.target = rf_alias_target(tr, e->var);
    else if (e->op == RF_OP_FIELD && e->arg[0]->op == RF_OP_VAR && !e->is_arrow)
        alias.target = rf_member_var(tr, e->arg[0]->var, e->name, e->type);
    else
        return false;
    RF_PUSH(tr->aliases, alias);
    return true;
}

static void bind_value(rf_tracer *tr, rf_var *p, const rf_expr *e,
                       const rf_val *value)
{
    while (e->op == RF_OP_CAST ||
           (e->op == RF_OP_CALL && e->n == 1 && !e->callee))
        e = e->arg[0]; /* the copy of an argument */
    if (p->type->kind == RF_TYPE_RECORD && e->op == RF_OP_VAR)
        copy_members(tr, p, rf_alias_target(tr, e->var));
    if (is_record(value))
        rf_set_record(tr, p, value);
    else if (p->type->kind != RF_TYPE_RECORD || value->kind != RF_VAL_UNKNOWN)
        rf_env_set(tr, p, rf_usual_cast(tr, value, p->type));
}

/* The object of a method stands before the arguments. */
static void bind_parameters(rf_tracer *tr, const rf_func *f, const rf_expr *e,
                            const rf_val **args)
{
    unsigned first = e->is_method;
    for (unsigned i = 0; i < f->n_params && i + first < e->n; i++) {
        rf_var *p = f->params[i];
        const rf_expr *arg = e->arg[i + first];
        if (!p->type->is_reference || !rf_bind_reference(tr, p, arg))
            bind_value(tr, p, arg, args[i + first]);
    }
}

static bool has_references(const rf_func *f)
{
    for (unsigned i = 0; i < f->n_params; i++)
        if (f->params[i]->type->is_reference)
            return true;
    return false;
}

/* What tells two instantiations apart: the words of the call and the types of
 * its arguments. */
static const char *template_words(rf_tracer *tr, const rf_expr *e)
{
    rf_buf out = { 0 };
    rf_buf_puts(&out, e->spelling ? e->spelling : "");
    for (unsigned i = 0; i < e->n; i++)
        rf_buf_printf(&out, ", %s",
                      e->arg[i]->type && e->arg[i]->type->spelling
                          ? e->arg[i]->type->spelling
                          : "?");
    const char *text = rf_arena_strdup(tr->t->arena, rf_buf_text(&out));
    rf_buf_free(&out);
    return text;
}

/* Give the template parameters of "f" their values. Types, and values that are
 * not written down, must be the same in all calls. */
static void bind_template(rf_tracer *tr, const rf_func *f, const rf_expr *e)
{
    for (unsigned i = 0; i < f->n_template && i < e->n_template; i++) {
        rf_var *p = f->template_params[i];
        rf_env_set(tr, p,
                   rf_usual_cast(tr, rf_eval(tr, e->template_arg[i]), p->type));
    }
    if (!f->is_template ||
        (!f->has_template_types && e->n_template == f->n_template))
        return;
    const char *words = template_words(tr, e);
    for (size_t i = 0; i < tr->templates.len; i++)
        if (tr->templates.data[i].func == f &&
            strcmp(tr->templates.data[i].arguments, words)) {
            rf_refuse(tr, RF_DIAG_UNSUPPORTED, e->at,
                      "'%s' is called with other template arguments too",
                      f->name);
            return;
        }
    RF_PUSH(tr->templates, (rf_template_use){ f, words });
}

static const rf_val *user_call(rf_tracer *tr, const rf_expr *e)
{
    const rf_func *f = e->callee;
    if (f->is_recursive || tr->depth >= DEEPEST_INLINING) {
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, e->at, "'%s' calls itself", f->name);
        return rf_val_unknown(tr->vals, e->type, "recursion", e);
    }
    const rf_val **args =
        RF_NEW_ARRAY(tr->t->arena, e->n ? e->n : 1, const rf_val *);
    bool is_lambda = e->is_method && rf_is_closure(e->arg[0]);
    for (unsigned i = e->is_method; i < e->n; i++)
        args[i] = rf_eval(tr, e->arg[i]);
    size_t aliases = tr->aliases.len, stores = tr->t->stores.len;
    const rf_expr *self = tr->self;
    rf_inline call = { .outer = tr->call, .func = f, .frame = tr->frame };
    const rf_val *path = tr->path;
    bind_template(tr, f, e);
    bind_parameters(tr, f, e, args);
    if (is_lambda && !rf_bind_closure(tr, e)) {
        tr->aliases.len = aliases;
        return rf_val_unknown(tr->vals, e->type, "lambda", e);
    }
    if (!is_lambda)
        tr->self = e->is_method ? rf_object_of(tr, e->arg[0]) : NULL;
    tr->call = &call;
    tr->path = NULL;
    tr->depth++;
    rf_run_stmt(tr, f->body);
    tr->depth--;
    tr->call = call.outer;
    tr->path = path;
    tr->dead = false;
    tr->self = self;
    tr->aliases.len = aliases;
    if (call.returns.len > 1 && stores != tr->t->stores.len)
        rf_refuse(tr, RF_DIAG_CONTROL, e->at,
                  "'%s' returns early and writes memory", f->name);
    const rf_val *value = returned(tr, &call, f->result);
    for (size_t i = 0; i < call.returns.len; i++)
        RF_CLEAR(call.returns.data[i].env);
    RF_CLEAR(call.returns);
    if (e->is_method)
        return value; /* not to be called elsewhere: it may hold old values */
    rf_inlined record = { .value = value,
                          .name = e->spelling ? e->spelling : f->name,
                          .n = e->n,
                          .arg = args };
    for (unsigned i = 0; i < e->n; i++)
        if (args[i]->kind == RF_VAL_UNKNOWN || is_record(args[i]))
            return value;
    if (tr->t->stores.len == stores && !has_references(f))
        RF_PUSH(tr->t->inlined, record);
    return value;
}

/* ---- operators ---- */

static const rf_val *eval_binary(rf_tracer *tr, const rf_expr *e)
{
    const rf_val *a = rf_eval(tr, e->arg[0]), *b = rf_eval(tr, e->arg[1]);
    const rf_type *type = e->type;
    if (e->op == RF_OP_AND || e->op == RF_OP_OR) {
        const rf_val *truths[] = { rf_truth_of(tr, a), rf_truth_of(tr, b) };
        return rf_val_op(tr->vals, e->op, &rf_type_bool, 2, truths, e);
    }
    if (e->op >= RF_OP_LT && e->op <= RF_OP_NE)
        type = &rf_type_bool;
    if (e->op != RF_OP_SHL && e->op != RF_OP_SHR && a->type && b->type &&
        !rf_type_is_pointer_like(a->type) &&
        !rf_type_is_pointer_like(b->type)) {
        const rf_type *t = rf_common_type(a->type, b->type);
        a = rf_usual_cast(tr, a, t);
        b = rf_usual_cast(tr, b, t);
    }
    return rf_val_op(tr->vals, e->op, type, 2, (const rf_val *[]){ a, b }, e);
}

static const rf_val *eval_select(rf_tracer *tr, const rf_expr *e)
{
    const rf_val *c = rf_truth_of(tr, rf_eval(tr, e->arg[0]));
    const rf_val *a = rf_usual_cast(tr, rf_eval(tr, e->arg[1]), e->type);
    const rf_val *b = rf_usual_cast(tr, rf_eval(tr, e->arg[2]), e->type);
    return rf_val_select(tr->vals, c, a, b);
}

static const rf_val *eval_unary(rf_tracer *tr, const rf_expr *e)
{
    const rf_val *a = rf_eval(tr, e->arg[0]);
    if (e->op == RF_OP_PLUS)
        return a;
    if (e->op == RF_OP_NOT)
        return rf_val_not(tr->vals, rf_truth_of(tr, a));
    return rf_val_op(tr->vals, e->op, e->type ? e->type : a->type, 1, &a, e);
}

const rf_val *rf_eval(rf_tracer *tr, const rf_expr *e)
{
    switch (e->op) {
    case RF_OP_INT:
    case RF_OP_FLOAT:
        return rf_val_const(tr->vals, e);
    case RF_OP_VAR:
        return eval_var(tr, e);
    case RF_OP_INDEX:
    case RF_OP_DEREF:
        return eval_access(tr, e);
    case RF_OP_FIELD:
        return eval_field(tr, e);
    case RF_OP_ADDRESS:
        return eval_address(tr, e);
    case RF_OP_CALL:
        return e->callee ? user_call(tr, e) : library_call(tr, e);
    case RF_OP_CAST:
        if (e->type->is_reference || e->type->kind == RF_TYPE_OTHER)
            return rf_eval(tr, e->arg[0]);
        return rf_val_cast(tr->vals, e->type, rf_eval(tr, e->arg[0]), e);
    case RF_OP_ASSIGN:
    case RF_OP_ASSIGN_OP:
        return eval_assign(tr, e);
    case RF_OP_PRE_INC:
    case RF_OP_PRE_DEC:
    case RF_OP_POST_INC:
    case RF_OP_POST_DEC:
        return eval_step(tr, e);
    case RF_OP_COMMA:
        rf_eval(tr, e->arg[0]);
        return rf_eval(tr, e->arg[1]);
    case RF_OP_SELECT:
        return eval_select(tr, e);
    case RF_OP_NEG:
    case RF_OP_PLUS:
    case RF_OP_NOT:
    case RF_OP_BIT_NOT:
        return eval_unary(tr, e);
    case RF_OP_INIT_LIST:
        return eval_record(tr, e);
    case RF_OP_STRING:
    case RF_OP_OPAQUE:
    case RF_OP_COUNT:
        rf_refuse(tr, RF_DIAG_UNSUPPORTED, e->at, "'%s' is not modelled",
                  e->spelling ? e->spelling : "this expression");
        return rf_val_unknown(tr->vals, e->type, "opaque", e);
    default:
        return eval_binary(tr, e);
    }
}
