/* Calls: functions, methods, constructors, conversions, operators of classes.
 *
 * A class that is a number (half, bf16) has its operators and conversions
 * written as calls in the tree; here they become plain operators and casts.
 * Any other class keeps the call. */
#include "front/reader.h"

#include "ir/math.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_number_class(const rf_type *type)
{
    return type && type->kind == RF_TYPE_FLOAT && type->format != RF_F32 &&
           type->format != RF_F64;
}

/* ---- operators ---- */

static const struct {
    const char *name;
    unsigned n;
    rf_op op, assign;
} operators[] = {
    { "operator+", 2, RF_OP_ADD, 0 },
    { "operator-", 2, RF_OP_SUB, 0 },
    { "operator*", 2, RF_OP_MUL, 0 },
    { "operator/", 2, RF_OP_DIV, 0 },
    { "operator<", 2, RF_OP_LT, 0 },
    { "operator<=", 2, RF_OP_LE, 0 },
    { "operator>", 2, RF_OP_GT, 0 },
    { "operator>=", 2, RF_OP_GE, 0 },
    { "operator==", 2, RF_OP_EQ, 0 },
    { "operator!=", 2, RF_OP_NE, 0 },
    { "operator=", 2, RF_OP_ASSIGN, 0 },
    { "operator+=", 2, RF_OP_ASSIGN_OP, RF_OP_ADD },
    { "operator-=", 2, RF_OP_ASSIGN_OP, RF_OP_SUB },
    { "operator*=", 2, RF_OP_ASSIGN_OP, RF_OP_MUL },
    { "operator/=", 2, RF_OP_ASSIGN_OP, RF_OP_DIV },
    { "operator-", 1, RF_OP_NEG, 0 },
    { "operator+", 1, RF_OP_PLUS, 0 },
    { "operator*", 1, RF_OP_DEREF, 0 },
    { "operator!", 1, RF_OP_NOT, 0 },
    { "operator~", 1, RF_OP_BIT_NOT, 0 },
    { "operator%", 2, RF_OP_REM, 0 },
    { "operator&", 2, RF_OP_BIT_AND, 0 },
    { "operator|", 2, RF_OP_BIT_OR, 0 },
    { "operator^", 2, RF_OP_BIT_XOR, 0 },
    { "operator<<", 2, RF_OP_SHL, 0 },
    { "operator>>", 2, RF_OP_SHR, 0 },
    { "operator&&", 2, RF_OP_AND, 0 },
    { "operator||", 2, RF_OP_OR, 0 },
    { "operator,", 2, RF_OP_COMMA, 0 },
    { "operator[]", 2, RF_OP_INDEX, 0 },
    { "operator%=", 2, RF_OP_ASSIGN_OP, RF_OP_REM },
    { "operator&=", 2, RF_OP_ASSIGN_OP, RF_OP_BIT_AND },
    { "operator|=", 2, RF_OP_ASSIGN_OP, RF_OP_BIT_OR },
    { "operator^=", 2, RF_OP_ASSIGN_OP, RF_OP_BIT_XOR },
    { "operator<<=", 2, RF_OP_ASSIGN_OP, RF_OP_SHL },
    { "operator>>=", 2, RF_OP_ASSIGN_OP, RF_OP_SHR },
    { "operator++", 1, RF_OP_PRE_INC, 0 },
    { "operator--", 1, RF_OP_PRE_DEC, 0 },
    { "operator++", 2, RF_OP_POST_INC, 0 },
    { "operator--", 2, RF_OP_POST_DEC, 0 },
};

/* True if assigning with "method" copies the object and nothing else: made by
 * the compiler, or a class of CUDA's assigned to itself. */
static bool is_plain_copy(CXCursor method)
{
    if (clang_getCursorKind(method) != CXCursor_CXXMethod)
        return false;
    if (clang_CXXMethod_isDefaulted(method))
        return true;
    return rf_cursor_is_system(method) &&
           (clang_CXXMethod_isCopyAssignmentOperator(method) ||
            clang_CXXMethod_isMoveAssignmentOperator(method));
}

static bool is_plain_operator(const char *name, const rf_expr *call,
                              CXCursor callee)
{
    if (clang_Cursor_isNull(callee))
        return true;
    if (!strcmp(name, "operator=") && is_plain_copy(callee))
        return true;
    return call->n > 0 && is_number_class(call->arg[0]->type);
}

/* What is assigned to a number is rounded to it. */
static void round_operand(rf_reader *r, CXCursor cursor, rf_expr *e)
{
    const rf_type *type = e->arg[0]->type;
    if ((e->op == RF_OP_ASSIGN || e->op == RF_OP_ASSIGN_OP) &&
        rf_type_is_arithmetic(type) && rf_type_is_arithmetic(e->arg[1]->type) &&
        !rf_type_same(type, e->arg[1]->type)) {
        e->arg[1] = rf_convert(r, cursor, type, e->arg[1], true);
        e->arg[1]->at = e->arg[1]->arg[0]->at;
    }
}

/* Turn a call of an operator into that operator where it means the same. */
static void make_operator(rf_reader *r, CXCursor cursor, rf_expr *call,
                          CXCursor callee)
{
    if (!is_plain_operator(call->name, call, callee))
        return;
    for (size_t i = 0; i < RF_COUNTOF(operators); i++) {
        if (operators[i].n != call->n || strcmp(operators[i].name, call->name))
            continue;
        call->op = operators[i].op;
        call->name = call->spelling = NULL;
        call->callee = NULL;
        if (call->op == RF_OP_ASSIGN_OP)
            call->value.assign = operators[i].assign;
        if (call->op == RF_OP_POST_INC || call->op == RF_OP_POST_DEC)
            call->n = 1;
        round_operand(r, cursor, call);
        return;
    }
}

/* __stcs(p + i, v) stores as p[i] = v does; the name stays with it. */
static void make_hinted_store(rf_reader *r, CXCursor cursor, rf_expr *call)
{
    if (call->n != 2 || rf_math_find(call->name) != RF_MATH_STORE)
        return;
    rf_expr *to = call->arg[0];
    const rf_type *type =
        to->type && to->type->elem ? to->type->elem : call->arg[1]->type;
    bool indexed =
        to->op == RF_OP_ADD && to->arg[0]->type->kind == RF_TYPE_POINTER;
    if (to->op == RF_OP_ADDRESS && !to->is_implicit)
        call->arg[0] = to->arg[0];
    else
        call->arg[0] =
            rf_expr_new(r->arena, indexed ? RF_OP_INDEX : RF_OP_DEREF, type,
                        to->n, indexed ? to->arg : &to);
    call->arg[0]->at = to->at;
    call->op = RF_OP_ASSIGN;
    call->spelling = NULL;
    call->type = type;
    round_operand(r, cursor, call);
}

/* ---- arguments ---- */

static CXType parameter_type(CXCursor callee, unsigned i)
{
    CXType none = { .kind = CXType_Invalid };
    if (clang_Cursor_isNull(callee))
        return none;
    CXType type = clang_getCursorType(callee);
    if ((int)i >= clang_getNumArgTypes(type))
        return none;
    return clang_getCanonicalType(clang_getArgType(type, i));
}

/* True if argument "i" of "callee" may be written through: a reference that is
 * not const, and not the `T &&` of a template, which only forwards. */
static bool is_written_reference(CXCursor callee, unsigned i)
{
    CXType type = parameter_type(callee, i);
    if (type.kind != CXType_LValueReference ||
        clang_isConstQualifiedType(clang_getPointeeType(type)))
        return false;
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee);
    return parameter_type(pattern, i).kind != CXType_RValueReference;
}

static rf_expr *address_of(rf_reader *r, CXCursor cursor, rf_expr *e)
{
    rf_type *type = RF_NEW(r->arena, rf_type);
    type->kind = RF_TYPE_POINTER;
    type->bits = 64;
    type->elem = e->type;
    type->spelling = rf_arena_printf(
        r->arena, "%s *",
        e->type && e->type->spelling ? e->type->spelling : "void");
    rf_expr *address = rf_expr_of(r, cursor, RF_OP_ADDRESS, 1, &e);
    address->type = type;
    address->is_implicit = true;
    return address;
}

static bool is_default(CXCursor arg)
{
    unsigned line;
    CXSourceRange range = clang_getCursorExtent(arg);
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, &line, NULL,
                               NULL);
    return line == 0;
}

/* Read the arguments of "cursor" behind "first", if that is set. */
static rf_expr *read_arguments(rf_reader *r, CXCursor cursor, rf_expr *first)
{
    int n = clang_Cursor_getNumArguments(cursor);
    unsigned shift = first != NULL, count = (n < 0 ? 0 : (unsigned)n) + shift;
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_CALL, count, NULL);
    if (first)
        e->arg[0] = first;
    for (int i = 0; i < n; i++)
        e->arg[(unsigned)i + shift] =
            rf_read_expr(r, clang_Cursor_getArgument(cursor, (unsigned)i));
    return e;
}

/* A function whose body is not seen: show what it may write, and leave out
 * arguments that the call does not write down. */
static void finish_unknown(rf_reader *r, CXCursor cursor, CXCursor callee,
                           rf_expr *e)
{
    unsigned shift = e->is_method;
    for (unsigned i = shift; i < e->n; i++) {
        CXCursor arg = clang_Cursor_getArgument(cursor, i - shift);
        if (is_default(arg))
            e->n = i;
        else if (is_written_reference(callee, i - shift))
            e->arg[i] = address_of(r, arg, e->arg[i]);
    }
}

/* ---- callees ---- */

static bool is_function(CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
           kind == CXCursor_FunctionTemplate;
}

static bool has_body(CXCursor c)
{
    return rf_cursor_has_child(c, CXCursor_CompoundStmt);
}

/* The function whose body a call of "callee" runs: an instantiation if it has
 * one, else the template; null if there is none to be seen. */
static CXCursor find_body(CXCursor callee)
{
    if (clang_Cursor_isNull(callee) || !is_function(callee) ||
        rf_cursor_is_system(callee))
        return clang_getNullCursor();
    if (has_body(callee))
        return callee;
    CXCursor definition = clang_getCursorDefinition(callee);
    if (!clang_Cursor_isNull(definition) && has_body(definition))
        return definition;
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee);
    if (clang_Cursor_isNull(pattern))
        return pattern;
    definition = clang_getCursorDefinition(pattern);
    return clang_Cursor_isNull(definition) || !has_body(definition)
               ? clang_getNullCursor()
               : definition;
}

/* The first OverloadedDeclRef below "cursor": a name that is resolved only
 * when the template is instantiated. */
static enum CXChildVisitResult find_overload(CXCursor c, CXCursor parent,
                                             CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_OverloadedDeclRef)
        return CXChildVisit_Recurse;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

/* Equal cursors do not always compare equal in dependent code. */
static bool is_same_part(CXCursor a, CXCursor b)
{
    return clang_equalCursors(a, b) ||
           (clang_getCursorKind(a) == clang_getCursorKind(b) &&
            clang_equalRanges(clang_getCursorExtent(a),
                              clang_getCursorExtent(b)));
}

/* The operand of "cursor" that names the function, or null. */
static CXCursor callee_operand(CXCursor cursor)
{
    rf_cursors list = rf_children(cursor);
    CXCursor found = clang_getNullCursor();
    int args = clang_Cursor_getNumArguments(cursor);
    for (size_t i = 0; i < list.len && clang_Cursor_isNull(found); i++) {
        bool is_argument = false;
        for (int a = 0; a < args; a++)
            is_argument |= is_same_part(
                list.data[i], clang_Cursor_getArgument(cursor, (unsigned)a));
        if (!is_argument &&
            clang_isExpression(clang_getCursorKind(list.data[i])))
            found = list.data[i];
    }
    RF_CLEAR(list);
    return found;
}

static CXCursor strip_wrappers(CXCursor c)
{
    while (clang_getCursorKind(c) == CXCursor_UnexposedExpr ||
           clang_getCursorKind(c) == CXCursor_ParenExpr) {
        rf_cursors list = rf_operands(c);
        CXCursor inner = list.len == 1 ? list.data[0] : clang_getNullCursor();
        RF_CLEAR(list);
        if (clang_Cursor_isNull(inner))
            break;
        c = inner;
    }
    return c;
}

/* Find what the call refers to when libclang does not say: the only candidate
 * of an unresolved name. */
static CXCursor resolve(CXCursor operand)
{
    CXCursor ref = clang_getNullCursor();
    if (clang_Cursor_isNull(operand))
        return ref;
    if (clang_getCursorKind(operand) == CXCursor_OverloadedDeclRef)
        ref = operand;
    else
        clang_visitChildren(operand, find_overload, &ref);
    if (clang_Cursor_isNull(ref) || clang_getNumOverloadedDecls(ref) != 1)
        return clang_getNullCursor();
    return clang_getOverloadedDecl(ref, 0);
}

/* The unqualified name in the words `a::b<c>`. */
static const char *unqualified(rf_reader *r, const char *words)
{
    size_t end = strcspn(words, "<(");
    if (!strncmp(words, "operator", 8))
        end = strlen(words);
    size_t begin = 0;
    for (size_t i = 0; i < end; i++)
        if (strchr(":. >", words[i]))
            begin = i + 1;
    return rf_arena_strndup(r->arena, words + begin, end - begin);
}

static void name_callee(rf_reader *r, rf_expr *e, CXCursor cursor,
                        CXCursor operand)
{
    e->name = rf_cursor_name(r, cursor);
    if (clang_Cursor_isNull(operand))
        return;
    const char *words = rf_cursor_text(r, operand);
    if (!*e->name && e->is_method)
        e->name = rf_member_name(r, operand);
    else if (!*e->name && ispunct((unsigned char)*words) && *words != '_')
        e->name = rf_arena_printf(r->arena, "operator%s", words);
    else if (!*e->name)
        e->name = unqualified(r, words);
    if (!e->in_macro && (strchr(words, ':') || strchr(words, '<')) &&
        clang_getCursorKind(operand) != CXCursor_MemberRefExpr)
        e->spelling = words;
}

/* ---- the kinds of call ---- */

static bool copies(CXCursor constructor)
{
    return clang_CXXConstructor_isCopyConstructor(constructor) ||
           clang_CXXConstructor_isMoveConstructor(constructor);
}

/* The constructor as a function that returns the record, or NULL. */
static rf_func *read_maker(rf_reader *r, CXCursor constructor)
{
    CXCursor body = clang_getCursorDefinition(constructor);
    if (clang_Cursor_isNull(body) || rf_cursor_is_system(body) ||
        !has_body(body))
        return NULL;
    rf_func *f = rf_read_func(r, body);
    return f && f->body && !f->has_error ? f : NULL;
}

/* A constructor: a cast where it is one; a copy is no node at all. */
static rf_expr *read_constructor(rf_reader *r, CXCursor cursor, CXCursor callee)
{
    rf_expr *e = read_arguments(r, cursor, NULL);
    if (e->n == 1 && rf_type_same(e->type, e->arg[0]->type) &&
        (copies(callee) || rf_type_is_arithmetic(e->type)))
        return e->arg[0];
    if (e->n == 1 && rf_type_is_arithmetic(e->type))
        return rf_convert(r, cursor, e->type, e->arg[0], true);
    e->name = rf_cursor_name(r, callee);
    if (e->n == 0 && rf_is_plain_constructor(callee))
        e->op = RF_OP_INIT_LIST;
    else
        e->callee = read_maker(r, callee);
    if (e->op == RF_OP_CALL && !e->callee)
        finish_unknown(r, cursor, callee, e);
    return e;
}

static rf_expr *read_object(rf_reader *r, CXCursor operand)
{
    rf_cursors list = rf_operands(operand);
    rf_expr *object =
        list.len ? rf_read_expr(r, list.data[0])
                 : rf_expr_var(r->arena, rf_builtin_var(r, "this", NULL));
    RF_CLEAR(list);
    return object;
}

static rf_expr *read_conversion(rf_reader *r, CXCursor cursor, CXCursor operand)
{
    const rf_type *type = rf_read_type(r, clang_getCursorType(cursor));
    rf_expr *object = read_object(r, operand);
    if (rf_type_is_arithmetic(type) && is_number_class(object->type))
        return rf_convert(r, cursor, type, object, true);
    rf_expr *e = rf_expr_of(r, cursor, RF_OP_CALL, 1, &object);
    e->name = rf_cursor_name(r, cursor);
    e->is_method = true;
    return e;
}

static bool is_operator_name(const char *name)
{
    return !strncmp(name, "operator", 8) && ispunct((unsigned char)name[8]) &&
           name[8] != '_';
}

/* `T(x)` and `T()` where T depends on a template parameter. */
static rf_expr *read_dependent_cast(rf_reader *r, CXCursor cursor)
{
    const rf_type *type = rf_read_type(r, clang_getCursorType(cursor));
    rf_expr *e = rf_read_init_list(r, cursor);
    return e->n == 1 ? rf_convert(r, cursor, type, e->arg[0], false) : e;
}

/* A call whose value is a constant: numeric_limits<float>::max(), or a bit
 * pattern. */
static bool fold_call(rf_reader *r, CXCursor cursor, rf_expr *e)
{
    if (!rf_type_is_arithmetic(e->type) || e->is_method)
        return false;
    if (!rf_fold_bits(e) && (e->n || !rf_read_constant(r, cursor, e)))
        return false;
    e->name = e->spelling = NULL;
    e->n = 0;
    if (!e->in_macro)
        e->spelling = rf_cursor_text(r, cursor);
    else if (e->op == RF_OP_FLOAT && isinf(e->value.f) && e->value.f > 0)
        e->spelling = "INFINITY";
    return true;
}

/* The arguments `f<a, b>` of a template that is not instantiated here, as far
 * as they are values and written down. */
static void read_template_arguments(rf_reader *r, rf_expr *e, CXCursor operand)
{
    if (clang_Cursor_isNull(operand))
        return;
    const char *words = strchr(rf_cursor_text(r, operand), '<');
    rf_cursors list = rf_operands(operand);
    bool clear =
        words && !strchr(words + 1, '<') && list.len <= e->callee->n_template;
    e->template_arg = RF_NEW_ARRAY(r->arena, list.len, rf_expr *);
    for (size_t i = 0; i < list.len && clear; i++)
        if (clang_getCursorKind(list.data[i]) != CXCursor_OverloadedDeclRef)
            e->template_arg[e->n_template++] = rf_read_expr(r, list.data[i]);
    RF_CLEAR(list);
}

/* The object of `f(x)` counts as that of a method; a lambda shows its captures.
 */
static void read_call_object(rf_reader *r, rf_expr *e, CXCursor cursor)
{
    const rf_type *type = e->arg[0]->type;
    if (type && type->spelling && strstr(type->spelling, "(lambda")) {
        CXCursor object = strip_wrappers(clang_Cursor_getArgument(cursor, 0));
        rf_expr *closure = rf_read_closure(r, object);
        if (!closure || closure->op != RF_OP_OPAQUE ||
            strcmp(closure->name, "closure")) {
            e->callee = NULL;
            return;
        }
        e->arg[0] = closure;
    }
    e->is_method = true;
}

/* A method call has its object as first argument; operators have it anyway. */
static rf_expr *read_function_call(rf_reader *r, CXCursor cursor,
                                   CXCursor callee, CXCursor operand)
{
    bool is_method = clang_getCursorKind(operand) == CXCursor_MemberRefExpr;
    rf_expr *object = is_method ? read_object(r, operand) : NULL;
    rf_expr *e = read_arguments(r, cursor, object);
    e->is_method = is_method;
    name_callee(r, e, cursor, operand);
    if (fold_call(r, cursor, e))
        return e;
    bool is_operator = is_operator_name(e->name);
    if (is_operator)
        make_operator(r, cursor, e, clang_getCursorReferenced(cursor));
    if (e->op != RF_OP_CALL)
        return e;
    CXCursor body = find_body(callee);
    if (clang_Cursor_isNull(body) || rf_cursor_is_system(body))
        make_hinted_store(r, cursor, e);
    if (e->op != RF_OP_CALL)
        return e;
    if (!clang_Cursor_isNull(body))
        e->callee = rf_read_func(r, body);
    if (e->callee && e->callee->has_error)
        e->callee = NULL;
    if (e->callee && !is_method && e->n && !strcmp(e->name, "operator()"))
        read_call_object(r, e, cursor);
    if (e->callee && e->callee->is_template)
        read_template_arguments(r, e, operand);
    if (!e->callee)
        finish_unknown(r, cursor, callee, e);
    return e;
}

/* `f(x)` in a template may name a function that is found later. */
static CXCursor callee_of(CXCursor cursor, CXCursor operand)
{
    CXCursor callee = clang_getCursorReferenced(cursor);
    return clang_Cursor_isNull(callee) ? resolve(operand) : callee;
}

rf_expr *rf_read_call(rf_reader *r, CXCursor cursor)
{
    if (clang_Cursor_getNumArguments(cursor) < 0)
        return read_dependent_cast(r, cursor);
    CXCursor operand = callee_operand(cursor);
    if (!clang_Cursor_isNull(operand))
        operand = strip_wrappers(operand);
    CXCursor callee = callee_of(cursor, operand);
    enum CXCursorKind kind = clang_Cursor_isNull(callee)
                                 ? CXCursor_InvalidFile
                                 : clang_getCursorKind(callee);
    if (kind == CXCursor_Constructor)
        return read_constructor(r, cursor, callee);
    if (kind == CXCursor_ConversionFunction)
        return read_conversion(r, cursor, operand);
    return read_function_call(r, cursor, callee, operand);
}
