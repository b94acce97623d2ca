/* Refutations of a whole cascade: short inputs over small numbers are listed
 * with the state that they leave; two with one state are continued alike until
 * they differ. */
#include "algebra/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 3, MOST_INPUTS = 1500, MOST_ELEMENTS = 3 };

typedef struct {
    rf_algebra *alg;
    rf_reduce_op op;
    const rf_sym *f;
    const rf_definitions *defs;
    rf_nodes elements;
    RF_ARRAY(const rf_sym *) atom; /* of the point at which F is evaluated */
    double *value;
    double *grid; /* [n_grid * elements.len] */
    unsigned n_grid;
} search;

/* An input, as grid points in rising order, and what it leaves. */
typedef struct {
    unsigned point[LONGEST + 1];
    unsigned length;
    double *state; /* results, then the partial value */
} input;
typedef RF_ARRAY(input) inputs;

/* ---- evaluation ---- */

static double start_of(rf_reduce_op op)
{
    switch (op) {
    case RF_REDUCE_SUM:
    case RF_REDUCE_OR:
        return 0;
    case RF_REDUCE_PRODUCT:
    case RF_REDUCE_AND:
        return 1;
    case RF_REDUCE_MIN:
    case RF_REDUCE_ARGMIN:
    case RF_REDUCE_BOTTOMK:
        return INFINITY;
    default:
        return -INFINITY;
    }
}

static void set_atom(search *q, const rf_sym *atom, double value)
{
    for (size_t i = 0; i < q->atom.len; i++)
        if (q->atom.data[i] == atom)
            q->value[i] = value;
}

static double value_of(const search *q, const rf_sym *e)
{
    return rf_sym_value(e, q->atom.len, q->atom.data, q->value);
}

static double reduce(search *q, rf_reduce_op op, const rf_sym *f,
                     const input *in)
{
    double v = start_of(op);
    for (unsigned i = 0; i < in->length; i++) {
        for (size_t e = 0; e < q->elements.len; e++)
            set_atom(q, q->elements.data[e],
                     q->grid[in->point[i] * q->elements.len + e]);
        v = rf_fold_value(op, v, value_of(q, f));
    }
    return v;
}

/* The results and the value of F over "in". */
static void run(search *q, const input *in, double *state)
{
    if (q->defs->length)
        set_atom(q, q->defs->length, in->length);
    for (unsigned i = 0; i < q->defs->n; i++) {
        const rf_definition *d = &q->defs->def[i];
        state[i] =
            d->post ? value_of(q, d->post) : reduce(q, d->op, d->element, in);
        set_atom(q, d->result, state[i]);
    }
    state[q->defs->n] = reduce(q, q->op, q->f, in);
}

/* ---- the inputs ---- */

static void make_grid(search *q)
{
    static const double numbers[] = { 0, 1, 2, 3, 4, -1, -2 };
    size_t e = q->elements.len;
    unsigned n = RF_COUNTOF(numbers), total = 1;
    for (size_t i = 0; i < e; i++)
        total *= n;
    q->grid = calloc(total * e + 1, sizeof *q->grid);
    for (unsigned k = 0; k < total; k++) {
        unsigned rest = k;
        bool allowed = true;
        for (size_t i = 0; i < e; i++, rest /= n) {
            double v = numbers[rest % n];
            rf_sign sign = q->elements.data[i]->atom->sign;
            allowed = allowed && !(sign != RF_SIGN_ANY && v < 0) &&
                      !(sign == RF_SIGN_POSITIVE && v == 0);
            q->grid[q->n_grid * e + i] = v;
        }
        q->n_grid += allowed;
    }
}

static bool next_input(const search *q, input *in)
{
    for (unsigned i = in->length; i-- > 0;) {
        if (++in->point[i] < q->n_grid) {
            for (unsigned k = i + 1; k < in->length; k++)
                in->point[k] = in->point[i];
            return true;
        }
    }
    return false;
}

static inputs list_inputs(search *q, unsigned length)
{
    inputs list = { 0 };
    input in = { .length = length };
    do {
        input copy = in;
        copy.state = calloc(q->defs->n + 1, sizeof(double));
        run(q, &copy, copy.state);
        RF_PUSH(list, copy);
    } while (list.len < MOST_INPUTS && next_input(q, &in));
    return list;
}

static void free_inputs(inputs *list)
{
    for (size_t i = 0; i < list->len; i++)
        free(list->data[i].state);
    RF_CLEAR(*list);
}

static bool close_to(double x, double y, double tolerance)
{
    if (!isfinite(x) || !isfinite(y))
        return x == y;
    return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

static bool same_state(const search *q, const input *a, const input *b)
{
    for (unsigned i = 0; i <= q->defs->n; i++)
        if (!close_to(a->state[i], b->state[i], 1e-13) || isnan(a->state[i]))
            return false;
    return true;
}

/* ---- the pair ---- */

static double with_tail(search *q, const input *in, unsigned tail)
{
    double state[64];
    input longer = *in;
    if (q->defs->n >= RF_COUNTOF(state))
        return NAN;
    longer.point[longer.length++] = tail;
    run(q, &longer, state);
    return state[q->defs->n];
}

static const double *keep_points(const search *q, const unsigned *point,
                                 unsigned n)
{
    size_t e = q->elements.len;
    double *out = RF_NEW_ARRAY(rf_syms_arena(q->alg->syms), n * e, double);
    for (unsigned i = 0; i < n; i++)
        memcpy(out + i * e, q->grid + point[i] * e, e * sizeof *out);
    return out;
}

static void tell_values(rf_buf *b, const search *q, const double *v, unsigned n)
{
    size_t e = q->elements.len;
    for (size_t k = 0; k < e; k++) {
        rf_buf_printf(b, "%s%s = [", k ? ", " : "",
                      q->elements.data[k]->atom->name);
        for (unsigned i = 0; i < n; i++)
            rf_buf_printf(b, "%s%.9g", i ? ", " : "", v[i * e + k]);
        rf_buf_putc(b, ']');
    }
}

static const char *tell(const search *q, const rf_refutation *r,
                        const double *state)
{
    rf_buf b = { 0 };
    tell_values(&b, q, r->a, r->length);
    rf_buf_puts(&b, " and ");
    tell_values(&b, q, r->b, r->length);
    rf_buf_puts(&b, " leave the same state (");
    for (unsigned i = 0; i < q->defs->n; i++)
        rf_buf_printf(&b, "%s = %.9g, ", q->defs->def[i].result->atom->name,
                      state[i]);
    rf_buf_printf(&b, "partial value %.9g); with ", r->partial);
    tell_values(&b, q, r->after, r->tail);
    rf_buf_printf(&b, " after them they give %.9g and %.9g", r->total_a,
                  r->total_b);
    const char *text =
        rf_arena_strdup(rf_syms_arena(q->alg->syms), rf_buf_text(&b));
    rf_buf_free(&b);
    return text;
}

static bool try_pair(search *q, const input *a, const input *b,
                     rf_refutation *out)
{
    for (unsigned tail = 0; tail < q->n_grid; tail++) {
        double u = with_tail(q, a, tail), v = with_tail(q, b, tail);
        if (!isfinite(u) || !isfinite(v) || close_to(u, v, 1e-3))
            continue;
        rf_arena *arena = rf_syms_arena(q->alg->syms);
        const rf_sym **element =
            RF_NEW_ARRAY(arena, q->elements.len, const rf_sym *);
        for (size_t i = 0; i < q->elements.len; i++)
            element[i] = q->elements.data[i];
        *out = (rf_refutation){
            .found = true,
            .length = a->length,
            .tail = 1,
            .n_elements = q->elements.len,
            .element = element,
            .a = keep_points(q, a->point, a->length),
            .b = keep_points(q, b->point, b->length),
            .after = keep_points(q, &tail, 1),
            .partial = a->state[q->defs->n],
            .total_a = u,
            .total_b = v,
        };
        out->text = tell(q, out, a->state);
        return true;
    }
    return false;
}

static bool search_length(search *q, unsigned length, rf_refutation *out)
{
    inputs list = list_inputs(q, length);
    bool found = false;
    for (size_t i = 0; i < list.len && !found; i++)
        for (size_t k = i + 1; k < list.len && !found; k++)
            found = same_state(q, &list.data[i], &list.data[k]) &&
                    try_pair(q, &list.data[i], &list.data[k], out);
    free_inputs(&list);
    return found;
}

static void add_atoms(search *q, const rf_sym *e)
{
    rf_nodes atoms = { 0 };
    rf_collect_atoms(&atoms, e);
    for (size_t i = 0; i < atoms.len; i++) {
        bool seen = false;
        for (size_t k = 0; k < q->atom.len; k++)
            seen |= q->atom.data[k] == atoms.data[i];
        if (seen)
            continue;
        RF_PUSH(q->atom, atoms.data[i]);
        if (atoms.data[i]->atom->role == RF_ATOM_ELEMENT)
            RF_PUSH(q->elements, atoms.data[i]);
    }
    RF_CLEAR(atoms);
}

static void search_init(search *q)
{
    add_atoms(q, q->f);
    for (unsigned i = 0; i < q->defs->n; i++) {
        const rf_definition *d = &q->defs->def[i];
        add_atoms(q, d->post ? d->post : d->element);
        add_atoms(q, d->result);
    }
    q->value = calloc(q->atom.len + 1, sizeof *q->value);
    for (size_t i = 0; i < q->atom.len; i++)
        q->value[i] = 1 + 0.5 * (double)(i % 3); /* parameters */
}

bool rf_refute(rf_algebra *alg, rf_reduce_op op, const rf_sym *f,
               const rf_definitions *defs, rf_refutation *out)
{
    search q = { .alg = alg, .op = op, .f = f, .defs = defs };
    bool found = false;
    *out = (rf_refutation){ 0 };
    search_init(&q);
    if (q.elements.len && q.elements.len <= MOST_ELEMENTS) {
        make_grid(&q);
        for (unsigned n = 1; n <= LONGEST && !found; n++)
            found = search_length(&q, n, out);
    }
    RF_CLEAR(q.elements);
    RF_CLEAR(q.atom);
    free(q.value);
    free(q.grid);
    return found;
}
