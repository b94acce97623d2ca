/* PTX text to tokens. Words keep their dots: "add.rn.f32" is one token. */
#include "exec/ptx.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' ||
           c == '.';
}

static const char *skip_comment(rf_lexer *x, const char *p)
{
    if (p[1] == '/')
        return p + strcspn(p, "\n");
    for (p += 2; *p && !(p[0] == '*' && p[1] == '/'); p++)
        x->line += *p == '\n';
    return *p ? p + 2 : p;
}

static const char *skip_space(rf_lexer *x, const char *p)
{
    for (;;) {
        if (*p == '\n')
            x->line++;
        if (isspace((unsigned char)*p))
            p++;
        else if (p[0] == '/' && (p[1] == '/' || p[1] == '*'))
            p = skip_comment(x, p);
        else
            return p;
    }
}

static uint64_t double_bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static const char *lex_number(rf_token *t, const char *p)
{
    char *end;
    t->kind = RF_TOK_NUMBER;
    t->literal = RF_LIT_INT;
    if (p[0] == '0' && (p[1] == 'f' || p[1] == 'F')) {
        t->value = strtoull(p + 2, &end, 16);
        t->literal = RF_LIT_F32;
        return end;
    }
    if (p[0] == '0' && (p[1] == 'd' || p[1] == 'D')) {
        t->value = strtoull(p + 2, &end, 16);
        t->literal = RF_LIT_F64;
        return end;
    }
    bool binary = p[0] == '0' && (p[1] == 'b' || p[1] == 'B');
    t->value = binary ? strtoull(p + 2, &end, 2) : strtoull(p, &end, 0);
    if (*end == '.' && isdigit((unsigned char)end[1])) {
        t->value = double_bits(strtod(p, &end));
        t->literal = RF_LIT_F64;
    }
    return *end == 'U' ? end + 1 : end;
}

/* A directive ends at the next dot: ".reg.b32" is two words. */
static const char *lex_word(const char *p)
{
    const char *start = p;
    bool directive = *p == '.';
    while (is_word(*p) ||
           (p[0] == ':' && p[1] == ':' && isalpha((unsigned char)p[2]))) {
        if (directive && *p == '.' && p != start)
            break;
        p += *p == ':' ? 2 : 1;
    }
    return p;
}

static const char *lex_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

static const char *lex_one(rf_token *t, const char *p)
{
    if (!*p) {
        t->kind = RF_TOK_END;
        return p;
    }
    if (isdigit((unsigned char)*p))
        return lex_number(t, p);
    if (*p == '"') {
        t->kind = RF_TOK_STRING;
        return lex_string(p);
    }
    if (is_word(*p)) {
        t->kind = RF_TOK_WORD;
        return lex_word(p);
    }
    t->kind = RF_TOK_PUNCT;
    t->punct = *p;
    return p + 1;
}

void rf_lex_next(rf_lexer *x)
{
    const char *p = skip_space(x, x->at);
    x->token = (rf_token){ .at = p, .line = x->line };
    x->at = lex_one(&x->token, p);
    x->token.length = (size_t)(x->at - p);
}

void rf_lex_start(rf_lexer *x, const char *text)
{
    *x = (rf_lexer){ .at = text, .line = 1 };
    rf_lex_next(x);
}

bool rf_lex_is(const rf_lexer *x, const char *word)
{
    return x->token.kind == RF_TOK_WORD && x->token.length == strlen(word) &&
           !memcmp(x->token.at, word, x->token.length);
}

bool rf_lex_at(const rf_lexer *x, char punct)
{
    return x->token.kind == RF_TOK_PUNCT && x->token.punct == punct;
}
