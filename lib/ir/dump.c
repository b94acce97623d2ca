/* The program text as S-expressions: one statement a line, two blanks a level.
 *
 *     (kernel sum (x:const float * n:int)
 *       (decl s:float 0.0f)
 *       (for (decl i:int 0) (< i n) (pre++ i)
 *         (+= s (index x i))))
 *
 * A constant that has a name is printed by that name; an implicit conversion
 * is (to TYPE e), a written one (cast TYPE e). */
#include "ir/ast.h"

static void leaf_dump(rf_buf *out, const rf_expr *e)
{
    if (e->op == RF_OP_VAR)
        rf_buf_puts(out, e->var->name);
    else if (e->spelling)
        rf_buf_puts(out, e->spelling);
    else if (e->op == RF_OP_INT)
        rf_buf_printf(out, "%lld", (long long)e->value.i);
    else
        rf_buf_printf(out, "%.17g%s", e->value.f,
                      e->type && e->type->format == RF_F32 ? "f" : "");
}

static const char *head_of(const rf_expr *e)
{
    switch (e->op) {
    case RF_OP_INDEX:
        return "index";
    case RF_OP_ADDRESS:
        return "addr";
    case RF_OP_DEREF:
        return "deref";
    case RF_OP_NEG:
        return "neg";
    case RF_OP_PLUS:
        return "plus";
    case RF_OP_INIT_LIST:
        return "init";
    case RF_OP_SELECT:
        return "?";
    case RF_OP_PRE_INC:
        return "pre++";
    case RF_OP_PRE_DEC:
        return "pre--";
    case RF_OP_POST_INC:
        return "post++";
    case RF_OP_POST_DEC:
        return "post--";
    default:
        return rf_op_spelling(e->op);
    }
}

static const char *type_text(const rf_type *type)
{
    return type && type->spelling ? type->spelling : "?";
}

static void head_dump(rf_buf *out, const rf_expr *e)
{
    switch (e->op) {
    case RF_OP_CALL:
        rf_buf_printf(out, "call%s %s", e->callee ? "*" : "",
                      e->spelling ? e->spelling : e->name);
        return;
    case RF_OP_CAST:
        rf_buf_printf(out, "%s %s", e->is_implicit ? "to" : "cast",
                      type_text(e->type));
        return;
    case RF_OP_FIELD:
        rf_buf_printf(out, "%s%s", e->is_arrow ? "->" : ".", e->name);
        return;
    case RF_OP_ASSIGN_OP:
        rf_buf_printf(out, "%s=", rf_op_spelling(e->value.assign));
        return;
    case RF_OP_OPAQUE:
        rf_buf_printf(out, "opaque `%s`", e->spelling ? e->spelling : "");
        return;
    default:
        rf_buf_puts(out, head_of(e));
    }
}

void rf_expr_dump(rf_buf *out, const rf_expr *e)
{
    if (!e) {
        rf_buf_puts(out, "()");
        return;
    }
    if (e->op <= RF_OP_VAR) {
        leaf_dump(out, e);
        return;
    }
    if (e->spelling && e->op != RF_OP_OPAQUE && e->op != RF_OP_CALL)
        rf_buf_printf(out, "%s=", e->spelling);
    rf_buf_putc(out, '(');
    head_dump(out, e);
    for (unsigned i = 0; i < e->n; i++) {
        rf_buf_putc(out, ' ');
        rf_expr_dump(out, e->arg[i]);
    }
    rf_buf_putc(out, ')');
}

static void line(rf_buf *out, int indent)
{
    if (out->len)
        rf_buf_putc(out, '\n');
    rf_buf_fill(out, ' ', (size_t)indent * 2);
}

static const char *storage_prefix(const rf_var *var)
{
    if (var->storage == RF_VAR_SHARED)
        return "shared ";
    return var->is_static ? "static " : "";
}

static void decl_dump(rf_buf *out, const rf_stmt *s)
{
    rf_buf_printf(out, "(decl %s%s:%s", storage_prefix(s->var), s->var->name,
                  type_text(s->var->type));
    if (s->expr) {
        rf_buf_putc(out, ' ');
        rf_expr_dump(out, s->expr);
    }
    rf_buf_putc(out, ')');
}

/* Print a declaration or an expression, which fit on the current line. */
static void simple_dump(rf_buf *out, const rf_stmt *s)
{
    if (!s)
        rf_buf_puts(out, "()");
    else if (s->kind == RF_STMT_DECL)
        decl_dump(out, s);
    else if (s->kind == RF_STMT_EXPR)
        rf_expr_dump(out, s->expr);
    else
        rf_stmt_dump(out, s, 0);
}

/* Print the list of a for's `int i = 0, j = 1` in one line. */
static void init_dump(rf_buf *out, const rf_stmt *s)
{
    if (!s || s->kind != RF_STMT_BLOCK) {
        simple_dump(out, s);
        return;
    }
    rf_buf_puts(out, "(seq");
    for (unsigned i = 0; i < s->n; i++) {
        rf_buf_putc(out, ' ');
        simple_dump(out, s->list[i]);
    }
    rf_buf_putc(out, ')');
}

static void loop_dump(rf_buf *out, const rf_stmt *s, int indent)
{
    if (s->kind == RF_STMT_FOR) {
        rf_buf_puts(out, "(for ");
        init_dump(out, s->init);
        rf_buf_putc(out, ' ');
        rf_expr_dump(out, s->expr);
        rf_buf_putc(out, ' ');
        rf_expr_dump(out, s->step);
    } else {
        rf_buf_puts(out, s->kind == RF_STMT_WHILE ? "(while " : "(do-while ");
        rf_expr_dump(out, s->expr);
    }
    rf_stmt_dump(out, s->body, indent + 1);
    rf_buf_putc(out, ')');
}

static void if_dump(rf_buf *out, const rf_stmt *s, int indent)
{
    rf_buf_puts(out, "(if ");
    rf_expr_dump(out, s->expr);
    rf_stmt_dump(out, s->body, indent + 1);
    if (s->orelse)
        rf_stmt_dump(out, s->orelse, indent + 1);
    rf_buf_putc(out, ')');
}

static void block_dump(rf_buf *out, const rf_stmt *s, int indent)
{
    rf_buf_puts(out, s->is_scope ? "(block" : "(seq");
    for (unsigned i = 0; i < s->n; i++)
        rf_stmt_dump(out, s->list[i], indent + 1);
    rf_buf_putc(out, ')');
}

static void body_dump(rf_buf *out, const rf_stmt *s, int indent)
{
    switch (s->kind) {
    case RF_STMT_ALIAS:
        rf_buf_printf(out, "(alias %s)", s->text);
        return;
    case RF_STMT_EMPTY:
        rf_buf_puts(out, "(empty)");
        return;
    case RF_STMT_DECL:
    case RF_STMT_EXPR:
        simple_dump(out, s);
        return;
    case RF_STMT_IF:
        if_dump(out, s, indent);
        return;
    case RF_STMT_FOR:
    case RF_STMT_WHILE:
    case RF_STMT_DO:
        loop_dump(out, s, indent);
        return;
    case RF_STMT_BLOCK:
        block_dump(out, s, indent);
        return;
    case RF_STMT_BREAK:
        rf_buf_puts(out, "(break)");
        return;
    case RF_STMT_CONTINUE:
        rf_buf_puts(out, "(continue)");
        return;
    case RF_STMT_RETURN:
        rf_buf_puts(out, "(return");
        if (s->expr)
            rf_buf_putc(out, ' '), rf_expr_dump(out, s->expr);
        rf_buf_putc(out, ')');
        return;
    case RF_STMT_OPAQUE:
        rf_buf_printf(out, "(opaque %s)", s->text ? s->text : "?");
        return;
    }
}

void rf_stmt_dump(rf_buf *out, const rf_stmt *s, int indent)
{
    line(out, indent);
    if (!s) {
        rf_buf_puts(out, "()");
        return;
    }
    if (s->attribute)
        rf_buf_printf(out, "[%s] ", s->attribute);
    if (s->in_macro)
        rf_buf_puts(out, "[macro] ");
    body_dump(out, s, indent);
}

static const char *func_word(const rf_func *func)
{
    return func->is_kernel ? "kernel" : func->is_device ? "device" : "host";
}

void rf_func_dump(rf_buf *out, const rf_func *func)
{
    line(out, 0);
    rf_buf_printf(out, "(%s%s %s (", func->is_template ? "template " : "",
                  func_word(func), func->name);
    for (unsigned i = 0; i < func->n_params; i++)
        rf_buf_printf(out, "%s%s:%s", i ? " " : "", func->params[i]->name,
                      type_text(func->params[i]->type));
    rf_buf_puts(out, ")");
    if (func->launch_bounds)
        rf_buf_printf(out, " [launch_bounds %s]", func->launch_bounds);
    if (func->body)
        rf_stmt_dump(out, func->body, 1);
    rf_buf_puts(out, ")\n");
}
