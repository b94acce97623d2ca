/* Is a row worth keeping, and does it fit (THEORY 5)?
 *
 * A load is kept when it is made in two places at least, names its element by
 * the axis alone, and is made for every element: reading the row at once then
 * reads nothing that the source does not read. */
#include "plan/resident.h"
#include "plan/planning.h"

/* ---- passes ---- */

/* One more than the last pass whose results "v" uses; 0: none. */
static unsigned depth_of(const rf_plan *plan, const rf_val *v)
{
    unsigned depth = 0;
    while (v && rf_plan_result_in(plan, v, depth))
        depth++;
    return depth;
}

bool rf_plan_depths(rf_planner *p)
{
    rf_plan *plan = p->plan;
    int64_t steps, step;
    if (p->trace->team || p->mark->masked_zero ||
        !rf_plan_extent(p, plan->axis, &steps) ||
        !rf_val_is_int(plan->axis->step, &step) || step != 1)
        return false;
    for (size_t i = 0; i < plan->members.len; i++) {
        rf_member *m = plan->members.data[i];
        const rf_val *parts[] = { m->red->term, m->red->guard, m->init };
        if (m->red->op >= RF_REDUCE_FOLD || m->red->n_outer || m->red->n_free)
            return false;
        for (size_t k = 0; k < RF_COUNTOF(parts); k++) {
            unsigned depth = depth_of(plan, parts[k]);
            m->pass = depth > m->pass ? depth : m->pass;
        }
        if (m->pass + 1 > plan->n_loops)
            plan->n_loops = m->pass + 1;
    }
    plan->rounding = RF_ROUNDING_EXACT;
    return true;
}

/* ---- loads ---- */

bool rf_plan_makes_load(const rf_plan *plan, const rf_val *v,
                        const rf_val *load)
{
    if (!v || rf_plan_member_of(plan, v))
        return false;
    if (v == load)
        return true;
    for (unsigned i = 0; i < v->n; i++)
        if (rf_plan_makes_load(plan, v->arg[i], load))
            return true;
    return v->kind == RF_VAL_RESULT &&
           (rf_plan_makes_load(plan, v->red->term, load) ||
            rf_plan_makes_load(plan, v->red->init, load) ||
            rf_plan_makes_load(plan, v->red->guard, load));
}

/* True if computing "v" always makes "load". */
static bool is_certain(const rf_plan *plan, const rf_val *v, const rf_val *load)
{
    bool lazy =
        v && v->kind == RF_VAL_OP &&
        (v->op == RF_OP_SELECT || v->op == RF_OP_AND || v->op == RF_OP_OR);
    if (!v || v->kind == RF_VAL_RESULT)
        return false;
    if (v == load)
        return true;
    for (unsigned i = 0; i < (lazy ? 1 : v->n); i++)
        if (is_certain(plan, v->arg[i], load))
            return true;
    return false;
}

static bool is_made_always(const rf_plan *plan, const rf_val *load)
{
    for (size_t i = 0; i < plan->members.len; i++) {
        const rf_red *r = plan->members.data[i]->red;
        if (is_certain(plan, r->guard ? r->guard : r->next, load))
            return true;
    }
    for (size_t i = 0; i < plan->stores.len; i++) {
        const rf_store *s = plan->stores.data[i].store;
        if (s->n_loops == 1 && s->loops[0] == plan->axis && !s->is_result &&
            is_certain(plan, s->guard ? s->guard : s->value, load))
            return true;
    }
    return false;
}

static bool store_needs(const rf_plan *plan, const rf_store *s,
                        const rf_val *load)
{
    return s->n_loops && s->loops[0] == plan->axis && !s->is_result &&
           (rf_plan_makes_load(plan, s->value, load) ||
            rf_plan_makes_load(plan, s->guard, load) ||
            rf_plan_makes_load(plan, s->index, load));
}

/* The loops of the plan that make "load". */
static unsigned count_loops(const rf_plan *plan, const rf_val *load)
{
    unsigned n = 0;
    for (unsigned pass = 0; pass <= plan->n_loops; pass++) {
        bool inside = false, after = false;
        for (size_t i = 0; i < plan->members.len; i++) {
            const rf_member *m = plan->members.data[i];
            inside |= m->pass == pass &&
                      (rf_plan_makes_load(plan, m->red->next, load) ||
                       rf_plan_makes_load(plan, m->red->guard, load));
        }
        for (size_t i = 0; i < plan->stores.len; i++) {
            const rf_placed_store *s = &plan->stores.data[i];
            bool here = s->pass == pass && store_needs(plan, s->store, load);
            inside |= here && s->in_pass;
            after |= here && !s->in_pass;
        }
        n += inside + after;
    }
    return n;
}

/* Anything that is not known before the first pass, but for the axis. */
static bool is_unready(const rf_val *v, const void *axis)
{
    return (v->kind == RF_VAL_INDEX && v->loop != axis) ||
           v->kind == RF_VAL_RESULT || v->kind == RF_VAL_LOAD ||
           v->kind == RF_VAL_PHI || v->kind == RF_VAL_CELL ||
           v->kind == RF_VAL_LAST || v->kind == RF_VAL_UNKNOWN;
}

static bool is_element(rf_planner *p, const rf_val *v)
{
    const rf_loop *axis = p->plan->axis;
    if (v->kind != RF_VAL_LOAD || v->version ||
        (v->type->kind != RF_TYPE_FLOAT && v->type->kind != RF_TYPE_INT))
        return false;
    const rf_val *root = rf_trace_root(p->trace, v->arg[0]);
    bool own = root->kind == RF_VAL_ENTRY &&
               root->var->type->kind == RF_TYPE_ARRAY &&
               root->var->storage == RF_VAR_LOCAL;
    return !own && rf_val_mentions(v->arg[1], axis->index) &&
           !rf_val_find(v->arg[0], is_unready, axis) &&
           !rf_val_find(v->arg[1], is_unready, axis);
}

static unsigned bits_of(const rf_type *t)
{
    static const unsigned bits[] = {
        [RF_F32] = 32,  [RF_F64] = 64, [RF_F16] = 16,
        [RF_BF16] = 16, [RF_E4M3] = 8, [RF_E5M2] = 8
    };
    return t->kind == RF_TYPE_FLOAT ? bits[t->format] : t->bits;
}

static void collect(rf_planner *p, rf_resident *r)
{
    const rf_plan *plan = p->plan;
    for (size_t i = 0; i < p->trace->loads.len; i++) {
        const rf_val *v = p->trace->loads.data[i].value;
        bool known = false;
        for (size_t k = 0; k < r->n; k++)
            known |= r->kept[k].load == v;
        if (known || !is_element(p, v) || count_loops(plan, v) < 2 ||
            !is_made_always(plan, v))
            continue;
        r->kept[r->n++] = (rf_kept_load){ .load = v };
        r->words += (bits_of(v->type) + 31) / 32;
    }
}

/* ---- the whole ---- */

/* The registers of a thread that are not its row; unrolled loops hold about as
 * many values again as they have slots. */
enum { SM_REGISTERS = 65536, OTHERS = 32, MOST_WORDS = 64 };

unsigned rf_resident_slots(const rf_resident *r, const rf_team_size *size)
{
    const unsigned block = size->threads ? size->threads : 128;
    unsigned most = (SM_REGISTERS / block - OTHERS) / 2;
    most = most < MOST_WORDS ? most : MOST_WORDS;
    const int64_t slots = (r->extent + size->lanes - 1) / size->lanes;
    return slots * r->words <= most ? (unsigned)slots : 0;
}

bool rf_plan_keep_row(rf_planner *p)
{
    rf_resident *r = RF_NEW(p->arena, rf_resident);
    rf_team_size size;
    *r = (rf_resident){ 0 };
    r->kept = RF_NEW_ARRAY(p->arena, p->trace->loads.len + 1, rf_kept_load);
    collect(p, r);
    if (!r->n || !rf_plan_extent(p, p->plan->axis, &r->extent) ||
        rf_team_size_for(p->mark, p->region->func, r->extent * r->words, &size))
        return false;
    if (!rf_resident_slots(r, &size))
        return false;
    p->plan->resident = r;
    return true;
}
