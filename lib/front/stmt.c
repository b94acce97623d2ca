/* Statements: from cursors to rf_stmt.
 *
 * libclang gives the parts of a for without saying which is which; the two
 * `;` of its head do. A simple statement's extent stops before its `;`. */
#include "front/reader.h"

#include <string.h>

static uint32_t past_semicolon(const rf_source *s, uint32_t end)
{
    size_t i = rf_token_from(s, end);
    if (i < s->tokens.len)
        i = rf_token_prev(s, i) < s->tokens.len ? rf_token_prev(s, i) : i;
    while (i < s->tokens.len && s->tokens.data[i].begin < end)
        i = rf_cx_token_next(s, i);
    return rf_token_is(s, i, ";") ? s->tokens.data[i].end : end;
}

/* Widen "at" to whole macro expansions: a statement made by one begins and
 * ends somewhere in its arguments. */
static rf_range widen(const rf_source *s, rf_range at)
{
    for (size_t i = 0; i < s->expansions.len; i++) {
        rf_range e = s->expansions.data[i].at;
        if (e.begin >= at.end)
            break;
        if (e.end > at.end)
            at.end = e.end;
        if (e.begin < at.begin && at.begin < e.end)
            at.begin = e.begin;
    }
    return at;
}

/* True if the statement itself is expanded, not only an operand of it: it
 * begins inside a macro and, if it is an expression, ends in the same. */
static bool is_expanded(rf_reader *r, CXCursor cursor, rf_range at)
{
    if (!rf_cursor_begins_in_macro(cursor) ||
        !rf_source_in_macro(r->source, (rf_range){ at.begin, at.begin + 1 }))
        return false;
    return !clang_isExpression(clang_getCursorKind(cursor)) ||
           rf_source_expansion(r->source, at);
}

static rf_stmt *stmt_of(rf_reader *r, CXCursor cursor, rf_stmt_kind kind)
{
    rf_stmt *s = rf_stmt_new(r->arena, kind);
    rf_range at = rf_cursor_range(r, cursor);
    if (at.begin != UINT32_MAX) {
        at = widen(r->source, at);
        s->in_macro = is_expanded(r, cursor, at);
        if (kind != RF_STMT_BLOCK)
            at.end = past_semicolon(r->source, at.end);
    }
    s->at = rf_public_range(r, at);
    return s;
}

static rf_stmt *opaque_stmt(rf_reader *r, CXCursor cursor, const char *what)
{
    rf_stmt *s = stmt_of(r, cursor, RF_STMT_OPAQUE);
    s->text = what;
    rf_forget_inside(r, cursor);
    return s;
}

static void add_to_block(rf_reader *r, rf_stmt *block, unsigned n)
{
    block->n = n;
    block->list = RF_NEW_ARRAY(r->arena, n, rf_stmt *);
}

/* ---- declarations ---- */

/* `T x;` of a class: the call of its constructor stands at the name. */
static bool is_unwritten(CXCursor decl, CXCursor init)
{
    return clang_getCursorKind(init) == CXCursor_CallExpr &&
           clang_equalLocations(clang_getCursorLocation(decl),
                                clang_getCursorLocation(init)) &&
           clang_Cursor_getNumArguments(init) == 0;
}

static rf_stmt *read_decl(rf_reader *r, CXCursor decl)
{
    enum CXCursorKind kind = clang_getCursorKind(decl);
    if (kind == CXCursor_StaticAssert || kind == CXCursor_UsingDirective ||
        kind == CXCursor_UsingDeclaration)
        return stmt_of(r, decl, RF_STMT_EMPTY);
    if (kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl) {
        rf_stmt *alias = stmt_of(r, decl, RF_STMT_ALIAS);
        alias->text = rf_cursor_name(r, decl);
        return alias;
    }
    if (kind != CXCursor_VarDecl)
        return opaque_stmt(r, decl, "declaration");
    if (clang_isInvalidDeclaration(decl))
        return opaque_stmt(r, decl, "declaration with an error");
    rf_stmt *s = stmt_of(r, decl, RF_STMT_DECL);
    s->var = rf_read_var(r, decl);
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    if (!clang_Cursor_isNull(init))
        s->expr = rf_read_expr(r, init);
    if (s->expr && s->expr->op == RF_OP_INIT_LIST && is_unwritten(decl, init))
        s->expr = NULL;
    return s;
}

static rf_stmt *read_decl_stmt(rf_reader *r, CXCursor cursor)
{
    rf_cursors list = rf_children(cursor);
    rf_stmt *s;
    if (list.len == 1) {
        rf_range at = stmt_of(r, cursor, RF_STMT_EMPTY)->at;
        s = read_decl(r, list.data[0]);
        s->at = at;
    } else {
        s = stmt_of(r, cursor, RF_STMT_BLOCK);
        add_to_block(r, s, (unsigned)list.len);
        for (size_t i = 0; i < list.len; i++)
            s->list[i] = read_decl(r, list.data[i]);
    }
    RF_CLEAR(list);
    return s;
}

/* ---- loops and branches ---- */

typedef struct {
    uint32_t first, second, close; /* the two `;` and the `)` of a for */
} for_head;

static bool find_for_head(const rf_source *s, uint32_t begin, for_head *head)
{
    int depth = 0, semicolons = 0;
    size_t i = rf_token_from(s, begin);
    for (; i < s->tokens.len; i = rf_cx_token_next(s, i)) {
        const rf_token *t = &s->tokens.data[i];
        char c = t->end - t->begin == 1 ? s->bytes[t->begin] : 0;
        if (c && strchr("([{", c))
            depth++;
        if (c && strchr(")]}", c) && --depth == 0) {
            head->close = t->begin;
            return semicolons == 2;
        }
        if (c == ';' && depth == 1)
            *(semicolons++ ? &head->second : &head->first) = t->begin;
    }
    return false;
}

/* Find in which of the slots init, condition, step, body a part stands. */
static int slot_of(rf_reader *r, CXCursor part, const for_head *head)
{
    uint32_t begin = rf_cursor_range(r, part).begin;
    if (begin < head->first)
        return 0;
    if (begin < head->second)
        return 1;
    return begin < head->close ? 2 : 3;
}

static rf_stmt *for_from_slots(rf_reader *r, CXCursor cursor, CXCursor *slots)
{
    rf_stmt *s = stmt_of(r, cursor, RF_STMT_FOR);
    if (!clang_Cursor_isNull(slots[0]))
        s->init = rf_read_stmt(r, slots[0]);
    if (!clang_Cursor_isNull(slots[1]))
        s->expr = rf_read_expr(r, slots[1]);
    if (!clang_Cursor_isNull(slots[2]))
        s->step = rf_read_expr(r, slots[2]);
    s->body = rf_read_stmt(r, slots[3]);
    if (s->at.begin != UINT32_MAX)
        s->at.end = s->body->at.end;
    return s;
}

static rf_stmt *read_for(rf_reader *r, CXCursor cursor)
{
    rf_range at = rf_cursor_range(r, cursor);
    for_head head;
    if (at.begin == UINT32_MAX || rf_cursor_begins_in_macro(cursor) ||
        !find_for_head(r->source, at.begin, &head))
        return opaque_stmt(r, cursor, "for made by a macro");
    CXCursor slots[4];
    for (int i = 0; i < 4; i++)
        slots[i] = clang_getNullCursor();
    rf_cursors parts = rf_children(cursor);
    bool is_clear = true;
    for (size_t i = 0; i < parts.len; i++) {
        int slot = slot_of(r, parts.data[i], &head);
        is_clear &= clang_Cursor_isNull(slots[slot]);
        slots[slot] = parts.data[i];
    }
    RF_CLEAR(parts);
    if (!is_clear || clang_Cursor_isNull(slots[3]))
        return opaque_stmt(r, cursor, "for");
    return for_from_slots(r, cursor, slots);
}

static void end_with(rf_stmt *s, const rf_stmt *part)
{
    if (s->at.begin != UINT32_MAX && part->at.begin != UINT32_MAX)
        s->at.end = part->at.end;
}

static bool is_constexpr_if(rf_reader *r, CXCursor cursor)
{
    rf_range at = rf_cursor_range(r, cursor);
    if (at.begin == UINT32_MAX)
        return false;
    size_t i = rf_token_from(r->source, at.begin);
    return rf_token_is(r->source, rf_cx_token_next(r->source, i), "constexpr");
}

static rf_stmt *read_if(rf_reader *r, CXCursor cursor)
{
    rf_cursors parts = rf_children(cursor);
    rf_stmt *s;
    if (parts.len < 2 || parts.len > 3 ||
        !clang_isExpression(clang_getCursorKind(parts.data[0]))) {
        s = opaque_stmt(r, cursor, "if with a declaration");
    } else {
        s = stmt_of(r, cursor, RF_STMT_IF);
        s->is_constexpr = is_constexpr_if(r, cursor);
        s->expr = rf_read_expr(r, parts.data[0]);
        s->body = rf_read_stmt(r, parts.data[1]);
        if (parts.len == 3)
            s->orelse = rf_read_stmt(r, parts.data[2]);
        end_with(s, s->orelse ? s->orelse : s->body);
    }
    RF_CLEAR(parts);
    return s;
}

static rf_stmt *read_while(rf_reader *r, CXCursor cursor)
{
    rf_cursors parts = rf_children(cursor);
    rf_stmt *s;
    if (parts.len != 2 ||
        !clang_isExpression(clang_getCursorKind(parts.data[0]))) {
        s = opaque_stmt(r, cursor, "while with a declaration");
    } else {
        s = stmt_of(r, cursor, RF_STMT_WHILE);
        s->expr = rf_read_expr(r, parts.data[0]);
        s->body = rf_read_stmt(r, parts.data[1]);
        end_with(s, s->body);
    }
    RF_CLEAR(parts);
    return s;
}

static rf_stmt *read_do(rf_reader *r, CXCursor cursor)
{
    rf_cursors parts = rf_children(cursor);
    rf_stmt *s = opaque_stmt(r, cursor, "do");
    if (parts.len == 2) {
        s->kind = RF_STMT_DO;
        s->text = NULL;
        s->body = rf_read_stmt(r, parts.data[0]);
        s->expr = rf_read_expr(r, parts.data[1]);
    }
    RF_CLEAR(parts);
    return s;
}

/* ---- the rest ---- */

static rf_stmt *read_block(rf_reader *r, CXCursor cursor)
{
    rf_cursors parts = rf_children(cursor);
    rf_stmt *s = stmt_of(r, cursor, RF_STMT_BLOCK);
    s->is_scope = true;
    add_to_block(r, s, (unsigned)parts.len);
    for (size_t i = 0; i < parts.len; i++)
        s->list[i] = rf_read_stmt(r, parts.data[i]);
    RF_CLEAR(parts);
    return s;
}

static rf_stmt *read_return(rf_reader *r, CXCursor cursor)
{
    rf_cursors parts = rf_operands(cursor);
    rf_stmt *s = stmt_of(r, cursor, RF_STMT_RETURN);
    if (parts.len)
        s->expr = rf_read_expr(r, parts.data[0]);
    RF_CLEAR(parts);
    return s;
}

static rf_stmt *read_break(rf_reader *r, CXCursor cursor)
{
    return stmt_of(r, cursor, RF_STMT_BREAK);
}

static rf_stmt *read_continue(rf_reader *r, CXCursor cursor)
{
    return stmt_of(r, cursor, RF_STMT_CONTINUE);
}

static rf_stmt *read_empty(rf_reader *r, CXCursor cursor)
{
    return stmt_of(r, cursor, RF_STMT_EMPTY);
}

/* A statement with attributes, e.g. below `#pragma unroll`. */
static rf_stmt *read_attributed(rf_reader *r, CXCursor cursor)
{
    rf_cursors parts = rf_children(cursor);
    rf_stmt *s = NULL;
    for (size_t i = 0; i < parts.len && !s; i++) {
        enum CXCursorKind kind = clang_getCursorKind(parts.data[i]);
        if (clang_isStatement(kind) || clang_isExpression(kind))
            s = rf_read_stmt(r, parts.data[i]);
    }
    RF_CLEAR(parts);
    return s ? s : opaque_stmt(r, cursor, "statement");
}

static const struct {
    enum CXCursorKind kind;
    rf_stmt *(*read)(rf_reader *r, CXCursor cursor);
} readers[] = {
    { CXCursor_CompoundStmt, read_block },
    { CXCursor_DeclStmt, read_decl_stmt },
    { CXCursor_ForStmt, read_for },
    { CXCursor_IfStmt, read_if },
    { CXCursor_WhileStmt, read_while },
    { CXCursor_DoStmt, read_do },
    { CXCursor_ReturnStmt, read_return },
    { CXCursor_BreakStmt, read_break },
    { CXCursor_ContinueStmt, read_continue },
    { CXCursor_NullStmt, read_empty },
    { CXCursor_UnexposedStmt, read_attributed },
};

static const struct {
    enum CXCursorKind kind;
    const char *name;
} opaque_names[] = {
    { CXCursor_GCCAsmStmt, "asm" },
    { CXCursor_GotoStmt, "goto" },
    { CXCursor_IndirectGotoStmt, "goto" },
    { CXCursor_LabelStmt, "label" },
    { CXCursor_SwitchStmt, "switch" },
    { CXCursor_CaseStmt, "case" },
    { CXCursor_DefaultStmt, "default" },
    { CXCursor_CXXTryStmt, "try" },
    { CXCursor_CXXForRangeStmt, "range-based for" },
};

static rf_stmt *dispatch(rf_reader *r, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (r->depth >= RF_DEEPEST)
        return opaque_stmt(r, cursor, "statement nested too deeply");
    for (size_t i = 0; i < RF_COUNTOF(readers); i++)
        if (readers[i].kind == kind)
            return readers[i].read(r, cursor);
    for (size_t i = 0; i < RF_COUNTOF(opaque_names); i++)
        if (opaque_names[i].kind == kind)
            return opaque_stmt(r, cursor, opaque_names[i].name);
    if (!clang_isExpression(kind))
        return opaque_stmt(r, cursor,
                           rf_string(r, clang_getCursorKindSpelling(kind)));
    rf_stmt *s = stmt_of(r, cursor, RF_STMT_EXPR);
    s->expr = rf_read_expr(r, cursor);
    return s;
}

/* ---- `#pragma unroll` and the like ---- */

static bool is_loop_hint(const rf_source *s, size_t pragma)
{
    size_t word = pragma + 1;
    if (rf_token_is(s, word, "GCC") || rf_token_is(s, word, "clang"))
        word++;
    return rf_token_is(s, word, "unroll") || rf_token_is(s, word, "nounroll") ||
           rf_token_is(s, word, "ivdep") || rf_token_is(s, word, "loop");
}

/* Find the loop hint between the token before the statement and itself; move
 * the statement's begin to it. */
static void read_attribute(rf_reader *r, rf_stmt *s, uint32_t begin)
{
    const rf_source *src = r->source;
    for (size_t i = rf_token_from(src, begin); i-- > 0;) {
        const rf_token *t = &src->tokens.data[i];
        bool is_hash = rf_token_is(src, i, "#");
        if (t->kind != CXToken_Comment && !t->is_directive && !t->is_skipped)
            return;
        if (!is_hash || t->is_skipped || !rf_token_is(src, i + 1, "pragma") ||
            !is_loop_hint(src, i + 1))
            continue;
        size_t last = i;
        while (last + 1 < src->tokens.len &&
               src->tokens.data[last + 1].line == t->line)
            last++;
        s->attribute = rf_source_text(
            r, src, (rf_range){ t->begin, src->tokens.data[last].end });
        if (s->at.begin != UINT32_MAX)
            s->at.begin = t->begin;
        return;
    }
}

rf_stmt *rf_read_stmt(rf_reader *r, CXCursor cursor)
{
    r->depth++;
    rf_stmt *s = dispatch(r, cursor);
    r->depth--;
    bool is_loop = rf_stmt_is_loop(s);
    uint32_t begin = rf_cursor_range(r, cursor).begin;
    if (is_loop && !s->attribute && begin != UINT32_MAX)
        read_attribute(r, s, begin);
    return s;
}
