/* PTX statements and declarations: tokens to arguments, no meaning yet. */
#include "exec/ptx.h"

#include <string.h>

enum { MAX_NESTING = 100, SIZE_LIMIT = 1 << 27 };

void rf_reader_fail(rf_reader *r, const char *format, ...)
{
    rf_buf text = { 0 };
    const rf_token *t = &r->lexer.token;
    va_list args;
    va_start(args, format);
    rf_buf_printf(&text, "PTX line %u: ", t->line);
    rf_buf_vprintf(&text, format, args);
    va_end(args);
    int length = (int)strcspn(t->at, "\n");
    rf_buf_printf(&text, " near `%.*s`", length > 80 ? 80 : length, t->at);
    r->message = text.data;
    longjmp(r->error, 1);
}

bool rf_parse_accept(rf_reader *r, char punct)
{
    if (!rf_lex_at(&r->lexer, punct))
        return false;
    rf_lex_next(&r->lexer);
    return true;
}

void rf_parse_expect(rf_reader *r, char punct)
{
    if (!rf_parse_accept(r, punct))
        rf_reader_fail(r, "expected '%c'", punct);
}

const char *rf_parse_word(rf_reader *r)
{
    const rf_token *t = &r->lexer.token;
    if (t->kind != RF_TOK_WORD)
        rf_reader_fail(r, "expected a name");
    const char *word = rf_arena_strndup(r->arena, t->at, t->length);
    rf_lex_next(&r->lexer);
    return word;
}

int64_t rf_parse_number(rf_reader *r)
{
    bool minus = rf_parse_accept(r, '-');
    if (r->lexer.token.kind != RF_TOK_NUMBER)
        rf_reader_fail(r, "expected a number");
    int64_t value = (int64_t)r->lexer.token.value;
    rf_lex_next(&r->lexer);
    return minus ? -value : value;
}

void rf_parse_skip_past(rf_reader *r, char punct)
{
    while (r->lexer.token.kind != RF_TOK_END && !rf_lex_at(&r->lexer, punct))
        rf_lex_next(&r->lexer);
    rf_lex_next(&r->lexer);
}

/* ---- arguments ---- */

static rf_arg parse_arg(rf_reader *r);

void rf_parse_enter(rf_reader *r)
{
    if (++r->nesting > MAX_NESTING)
        rf_reader_fail(r, "brackets nest deeper than %d", MAX_NESTING);
}

/* The elements gather on the reader's stack, above those of outer lists. */
static rf_arg parse_list(rf_reader *r, char close, rf_arg_kind kind)
{
    size_t base = r->stack.len;
    while (!rf_lex_at(&r->lexer, close)) {
        rf_arg element = parse_arg(r);
        RF_PUSH(r->stack, element);
        if (!rf_parse_accept(r, ','))
            break;
    }
    size_t n = r->stack.len - base;
    rf_arg arg = { .kind = kind, .n = (uint32_t)n };
    arg.at = RF_NEW_ARRAY(r->arena, n, rf_arg);
    if (n)
        memcpy(arg.at, r->stack.data + base, n * sizeof *arg.at);
    r->stack.len = base;
    rf_parse_expect(r, close);
    return arg;
}

static rf_arg parse_address(rf_reader *r)
{
    rf_arg arg = parse_list(r, ']', RF_ARG_ADDRESS);
    if (!arg.n)
        rf_reader_fail(r, "empty address");
    arg.offset = arg.at[0].offset;
    arg.at[0].offset = 0;
    return arg;
}

static rf_arg negate(rf_arg arg)
{
    if (arg.literal == RF_LIT_F32)
        arg.value ^= 0x80000000u;
    else if (arg.literal == RF_LIT_F64)
        arg.value ^= 1ull << 63;
    else
        arg.value = 0 - arg.value;
    arg.negated = !arg.negated;
    return arg;
}

static rf_arg parse_number(rf_reader *r)
{
    rf_arg arg = { .kind = RF_ARG_NUMBER,
                   .value = r->lexer.token.value,
                   .literal = r->lexer.token.literal };
    rf_lex_next(&r->lexer);
    return arg;
}

static rf_arg parse_name(rf_reader *r)
{
    rf_arg arg = { .kind = RF_ARG_NAME, .name = rf_parse_word(r) };
    if (rf_parse_accept(r, '|'))
        arg.pair = rf_parse_word(r);
    if (rf_parse_accept(r, '+'))
        arg.offset = rf_parse_number(r);
    else if (rf_lex_at(&r->lexer, '-'))
        arg.offset = rf_parse_number(r);
    return arg;
}

static rf_arg parse_any(rf_reader *r)
{
    if (rf_parse_accept(r, '{'))
        return parse_list(r, '}', RF_ARG_VECTOR);
    if (rf_parse_accept(r, '('))
        return parse_list(r, ')', RF_ARG_LIST);
    if (rf_parse_accept(r, '['))
        return parse_address(r);
    if (rf_parse_accept(r, '-'))
        return negate(parse_arg(r));
    if (rf_parse_accept(r, '!')) {
        rf_arg arg = parse_arg(r);
        arg.negated = !arg.negated;
        return arg;
    }
    if (r->lexer.token.kind == RF_TOK_NUMBER)
        return parse_number(r);
    if (r->lexer.token.kind == RF_TOK_WORD)
        return parse_name(r);
    rf_reader_fail(r, "expected an operand");
}

static rf_arg parse_arg(rf_reader *r)
{
    rf_parse_enter(r);
    rf_arg arg = parse_any(r);
    r->nesting--;
    return arg;
}

/* ---- statements ---- */

/* Cut "add.rn.f32" at its dots ("shared::cluster" stays whole). */
static void split_opcode(rf_reader *r, rf_statement *s, const char *opcode)
{
    for (const char *p = opcode; *p;) {
        size_t n = strcspn(p, ".");
        if (s->n_parts == RF_MAX_PARTS)
            rf_reader_fail(r, "too many modifiers");
        s->part[s->n_parts++] = rf_arena_strndup(r->arena, p, n);
        p += n + (p[n] == '.');
    }
}

static void parse_guard(rf_reader *r, rf_statement *s)
{
    if (!rf_parse_accept(r, '@'))
        return;
    s->guard_negated = rf_parse_accept(r, '!');
    s->guard = rf_parse_word(r);
}

void rf_parse_statement(rf_reader *r, rf_statement *s)
{
    memset(s, 0, sizeof *s);
    s->text = r->lexer.token.at;
    s->ptx_line = r->lexer.token.line;
    s->file = r->loc;
    parse_guard(r, s);
    split_opcode(r, s, rf_parse_word(r));
    while (!rf_lex_at(&r->lexer, ';')) {
        if (s->n == RF_MAX_ARGS)
            rf_reader_fail(r, "too many operands");
        s->arg[s->n++] = parse_arg(r);
        if (!rf_parse_accept(r, ','))
            break;
    }
    rf_parse_expect(r, ';');
}

/* ---- declarations ---- */

static void parse_attribute(rf_reader *r, rf_declaration *d)
{
    if (rf_lex_is(&r->lexer, ".align")) {
        rf_lex_next(&r->lexer);
        d->align = (uint32_t)rf_parse_number(r);
        return;
    }
    if (rf_lex_is(&r->lexer, ".attribute")) {
        rf_parse_skip_past(r, ')');
        return;
    }
    const char *word = rf_parse_word(r);
    rf_type type = rf_type_find(word + 1);
    if (type)
        d->type = type;
}

static uint32_t parse_dimensions(rf_reader *r, rf_declaration *d)
{
    uint64_t count = 1;
    while (rf_parse_accept(r, '[')) {
        if (rf_parse_accept(r, ']')) {
            d->open = true;
            continue;
        }
        uint64_t n = (uint64_t)rf_parse_number(r);
        if (n > SIZE_LIMIT || count * n > SIZE_LIMIT)
            rf_reader_fail(r, "an array that large");
        count *= n;
        rf_parse_expect(r, ']');
    }
    return d->open ? 0 : (uint32_t)count;
}

rf_declaration rf_parse_declaration(rf_reader *r)
{
    rf_declaration d = { 0 };
    while (r->lexer.token.kind == RF_TOK_WORD && *r->lexer.token.at == '.')
        parse_attribute(r, &d);
    d.name = rf_parse_word(r);
    uint32_t bytes = rf_type_bytes(d.type);
    if (!bytes)
        bytes = 4;
    d.size = parse_dimensions(r, &d) * bytes;
    if (!d.align)
        d.align = bytes;
    if (d.align & (d.align - 1) || d.align > 4096)
        rf_reader_fail(r, "an alignment of %u", d.align);
    return d;
}
