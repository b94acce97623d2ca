/* How often the loops of a chain run, for planning: as the code says, as
 * assume(N <= 4096) says, or a size that is usual for its part. The emitted
 * kernel is right for all sizes; only its speed depends on these. */
#include "plan/chain.h"
#include "plan/planning.h"

enum { USUAL_BATCH = 8, USUAL_DIGIT = 64, USUAL_ROWS = 4096, USUAL = 1024 };

static const rf_var *parameter(const rf_val *v)
{
    v = rf_val_without_casts(v);
    return v->kind == RF_VAL_ENTRY ? v->var : NULL;
}

/* The largest value that assume(...) leaves "var", or 0. */
static int64_t assumed(const rf_chain *ch, const rf_var *var)
{
    rf_region region = { .func = (rf_func *)(uintptr_t)ch->func };
    rf_planner p = { .region = &region, .mark = ch->mark };
    for (unsigned i = 0; var && i < ch->mark->n_predicates; i++) {
        rf_bound b;
        if (!rf_plan_predicate(&p, ch->mark->predicates[i], &b) || b.var != var)
            continue;
        if (b.op == RF_OP_LE || b.op == RF_OP_EQ)
            return b.number;
        if (b.op == RF_OP_LT)
            return b.number - 1;
    }
    return 0;
}

static bool holds(const rf_loop_list *list, const rf_loop *loop)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] == loop)
            return true;
    return false;
}

static rf_chain_extent usual(const rf_chain *ch, const rf_loop *loop)
{
    bool is_digit =
        ch->folded.len && (loop == ch->m || holds(&ch->folded, loop));
    int64_t n = is_digit                  ? USUAL_DIGIT
                : loop == ch->m           ? USUAL_ROWS
                : holds(&ch->batch, loop) ? USUAL_BATCH
                                          : USUAL;
    return (rf_chain_extent){ n, RF_FROM_USUAL };
}

/* Rows that belong to threads end at a parameter, or somewhere. */
static rf_chain_extent thread_rows(const rf_chain *ch)
{
    const rf_expr *e = ch->limit;
    while (e && e->op == RF_OP_CAST)
        e = e->arg[0];
    int64_t n = assumed(ch, e && e->op == RF_OP_VAR ? e->var : NULL);
    return n > 0 ? (rf_chain_extent){ n, RF_FROM_ASSUME } : usual(ch, NULL);
}

rf_chain_extent rf_chain_extent_of(const rf_chain *ch, const rf_loop *loop)
{
    int64_t n;
    if (!loop)
        return thread_rows(ch);
    if (rf_val_is_int(loop->upper, &n))
        return (rf_chain_extent){ n > 0 ? n : 0, RF_FROM_CODE };
    n = assumed(ch, parameter(loop->upper));
    return n > 0 ? (rf_chain_extent){ n, RF_FROM_ASSUME } : usual(ch, loop);
}

rf_chain_extent rf_chain_rows_of(const rf_chain *ch)
{
    rf_chain_extent rows = rf_chain_extent_of(ch, ch->m);
    for (size_t i = 0; i < ch->folded.len; i++) {
        rf_chain_extent e = rf_chain_extent_of(ch, ch->folded.data[i]);
        rows.n *= e.n;
        rows.from = e.from > rows.from ? e.from : rows.from;
    }
    return rows;
}
