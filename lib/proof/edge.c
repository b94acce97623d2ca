/* Values at the edge (T-7): both programs run on short axes, none included,
 * that hold -inf, +inf and NaN here and there or everywhere. Infinite shifts,
 * initial values and guards show here; what is finite is proven for all
 * values by the other obligations. */
#include "proof/run.h"

#include <math.h>
#include <string.h>

typedef struct {
    const rf_val *a, *b, *guard_a, *guard_b;
    bool overflows; /* only what is finite in the source counts */
    bool differs;
    double left, right;
} question;

static bool same(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

static void ask(rf_run *run, void *data)
{
    question *q = data;
    bool on_a = !q->guard_a || rf_run_value(run, q->guard_a) != 0;
    bool on_b = !q->guard_b || rf_run_value(run, q->guard_b) != 0;
    double a = on_a ? rf_run_value(run, q->a) : 0;
    double b = on_b ? rf_run_value(run, q->b) : 0;
    if (rf_run_failed(run) || q->differs || (on_a == on_b && same(a, b)) ||
        (q->overflows && (!isfinite(a) || isfinite(b))))
        return;
    q->differs = true;
    q->left = a;
    q->right = b;
}

static const struct {
    const char *name;
    unsigned runs;
} kinds[RF_DATA_KINDS] = { { "finite values", 12 },   { "zeros", 40 },
                           { "large values", 60 },    { "some -inf", 300 },
                           { "-inf everywhere", 24 }, { "some +inf", 150 },
                           { "+inf everywhere", 12 }, { "some NaN", 150 },
                           { "one -inf", 100 },       { "one +inf", 100 },
                           { "huge values", 100 } };

typedef struct {
    rf_prover *p;
    const char *name;
    rf_range at;
    unsigned n_loops;
    const rf_loop *const *loops;
    question q;
} check;

/* Run on one kind of data; returns the number of runs that say something. */
static unsigned check_kind(check *c, rf_data data)
{
    unsigned ran = 0, wanted = kinds[data].runs;
    for (unsigned seed = 0; ran < wanted && seed < 4 * wanted && !c->q.differs;
         seed++) {
        rf_run *run = rf_run_new(c->p, data, seed);
        rf_run_loops(run, c->n_loops, c->loops, ask, &c->q);
        ran += !rf_run_failed(run);
        rf_run_free(run);
    }
    return ran;
}

static void check_value(check *c)
{
    bool finite = c->p->task->region->mark.finite;
    unsigned kinds_run = finite ? RF_DATA_ZEROS + 1 : RF_DATA_KINDS, ran = 0;
    for (rf_data data = 0; data < kinds_run; data++) {
        c->q.overflows = data == RF_DATA_LARGE || data == RF_DATA_SOME_HUGE;
        ran += check_kind(c, data);
        if (!c->q.differs)
            continue;
        rf_oblige(c->p, "T-7", c->at, RF_REFUTED,
                  "with %s '%s' would be %g where the source gives %g%s",
                  kinds[data].name, c->name, c->q.right, c->q.left,
                  finite ? "" : "; assume(finite) may unblock this");
        return;
    }
    rf_oblige(c->p, "T-7", c->at, ran ? RF_CHECKED : RF_UNDECIDED,
              "'%s' is the source's in %u runs on %s", c->name, ran,
              finite ? "finite values" : "finite values, -inf, +inf and NaN");
}

static void check_stores(rf_prover *p)
{
    rf_cells source = { 0 }, emitted = { 0 };
    rf_list_cells(p, &source, &emitted);
    for (size_t i = 0; i < source.len; i++)
        for (size_t k = 0; k < emitted.len && !p->stopped; k++) {
            const rf_cell *a = &source.data[i], *b = &emitted.data[k];
            if (!rf_same_nest(p->trace->vals, a->last, b->last))
                continue;
            check c = { .p = p,
                        .name = rf_store_name(p, a->last),
                        .at = a->last->at,
                        .n_loops = a->last->n_loops,
                        .loops = a->last->loops,
                        .q = { .a = a->value,
                               .b = b->value,
                               .guard_a = a->guard,
                               .guard_b = b->guard } };
            check_value(&c);
        }
    RF_CLEAR(source);
    RF_CLEAR(emitted);
}

void rf_prove_edges(rf_prover *p)
{
    if (!p->stopped)
        check_stores(p);
    for (size_t i = 0; i < p->n_finals && !p->stopped; i++) {
        const rf_binding *b = &p->trace->finals.data[i];
        const rf_val *v =
            rf_is_live(p, b->var) ? rf_emitted_final(p, b->var) : NULL;
        if (!v || v == b->value || rf_type_is_pointer_like(b->var->type))
            continue;
        check c = { .p = p,
                    .name = b->var->name,
                    .at = rf_source_place(p, b->var->name),
                    .q = { .a = b->value, .b = v } };
        check_value(&c);
    }
}
