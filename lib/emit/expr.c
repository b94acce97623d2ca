/* Expressions as text: precedence, literals, declarators. */
#include "emit/line.h"
#include "support/word.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- precedence ---- */

enum {
    P_COMMA = RF_PREC_ANY,
    P_ASSIGN = RF_PREC_ASSIGN,
    P_SELECT = RF_PREC_SELECT,
    P_OR,
    P_AND,
    P_BIT_OR,
    P_BIT_XOR,
    P_BIT_AND,
    P_EQUAL,
    P_ORDER,
    P_SHIFT,
    P_ADD,
    P_MUL,
    P_UNARY,
    P_POSTFIX,
    P_PRIMARY
};

static const unsigned char precedence[RF_OP_COUNT] = {
    [RF_OP_COMMA] = P_COMMA,
    [RF_OP_ASSIGN] = P_ASSIGN,
    [RF_OP_ASSIGN_OP] = P_ASSIGN,
    [RF_OP_SELECT] = P_SELECT,
    [RF_OP_OR] = P_OR,
    [RF_OP_AND] = P_AND,
    [RF_OP_BIT_OR] = P_BIT_OR,
    [RF_OP_BIT_XOR] = P_BIT_XOR,
    [RF_OP_BIT_AND] = P_BIT_AND,
    [RF_OP_EQ] = P_EQUAL,
    [RF_OP_NE] = P_EQUAL,
    [RF_OP_LT] = P_ORDER,
    [RF_OP_LE] = P_ORDER,
    [RF_OP_GT] = P_ORDER,
    [RF_OP_GE] = P_ORDER,
    [RF_OP_SHL] = P_SHIFT,
    [RF_OP_SHR] = P_SHIFT,
    [RF_OP_ADD] = P_ADD,
    [RF_OP_SUB] = P_ADD,
    [RF_OP_MUL] = P_MUL,
    [RF_OP_DIV] = P_MUL,
    [RF_OP_REM] = P_MUL,
    [RF_OP_NEG] = P_UNARY,
    [RF_OP_PLUS] = P_UNARY,
    [RF_OP_NOT] = P_UNARY,
    [RF_OP_BIT_NOT] = P_UNARY,
    [RF_OP_DEREF] = P_UNARY,
    [RF_OP_ADDRESS] = P_UNARY,
    [RF_OP_PRE_INC] = P_UNARY,
    [RF_OP_PRE_DEC] = P_UNARY,
    [RF_OP_CAST] = P_UNARY,
    [RF_OP_POST_INC] = P_POSTFIX,
    [RF_OP_POST_DEC] = P_POSTFIX,
    [RF_OP_INDEX] = P_POSTFIX,
    [RF_OP_FIELD] = P_POSTFIX,
    [RF_OP_CALL] = P_POSTFIX,
    [RF_OP_INT] = P_PRIMARY,
    [RF_OP_FLOAT] = P_PRIMARY,
    [RF_OP_STRING] = P_PRIMARY,
    [RF_OP_VAR] = P_PRIMARY,
    [RF_OP_INIT_LIST] = P_PRIMARY,
    [RF_OP_OPAQUE] = P_PRIMARY,
};

/* The expression that is printed for "e". */
static const rf_expr *shown(const rf_expr *e)
{
    while ((e->op == RF_OP_CAST || e->op == RF_OP_ADDRESS) && e->is_implicit)
        e = e->arg[0];
    return e;
}

/* The length of the number that "s" begins with, signs of exponents included,
 * or of the name with its `::`; 0: neither. */
static size_t word_length(const char *s)
{
    bool number = (*s >= '0' && *s <= '9') || *s == '.';
    bool hex = number && s[0] == '0' && (s[1] | 32) == 'x';
    size_t n = 0;
    for (; s[n]; n++) {
        char last = n ? (char)(s[n - 1] | 32) : ' ';
        bool sign = number && (s[n] == '+' || s[n] == '-') &&
                    (last == 'p' || (last == 'e' && !hex));
        bool inside = number ? s[n] == '.' || s[n] == '\'' : s[n] == ':';
        if (!rf_is_word_byte(s[n]) && !sign && !inside)
            break;
    }
    return n;
}

/* The length of the bracketed or quoted group that "s" begins with, or 0. */
static size_t group_length(const char *s)
{
    if (*s == '"' || *s == '\'') {
        size_t n = 1;
        while (s[n] && s[n] != *s)
            n += s[n] == '\\' && s[n + 1] ? 2 : 1;
        return s[n] ? n + 1 : n;
    }
    if (*s != '(' && *s != '[')
        return 0;
    size_t n = 0;
    for (int depth = 0; s[n]; n++) {
        depth += s[n] == '(' || s[n] == '[';
        depth -= s[n] == ')' || s[n] == ']';
        if (!depth)
            return n + 1;
    }
    return n;
}

/* How tightly the author's text "s" holds together: a name, a literal, a call
 * or a group is primary, with a sign before it unary, the rest loose. */
static unsigned text_precedence(const char *s)
{
    unsigned prec = P_PRIMARY;
    if (*s == '-' || *s == '+' || *s == '!' || *s == '~')
        s++, prec = P_UNARY;
    size_t n = word_length(s);
    bool named = n > 0;
    s += n;
    if (!named && !group_length(s))
        return P_COMMA;
    while ((n = group_length(s)))
        s += n;
    return *s ? P_COMMA : prec;
}

static bool is_negative(const rf_expr *e)
{
    bool is_unsigned = e->type && e->type->is_unsigned;
    return e->op == RF_OP_INT ? e->value.i < 0 && !is_unsigned
                              : signbit(e->value.f) && !isnan(e->value.f);
}

/* True if the text of "e" is the author's and not built from its parts. */
static bool is_spelled(const rf_expr *e)
{
    return e->spelling && (!e->n || e->op == RF_OP_OPAQUE);
}

static unsigned precedence_of(const rf_expr *e)
{
    if (is_spelled(e) && e->op != RF_OP_CALL)
        return e->op == RF_OP_STRING ? P_PRIMARY : text_precedence(e->spelling);
    if ((e->op == RF_OP_INT || e->op == RF_OP_FLOAT) && is_negative(e))
        return P_UNARY;
    return precedence[e->op];
}

/* True if compilers warn about "child" as a bare operand of "parent". */
static bool is_confusing(rf_op parent, rf_op child)
{
    unsigned p = precedence[parent], c = precedence[child];
    switch (p) {
    case P_OR:
        return c == P_AND;
    case P_BIT_OR:
    case P_BIT_XOR:
    case P_BIT_AND:
        return c > p && c <= P_ADD;
    case P_SHIFT:
        return c == P_ADD || c == P_SHIFT;
    case P_EQUAL:
    case P_ORDER:
        return c == P_EQUAL || c == P_ORDER;
    default:
        return false;
    }
}

/* ---- literals ---- */

static const char *int_suffix(const rf_type *type)
{
    if (!type || type->kind != RF_TYPE_INT || type->bits < 32)
        return "";
    if (type->bits == 32)
        return type->is_unsigned ? "u" : "";
    bool longer = type->spelling && strstr(type->spelling, "long long");
    if (type->is_unsigned)
        return longer ? "ull" : "ul";
    return longer ? "ll" : "l";
}

static void int_put(rf_buf *out, const rf_expr *e)
{
    const rf_type *type = e->type;
    const char *suffix = int_suffix(type);
    if (type && type->kind == RF_TYPE_BOOL) {
        rf_buf_puts(out, e->value.i ? "true" : "false");
    } else if (type && type->is_unsigned) {
        uint64_t mask = type->bits < 64 ? (1ull << type->bits) - 1 : UINT64_MAX;
        rf_buf_printf(out, "%llu%s", (unsigned long long)e->value.i & mask,
                      suffix);
    } else if (e->value.i == INT64_MIN ||
               (e->value.i == INT32_MIN && !*suffix)) {
        /* The magnitude alone is no value of the type. */
        rf_buf_printf(out, "(%lld%s - 1)", (long long)e->value.i + 1, suffix);
    } else {
        rf_buf_printf(out, "%lld%s", (long long)e->value.i, suffix);
    }
}

/* The shortest decimal that reads back as "value". */
static void digits_put(rf_buf *out, double value, bool is_single)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (is_single ? strtof(text, NULL) == (float)value
                      : strtod(text, NULL) == value)
            break;
    }
    rf_buf_puts(out, text);
    if (!strpbrk(text, ".e"))
        rf_buf_puts(out, ".0");
}

static void float_put(rf_buf *out, const rf_expr *e)
{
    double value = e->value.f;
    bool is_double =
        e->type && e->type->kind == RF_TYPE_FLOAT && e->type->format == RF_F64;
    if (isnan(value)) {
        rf_buf_puts(out, "NAN");
    } else if (isinf(value)) {
        rf_buf_puts(out, value < 0 ? "-INFINITY" : "INFINITY");
    } else {
        digits_put(out, value, !is_double);
        rf_buf_puts(out, is_double ? "" : "f");
    }
}

/* ---- declarators ---- */

static void spelling_put(rf_buf *out, const rf_type *type)
{
    const char *text = type->spelling ? type->spelling : "auto";
    bool is_pointer = type->kind == RF_TYPE_POINTER;
    if (type->is_const && !is_pointer)
        rf_buf_puts(out, "const ");
    rf_buf_puts(out, text);
    char last = text[strlen(text) - 1];
    if (type->is_const && is_pointer)
        rf_buf_puts(out, last == '*' ? "const " : " const ");
    else if (last != '*' && last != '&')
        rf_buf_putc(out, ' ');
}

/* Append the pointer to array or function "name": `float (*name)[8]`. */
static bool inside_put(rf_buf *out, const rf_type *type, const char *name)
{
    const char *text = type->spelling;
    const char *star = text ? strstr(text, "(*") : NULL;
    if (!star)
        return false;
    const char *close = star + strcspn(star, ")");
    rf_buf_add(out, text, (size_t)(close - text));
    rf_buf_printf(out, "%s%s", type->is_const ? "const " : "", name);
    rf_buf_puts(out, close);
    return true;
}

void rf_print_var(rf_buf *out, const rf_var *var)
{
    const rf_type *elem = var->type;
    while (elem->kind == RF_TYPE_ARRAY)
        elem = elem->elem;
    if (!inside_put(out, elem, var->name)) {
        spelling_put(out, elem);
        rf_buf_puts(out, var->name);
    }
    for (const rf_type *t = var->type; t->kind == RF_TYPE_ARRAY; t = t->elem) {
        const char *extent =
            t->spelling && t->count < 0 ? strchr(t->spelling, '[') : NULL;
        if (extent)
            rf_buf_add(out, extent, strcspn(extent, "]") + 1);
        else if (t->count < 0)
            rf_buf_puts(out, "[]");
        else
            rf_buf_printf(out, "[%lld]", (long long)t->count);
    }
}

void rf_line_var(rf_line *line, const rf_var *var)
{
    rf_print_var(&line->text, var);
}

/* ---- operators ---- */

static void put(rf_line *line, const char *text)
{
    rf_buf_puts(&line->text, text);
}

/* Append "a, b, c" from operand "first" on, aligned with its beginning. */
static void list_put(rf_line *line, const rf_expr *e, unsigned first,
                     unsigned depth)
{
    if (first < e->n)
        rf_line_break(line, depth + 1, RF_LINE_CONTINUE, 0);
    size_t begin = line->text.len;
    for (unsigned i = first; i < e->n; i++) {
        if (i > first) {
            put(line, ", ");
            rf_line_break(line, depth, begin, 0);
        }
        rf_line_expr(line, e->arg[i], P_ASSIGN, depth + 2);
    }
}

static void call_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    const char *name = e->spelling ? e->spelling : e->name;
    bool has_head = e->is_method || !name;
    if (has_head)
        rf_line_expr(line, e->arg[0], P_POSTFIX, depth);
    if (e->is_method)
        put(line, e->is_arrow ? "->" : ".");
    if (name)
        put(line, name);
    put(line, "(");
    list_put(line, e, has_head, depth);
    put(line, ")");
}

static bool is_sign(rf_op op)
{
    return op == RF_OP_NEG || op == RF_OP_PLUS || op == RF_OP_PRE_INC ||
           op == RF_OP_PRE_DEC;
}

/* True if "e" begins with a sign that would join the sign before it. */
static bool begins_with_sign(const rf_expr *e)
{
    e = shown(e);
    if (is_spelled(e))
        return *e->spelling == '-' || *e->spelling == '+';
    if (e->op == RF_OP_INT || e->op == RF_OP_FLOAT)
        return is_negative(e);
    return is_sign(e->op);
}

static void unary_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    put(line, rf_op_spelling(e->op));
    bool joins = is_sign(e->op) && begins_with_sign(e->arg[0]);
    rf_line_expr(line, e->arg[0], joins ? P_POSTFIX : P_UNARY, depth);
}

static void cast_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    rf_buf_printf(&line->text, "(%s)",
                  e->type->spelling ? e->type->spelling : "auto");
    rf_line_expr(line, e->arg[0], P_UNARY, depth);
}

/* Append operand "e" of the binary operator "op". */
static void operand_put(rf_line *line, rf_op op, const rf_expr *e,
                        unsigned least, unsigned depth)
{
    const rf_expr *s = shown(e);
    bool loose = !is_spelled(s) && is_confusing(op, s->op);
    rf_line_expr(line, e, loose ? P_POSTFIX : least, depth);
}

/* Append `a op b`; left-nested operators of one precedence are one chain that
 * breaks at "depth" and aligns with "begin". */
static void chain_put(rf_line *line, const rf_expr *e, unsigned depth,
                      size_t begin)
{
    unsigned prec = precedence[e->op];
    const rf_expr *left = shown(e->arg[0]);
    if (!is_spelled(left) && precedence[left->op] == prec &&
        !is_confusing(e->op, left->op))
        chain_put(line, left, depth, begin);
    else
        operand_put(line, e->op, left, prec, depth + 2);
    rf_buf_printf(&line->text, "%s%s ", e->op == RF_OP_COMMA ? "" : " ",
                  rf_op_spelling(e->op));
    rf_line_break(line, depth, begin, 0);
    operand_put(line, e->op, e->arg[1], prec + 1, depth + 2);
}

static void select_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    size_t begin = line->text.len;
    rf_line_expr(line, e->arg[0], P_OR, depth + 2);
    put(line, " ");
    rf_line_break(line, depth, begin, begin ? 4 : 0);
    size_t mark = line->text.len;
    put(line, "? ");
    rf_line_expr(line, e->arg[1], P_OR, depth + 2);
    put(line, " ");
    rf_line_break(line, depth, mark, 0);
    put(line, ": ");
    rf_line_expr(line, e->arg[2], P_SELECT, depth + 2);
}

/* __stcs(p + i, v) for p[i] = v. */
static void hinted_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    const rf_expr *to = e->arg[0];
    rf_buf_printf(&line->text, "%s(", e->name);
    rf_line_break(line, depth + 1, RF_LINE_CONTINUE, 0);
    size_t begin = line->text.len;
    if (to->op == RF_OP_INDEX) {
        rf_line_expr(line, to->arg[0], P_ADD, depth + 2);
        put(line, " + ");
        rf_line_expr(line, to->arg[1], P_ADD + 1, depth + 2);
    } else if (to->op == RF_OP_DEREF) {
        rf_line_expr(line, to->arg[0], P_ASSIGN, depth + 2);
    } else {
        put(line, "&");
        rf_line_expr(line, to, P_UNARY, depth + 2);
    }
    put(line, ", ");
    rf_line_break(line, depth, begin, 0);
    rf_line_expr(line, e->arg[1], P_ASSIGN, depth + 2);
    put(line, ")");
}

/* A sum or comparison breaks rather than the assignment before it; a call is
 * rather moved to the next line as a whole. */
static void assign_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    if (e->name) {
        hinted_put(line, e, depth);
        return;
    }
    rf_line_expr(line, e->arg[0], P_UNARY, depth + 4);
    const char *op = "";
    if (e->op == RF_OP_ASSIGN_OP)
        op = rf_op_spelling(e->value.assign);
    rf_buf_printf(&line->text, " %s= ", op);
    rf_line_break(line, depth + 1, RF_LINE_CONTINUE, 0);
    unsigned prec = precedence_of(shown(e->arg[1]));
    rf_line_expr(line, e->arg[1], P_ASSIGN, prec < P_UNARY ? depth : depth + 2);
}

static void index_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    rf_line_expr(line, e->arg[0], P_POSTFIX, depth + 2);
    put(line, "[");
    rf_line_expr(line, e->arg[1], P_ASSIGN, depth + 2);
    put(line, "]");
}

static void field_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    if (e->n) {
        rf_line_expr(line, e->arg[0], P_POSTFIX, depth);
        put(line, e->is_arrow ? "->" : ".");
    }
    put(line, e->name);
}

static void leaf_put(rf_line *line, const rf_expr *e)
{
    if (e->op == RF_OP_VAR)
        put(line, e->var->name);
    else if (e->spelling)
        put(line, e->spelling);
    else if (e->op == RF_OP_INT)
        int_put(&line->text, e);
    else if (e->op == RF_OP_FLOAT)
        float_put(&line->text, e);
}

static void bare_put(rf_line *line, const rf_expr *e, unsigned depth)
{
    switch (e->op) {
    case RF_OP_INT:
    case RF_OP_FLOAT:
    case RF_OP_STRING:
    case RF_OP_VAR:
    case RF_OP_OPAQUE:
        leaf_put(line, e);
        return;
    case RF_OP_INDEX:
        index_put(line, e, depth);
        return;
    case RF_OP_FIELD:
        field_put(line, e, depth);
        return;
    case RF_OP_CALL:
        call_put(line, e, depth);
        return;
    case RF_OP_CAST:
        cast_put(line, e, depth);
        return;
    case RF_OP_INIT_LIST:
        put(line, "{");
        list_put(line, e, 0, depth);
        put(line, "}");
        return;
    case RF_OP_SELECT:
        select_put(line, e, depth);
        return;
    case RF_OP_ASSIGN:
    case RF_OP_ASSIGN_OP:
        assign_put(line, e, depth);
        return;
    case RF_OP_POST_INC:
    case RF_OP_POST_DEC:
        rf_line_expr(line, e->arg[0], P_POSTFIX, depth);
        put(line, rf_op_spelling(e->op));
        return;
    default:
        if (e->n == 1)
            unary_put(line, e, depth);
        else
            chain_put(line, e, depth, line->text.len);
    }
}

void rf_line_expr(rf_line *line, const rf_expr *expr, unsigned least,
                  unsigned depth)
{
    const rf_expr *e = shown(expr);
    bool grouped = precedence_of(e) < least;
    if (grouped)
        put(line, "(");
    if (is_spelled(e) && e->op != RF_OP_CALL)
        put(line, e->spelling);
    else
        bare_put(line, e, grouped ? depth + 2 : depth);
    if (grouped)
        put(line, ")");
}

void rf_print_expr(rf_buf *out, const rf_expr *expr)
{
    rf_line line = { 0 };
    rf_line_expr(&line, expr, P_COMMA, 0);
    rf_buf_puts(out, rf_buf_text(&line.text));
    rf_line_clear(&line);
}
