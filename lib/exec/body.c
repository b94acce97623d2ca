/* A function's body: declarations, labels, statements; then its jumps. */
#include "exec/ptx.h"

#include <string.h>

enum { MAX_REGISTERS = 1 << 20 };

/* ---- declarations ---- */

static void add_registers(rf_reader *r, rf_type type)
{
    rf_symbol s = { .name = rf_parse_word(r),
                    .class = RF_SYM_REGISTER,
                    .type = type };
    uint32_t count = 1;
    if (rf_parse_accept(r, '<')) {
        int64_t n = rf_parse_number(r);
        if (n < 0 || n > MAX_REGISTERS)
            rf_reader_fail(r, "that many registers");
        count = s.count = (uint32_t)n;
        rf_parse_expect(r, '>');
    }
    uint32_t words = type == RF_T_PRED   ? 1
                     : type == RF_T_B128 ? 2 * RF_LANES
                                         : RF_LANES;
    s.size = words;
    s.offset = rf_frame_words(r, count * words);
    rf_symbol_add(r, s);
}

static void parse_registers(rf_reader *r)
{
    rf_lex_next(&r->lexer);
    rf_type type = rf_type_find(rf_parse_word(r) + 1);
    if (!type)
        rf_reader_fail(r, "unknown register type");
    do
        add_registers(r, type);
    while (rf_parse_accept(r, ','));
    rf_parse_expect(r, ';');
}

static void parse_shared(rf_reader *r)
{
    rf_lex_next(&r->lexer);
    rf_declaration d = rf_parse_declaration(r);
    rf_module *m = r->module;
    rf_symbol s = { .name = d.name,
                    .class = RF_SYM_SHARED,
                    .type = d.type,
                    .offset = (uint32_t)m->variables.len };
    RF_PUSH(m->variables,
            (rf_variable){ .name = "", /* only seen by this function */
                           .space = RF_SPACE_SHARED,
                           .size = d.size,
                           .align = d.align,
                           .column = m->n_shared++ });
    rf_symbol_add(r, s);
    rf_parse_expect(r, ';');
}

/* .local and the .param of a call: bytes of the lane's stack. */
static void parse_frame_bytes(rf_reader *r)
{
    rf_lex_next(&r->lexer);
    rf_declaration d = rf_parse_declaration(r);
    rf_symbol_add(r,
                  (rf_symbol){ .name = d.name,
                               .class = RF_SYM_FRAME,
                               .type = d.type,
                               .size = d.size,
                               .offset = rf_frame_local(r, d.size, d.align) });
    rf_parse_expect(r, ';');
}

/* .loc file line column[, function_name label, inlined_at file line column] */
static void parse_loc(rf_reader *r)
{
    rf_loc loc = { 0 };
    rf_lex_next(&r->lexer);
    loc.file = r->first_file + (uint32_t)rf_parse_number(r);
    loc.line = (uint32_t)rf_parse_number(r);
    rf_parse_number(r);
    if (rf_parse_accept(r, ',')) {
        rf_parse_word(r);
        rf_parse_word(r);
        if (rf_parse_accept(r, '+'))
            rf_parse_number(r);
        rf_parse_expect(r, ',');
        rf_parse_word(r);
        loc.from_file = r->first_file + (uint32_t)rf_parse_number(r);
        loc.from_line = (uint32_t)rf_parse_number(r);
        rf_parse_number(r);
    }
    RF_PUSH(r->module->locs, loc);
    r->loc = (uint32_t)r->module->locs.len;
}

static void parse_directive(rf_reader *r)
{
    rf_lexer *x = &r->lexer;
    if (rf_lex_is(x, ".reg"))
        parse_registers(r);
    else if (rf_lex_is(x, ".loc"))
        parse_loc(r);
    else if (rf_lex_is(x, ".shared"))
        parse_shared(r);
    else if (rf_lex_is(x, ".local") || rf_lex_is(x, ".param"))
        parse_frame_bytes(r);
    else if (rf_lex_is(x, ".section"))
        rf_parse_skip_past(r, '}');
    else if (rf_lex_is(x, ".pragma") || rf_lex_is(x, ".file") ||
             rf_lex_is(x, ".callprototype"))
        rf_parse_skip_past(r, ';');
    else
        rf_reader_fail(r, "unknown directive");
}

/* ---- labels ---- */

static void parse_targets(rf_reader *r, const char *name)
{
    RF_PUSH(r->tables, (rf_table){ .name = name, .scope = r->scope });
    rf_lex_next(&r->lexer);
    do
        RF_PUSH(RF_LAST(r->tables).labels, rf_parse_word(r));
    while (rf_parse_accept(r, ','));
    rf_parse_expect(r, ';');
}

static void parse_label(rf_reader *r, const char *name)
{
    rf_parse_expect(r, ':');
    if (rf_lex_is(&r->lexer, ".branchtargets"))
        parse_targets(r, name);
    else if (rf_lex_is(&r->lexer, ".callprototype") ||
             rf_lex_is(&r->lexer, ".calltargets"))
        rf_parse_skip_past(r, ';');
    else
        RF_PUSH(r->labels,
                (rf_label){ name, r->scope, (uint32_t)r->module->code.len });
}

/* A word followed by ':' is a label. */
static bool at_label(const rf_lexer *x)
{
    rf_lexer ahead = *x;
    if (x->token.kind != RF_TOK_WORD)
        return false;
    rf_lex_next(&ahead);
    return rf_lex_at(&ahead, ':');
}

static const rf_label *find_label(const rf_reader *r, const char *name,
                                  uint32_t scope)
{
    for (;; scope = r->scope_parent.data[scope]) {
        for (size_t i = 0; i < r->labels.len; i++)
            if (r->labels.data[i].scope == scope &&
                !strcmp(r->labels.data[i].name, name))
                return &r->labels.data[i];
        if (!scope)
            return NULL;
    }
}

static void resolve(rf_reader *r)
{
    for (size_t i = 0; i < r->fixups.len; i++) {
        const rf_fixup *x = &r->fixups.data[i];
        const rf_label *l = find_label(r, x->name, x->scope);
        if (!l)
            rf_reader_fail(r, "label %s is not defined", x->name);
        if (x->slot)
            *x->slot = l->code;
        else
            r->module->code.data[x->code].target = l->code;
    }
    for (size_t i = 0; i < r->labels.len; i++)
        r->module->code.data[r->labels.data[i].code].leader = true;
}

/* A branch that not all lanes take leaves lanes behind at the next one. */
static void mark_leaders(rf_reader *r)
{
    rf_instr *code = r->module->code.data;
    for (uint32_t i = r->f->start; i + 1 < r->module->code.len; i++)
        if (code[i].kind == RF_KIND_BRANCH ||
            code[i].kind == RF_KIND_BRANCH_TABLE ||
            code[i].kind == RF_KIND_CALL)
            code[i + 1].leader = true;
}

/* ---- the body ---- */

static void clear_body(rf_reader *r)
{
    for (size_t i = 0; i < r->tables.len; i++)
        RF_CLEAR(r->tables.data[i].labels);
    r->tables.len = r->labels.len = r->fixups.len = 0;
    r->scope_parent.len = 0;
    RF_PUSH(r->scope_parent, 0);
    r->scope = 0;
}

static void parse_block(rf_reader *r);

static void parse_scope(rf_reader *r)
{
    uint32_t outer = r->scope;
    size_t names = r->symbols.len;
    r->scope = (uint32_t)r->scope_parent.len;
    RF_PUSH(r->scope_parent, outer);
    rf_parse_enter(r);
    parse_block(r);
    r->nesting--;
    r->symbols.len = names;
    r->scope = outer;
}

static void parse_one(rf_reader *r)
{
    if (rf_parse_accept(r, ';'))
        return;
    if (rf_parse_accept(r, '{')) {
        parse_scope(r);
        return;
    }
    const rf_token *t = &r->lexer.token;
    if (at_label(&r->lexer)) {
        parse_label(r, rf_parse_word(r));
    } else if (t->kind == RF_TOK_WORD && *t->at == '.') {
        parse_directive(r);
    } else {
        rf_statement s;
        rf_parse_statement(r, &s);
        rf_decode(r, &s);
    }
}

static void parse_block(rf_reader *r)
{
    while (!rf_parse_accept(r, '}')) {
        if (r->lexer.token.kind == RF_TOK_END)
            rf_reader_fail(r, "a function without end");
        parse_one(r);
    }
}

void rf_parse_body(rf_reader *r)
{
    rf_function *f = r->f;
    clear_body(r);
    f->start = (uint32_t)r->module->code.len;
    rf_parse_expect(r, '{');
    parse_block(r);
    rf_statement end = { .text = "ret;", .file = r->loc };
    rf_emit(r, &end, NULL, RF_KIND_RETURN, RF_CLASS_CONTROL);
    f->end = (uint32_t)r->module->code.len;
    f->defined = true;
    resolve(r);
    mark_leaders(r);
    r->scope = 0;
}
