/* Expressions: from cursors to rf_expr.
 *
 * libclang shows most of the tree but hides cast kinds: an UnexposedExpr with
 * one operand is an implicit conversion or a wrapper, told apart by the types
 * on both sides. Conversions between arithmetic types stay (they round);
 * decay, lvalue loads and parentheses vanish. */
#include "front/reader.h"

#include <string.h>

rf_expr *rf_expr_of(rf_reader *r, CXCursor cursor, rf_op op, unsigned n,
                    rf_expr *const *args)
{
    const rf_type *type = rf_read_type(r, clang_getCursorType(cursor));
    rf_expr *e = rf_expr_new(r->arena, op, type, n, args);
    rf_range at = rf_cursor_range(r, cursor);
    e->at = rf_public_range(r, at);
    e->in_macro = rf_source_in_macro(r->source, at);
    return e;
}

rf_expr *rf_opaque(rf_reader *r, CXCursor cursor, const char *construct)
{
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_OPAQUE, 0, NULL);
    const char *text = rf_cursor_text(r, cursor);
    rf_forget_inside(r, cursor);
    e->name = construct;
    e->spelling = *text ? text : construct;
    return e;
}

rf_expr *rf_convert(rf_reader *r, CXCursor cursor, const rf_type *type,
                    rf_expr *e, bool is_implicit)
{
    if (e->op == RF_OP_CAST && e->is_implicit && rf_type_same(e->type, type)) {
        e->is_implicit = is_implicit;
        e->type = type;
        return e;
    }
    rf_expr *cast = rf_expr_of(r, cursor, RF_OP_CAST, 1, &e);
    cast->type = type;
    cast->is_implicit = is_implicit;
    return cast;
}

static rf_expr *opaque_kind(rf_reader *r, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return rf_opaque(r, cursor,
                     rf_string(r, clang_getCursorKindSpelling(kind)));
}

/* ---- wrappers and implicit conversions ---- */

static bool has_location(CXCursor cursor)
{
    unsigned line;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, &line, NULL,
                               NULL);
    return line != 0;
}

/* A node that libclang shows without operands: a default argument, a constant
 * such as `float()`, dependent code, or an error. */
static rf_expr *read_bare(rf_reader *r, CXCursor cursor)
{
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_OPAQUE, 0, NULL);
    if (rf_read_constant(r, cursor, e)) {
        const char *text = rf_cursor_text(r, cursor);
        e->spelling = *text ? text : NULL;
        return e;
    }
    if (!has_location(cursor))
        return rf_opaque(r, cursor, "default argument");
    if (e->type->kind == RF_TYPE_DEPENDENT)
        return rf_opaque(r, cursor, "dependent expression");
    return rf_opaque(r, cursor, "expression");
}

static rf_expr *read_wrapped(rf_reader *r, CXCursor cursor, CXCursor inner)
{
    const rf_type *type = rf_read_type(r, clang_getCursorType(cursor));
    rf_expr *e = rf_read_expr(r, inner);
    if (rf_type_is_arithmetic(type) && rf_type_is_arithmetic(e->type) &&
        !rf_type_same(type, e->type))
        return rf_convert(r, cursor, type, e, true);
    return e;
}

static const rf_type builtin_field_type = { .kind = RF_TYPE_INT,
                                            .bits = 32,
                                            .is_unsigned = true,
                                            .spelling = "unsigned int" };

/* `threadIdx.x`: with the toolkit's headers a property without a name. */
static rf_expr *read_builtin_field(rf_reader *r, CXCursor cursor)
{
    rf_range at = rf_cursor_range(r, cursor);
    const rf_source *s = r->source;
    size_t i = rf_token_from(s, at.begin), dot = rf_cx_token_next(s, i);
    size_t name = rf_cx_token_next(s, dot);
    if (at.begin == UINT32_MAX || name >= s->tokens.len ||
        s->tokens.data[i].begin != at.begin || !rf_token_is(s, dot, ".") ||
        s->tokens.data[name].end != at.end)
        return NULL;
    rf_token t = s->tokens.data[i], f = s->tokens.data[name];
    const char *word = rf_source_text(r, s, (rf_range){ t.begin, t.end });
    if (!rf_is_builtin_name(word))
        return NULL;
    rf_var *var = rf_builtin_var(r, word, NULL);
    rf_expr *base = rf_expr_var(r->arena, var);
    base->at = rf_public_range(r, (rf_range){ t.begin, t.end });
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_FIELD, 1, &base);
    e->name = rf_source_text(r, s, (rf_range){ f.begin, f.end });
    const rf_type *wanted = e->type; /* of the conversion around the field */
    e->type = &builtin_field_type;
    if (rf_type_is_arithmetic(wanted) && !rf_type_same(wanted, e->type))
        e = rf_convert(r, cursor, wanted, e, true);
    return e;
}

static rf_expr *read_unexposed(rf_reader *r, CXCursor cursor)
{
    rf_expr *e = read_builtin_field(r, cursor);
    if (e)
        return e;
    rf_cursors list = rf_operands(cursor);
    if (list.len == 1)
        e = read_wrapped(r, cursor, list.data[0]);
    else if (list.len == 0)
        e = read_bare(r, cursor);
    else
        e = rf_opaque(r, cursor, "expression");
    RF_CLEAR(list);
    return e;
}

/* ---- operators ---- */

typedef struct {
    rf_op op;
    rf_op assign; /* of a compound assignment */
} operator_row;

static const operator_row binary_ops[] = {
    [CXBinaryOperator_Mul] = { RF_OP_MUL, 0 },
    [CXBinaryOperator_Div] = { RF_OP_DIV, 0 },
    [CXBinaryOperator_Rem] = { RF_OP_REM, 0 },
    [CXBinaryOperator_Add] = { RF_OP_ADD, 0 },
    [CXBinaryOperator_Sub] = { RF_OP_SUB, 0 },
    [CXBinaryOperator_Shl] = { RF_OP_SHL, 0 },
    [CXBinaryOperator_Shr] = { RF_OP_SHR, 0 },
    [CXBinaryOperator_LT] = { RF_OP_LT, 0 },
    [CXBinaryOperator_GT] = { RF_OP_GT, 0 },
    [CXBinaryOperator_LE] = { RF_OP_LE, 0 },
    [CXBinaryOperator_GE] = { RF_OP_GE, 0 },
    [CXBinaryOperator_EQ] = { RF_OP_EQ, 0 },
    [CXBinaryOperator_NE] = { RF_OP_NE, 0 },
    [CXBinaryOperator_And] = { RF_OP_BIT_AND, 0 },
    [CXBinaryOperator_Xor] = { RF_OP_BIT_XOR, 0 },
    [CXBinaryOperator_Or] = { RF_OP_BIT_OR, 0 },
    [CXBinaryOperator_LAnd] = { RF_OP_AND, 0 },
    [CXBinaryOperator_LOr] = { RF_OP_OR, 0 },
    [CXBinaryOperator_Assign] = { RF_OP_ASSIGN, 0 },
    [CXBinaryOperator_MulAssign] = { RF_OP_ASSIGN_OP, RF_OP_MUL },
    [CXBinaryOperator_DivAssign] = { RF_OP_ASSIGN_OP, RF_OP_DIV },
    [CXBinaryOperator_RemAssign] = { RF_OP_ASSIGN_OP, RF_OP_REM },
    [CXBinaryOperator_AddAssign] = { RF_OP_ASSIGN_OP, RF_OP_ADD },
    [CXBinaryOperator_SubAssign] = { RF_OP_ASSIGN_OP, RF_OP_SUB },
    [CXBinaryOperator_ShlAssign] = { RF_OP_ASSIGN_OP, RF_OP_SHL },
    [CXBinaryOperator_ShrAssign] = { RF_OP_ASSIGN_OP, RF_OP_SHR },
    [CXBinaryOperator_AndAssign] = { RF_OP_ASSIGN_OP, RF_OP_BIT_AND },
    [CXBinaryOperator_XorAssign] = { RF_OP_ASSIGN_OP, RF_OP_BIT_XOR },
    [CXBinaryOperator_OrAssign] = { RF_OP_ASSIGN_OP, RF_OP_BIT_OR },
    [CXBinaryOperator_Comma] = { RF_OP_COMMA, 0 },
};

static const rf_op unary_ops[] = {
    [CXUnaryOperator_PostInc] = RF_OP_POST_INC,
    [CXUnaryOperator_PostDec] = RF_OP_POST_DEC,
    [CXUnaryOperator_PreInc] = RF_OP_PRE_INC,
    [CXUnaryOperator_PreDec] = RF_OP_PRE_DEC,
    [CXUnaryOperator_AddrOf] = RF_OP_ADDRESS,
    [CXUnaryOperator_Deref] = RF_OP_DEREF,
    [CXUnaryOperator_Plus] = RF_OP_PLUS,
    [CXUnaryOperator_Minus] = RF_OP_NEG,
    [CXUnaryOperator_Not] = RF_OP_BIT_NOT,
    [CXUnaryOperator_LNot] = RF_OP_NOT,
};

/* Read "cursor" as "op" over all its operands, of which it must have "n". */
static rf_expr *read_nary(rf_reader *r, CXCursor cursor, rf_op op, unsigned n)
{
    rf_cursors list = rf_operands(cursor);
    rf_expr *args[3];
    rf_expr *e = NULL;
    if (list.len == n && n <= 3) {
        for (unsigned i = 0; i < n; i++)
            args[i] = rf_read_expr(r, list.data[i]);
        e = rf_expr_of(r, cursor, op, n, args);
    }
    RF_CLEAR(list);
    return e ? e : opaque_kind(r, cursor);
}

static rf_expr *read_binary(rf_reader *r, CXCursor cursor)
{
    unsigned kind = clang_getCursorBinaryOperatorKind(cursor);
    if (kind >= RF_COUNTOF(binary_ops) || !binary_ops[kind].op)
        return opaque_kind(r, cursor);
    rf_expr *e = read_nary(r, cursor, binary_ops[kind].op, 2);
    if (e->op == RF_OP_ASSIGN_OP)
        e->value.assign = binary_ops[kind].assign;
    return e;
}

static rf_expr *read_unary(rf_reader *r, CXCursor cursor)
{
    unsigned kind = clang_getCursorUnaryOperatorKind(cursor);
    if (kind >= RF_COUNTOF(unary_ops) || !unary_ops[kind])
        return opaque_kind(r, cursor);
    return read_nary(r, cursor, unary_ops[kind], 1);
}

static rf_expr *read_select(rf_reader *r, CXCursor cursor)
{
    return read_nary(r, cursor, RF_OP_SELECT, 3);
}

static rf_expr *read_index(rf_reader *r, CXCursor cursor)
{
    return read_nary(r, cursor, RF_OP_INDEX, 2);
}

static rf_expr *read_paren(rf_reader *r, CXCursor cursor)
{
    rf_cursors list = rf_operands(cursor);
    rf_expr *e =
        list.len == 1 ? rf_read_expr(r, list.data[0]) : opaque_kind(r, cursor);
    RF_CLEAR(list);
    return e;
}

static rf_expr *read_cast(rf_reader *r, CXCursor cursor)
{
    rf_cursors list = rf_operands(cursor);
    const rf_type *type = rf_read_type(r, clang_getCursorType(cursor));
    rf_expr *e =
        list.len == 1
            ? rf_convert(r, cursor, type, rf_read_expr(r, list.data[0]), false)
            : read_bare(r, cursor);
    RF_CLEAR(list);
    if (e->op == RF_OP_CAST)
        e->at = rf_public_range(r, rf_cursor_range(r, cursor));
    return e;
}

/* True if "field" begins as 0 where a list leaves it out. */
static bool begins_as_zero(CXCursor field)
{
    rf_cursors list = rf_operands(field);
    bool zero = list.len == 0;
    RF_CLEAR(list);
    return zero;
}

/* True if "parts" are the first fields of the record in order, one each: no
 * designators, no bases, no arrays whose braces may be left out; and the other
 * fields begin as 0. */
static bool is_in_order(CXCursor record, const rf_cursors *parts)
{
    rf_cursors list = rf_children(record);
    bool good = true;
    size_t n = 0;
    for (size_t i = 0; i < list.len && good; i++) {
        enum CXCursorKind kind = clang_getCursorKind(list.data[i]);
        CXType type = clang_getCanonicalType(clang_getCursorType(list.data[i]));
        if (kind == CXCursor_CXXBaseSpecifier)
            good = parts->len == 0;
        if (kind != CXCursor_FieldDecl)
            continue;
        good = n < parts->len ? type.kind != CXType_ConstantArray &&
                                    type.kind != CXType_Record
                              : begins_as_zero(list.data[i]);
        n++;
    }
    for (size_t i = 0; i < parts->len && good; i++)
        good = !rf_cursor_has_child(parts->data[i], CXCursor_MemberRef);
    RF_CLEAR(list);
    return good;
}

static bool is_list_in_order(CXCursor cursor, const rf_cursors *parts)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    return type.kind != CXType_Record ||
           is_in_order(clang_getTypeDeclaration(type), parts);
}

/* `float s{}` begins with 0. */
static rf_expr *read_zero(rf_reader *r, const rf_expr *e)
{
    rf_expr *zero = rf_expr_int(r->arena, 0);
    zero->at = e->at;
    zero->in_macro = e->in_macro;
    return zero;
}

rf_expr *rf_read_init_list(rf_reader *r, CXCursor cursor)
{
    rf_cursors list = rf_operands(cursor);
    rf_expr *e =
        rf_expr_of(r, cursor, RF_OP_INIT_LIST, (unsigned)list.len, NULL);
    if (!list.len && rf_type_is_arithmetic(e->type))
        return read_zero(r, e);
    for (size_t i = 0; i < list.len; i++)
        e->arg[i] = rf_read_expr(r, list.data[i]);
    if (!is_list_in_order(cursor, &list)) {
        e->op = RF_OP_OPAQUE;
        e->n = 0;
        e->spelling = rf_cursor_text(r, cursor);
    }
    RF_CLEAR(list);
    return e;
}

static rf_expr *read_sizeof(rf_reader *r, CXCursor cursor)
{
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_OPAQUE, 0, NULL);
    e->name = "sizeof";
    e->spelling = rf_cursor_text(r, cursor);
    rf_read_constant(r, cursor, e);
    return e;
}

/* ---- names ---- */

/* A constant variable or enumerator: its value under its name. */
static rf_expr *read_named_constant(rf_reader *r, CXCursor cursor, CXCursor to)
{
    enum CXCursorKind kind = clang_getCursorKind(to);
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_OPAQUE, 0, NULL);
    if (kind == CXCursor_EnumConstantDecl) {
        e->op = RF_OP_INT;
        e->value.i = clang_getEnumConstantDeclValue(to);
    } else {
        CXType type = clang_getCanonicalType(clang_getCursorType(to));
        if (kind != CXCursor_VarDecl || !clang_isConstQualifiedType(type) ||
            clang_isVolatileQualifiedType(type) ||
            !rf_type_is_arithmetic(e->type) || rf_cursor_is_system(to) ||
            !rf_read_constant(r, cursor, e))
            return NULL;
        e->var = rf_read_var(r, to);
        e->var->storage = RF_VAR_CONSTANT;
    }
    e->spelling = rf_cursor_text(r, cursor);
    return e;
}

/* A name that libclang does not resolve: a template argument inside of an
 * instantiation, whose value is known, or dependent code. */
static rf_expr *read_unresolved(rf_reader *r, CXCursor cursor)
{
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_OPAQUE, 0, NULL);
    return rf_read_constant(r, cursor, e)
               ? e
               : rf_opaque(r, cursor, "dependent name");
}

static rf_expr *read_name(rf_reader *r, CXCursor cursor)
{
    CXCursor to = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(to))
        return read_unresolved(r, cursor);
    enum CXCursorKind kind = clang_getCursorKind(to);
    rf_expr *e = read_named_constant(r, cursor, to);
    if (e)
        return e;
    if (clang_isInvalidDeclaration(to))
        return rf_opaque(r, cursor, "name with an error");
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl &&
        kind != CXCursor_NonTypeTemplateParameter)
        return rf_opaque(r, cursor, "name of a function");
    e = rf_expr_of(r, cursor, RF_OP_VAR, 0, NULL);
    e->var = rf_read_var(r, to);
    return e;
}

static rf_expr *read_this(rf_reader *r, CXCursor cursor)
{
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_VAR, 0, NULL);
    e->var = rf_builtin_var(r, "this", e->type);
    e->var->storage = RF_VAR_PARAM;
    return e;
}

/* Tell `->` from `.`: by the type of the object or, where that depends on a
 * template parameter, by the token before the name. */
static bool is_arrow(rf_reader *r, CXCursor cursor, const rf_type *base)
{
    if (base && base->kind == RF_TYPE_POINTER && !base->is_reference)
        return true;
    rf_range at = rf_cursor_range(r, cursor);
    if (at.begin == UINT32_MAX)
        return false;
    size_t name = rf_token_prev(r->source, rf_token_from(r->source, at.end));
    return rf_token_is(r->source, rf_token_prev(r->source, name), "->");
}

/* The name at the end of `a.b` when the tree does not tell it. */
static const char *last_word(rf_reader *r, CXCursor cursor)
{
    rf_range at = rf_cursor_range(r, cursor);
    const rf_source *s = r->source;
    size_t i = rf_token_prev(s, rf_token_from(s, at.end));
    if (at.begin == UINT32_MAX || i >= s->tokens.len)
        return "?";
    const rf_token *t = &s->tokens.data[i];
    return rf_source_text(r, s, (rf_range){ t->begin, t->end });
}

const char *rf_member_name(rf_reader *r, CXCursor cursor)
{
    const char *name = rf_cursor_name(r, cursor);
    return *name ? name : last_word(r, cursor);
}

/* The object of a method: a record that nothing is known of. */
static const rf_type own_object = { .kind = RF_TYPE_RECORD,
                                    .spelling = "(*this)" };
static const rf_type own_pointer = { .kind = RF_TYPE_POINTER,
                                     .elem = &own_object,
                                     .spelling = "this" };

static rf_expr *read_member(rf_reader *r, CXCursor cursor)
{
    rf_expr *e = read_builtin_field(r, cursor);
    if (e)
        return e;
    rf_cursors list = rf_operands(cursor);
    rf_expr *base = list.len ? rf_read_expr(r, list.data[0]) : NULL;
    RF_CLEAR(list);
    bool arrow = is_arrow(r, cursor, base ? base->type : NULL);
    if (!base) {
        base = rf_expr_var(r->arena, rf_builtin_var(r, "this", &own_pointer));
        arrow = true;
    }
    e = rf_expr_of(r, cursor, RF_OP_FIELD, 1, &base);
    e->is_arrow = arrow;
    e->name = rf_member_name(r, cursor);
    return e;
}

/* ---- all of them ---- */

static rf_expr *read_lambda(rf_reader *r, CXCursor cursor)
{
    return rf_read_lambda(r, cursor, NULL);
}

static const struct {
    enum CXCursorKind kind;
    rf_expr *(*read)(rf_reader *r, CXCursor cursor);
} readers[] = {
    { CXCursor_UnexposedExpr, read_unexposed },
    { CXCursor_ParenExpr, read_paren },
    { CXCursor_IntegerLiteral, rf_read_literal },
    { CXCursor_FloatingLiteral, rf_read_literal },
    { CXCursor_CharacterLiteral, rf_read_literal },
    { CXCursor_CXXBoolLiteralExpr, rf_read_literal },
    { CXCursor_CXXNullPtrLiteralExpr, rf_read_literal },
    { CXCursor_GNUNullExpr, rf_read_literal },
    { CXCursor_StringLiteral, rf_read_literal },
    { CXCursor_DeclRefExpr, read_name },
    { CXCursor_BinaryOperator, read_binary },
    { CXCursor_CompoundAssignOperator, read_binary },
    { CXCursor_UnaryOperator, read_unary },
    { CXCursor_ConditionalOperator, read_select },
    { CXCursor_ArraySubscriptExpr, read_index },
    { CXCursor_MemberRefExpr, read_member },
    { CXCursor_CallExpr, rf_read_call },
    { CXCursor_CStyleCastExpr, read_cast },
    { CXCursor_CXXFunctionalCastExpr, read_cast },
    { CXCursor_CXXStaticCastExpr, read_cast },
    { CXCursor_CXXReinterpretCastExpr, read_cast },
    { CXCursor_CXXConstCastExpr, read_cast },
    { CXCursor_UnaryExpr, read_sizeof },
    { CXCursor_SizeOfPackExpr, read_sizeof },
    { CXCursor_InitListExpr, rf_read_init_list },
    { CXCursor_CXXThisExpr, read_this },
    { CXCursor_LambdaExpr, read_lambda },
};

static rf_expr *dispatch(rf_reader *r, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t i = 0;
    while (i < RF_COUNTOF(readers) && readers[i].kind != kind)
        i++;
    if (i == RF_COUNTOF(readers))
        return opaque_kind(r, cursor);
    if (r->depth >= RF_DEEPEST)
        return rf_opaque(r, cursor, "expression nested too deeply");
    r->depth++;
    rf_expr *e = readers[i].read(r, cursor);
    r->depth--;
    return e;
}

/* The operand below conversions that are not written. */
static rf_expr *written_part(rf_expr *e)
{
    while (e->op == RF_OP_CAST && e->is_implicit)
        e = e->arg[0];
    return e;
}

/* Give the operand that is all of an object-like macro the macro's name, and
 * its value if it is constant. */
static void name_macro(rf_reader *r, CXCursor cursor, rf_expr *e)
{
    e = written_part(e);
    e->spelling = rf_cursor_text(r, cursor);
    if (e->op == RF_OP_ASSIGN_OP)
        return;
    rf_expr constant = *e;
    if (!rf_read_constant(r, cursor, &constant))
        return;
    if (e->op == RF_OP_CALL || e->op == RF_OP_CAST)
        *e = constant;
    else
        e->value = constant.value;
}

rf_expr *rf_read_expr(rf_reader *r, CXCursor cursor)
{
    rf_range at = rf_cursor_range(r, cursor), outer = r->outer_macro;
    const rf_expansion *macro = NULL;
    if (at.begin != outer.begin || at.end != outer.end)
        macro = rf_source_expansion(r->source, at);
    if (macro)
        r->outer_macro = at;
    rf_expr *e = dispatch(r, cursor);
    r->outer_macro = outer;
    if (macro && macro->is_object)
        name_macro(r, cursor, e);
    return e;
}
