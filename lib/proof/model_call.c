/* Calls of the model: barriers and clusters as the programming guide has them,
 * the author's functions by their bodies, what is left as unknown functions of
 * numbers. */
#include "proof/model.h"

#include <string.h>

enum { MOST_ARGUMENTS = 8, MOST_DEPTH = 8 };

#define EACH(m, lane, mask)                                                    \
    for (int lane = 0; lane < (m)->n; lane++)                                  \
        if ((mask)[lane])

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return true;
    return false;
}

/* ---- the block and its cluster ---- */

/* p in the shared memory of block "rank" of the cluster. */
static rf_cell remote(rf_model *m, const rf_expr *e, const rf_cell *p,
                      const rf_cell *rank)
{
    if (p->kind != RF_CELL_POINTER || rank->kind != RF_CELL_INT ||
        rank->i < 0 || rank->i >= m->cluster || !p->object->var ||
        p->object->var->storage != RF_VAR_SHARED) {
        rf_model_stop(m, e->at, "no block of the cluster has this address");
        return *p;
    }
    rf_cell q = *p;
    q.object = rf_model_array(m, p->object->var, (int)rank->i * m->block);
    return q;
}

static void call_size(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                      rf_cell *out)
{
    (void)e;
    EACH(m, i, mask)
    out[i] = rf_model_int(m->cluster);
}

static void call_rank(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                      rf_cell *out)
{
    (void)e;
    EACH(m, i, mask)
    out[i] = rf_model_int(i / m->block);
}

/* Nothing lies between it and the wait. */
static void call_arrive(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                        rf_cell *out)
{
    (void)m, (void)e, (void)mask, (void)out;
}

static void call_wait(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                      rf_cell *out)
{
    (void)out;
    rf_model_barrier(m, mask, true, e->at);
}

static void call_syncthreads(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                             rf_cell *out)
{
    (void)out;
    rf_model_barrier(m, mask, false, e->at);
}

static void call_map(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                     rf_cell *out)
{
    rf_cell rank[RF_MODEL_LANES];
    rf_model_eval(m, e->arg[0], mask, out);
    rf_model_eval(m, e->arg[1], mask, rank);
    EACH(m, i, mask)
    if (!m->stopped)
        out[i] = remote(m, e, &out[i], &rank[i]);
}

static const struct {
    const char *name;
    unsigned n;
    void (*call)(rf_model *, const rf_expr *, rf_lane_mask, rf_cell *);
} builtins[] = {
    { "__syncthreads", 0, call_syncthreads },
    { "__clusterSizeInBlocks", 0, call_size },
    { "__clusterRelativeBlockRank", 0, call_rank },
    { "__cluster_barrier_arrive", 0, call_arrive },
    { "__cluster_barrier_wait", 0, call_wait },
    { "__cluster_map_shared_rank", 2, call_map },
};

static bool call_builtin(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                         rf_cell *out)
{
    for (size_t k = 0; k < sizeof builtins / sizeof *builtins; k++)
        if (builtins[k].n == e->n && !strcmp(builtins[k].name, e->name)) {
            builtins[k].call(m, e, mask, out);
            return true;
        }
    return false;
}

/* ---- functions with a body ---- */

static bool bind(rf_model *m, const rf_expr *e, rf_lane_mask mask)
{
    const rf_func *f = e->callee;
    rf_cell values[MOST_ARGUMENTS][RF_MODEL_LANES];
    for (unsigned k = 0; k < f->n_params; k++)
        rf_model_eval(m, e->arg[k], mask, values[k]);
    for (unsigned k = 0; k < f->n_params; k++) {
        rf_cell *to = rf_model_var(m, f->params[k]);
        EACH(m, i, mask)
        to[i] = values[k][i];
    }
    return !m->stopped;
}

static bool can_follow(const rf_model *m, const rf_expr *e)
{
    const rf_func *f = e->callee;
    bool ok = !f->is_recursive && m->depth < MOST_DEPTH && !e->is_method &&
              f->n_params == e->n && e->n <= MOST_ARGUMENTS;
    for (unsigned k = 0; ok && k < f->n_params; k++)
        ok = !f->params[k]->type->is_reference;
    return ok;
}

/* Copies that are under way: their plain form stores at once, so that what is
 * left to see is a barrier without a wait before it. */
static void note_copies(rf_model *m, const rf_expr *e, rf_lane_mask mask)
{
    bool begins = !strcmp(e->name, "rf_copy_async");
    if (!begins && strcmp(e->name, "rf_copy_wait"))
        return;
    EACH(m, i, mask)
    m->copies[i] = begins;
}

static void call_body(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                      rf_cell *out)
{
    if (e->name)
        note_copies(m, e, mask);
    if (!can_follow(m, e)) {
        rf_model_give_up(m, e->at, "this call cannot be followed");
        return;
    }
    if (!bind(m, e, mask))
        return;
    rf_cell result[RF_MODEL_LANES], *outer = m->result;
    rf_lane_state state[RF_MODEL_LANES];
    memcpy(state, m->state, sizeof state);
    EACH(m, i, mask)
    result[i] = (rf_cell){ .kind = RF_CELL_NONE };
    m->result = result;
    m->depth++;
    rf_model_exec(m, e->callee->body, mask);
    m->depth--;
    m->result = outer;
    memcpy(m->state, state, sizeof state);
    EACH(m, i, mask)
    out[i] = result[i];
}

/* ---- functions without ---- */

static const char *const largest[] = { "max", "fmax", "fmaxf", NULL };
static const char *const smallest[] = { "min", "fmin", "fminf", NULL };
static const char *const fused[] = { "fma", "fmaf", "__fmaf_rn", "__fma_rn",
                                     NULL };
static const char *const plain_load[] = { "__ldg", "__ldca", "__ldcg", "__ldcs",
                                          NULL };
static const char *const narrowing[] = { "__float2half", "__float2bfloat16",
                                         NULL };
/* Widenings and other ways to write a value. */
static const char *const same[] = { "__half2float", "__bfloat162float", NULL };

static rf_cell apply(rf_model *m, const rf_expr *e, const rf_cell *a)
{
    if (e->n == 1 && is_one_of(e->name, same))
        return a[0];
    if (e->n == 1 && is_one_of(e->name, narrowing) &&
        rf_model_number(&a[0]) == 0)
        return a[0]; /* 0 has 16 bits */
    if (e->n == 2 && is_one_of(e->name, largest))
        return rf_model_less(m, &a[0], &a[1]) ? a[1] : a[0];
    if (e->n == 2 && is_one_of(e->name, smallest))
        return rf_model_less(m, &a[1], &a[0]) ? a[1] : a[0];
    if (e->n == 3 && is_one_of(e->name, fused) && !m->exact) {
        rf_cell product = rf_model_binary(m, RF_OP_MUL, &a[0], &a[1]);
        return rf_model_binary(m, RF_OP_ADD, &product, &a[2]);
    }
    uint64_t h = rf_model_hash(m, e->name, e->n, 0);
    for (unsigned k = 0; k < e->n; k++)
        h = rf_model_hash(m, "argument", h, rf_model_number(&a[k]));
    rf_cell r = rf_model_real(h);
    return e->type ? rf_model_convert(m, &r, NULL, e->type) : r;
}

static void call_unknown(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                         rf_cell *out)
{
    rf_cell values[MOST_ARGUMENTS][RF_MODEL_LANES];
    for (unsigned k = 0; k < e->n; k++)
        rf_model_eval(m, e->arg[k], mask, values[k]);
    EACH(m, i, mask)
    {
        rf_cell a[MOST_ARGUMENTS];
        bool none = false, pointer = false;
        for (unsigned k = 0; k < e->n; k++) {
            a[k] = values[k][i];
            none |= a[k].kind == RF_CELL_NONE;
            pointer |= a[k].kind == RF_CELL_POINTER;
        }
        out[i] = (rf_cell){ .kind = RF_CELL_NONE };
        if (m->stopped)
            return;
        if (pointer && e->n == 1 && is_one_of(e->name, plain_load))
            out[i] = rf_model_load(m, i, &a[0], e->at);
        else if (pointer)
            rf_model_give_up(m, e->at, "this call cannot be followed");
        else if (!none)
            out[i] = apply(m, e, a);
    }
}

void rf_model_call(rf_model *m, const rf_expr *e, rf_lane_mask mask,
                   rf_cell *out)
{
    if (e->callee && e->callee->body)
        call_body(m, e, mask, out);
    else if (!e->name || e->n > MOST_ARGUMENTS || e->is_method)
        rf_model_give_up(m, e->at, "this call cannot be followed");
    else if (!call_builtin(m, e, mask, out)) {
        bool void_call = e->type && e->type->kind == RF_TYPE_VOID;
        if (void_call)
            rf_model_give_up(m, e->at, "this call cannot be followed");
        else
            call_unknown(m, e, mask, out);
    }
}
