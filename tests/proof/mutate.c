#include "mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
    rf_arena *arena;
    const char *text;
    mutants *out;
} mutator;

static const char *line_of(mutator *m, const char *text, size_t at)
{
    size_t begin = at, end = at;
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    while (text[end] && text[end] != '\n')
        end++;
    while (isspace((unsigned char)text[begin]) && begin < end)
        begin++;
    return rf_arena_strndup(m->arena, text + begin, end - begin);
}

/* text[begin..end) becomes "to". */
static void put(mutator *m, const char *kind, size_t begin, size_t end,
                const char *to)
{
    mutant x = { .kind = kind };
    x.text = rf_arena_printf(m->arena, "%.*s%s%s", (int)begin, m->text, to,
                             m->text + end);
    x.what = rf_arena_printf(m->arena, "%s  ->  %s", line_of(m, m->text, begin),
                             line_of(m, x.text, begin));
    RF_PUSH(m->out->list, x);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Words and operators: from, to, kind. Longer ones come first. */
static const struct {
    const char *from, *to, *kind;
} swaps[] = {
    { " += ", " -= ", "operator" },
    { " += ", " = ", "lost state" },
    { " *= ", " /= ", "operator" },
    { " *= ", " = ", "lost state" },
    { " /= ", " *= ", "operator" },
    { " + ", " - ", "operator" },
    { " - ", " + ", "operator" },
    { " * ", " / ", "operator" },
    { " / ", " * ", "operator" },
    { " < ", " <= ", "off by one" },
    { " > ", " < ", "comparison" },
    { " > ", " >= ", "comparison" },
    { " != ", " == ", "comparison" },
    { " == ", " != ", "comparison" },
    { " && ", " || ", "comparison" },
    { " = 0;", " = 1;", "identity" },
    { " = 0.0f;", " = 1.0f;", "identity" },
    { " = 0.f;", " = 1.f;", "identity" },
    { " = 0.0;", " = 1.0;", "identity" },
    { " ? 0.0f : ", " ? 1.0f : ", "identity" },
    { " ? 0.f : ", " ? 1.f : ", "identity" },
    { "-INFINITY", "0", "identity" },
    { "-INFINITY", "INFINITY", "identity" },
    { "-FLT_MAX", "FLT_MAX", "identity" },
    { "NAN", "0", "identity" },
    { "++", "++, ++", "stride" },
    { "fmaxf(", "fminf(", "operator" },
    { "max(", "min(", "operator" },
    { "[", "[1 + ", "index" },
    { "0xffffffff", "0x0000ffff", "mask" },
    { "0xffffffff", "0xfffffffe", "mask" },
    { "offset = 16", "offset = 8", "shuffle" },
    { "offset = 16", "offset = 32", "shuffle" },
    { "offset /= 2", "offset /= 4", "shuffle" },
    { "xor", "down", "shuffle" },
    { "warp = 1", "warp = 0", "off by one" },
    { "warp = 1", "warp = 2", "off by one" },
    { " / 32", " / 16", "slot" },
    { " % 32", " % 16", "slot" },
    { "_other;", ";", "other for own" },
    { "_other)", ")", "other for own" },
    { "_warp[warp]", "_warp[0]", "slot" },
    { " = lane;", " = 0;", "share" },
    { " = lane;", " = lane + 1;", "share" },
    { "+= 32)", "+= 1)", "share" },
    { "+= 32)", "+= 31)", "share" },
    { "+= 32)", "+= 64)", "share" },
    { "+= 128)", "+= 1)", "share" },
    { "+= 128)", "+= 127)", "share" },
    { "+= 128)", "+= 256)", "share" },
};

static void mutate_swaps(mutator *m)
{
    for (size_t i = 0; i < RF_COUNTOF(swaps); i++) {
        const char *from = swaps[i].from;
        for (const char *at = m->text; (at = strstr(at, from)); at++) {
            size_t begin = (size_t)(at - m->text), n = strlen(from);
            bool inside = is_word(from[0]) && begin && is_word(at[-1]);
            const char *line = line_of(m, m->text, begin);
            if (inside || !strncmp(line, "//", 2))
                continue;
            if (strcmp(swaps[i].kind, "stride")) {
                put(m, swaps[i].kind, begin, begin + n, swaps[i].to);
                continue;
            }
            size_t word = begin;
            while (word && is_word(m->text[word - 1]))
                word--;
            put(m, "stride", begin, begin + 2,
                rf_arena_printf(m->arena, " += 2"));
        }
    }
}

static bool is_operand(char c)
{
    return is_word(c) || c == '[' || c == ']' || c == '.';
}

/* a - b becomes b - a, a / b becomes b / a, for names and elements. */
static void mutate_operands(mutator *m)
{
    for (const char *at = m->text + 1; *at; at++) {
        bool divides = !strncmp(at, " / ", 3);
        if (!divides && strncmp(at, " - ", 3))
            continue;
        size_t left = (size_t)(at - m->text), mid = left + 3, right = mid;
        size_t begin = left;
        while (begin && is_operand(m->text[begin - 1]))
            begin--;
        while (is_operand(m->text[right]))
            right++;
        const char *line = line_of(m, m->text, left);
        if (begin == left || right == mid || m->text[right] == '(' ||
            strstr(line, "//") || !strncmp(line, "for", 3))
            continue;
        put(m, "swapped operands", begin, right,
            rf_arena_printf(m->arena, "%.*s%.3s%.*s", (int)(right - mid),
                            m->text + mid, at, (int)(left - begin),
                            m->text + begin));
    }
}

/* m_old for m and m for m_old, wherever both exist. */
static void mutate_old(mutator *m)
{
    static const char tail[] = "_old";
    for (const char *at = m->text; (at = strstr(at, tail)); at++) {
        size_t end = (size_t)(at - m->text), begin = end;
        if (is_word(at[4]))
            continue;
        while (begin && is_word(m->text[begin - 1]))
            begin--;
        if (!strstr(line_of(m, m->text, begin), "const"))
            put(m, "old for new", end, end + 4, "");
        const char *name =
            rf_arena_strndup(m->arena, m->text + begin, end - begin);
        if (!strstr(line_of(m, m->text, begin), "const"))
            continue;
        for (const char *use = at + 5; (use = strstr(use, name)); use++) {
            size_t k = (size_t)(use - m->text), n = end - begin;
            if (!is_word(use[-1]) && !is_word(use[n]))
                put(m, "old for new", k, k + n,
                    rf_arena_printf(m->arena, "%s_old", name));
        }
    }
}

/* Every simple statement left out; every `if (c)` and `c ? a : ` too. */
static void mutate_statements(mutator *m)
{
    size_t n = strlen(m->text);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && m->text[end] != '\n')
            end++;
        size_t begin = i;
        while (begin < end && m->text[begin] == ' ')
            begin++;
        const char *line = line_of(m, m->text, begin);
        bool is_comment = !strncmp(line, "//", 2);
        bool is_loop = !strncmp(line, "for", 3);
        if (!is_comment && !is_loop && end > begin && m->text[end - 1] == ';')
            put(m, "statement", begin, end, ";");
        if (!strncmp(line, "if (", 4)) {
            size_t close = begin + 4, depth = 1;
            for (; depth && close < end; close++)
                depth += m->text[close] == '('   ? 1
                         : m->text[close] == ')' ? (size_t)-1
                                                 : 0;
            put(m, "guard", begin, close, "");
            put(m, "guard", begin, close, "if (false)");
        }
        i = end + 1;
    }
}

void mutate(rf_arena *arena, const char *text, mutants *out)
{
    mutator m = { .arena = arena, .text = text, .out = out };
    mutate_swaps(&m);
    mutate_operands(&m);
    mutate_old(&m);
    mutate_statements(&m);
}
