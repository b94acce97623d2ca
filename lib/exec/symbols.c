/* Names inside a function, literals, special registers. */
#include "exec/ptx.h"
#include "exec/special.h"

#include <ctype.h>
#include <string.h>

enum { FRAME_LIMIT = 1 << 28, LOCAL_LIMIT = 1 << 24 };

/* Reserve words of the frame; columns begin on a multiple of 8 words. */
uint32_t rf_frame_words(rf_reader *r, uint32_t words)
{
    uint32_t at = (r->f->frame_words + 7) & ~7u;
    if (at > FRAME_LIMIT)
        rf_reader_fail(r, "too many registers in one function");
    r->f->frame_words = at + words;
    return at;
}

uint32_t rf_frame_local(rf_reader *r, uint32_t size, uint32_t align)
{
    uint32_t mask = (align < 16 ? 16 : align) - 1;
    uint32_t at = (r->f->local_bytes + mask) & ~mask;
    if (size > LOCAL_LIMIT || at > LOCAL_LIMIT)
        rf_reader_fail(r, "more local memory than a thread has");
    r->f->local_bytes = at + size;
    return at;
}

void rf_symbol_add(rf_reader *r, rf_symbol symbol)
{
    symbol.length = strlen(symbol.name);
    RF_PUSH(r->symbols, symbol);
}

/* "%r12" is register 12 of a range "%r<100>". */
static bool in_range(const rf_symbol *s, const char *name, uint32_t *index)
{
    if (strncmp(s->name, name, s->length) ||
        !isdigit((unsigned char)name[s->length]))
        return false;
    char *end;
    unsigned long n = strtoul(name + s->length, &end, 10);
    *index = (uint32_t)n;
    return !*end && n < s->count;
}

const rf_symbol *rf_symbol_find(rf_reader *r, const char *name, uint32_t *index)
{
    *index = 0;
    for (size_t i = r->symbols.len; i-- > 0;) {
        const rf_symbol *s = &r->symbols.data[i];
        if (s->count ? in_range(s, name, index) : !strcmp(s->name, name))
            return s;
    }
    return NULL;
}

/* Literals share columns; few distinct ones make a linear search cheap, and
 * the latest are the likeliest. */
rf_operand rf_operand_literal(rf_reader *r, uint64_t value)
{
    rf_module *m = r->module;
    size_t n = m->literal_values.len, i = n;
    size_t stop = n > 4096 ? n - 4096 : 0;
    while (i > stop && m->literal_values.data[i - 1] != value)
        i--;
    if (i == stop) {
        RF_PUSH(m->literal_values, value);
        i = n + 1;
    }
    return (rf_operand){ .bank = RF_BANK_CONST,
                         .literal = true,
                         .word = (uint32_t)(i - 1) * RF_LANES };
}

static const struct {
    const char *name;
    bool predicate;
} specials[] = {
#define X(id, name, value) { name, false },
    RF_SPECIALS(X)
#undef X
};

uint32_t rf_special_find(const char *name, bool *predicate)
{
    *predicate = !strcmp(name, "%is_explicit_cluster");
    for (size_t i = 0; i < RF_COUNTOF(specials); i++)
        if (!strcmp(specials[i].name, name))
            return (uint32_t)i * RF_LANES;
    return UINT32_MAX;
}
