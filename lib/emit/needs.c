/* What the plan takes for granted of the types of a template, asserted where
 * any file makes it:
 *
 *     static_assert(std::is_floating_point<T>::value ||
 *                       (std::is_class<T>::value && sizeof(T) == 2),
 *                   "T is no floating-point type: use -DRF_REFERENCE");
 *
 * Classes of two bytes are half and bfloat16, of whatever library. nvcc and
 * clang declare these traits before the first line of a file. */
#include "emit/emitting.h"

/* A name, so that it is printed without parentheses. */
static rf_expr *words(rf_emitter *em, const char *text)
{
    return rf_expr_var(em->arena, rf_new_var(em, text, &rf_type_bool, false));
}

static rf_expr *is_floating(rf_emitter *em, const char *t)
{
    const char *class = rf_arena_printf(
        em->arena, "(std::is_class<%s>::value && sizeof(%s) == 2)", t, t);
    return rf_binary(
        em, RF_OP_OR, &rf_type_bool,
        words(em, rf_arena_printf(em->arena,
                                  "std::is_floating_point<%s>::value", t)),
        words(em, class));
}

static rf_expr *is_as_wide(rf_emitter *em, const char *t, const char *than)
{
    return rf_binary(
        em, RF_OP_OR, &rf_type_bool,
        words(em,
              rf_arena_printf(em->arena, "sizeof(%s) > sizeof(%s)", t, than)),
        words(em, rf_arena_printf(em->arena, "std::is_same<%s, %s>::value", t,
                                  than)));
}

static rf_stmt *assertion(rf_emitter *em, const rf_need *need)
{
    const char *t = need->type->spelling;
    const char *than = need->holds ? need->holds->spelling : NULL;
    const char *message =
        than ? rf_arena_printf(em->arena,
                               "\"%s rounds values of %s: use "
                               "-DRF_REFERENCE\"",
                               t, than)
             : rf_arena_printf(em->arena,
                               "\"%s is no floating-point type: use "
                               "-DRF_REFERENCE\"",
                               t);
    rf_expr *args[] = { than ? is_as_wide(em, t, than) : is_floating(em, t),
                        words(em, message) };
    rf_stmt *s = rf_stmt_new(em->arena, RF_STMT_EXPR);
    s->expr = rf_expr_new(em->arena, RF_OP_CALL, &rf_type_bool, 2, args);
    s->expr->name = "static_assert";
    return s;
}

void rf_emit_needs(rf_emitter *em, rf_stmts *out)
{
    for (size_t i = 0; i < em->plan->needs.len; i++)
        RF_PUSH(*out, assertion(em, &em->plan->needs.data[i]));
}
