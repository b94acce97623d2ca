/* Statements as text: braces, declarations, comments, attributes. */
#include "emit/line.h"

#include <string.h>

typedef struct {
    rf_buf *out;
    const rf_print_style *style;
} printer;

static void stmt_put(printer *p, const rf_stmt *s, unsigned level);

static void line_end(printer *p, rf_line *line, unsigned level)
{
    rf_line_put(p->out, line, p->style, level);
    rf_line_clear(line);
}

static void text_put(printer *p, const char *text, unsigned level)
{
    rf_line line = { 0 };
    rf_buf_puts(&line.text, text);
    line_end(p, &line, level);
}

/* ---- comments and attributes ---- */

/* Append the words [text, end) as `//` lines that fit. */
static void paragraph_put(printer *p, const char *text, const char *end,
                          unsigned level)
{
    unsigned indent = rf_line_indent(p->style, level);
    rf_buf line = { 0 };
    rf_buf_puts(&line, "//");
    while (text < end) {
        size_t n = strcspn(text, " \n");
        if (line.len > 2 && indent + line.len + 1 + n > RF_LINE_COLUMNS) {
            text_put(p, line.data, level);
            line.len = 2;
        }
        rf_buf_putc(&line, ' ');
        rf_buf_add(&line, text, n);
        text += n + strspn(text + n, " ");
    }
    text_put(p, line.data, level);
    rf_buf_free(&line);
}

static void comment_put(printer *p, const char *text, unsigned level)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        paragraph_put(p, text, text + n, level);
        text += n + (text[n] == '\n');
    }
}

/* Append each line of "text"; directives at the margin if the author's are. */
static void attribute_put(printer *p, const char *text, unsigned level)
{
    rf_print_style margin = *p->style;
    margin.base = "";
    while (*text) {
        size_t n = strcspn(text, "\n");
        rf_line line = { 0 };
        rf_buf_add(&line.text, text, n);
        bool flush = *text == '#' && p->style->flush_pragmas;
        rf_line_put(p->out, &line, flush ? &margin : p->style,
                    flush ? 0 : level);
        rf_line_clear(&line);
        text += n + (text[n] == '\n');
    }
}

/* ---- bodies ---- */

/* The statement that a body comes down to when its braces are dropped. */
static const rf_stmt *unwrapped(const rf_stmt *s)
{
    while (s->kind == RF_STMT_BLOCK && s->n == 1 && !s->text && !s->attribute)
        s = s->list[0];
    return s;
}

/* True if "body" is one simple statement, which needs no braces. */
static bool is_simple(const printer *p, const rf_stmt *body)
{
    const rf_stmt *s = unwrapped(body);
    if (p->style->always_braces || s->text || s->attribute)
        return s->kind == RF_STMT_EMPTY;
    return s->kind == RF_STMT_EXPR || s->kind == RF_STMT_RETURN ||
           s->kind == RF_STMT_BREAK || s->kind == RF_STMT_CONTINUE ||
           s->kind == RF_STMT_EMPTY;
}

static void list_put(printer *p, const rf_stmt *s, unsigned level)
{
    for (unsigned i = 0; i < s->n; i++)
        stmt_put(p, s->list[i], level);
}

/* Append the statements of a braced body. */
static void inside_put(printer *p, const rf_stmt *body, unsigned level)
{
    if (body->kind == RF_STMT_BLOCK && !body->text && !body->attribute)
        list_put(p, body, level);
    else if (body->kind != RF_STMT_EMPTY)
        stmt_put(p, body, level);
}

/* Append "head" and the body under it; "tail" follows a closing brace. */
static void headed_put(printer *p, rf_line *head, const rf_stmt *body,
                       bool braces, const char *tail, unsigned level)
{
    if (braces)
        rf_buf_puts(&head->text, " {");
    line_end(p, head, level);
    if (!braces) {
        stmt_put(p, unwrapped(body), level + 1);
        return;
    }
    inside_put(p, body, level + 1);
    if (tail)
        text_put(p, tail, level);
}

/* ---- statements ---- */

/* Append a declaration or expression without its end. */
static void simple_put(rf_line *line, const rf_stmt *s)
{
    if (s->kind == RF_STMT_EXPR) {
        rf_line_expr(line, s->expr, RF_PREC_ANY, 2);
        return;
    }
    if (s->var->storage == RF_VAR_SHARED) {
        bool is_open =
            s->var->type->kind == RF_TYPE_ARRAY && s->var->type->count < 0;
        rf_buf_puts(&line->text,
                    is_open ? "extern __shared__ " : "__shared__ ");
        if (s->var->alignment)
            rf_buf_printf(&line->text, "__align__(%u) ", s->var->alignment);
    } else if (s->var->is_static) {
        rf_buf_puts(&line->text, "static ");
    }
    rf_line_var(line, s->var);
    if (!s->expr)
        return;
    rf_buf_puts(&line->text, " = ");
    rf_expr *e = s->expr;
    while (e->op == RF_OP_CAST && e->is_implicit)
        e = e->arg[0];
    bool breaks = e->n > 1 && e->op != RF_OP_CALL && e->op != RF_OP_INDEX;
    rf_line_break(line, 3, RF_LINE_CONTINUE, 0);
    rf_line_expr(line, e, RF_PREC_ASSIGN, breaks ? 2 : 4);
}

/* Append further declarators `, j = 1` of a for's declaration. */
static void declarator_put(rf_line *line, const rf_stmt *s)
{
    const char *text = s->var->type->spelling;
    rf_buf_puts(&line->text, ", ");
    for (text = text ? text + strcspn(text, "*&") : ""; *text; text++)
        if (*text == '*' || *text == '&')
            rf_buf_putc(&line->text, *text);
    rf_buf_puts(&line->text, s->var->name);
    if (!s->expr)
        return;
    rf_buf_puts(&line->text, " = ");
    rf_line_expr(line, s->expr, RF_PREC_ASSIGN, 4);
}

static void init_put(rf_line *line, const rf_stmt *s)
{
    if (s->kind != RF_STMT_BLOCK) {
        if (s->kind != RF_STMT_EMPTY)
            simple_put(line, s);
        return;
    }
    for (unsigned i = 0; i < s->n; i++) {
        if (i && s->list[i]->kind == RF_STMT_DECL)
            declarator_put(line, s->list[i]);
        else
            rf_buf_puts(&line->text, i ? ", " : ""),
                simple_put(line, s->list[i]);
    }
}

static void condition_put(rf_line *line, const rf_expr *e)
{
    rf_line_expr(line, e, RF_PREC_SELECT, 2);
}

static void for_put(printer *p, const rf_stmt *s, unsigned level)
{
    rf_line head = { 0 };
    rf_buf_puts(&head.text, "for (");
    size_t begin = head.text.len;
    if (s->init)
        init_put(&head, s->init);
    rf_buf_puts(&head.text, s->expr ? "; " : ";");
    rf_line_break(&head, 0, begin, 0);
    if (s->expr)
        rf_line_expr(&head, s->expr, RF_PREC_ANY, 4);
    rf_buf_puts(&head.text, s->step ? "; " : ";");
    rf_line_break(&head, 0, begin, 0);
    if (s->step)
        rf_line_expr(&head, s->step, RF_PREC_ANY, 4);
    rf_buf_puts(&head.text, ")");
    headed_put(p, &head, s->body, !is_simple(p, s->body), "}", level);
}

static void while_put(printer *p, const rf_stmt *s, unsigned level)
{
    rf_line head = { 0 };
    rf_buf_puts(&head.text, "while (");
    condition_put(&head, s->expr);
    rf_buf_puts(&head.text, ")");
    headed_put(p, &head, s->body, !is_simple(p, s->body), "}", level);
}

static void do_put(printer *p, const rf_stmt *s, unsigned level)
{
    rf_line head = { 0 }, tail = { 0 };
    rf_buf_puts(&head.text, "do");
    headed_put(p, &head, s->body, true, NULL, level);
    rf_buf_puts(&tail.text, "} while (");
    condition_put(&tail, s->expr);
    rf_buf_puts(&tail.text, ");");
    line_end(p, &tail, level);
}

/* The `if` that an else branch continues with, or NULL. */
static const rf_stmt *chained(const rf_stmt *orelse)
{
    const rf_stmt *s = unwrapped(orelse);
    bool bare = s->kind == RF_STMT_IF && !s->text && !s->attribute;
    return bare ? s : NULL;
}

static bool chain_is_simple(const printer *p, const rf_stmt *s)
{
    for (; s; s = s->orelse ? chained(s->orelse) : NULL) {
        if (!is_simple(p, s->body))
            return false;
        if (s->orelse && !chained(s->orelse) && !is_simple(p, s->orelse))
            return false;
    }
    return true;
}

/* If one branch of a chain has braces, all have. */
static void if_put(printer *p, const rf_stmt *s, unsigned level)
{
    bool braces = !chain_is_simple(p, s);
    const char *lead = braces ? "} else" : "else";
    rf_line head = { 0 };
    for (;;) {
        rf_buf_puts(&head.text, s->is_constexpr ? "if constexpr (" : "if (");
        condition_put(&head, s->expr);
        rf_buf_puts(&head.text, ")");
        headed_put(p, &head, s->body, braces, s->orelse ? NULL : "}", level);
        if (!s->orelse)
            return;
        rf_buf_puts(&head.text, lead);
        const rf_stmt *next = chained(s->orelse);
        if (!next)
            break;
        rf_buf_putc(&head.text, ' ');
        s = next;
    }
    headed_put(p, &head, s->orelse, braces, "}", level);
}

static void block_put(printer *p, const rf_stmt *s, unsigned level)
{
    if (!s->is_scope) {
        list_put(p, s, level);
        return;
    }
    text_put(p, "{", level);
    list_put(p, s, level + 1);
    text_put(p, "}", level);
}

static void one_line_put(printer *p, const rf_stmt *s, unsigned level)
{
    rf_line line = { 0 };
    if (s->kind == RF_STMT_BREAK)
        rf_buf_puts(&line.text, "break");
    else if (s->kind == RF_STMT_CONTINUE)
        rf_buf_puts(&line.text, "continue");
    else if (s->kind == RF_STMT_RETURN)
        rf_buf_puts(&line.text, s->expr ? "return " : "return");
    if (s->kind == RF_STMT_EXPR || s->kind == RF_STMT_DECL)
        simple_put(&line, s);
    else if (s->expr)
        rf_line_expr(&line, s->expr, RF_PREC_ANY, 2);
    rf_buf_puts(&line.text, ";");
    line_end(p, &line, level);
}

static void opaque_put(printer *p, const rf_stmt *s, unsigned level)
{
    rf_line line = { 0 };
    if (p->style->source && s->at.begin < s->at.end &&
        s->at.begin != UINT32_MAX)
        rf_buf_add(&line.text, p->style->source + s->at.begin,
                   s->at.end - s->at.begin);
    else
        rf_buf_printf(&line.text, "%s;", s->text ? s->text : "");
    line_end(p, &line, level);
}

static void stmt_put(printer *p, const rf_stmt *s, unsigned level)
{
    if (s->text && s->kind != RF_STMT_OPAQUE && s->kind != RF_STMT_ALIAS)
        comment_put(p, s->text, level);
    if (s->attribute)
        attribute_put(p, s->attribute, level);
    switch (s->kind) {
    case RF_STMT_FOR:
        for_put(p, s, level);
        return;
    case RF_STMT_WHILE:
        while_put(p, s, level);
        return;
    case RF_STMT_DO:
        do_put(p, s, level);
        return;
    case RF_STMT_IF:
        if_put(p, s, level);
        return;
    case RF_STMT_BLOCK:
        block_put(p, s, level);
        return;
    case RF_STMT_OPAQUE:
    case RF_STMT_ALIAS:
        opaque_put(p, s, level);
        return;
    default:
        one_line_put(p, s, level);
    }
}

void rf_print_stmt(rf_buf *out, const rf_stmt *stmt,
                   const rf_print_style *style)
{
    stmt_put(&(printer){ out, style }, stmt, 0);
}
