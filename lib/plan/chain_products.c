/* Find the two products of a chain among the reductions of a trace:
 *
 *     second   E = SUM_n term,  term = P * D, where P uses results over n
 *     firsts   the results C[m,n] that P uses, each C = SUM_k A * B
 *     roles    m: loops of E that C has too;  l: the loop that only D has
 *
 * Nothing here depends on how indices are computed: a layout is whatever the
 * loads say (THEORY 9; act is applied to complete sums because a result is
 * one, and a sum that act meets earlier is no sum to the trace). */
#include "plan/chaining.h"

/* Does the reduction itself move with "loop"? It may stand in a loop that it
 * does not depend on: a product written inside the other one's column loop. */
static bool red_varies(const rf_red *r, const rf_loop *loop)
{
    return rf_chain_varies(r->term, loop) || rf_chain_varies(r->init, loop) ||
           rf_chain_varies(r->guard, loop) || rf_chain_varies(r->path, loop);
}

bool rf_chain_varies(const rf_val *v, const rf_loop *loop)
{
    if (!v || !loop)
        return false;
    if (v->kind == RF_VAL_INDEX)
        return v->loop == loop;
    for (unsigned i = 0; i < v->n; i++) {
        if (!rf_chain_varies(v->arg[i], loop))
            continue;
        const rf_red *r = v->kind == RF_VAL_RESULT ? v->red : NULL;
        if (!r || red_varies(r, i < r->n_outer ? r->outer[i]
                                               : r->free[i - r->n_outer]))
            return true;
    }
    return false;
}

/* ---- sums over several loops ---- */

const rf_red *rf_chain_inner(const rf_red *red)
{
    const rf_val *t = red->term;
    const rf_red *r = t->kind == RF_VAL_RESULT ? t->red : NULL;
    bool whole = r && t == r->result && !r->team &&
                 rf_val_is_number(r->init, 0) && r->op == RF_REDUCE_SUM &&
                 red->op == RF_REDUCE_SUM && rf_type_same(r->type, red->type);
    return whole ? r : NULL;
}

bool rf_chain_same_axes(const rf_red *a, const rf_red *b)
{
    for (; a && b && a->axis == b->axis; b = rf_chain_inner(b))
        a = rf_chain_inner(a);
    return !a && !b;
}

const rf_red *rf_chain_leaf(const rf_red *red)
{
    for (const rf_red *r = red; r; r = rf_chain_inner(r))
        red = r;
    return red;
}

static bool varies_with_axes(const rf_val *v, const rf_red *red)
{
    for (; red; red = rf_chain_inner(red))
        if (rf_chain_varies(v, red->axis))
            return true;
    return false;
}

/* ---- results ---- */

static bool is_result_over(const rf_val *v, const void *loop)
{
    return v->kind == RF_VAL_RESULT && rf_chain_varies(v, loop);
}

static bool is_first(const rf_chain *chain, const rf_red *red)
{
    for (size_t i = 0; i < chain->firsts.len; i++)
        if (chain->firsts.data[i] == red)
            return true;
    return false;
}

static bool is_first_result(const rf_val *v, const void *chain)
{
    return v->kind == RF_VAL_RESULT && is_first(chain, v->red);
}

const rf_val *rf_chain_result_in(const rf_chain *chain, const rf_val *v)
{
    return v ? rf_val_find(v, is_first_result, chain) : NULL;
}

/* Collect the results over n that "v" itself uses. */
static void add_firsts(rf_chaining *c, const rf_val *v)
{
    if (v->kind == RF_VAL_RESULT) {
        if (rf_chain_varies(v, c->chain->n) && !is_first(c->chain, v->red))
            RF_PUSH(c->chain->firsts, v->red);
        return;
    }
    for (unsigned i = 0; i < v->n; i++)
        add_firsts(c, v->arg[i]);
}

/* ---- the second product ---- */

/* Does the term of "red" use results over one of its own axes? */
static bool uses_results(const rf_red *red)
{
    const rf_val *term = rf_chain_leaf(red)->term;
    for (; red; red = rf_chain_inner(red))
        if (rf_val_find(term, is_result_over, red->axis))
            return true;
    return false;
}

/* The last reduction whose term uses results over its own axis. */
static bool find_second(rf_chaining *c)
{
    const rf_red *found = NULL;
    for (size_t i = 0; i < c->trace->reds.len; i++) {
        const rf_red *r = c->trace->reds.data[i];
        if (uses_results(r))
            found = r;
    }
    if (!found)
        return rf_chain_refuse(c, RF_DIAG_LOOP_MISMATCH, c->region->stmt->at,
                               "no product here uses the result of another "
                               "one along its own axis");
    c->chain->second = found;
    c->chain->n = found->axis;
    if (found->team)
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, found->at,
                               "the second sum is shared by several threads");
    if (rf_chain_inner(found))
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, found->at,
                               "the second product sums over several loops");
    if (found->op != RF_REDUCE_SUM)
        return rf_chain_refuse(c, RF_DIAG_NOT_DECOMPOSABLE, found->at,
                               "the second step is a %s, not a sum of "
                               "products",
                               rf_reduce_name(found->op));
    return true;
}

/* ---- factors ---- */

typedef bool tester(const rf_chaining *, const rf_val *);

static bool is_product(const rf_val *v)
{
    return v->kind == RF_VAL_OP &&
           (v->op == RF_OP_MUL || v->op == RF_OP_NEG || v->op == RF_OP_DIV);
}

/* True if no factor of "v" passes both tests; counts those that pass one. */
static bool split_factors(const rf_chaining *c, const rf_val *v, tester *a,
                          tester *b, unsigned *n_a, unsigned *n_b)
{
    bool in_a = a(c, v), in_b = b(c, v);
    if (in_a && in_b) {
        if (v->kind == RF_VAL_CAST || is_product(v)) {
            for (unsigned i = 0; i < v->n; i++)
                if (!split_factors(c, v->arg[i], a, b, n_a, n_b))
                    return false;
            return true;
        }
        return false;
    }
    *n_a += in_a;
    *n_b += in_b;
    return true;
}

static bool uses_first(const rf_chaining *c, const rf_val *v)
{
    return rf_chain_result_in(c->chain, v) != NULL;
}

static bool uses_column(const rf_chaining *c, const rf_val *v)
{
    return rf_chain_varies(v, c->chain->l);
}

/* Count the factors of "v" that vary with n, and those that vary with k but
 * not with n: both matrices of a first product. */
static void count_factors(const rf_val *v, const rf_red *k, const rf_loop *n,
                          unsigned *n_a, unsigned *n_b)
{
    if (v->kind == RF_VAL_CAST || is_product(v)) {
        for (unsigned i = 0; i < v->n; i++)
            count_factors(v->arg[i], k, n, n_a, n_b);
        return;
    }
    bool over_n = rf_chain_varies(v, n);
    *n_b += over_n;
    *n_a += !over_n && varies_with_axes(v, k);
}

static bool check_second(rf_chaining *c)
{
    const rf_red *e = c->chain->second;
    unsigned n_p = 0, n_d = 0;
    if (split_factors(c, e->term, uses_first, uses_column, &n_p, &n_d) && n_p &&
        n_d)
        return true;
    return rf_chain_refuse(c, RF_DIAG_NOT_DECOMPOSABLE, e->at,
                           "the second sum is no product of the intermediate "
                           "and a matrix of its own");
}

static bool check_first(rf_chaining *c, const rf_red *r)
{
    if (r->op != RF_REDUCE_SUM)
        return rf_chain_refuse(c, RF_DIAG_NOT_DECOMPOSABLE, r->at,
                               "the intermediate is a %s, not a sum of "
                               "products",
                               rf_reduce_name(r->op));
    if (r->team)
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, r->at,
                               "the first sum is shared by several threads");
    if (r->path)
        return rf_chain_refuse(c, RF_DIAG_CONTROL, r->at,
                               "this product runs only under a condition");
    if (r->axis == c->chain->n)
        return rf_chain_refuse(c, RF_DIAG_LOOP_MISMATCH, r->at,
                               "both products run over one axis");
    if (uses_results(r))
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, r->at,
                               "chains of three products are not fused yet");
    unsigned n_a = 0, n_b = 0;
    count_factors(rf_chain_leaf(r)->term, r, c->chain->n, &n_a, &n_b);
    if (!c->chain->k)
        c->chain->k = r->axis;
    if (n_a && n_b)
        return true;
    return rf_chain_refuse(c, RF_DIAG_NOT_DECOMPOSABLE, r->at,
                           "the first sum is no product of two matrices");
}

/* ---- roles of the loops ---- */

static bool any_first_over(const rf_chain *chain, const rf_loop *loop)
{
    for (size_t i = 0; i < chain->firsts.len; i++) {
        const rf_red *r = chain->firsts.data[i];
        if (rf_chain_varies(r->result, loop))
            return true;
    }
    return false;
}

static bool take_role(rf_chaining *c, const rf_loop *loop)
{
    rf_chain *ch = c->chain;
    if (any_first_over(ch, loop)) {
        if (ch->m)
            RF_PUSH(ch->batch, ch->m);
        ch->m = loop;
        return true;
    }
    if (ch->l)
        return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, ch->second->at,
                               "the second product has more than one column "
                               "loop");
    ch->l = loop;
    return true;
}

/* Does a factor of "v" vary with "column" and with "loop"? */
static bool is_seen(const rf_val *v, const rf_loop *column, const rf_loop *loop)
{
    if (!rf_chain_varies(v, column) || !rf_chain_varies(v, loop))
        return false;
    if (v->kind != RF_VAL_CAST && !is_product(v))
        return true;
    for (unsigned i = 0; i < v->n; i++)
        if (is_seen(v->arg[i], column, loop))
            return true;
    return false;
}

/* A loop that neither B nor D depends on only counts more rows. */
static bool only_counts_rows(const rf_chain *ch, const rf_loop *loop)
{
    for (size_t i = 0; i < ch->firsts.len; i++)
        if (is_seen(rf_chain_leaf(ch->firsts.data[i])->term, ch->n, loop))
            return false;
    return !is_seen(ch->second->term, ch->l, loop);
}

static void fold_rows(rf_chain *ch)
{
    rf_loop_list batch = ch->batch;
    ch->batch = (rf_loop_list){ 0 };
    bool fold = ch->m && only_counts_rows(ch, ch->m);
    for (size_t i = 0; i < batch.len; i++)
        if (fold && only_counts_rows(ch, batch.data[i]))
            RF_PUSH(ch->folded, batch.data[i]);
        else
            RF_PUSH(ch->batch, batch.data[i]);
    RF_CLEAR(batch);
}

static bool find_roles(rf_chaining *c)
{
    const rf_red *e = c->chain->second;
    for (unsigned i = 0; i < e->n_outer; i++)
        if (!take_role(c, e->outer[i]))
            return false;
    for (unsigned i = 0; i < e->n_free; i++)
        if (!take_role(c, e->free[i]))
            return false;
    if (!c->chain->l)
        return rf_chain_refuse(c, RF_DIAG_LOOP_MISMATCH, e->at,
                               "the second step is one sum a row: it has no "
                               "columns of its own");
    fold_rows(c->chain);
    return true;
}

/* ---- loops that tiles can follow ---- */

static bool is_row_loop(const rf_chain *ch, const rf_loop *loop)
{
    for (size_t i = 0; i < ch->batch.len; i++)
        if (ch->batch.data[i] == loop)
            return true;
    for (size_t i = 0; i < ch->folded.len; i++)
        if (ch->folded.data[i] == loop)
            return true;
    return loop == ch->m || loop == ch->n;
}

static bool check_loops_of(rf_chaining *c, const rf_red *r)
{
    for (unsigned i = 0; i < r->n_outer + r->n_free; i++) {
        const rf_loop *loop =
            i < r->n_outer ? r->outer[i] : r->free[i - r->n_outer];
        if (!is_row_loop(c->chain, loop) && red_varies(r, loop))
            return rf_chain_refuse(c, RF_DIAG_LOOP_MISMATCH, r->at,
                                   "the first product runs over '%s', the "
                                   "second does not",
                                   loop->name);
    }
    return true;
}

static bool is_any_index(const rf_val *v, const void *data)
{
    (void)data;
    return v->kind == RF_VAL_INDEX;
}

static bool is_plain_loop(const rf_loop *l)
{
    int64_t lower, step;
    return rf_val_is_int(l->lower, &lower) && lower == 0 &&
           rf_val_is_int(l->step, &step) && step == 1 && !l->is_inclusive &&
           !rf_val_find(l->upper, is_any_index, NULL);
}

static bool check_plain(rf_chaining *c, const rf_loop *l)
{
    if (!l || is_plain_loop(l))
        return true;
    return rf_chain_refuse(c, RF_DIAG_UNSUPPORTED, c->chain->second->at,
                           "the loop over '%s' does not count from 0 by 1 to "
                           "a fixed bound",
                           l->name);
}

static bool check_loops(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    for (size_t i = 0; i < ch->firsts.len; i++)
        if (!check_loops_of(c, ch->firsts.data[i]))
            return false;
    for (size_t i = 0; i < ch->batch.len; i++)
        if (!check_plain(c, ch->batch.data[i]))
            return false;
    for (size_t i = 0; i < ch->folded.len; i++)
        if (!check_plain(c, ch->folded.data[i]))
            return false;
    return check_plain(c, ch->m) && check_plain(c, ch->n) &&
           check_plain(c, ch->l);
}

/* Every result of a first product must be for this very row and column. */
static const rf_val *shifted_result(const rf_chain *ch, const rf_val *v)
{
    if (v->kind == RF_VAL_RESULT)
        return is_first(ch, v->red) && v != v->red->result ? v : NULL;
    for (unsigned i = 0; i < v->n; i++) {
        const rf_val *found = shifted_result(ch, v->arg[i]);
        if (found)
            return found;
    }
    return NULL;
}

static bool check_elementwise(rf_chaining *c)
{
    const rf_red *e = c->chain->second;
    const rf_val *other = shifted_result(c->chain, e->term);
    if (!other)
        return true;
    return rf_chain_refuse(c, RF_DIAG_LOOP_MISMATCH, e->at,
                           "the second product uses the intermediate of "
                           "another row or column");
}

/* ---- what is kept ---- */

static void add_kept(rf_chaining *c, const rf_val *v)
{
    if (!uses_first(c, v))
        return;
    if (!uses_column(c, v)) {
        for (size_t i = 0; i < c->chain->kept.len; i++)
            if (c->chain->kept.data[i] == v)
                return;
        RF_PUSH(c->chain->kept, v);
        return;
    }
    for (unsigned i = 0; i < v->n; i++)
        add_kept(c, v->arg[i]);
}

/* A row's maximum or sum of the intermediate inside act: a cascade. */
static bool check_act(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    for (size_t i = 0; i < c->trace->reds.len; i++) {
        const rf_red *r = c->trace->reds.data[i];
        if (r == ch->second || is_first(ch, r) ||
            !rf_val_mentions(ch->second->term, r->result))
            continue;
        if (rf_chain_result_in(ch, r->term))
            return rf_chain_refuse(c, RF_DIAG_ESCAPE, r->at,
                                   "the intermediate is reduced by row "
                                   "before the second product; mark it as a "
                                   "cascade");
    }
    return true;
}

bool rf_chain_products(rf_chaining *c)
{
    rf_chain *ch = c->chain;
    if (!find_second(c))
        return false;
    add_firsts(c, ch->second->term);
    if (ch->second->guard)
        add_firsts(c, ch->second->guard);
    for (size_t i = 0; i < ch->firsts.len; i++)
        if (!check_first(c, ch->firsts.data[i]))
            return false;
    if (!find_roles(c) || !check_loops(c) || !check_second(c) ||
        !check_elementwise(c) || !check_act(c))
        return false;
    add_kept(c, ch->second->term);
    if (ch->second->guard)
        add_kept(c, ch->second->guard);
    if (ch->second->path)
        return rf_chain_refuse(c, RF_DIAG_CONTROL, ch->second->at,
                               "this product runs only under a condition");
    return true;
}
