/* How many threads a block may have: assume(blockDim.x == 256), launches in
 * the file, __launch_bounds__; else every number of whole warps. Launches say
 * as well what template parameters such as BLOCK are. */
#include "ir/collective.h"

#include <ctype.h>
#include <string.h>

/* "blockDim.x REL n" without blanks in front; the relation, or NULL. */
static const char *about_block(const char *text)
{
    static const char name[] = "blockDim.x";
    while (isspace((unsigned char)*text))
        text++;
    if (strncmp(text, name, sizeof name - 1))
        return NULL;
    text += sizeof name - 1;
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static bool holds(const char *relation, unsigned n)
{
    bool equal = relation[0] == '=' && relation[1] == '=';
    bool less = relation[0] == '<', greater = relation[0] == '>';
    bool inclusive = relation[1] == '=';
    bool multiple = relation[0] == '%';
    char *end;
    unsigned long k = strtoul(relation + (multiple             ? 1
                                          : inclusive || equal ? 2
                                                               : 1),
                              &end, 10);
    if (multiple)
        return !k || n % k == 0;
    return equal     ? n == k
           : less    ? n < k || (inclusive && n == k)
           : greater ? n > k || (inclusive && n == k)
                     : true;
}

typedef RF_ARRAY(const char *) relations;

static void find_relations(const rf_unit *unit, const rf_func *func,
                           relations *out)
{
    for (size_t i = 0; i < unit->regions.len; i++) {
        const rf_region *region = &unit->regions.data[i];
        for (unsigned k = 0;
             region->func == func && k < region->mark.n_predicates; k++) {
            const char *relation = about_block(region->mark.predicates[k]);
            if (relation)
                RF_PUSH(*out, relation);
        }
    }
}

static unsigned bound_of(const rf_func *func)
{
    char *end = NULL;
    unsigned long n =
        func->launch_bounds ? strtoul(func->launch_bounds, &end, 10) : 0;
    return n && n <= RF_LARGEST_BLOCK ? (unsigned)n : RF_LARGEST_BLOCK;
}

static bool all_hold(const relations *r, unsigned n)
{
    for (size_t i = 0; i < r->len; i++)
        if (!holds(r->data[i], n))
            return false;
    return true;
}

/* A size that is named stands for itself, whole warps or not. */
static bool is_named(const relations *r)
{
    for (size_t i = 0; i < r->len; i++)
        if (r->data[i][0] == '=')
            return true;
    return false;
}

static bool is_listed(const rf_shapes *list, rf_shape shape)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].x == shape.x &&
            list->data[i].threads == shape.threads)
            return true;
    return false;
}

static void add(rf_shapes *list, unsigned x, unsigned threads)
{
    rf_shape shape = { x, threads };
    if (!is_listed(list, shape))
        RF_PUSH(*list, shape);
}

/* Warps are rows of such a block, or parts of rows. */
static bool is_followed(const rf_kernel_launch *l)
{
    return l->block[2] <= 1 &&
           (l->block[1] <= 1 ||
            (l->block[0] % RF_WARP == 0 &&
             l->block[0] * l->block[1] <= RF_LARGEST_BLOCK));
}

static bool from_launches(const rf_unit *unit, const rf_func *func,
                          rf_blocks *out)
{
    bool all = false;
    for (size_t i = 0; i < unit->launches.len; i++) {
        const rf_kernel_launch *l = &unit->launches.data[i];
        if (strcmp(l->kernel, func->name))
            continue;
        if (l->block[0] < 1 || l->block[0] > RF_LARGEST_BLOCK) {
            out->followed &= l->block[1] <= 1 && l->block[2] <= 1;
            out->whole.len = 0;
            return false;
        }
        unsigned x = (unsigned)l->block[0];
        unsigned y = l->block[1] > 1 ? (unsigned)l->block[1] : 1;
        if (is_followed(l))
            add(&out->whole, x, x * y);
        else
            out->followed = false;
        all = true;
    }
    return all;
}

static int by_size(const void *a, const void *b)
{
    const rf_shape *x = a, *y = b;
    if (x->threads != y->threads)
        return (x->threads > y->threads) - (x->threads < y->threads);
    return (x->x > y->x) - (x->x < y->x);
}

static void list_numbers(rf_blocks *out, const relations *r, bool named,
                         unsigned bound)
{
    static const unsigned odd[] = { 1,  2,  3,   7,   31,  33,  48,  63,
                                    65, 95, 100, 127, 129, 255, 1000 };
    out->whole.len = 0;
    for (unsigned n = 1; n <= bound; n++)
        if ((named || n % RF_WARP == 0) && all_hold(r, n))
            add(&out->whole, n, n);
    for (size_t i = 0; i < RF_COUNTOF(odd) && !named; i++)
        if (odd[i] <= bound && all_hold(r, odd[i]))
            add(&out->partial, odd[i], odd[i]);
}

rf_blocks rf_blocks_of(const rf_unit *unit, const rf_func *func)
{
    rf_blocks out = { .followed = true };
    relations r = { 0 };
    find_relations(unit, func, &r);
    bool named = is_named(&r);
    unsigned bound = bound_of(func);
    out.launched = from_launches(unit, func, &out) && !r.len;
    if (!out.launched)
        list_numbers(&out, &r, named, bound);
    if (!out.whole.len)
        add(&out.whole, bound, bound);
    qsort(out.whole.data, out.whole.len, sizeof *out.whole.data, by_size);
    out.assumed = !out.launched && !named;
    RF_CLEAR(r);
    return out;
}

/* ---- template<int BLOCK> ---- */

/* Which value of "l" is that of parameter "name"; in types without aliases it
 * is called value-parameter-0-K, K counting all parameters. -1: none. */
static int find_value(const rf_func *func, const rf_kernel_launch *l,
                      const char *name)
{
    static const char unnamed[] = "value-parameter-0-";
    size_t n = sizeof unnamed - 1;
    bool by_place = !strncmp(name, unnamed, n);
    for (unsigned i = 0; i < l->n_values && i < func->n_template; i++)
        if (by_place ? l->place[i] == strtoul(name + n, NULL, 10)
                     : !strcmp(func->template_params[i]->name, name))
            return (int)i;
    return -1;
}

static bool has_shape(const rf_kernel_launch *l, rf_shape shape)
{
    int64_t y = l->block[1] > 1 ? l->block[1] : 1;
    return l->block[0] == shape.x && l->block[0] * y == shape.threads;
}

bool rf_launched_value(const rf_unit *unit, const rf_func *func,
                       const char *name, rf_shape shape, int64_t *value)
{
    bool any = false;
    for (size_t i = 0; i < unit->launches.len; i++) {
        const rf_kernel_launch *l = &unit->launches.data[i];
        if (strcmp(l->kernel, func->name) || !has_shape(l, shape))
            continue;
        int k = find_value(func, l, name);
        if (k < 0 || l->n_values != func->n_template ||
            (any && l->values[k] != *value))
            return false;
        *value = l->values[k];
        any = true;
    }
    return any;
}
