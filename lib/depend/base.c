/* Pointers (T-D4): what an address is an offset of, and which objects can
 * overlap. */
#include "depend/depend.h"

static bool is_pointer(const rf_type *type)
{
    return type &&
           (type->kind == RF_TYPE_POINTER || type->kind == RF_TYPE_ARRAY);
}

/* The part of "v" that is the pointer, or NULL. */
static const rf_val *pointer_part(const rf_val *v)
{
    if (v->kind == RF_VAL_CAST && is_pointer(v->arg[0]->type))
        return v->arg[0];
    if (v->kind == RF_VAL_LOAD && v->type->kind == RF_TYPE_ARRAY)
        return v->arg[0]; /* a row of an array of arrays */
    if (v->kind != RF_VAL_OP)
        return NULL;
    if (v->op == RF_OP_ADDRESS && v->n == 1)
        return v->arg[0];
    if ((v->op == RF_OP_INDEX || v->op == RF_OP_SUB) &&
        is_pointer(v->arg[0]->type))
        return v->arg[0];
    if (v->op == RF_OP_ADD)
        return is_pointer(v->arg[0]->type)   ? v->arg[0]
               : is_pointer(v->arg[1]->type) ? v->arg[1]
                                             : NULL;
    return NULL;
}

const rf_val *rf_base_root(const rf_val *base)
{
    for (const rf_val *v = base; v; v = pointer_part(v))
        base = v;
    return base;
}

/* What a root is, as far as overlap goes. */
typedef enum {
    OWN,      /* an array of this function, or static shared memory */
    ARENA,    /* dynamic shared memory: all extern arrays are one */
    GLOBAL,   /* an array at file scope */
    CONSTANT, /* likewise, and never written */
    POINTER,  /* a parameter */
    ELSEWHERE /* a pointer of unknown origin */
} kind;

static kind kind_of(const rf_val *root)
{
    if (root->kind != RF_VAL_ENTRY)
        return ELSEWHERE;
    const rf_var *var = root->var;
    bool is_object = var->type->kind != RF_TYPE_POINTER;
    switch (var->storage) {
    case RF_VAR_LOCAL:
        return is_object ? OWN : ELSEWHERE;
    case RF_VAR_SHARED:
        if (!is_object)
            return ELSEWHERE;
        return var->type->kind == RF_TYPE_ARRAY && var->type->count < 0 ? ARENA
                                                                        : OWN;
    case RF_VAR_GLOBAL:
        return is_object ? GLOBAL : ELSEWHERE;
    case RF_VAR_CONSTANT:
        return is_object ? CONSTANT : ELSEWHERE;
    case RF_VAR_PARAM:
        return POINTER;
    default:
        return ELSEWHERE;
    }
}

static bool is_restrict(const rf_val *root)
{
    return root->kind == RF_VAL_ENTRY && root->var->type->is_restrict;
}

rf_answer rf_base_overlap(const rf_val *a, const rf_val *b, bool noalias)
{
    kind x = kind_of(a), y = kind_of(b);
    if (a == b)
        return RF_YES;
    if (x == ARENA && y == ARENA)
        return RF_YES;
    if (x == ELSEWHERE || y == ELSEWHERE)
        return noalias && a->kind == RF_VAL_ENTRY && b->kind == RF_VAL_ENTRY
                   ? RF_NO
                   : RF_MAYBE;
    if (x == POINTER && y == POINTER)
        return noalias || is_restrict(a) || is_restrict(b) ? RF_NO : RF_MAYBE;
    bool reaches =
        (x == POINTER && y == GLOBAL) || (x == GLOBAL && y == POINTER);
    return reaches && !noalias && !is_restrict(a) && !is_restrict(b) ? RF_MAYBE
                                                                     : RF_NO;
}
