/* Launches of a kernel whose rows were given to teams.
 *
 *     source    k<<<G, B>>>      G * B threads, a row each
 *     emitted   k<<<G', B'>>>    G' * B' / lanes teams, a row each
 *
 * Both are the same number: G' * B' = G * B * lanes. A dimension is a product
 * of numbers and of factors that are compared as text, for they stand at one
 * place of the host code; each factor is evaluated as often as before. */
#include "proof/proving.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *text;
    size_t n;
} piece;

typedef struct {
    piece grid, block;           /* x */
    piece grid_rest, block_rest; /* what follows x, empty: nothing */
} dimensions;

enum { MOST_FACTORS = 8 };

typedef struct {
    int64_t number;
    unsigned n;
    piece factor[MOST_FACTORS];
    bool failed;
} product;

/* ---- text ---- */

static piece trim(piece p)
{
    while (p.n && isspace((unsigned char)*p.text)) {
        p.text++;
        p.n--;
    }
    while (p.n && isspace((unsigned char)p.text[p.n - 1]))
        p.n--;
    return p;
}

static int depth_after(int depth, char c)
{
    return depth + (strchr("([{", c) != NULL) - (strchr(")]}", c) != NULL);
}

/* Where the first of "chars" stands in "p" outside all brackets, or p.n. */
static size_t find(piece p, const char *chars)
{
    int depth = 0;
    for (size_t i = 0; i < p.n; i++) {
        if (!depth && strchr(chars, p.text[i]))
            return i;
        depth = depth_after(depth, p.text[i]);
    }
    return p.n;
}

static piece part(piece p, size_t begin, size_t end)
{
    return trim((piece){ p.text + begin, end - begin });
}

static bool same_piece(piece a, piece b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.n && isspace((unsigned char)a.text[i]))
            i++;
        while (k < b.n && isspace((unsigned char)b.text[k]))
            k++;
        if (i == a.n || k == b.n)
            return i == a.n && k == b.n;
        if (a.text[i++] != b.text[k++])
            return false;
    }
}

/* ---- the configuration ---- */

/* dim3(x, rest), or x. */
static bool split_dimension(piece p, piece *x, piece *rest)
{
    *rest = (piece){ p.text, 0 };
    *x = p = trim(p);
    if (p.n < 6 || strncmp(p.text, "dim3(", 5))
        return true;
    if (p.text[p.n - 1] != ')')
        return false;
    p = part(p, 5, p.n - 1);
    size_t comma = find(p, ",");
    *x = part(p, 0, comma);
    *rest = part(p, comma, p.n);
    return find(p, ")") == p.n;
}

static bool read_launch(const rf_unit *unit, const rf_kernel_launch *l,
                        dimensions *out)
{
    const char *text = unit->bytes + l->at.begin;
    const char *begin = strstr(text, "<<<"), *end = strstr(text, ">>>");
    if (!begin || !end || end < begin || end > unit->bytes + l->at.end)
        return false;
    piece all = { begin + 3, (size_t)(end - begin) - 3 };
    if (memchr(all.text, '/', all.n) &&
        (strstr(begin, "//") < end || strstr(begin, "/*") < end) &&
        (strstr(begin, "//") || strstr(begin, "/*")))
        return false; /* a comment, maybe with commas in it */
    size_t comma = find(all, ",");
    if (comma == all.n)
        return false;
    piece rest = part(all, comma + 1, all.n);
    return split_dimension(part(all, 0, comma), &out->grid, &out->grid_rest) &&
           split_dimension(part(rest, 0, find(rest, ",")), &out->block,
                           &out->block_rest);
}

/* ---- products ---- */

/* "(a * b)" without its brackets. */
static piece without_brackets(piece p)
{
    for (;;) {
        piece inside = part(p, p.n > 1, p.n - (p.n > 1));
        bool around = p.n > 1 && p.text[0] == '(' && p.text[p.n - 1] == ')' &&
                      find(inside, ")") == inside.n;
        if (!around)
            return p;
        p = inside;
    }
}

static bool is_number(piece p, int64_t *n)
{
    char *end, copy[24];
    if (!p.n || p.n >= sizeof copy || !isdigit((unsigned char)*p.text))
        return false;
    memcpy(copy, p.text, p.n);
    copy[p.n] = 0;
    *n = strtoll(copy, &end, 10);
    return !*end && (copy[0] != '0' || p.n == 1);
}

/* The last operator of the multiplicative ones, if no other is outside. */
static size_t last_factor(piece p)
{
    int depth = 0;
    size_t last = p.n;
    for (size_t i = 0; i < p.n; i++) {
        if (!depth && strchr("+-<>=!&|^?:,", p.text[i]))
            return p.n;
        if (!depth && i && strchr("*/%", p.text[i]))
            last = i;
        depth = depth_after(depth, p.text[i]);
    }
    return last < p.n && p.text[last] == '*' ? last : p.n;
}

static void multiply(product *to, piece p, unsigned depth)
{
    int64_t n;
    p = without_brackets(trim(p));
    if (is_number(p, &n)) {
        to->failed |= n < 1 || n > INT32_MAX || to->number > INT32_MAX;
        to->number *= n;
        return;
    }
    size_t at = last_factor(p);
    if (at < p.n && depth < MOST_FACTORS) {
        multiply(to, part(p, 0, at), depth + 1);
        multiply(to, part(p, at + 1, p.n), depth + 1);
        return;
    }
    to->failed |= to->n == MOST_FACTORS || !p.n;
    if (!to->failed)
        to->factor[to->n++] = p;
}

static bool same_factors(product a, product b)
{
    if (a.failed || b.failed || a.n != b.n)
        return false;
    for (unsigned i = 0; i < a.n; i++) {
        unsigned k = 0;
        while (k < b.n && !same_piece(a.factor[i], b.factor[k]))
            k++;
        if (k == b.n)
            return false;
        b.factor[k] = b.factor[--b.n];
    }
    return true;
}

/* ---- launches ---- */

static int64_t lanes_of(const rf_team *team, const rf_kernel_launch *l)
{
    return team->width ? (int64_t)team->width : l->block[0];
}

static bool has_as_many(const rf_team *team, const rf_unit *source,
                        const rf_kernel_launch *a, const rf_unit *emitted,
                        const rf_kernel_launch *b)
{
    dimensions x, y;
    product threads = { .number = 1 }, lanes = { .number = 1 };
    int64_t n = lanes_of(team, b);
    if (a->block[1] > 1 || a->block[2] > 1 || b->block[1] > 1 ||
        b->block[2] > 1 || n < 1 || b->block[0] % n ||
        !read_launch(source, a, &x) || !read_launch(emitted, b, &y) ||
        !same_piece(x.grid_rest, y.grid_rest))
        return false;
    multiply(&threads, x.grid, 0);
    multiply(&threads, x.block, 0);
    multiply(&lanes, y.grid, 0);
    multiply(&lanes, y.block, 0);
    return threads.number <= INT32_MAX && lanes.number <= INT32_MAX &&
           same_factors(threads, lanes) && lanes.number == threads.number * n;
}

static const rf_kernel_launch *next_launch(const rf_unit *unit,
                                           const char *kernel, size_t *i)
{
    while (*i < unit->launches.len) {
        const rf_kernel_launch *l = &unit->launches.data[(*i)++];
        if (!strcmp(l->kernel, kernel))
            return l;
    }
    return NULL;
}

bool rf_has_one_block(const rf_unit *unit, const char *kernel)
{
    size_t i = 0, n = 0;
    int64_t blocks;
    dimensions d;
    for (const rf_kernel_launch *l; (l = next_launch(unit, kernel, &i)); n++)
        if (!read_launch(unit, l, &d) || d.grid_rest.n ||
            !is_number(d.grid, &blocks) || blocks != 1)
            return false;
    return n > 0;
}

void rf_prove_launches(rf_prover *p, const rf_team *team)
{
    const rf_unit *source = p->source.unit, *emitted = p->emitted.unit;
    const char *kernel = p->source.func->name;
    size_t i = 0, k = 0, n = 0;
    for (; !p->stopped; n++) {
        const rf_kernel_launch *a = next_launch(source, kernel, &i);
        const rf_kernel_launch *b = next_launch(emitted, kernel, &k);
        if (!a && !b && n)
            return;
        bool ok = a && b && has_as_many(team, source, a, emitted, b);
        rf_oblige(p, "D6", p->task->region->mark.at,
                  ok ? RF_PROVEN : RF_UNDECIDED,
                  "launch %zu of '%s' has a team for every thread of the "
                  "source's",
                  n + 1, kernel);
    }
}
