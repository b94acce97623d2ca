/* Complete sets: when a lane holds the contributions of all lanes of a team,
 * it holds the result of the reduction over the axis for the team:
 *
 *     (+) over t in team of  init (+) REDUCE_{l of t} term(l)
 *         = init (+) REDUCE_l term(l)
 *
 * if init is neutral or (+) idempotent. The team is the block, or the warp or
 * part of a warp that the lane belongs to. */
#include "ir/lanes.h"

#include <math.h>

/* ---- which team ---- */

static bool has_lane(const rf_lane_set *s, unsigned t)
{
    return s->bits[t / 64] >> t % 64 & 1;
}

static bool is_group(const rf_lane_set *s, unsigned t, unsigned width,
                     unsigned size)
{
    unsigned first = width ? t - t % width : 0;
    unsigned end = width ? first + width : size;
    end = end < size ? end : size;
    if (s->n != end - first)
        return false;
    for (unsigned i = first; i < end; i++)
        if (!has_lane(s, i))
            return false;
    return true;
}

/* Decide the team by the first complete set that can be only one. */
static bool is_team(rf_team_run *r, unsigned t, const rf_lane_set *s)
{
    unsigned size = r->w->size;
    if (r->width_known)
        return is_group(s, t, r->team->width, size);
    if (r->is_tentative)
        return false;
    unsigned width = size > RF_WARP || s->n < RF_WARP ? s->n : RF_WARP;
    if (s->n == size && size != RF_WARP)
        width = 0;
    else if (width > RF_WARP || (width & (width - 1)))
        return false;
    if (!is_group(s, t, width, size))
        return false;
    r->width_known = true;
    r->team->width = width;
    return true;
}

/* ---- results ---- */

static bool number_of(const rf_val *v, double *out)
{
    bool negative = false;
    while (v->kind == RF_VAL_CAST ||
           (v->kind == RF_VAL_OP && v->op == RF_OP_NEG)) {
        negative ^= v->kind == RF_VAL_OP;
        v = v->arg[0];
    }
    if (v->kind != RF_VAL_CONST ||
        (v->expr->op != RF_OP_INT && v->expr->op != RF_OP_FLOAT))
        return false;
    *out =
        v->expr->op == RF_OP_INT ? (double)v->expr->value.i : v->expr->value.f;
    *out = negative ? -*out : *out;
    return true;
}

/* Every thread begins with "init": that must not count more than once. */
static bool may_repeat(const rf_red *red)
{
    double c;
    if (rf_reduce_is_idempotent(red->op))
        return true;
    if (!number_of(red->init, &c))
        return false;
    return red->op == RF_REDUCE_PRODUCT ? c == 1 : c == 0;
}

/* "extra" (what idle lanes put in) joins the first value. */
static bool add_extra(rf_team_run *r, rf_red *red, const rf_val *extra)
{
    double a, b;
    if (!extra ||
        rf_strip_float_casts(extra) == rf_strip_float_casts(red->init))
        return true;
    if (!number_of(extra, &a) || !number_of(red->init, &b))
        return false;
    bool wins = red->op == RF_REDUCE_MIN ? a < b : a > b;
    if (!rf_reduce_is_extremum(red->op))
        return false;
    if (wins)
        red->init = rf_usual_cast(r->tr, extra, red->type);
    return true;
}

static const rf_val *no_result(rf_team_run *r, rf_diag_name name,
                               const char *why)
{
    rf_lane_blame(r, name, "%s", why);
    return NULL;
}

static bool only_sets(const rf_val *next, const rf_val *phi)
{
    double becomes;
    if (next == phi)
        return true;
    if (next->kind == RF_VAL_OP && next->op == RF_OP_SELECT)
        return !rf_val_mentions(next->arg[0], phi) &&
               only_sets(next->arg[1], phi) && only_sets(next->arg[2], phi);
    return number_of(next, &becomes) && becomes;
}

/* "Some element contributed", for one lane and for all: emitted code. */
static bool is_flag(const rf_red *red, rf_reduce_op op)
{
    double begins;
    return red->op == RF_REDUCE_FOLD && op == RF_REDUCE_OR &&
           red->type->kind == RF_TYPE_BOOL && red->next && red->phi &&
           number_of(red->init, &begins) && !begins &&
           only_sets(red->next, red->phi);
}

/* "v" as lane "t" has it. */
static const rf_val *in_lane(rf_team_run *r, unsigned t, const rf_val *v)
{
    while (v->kind == RF_VAL_OP && v->op == RF_OP_SELECT) {
        rf_lane c = rf_lane_of(r, t, v->arg[0]);
        if (c.kind != RF_LANE_NUM)
            break;
        v = v->arg[c.num ? 1 : 2];
    }
    return v;
}

/* One lane begins with a value, the others with what changes nothing. */
static void choose_init(rf_team_run *r, const rf_lane_set *s, rf_red *red)
{
    const rf_val *only = NULL, *neutral = NULL;
    unsigned n = 0;
    if (!r->tr->beside || red->init->kind != RF_VAL_OP ||
        red->init->op != RF_OP_SELECT)
        return;
    for (unsigned t = 0; t < r->w->size; t++) {
        if (!has_lane(s, t))
            continue;
        rf_red one = *red;
        one.init = in_lane(r, t, red->init);
        if (may_repeat(&one) && !rf_reduce_is_idempotent(one.op)) {
            neutral = one.init;
            continue;
        }
        only = one.init;
        n++;
    }
    if (n <= 1 && (only || neutral))
        red->init = only ? rf_team_read(r->tr, only) : neutral;
}

static const rf_val *team_result(rf_team_run *r, unsigned t,
                                 const rf_lane_set *s)
{
    const rf_val *v = s->source ? rf_strip_float_casts(s->source) : NULL;
    if (!v || v->kind != RF_VAL_RESULT)
        return no_result(r, RF_DIAG_UNSUPPORTED,
                         "what the threads combine here is not the result of "
                         "a loop");
    if (v->red->team)
        return no_result(r, RF_DIAG_UNSUPPORTED,
                         "this result of the team is combined once more");
    if (v->red->op != s->op && !is_flag(v->red, s->op))
        return no_result(
            r, RF_DIAG_NOT_DECOMPOSABLE,
            rf_arena_printf(r->tr->t->arena,
                            "each thread reduces with one operator and the "
                            "team with another: thread %u holds the %s of "
                            "what the threads reduced by %s",
                            t, rf_reduce_name(s->op),
                            rf_reduce_name(v->red->op)));
    rf_red red = *v->red;
    red.team = r->of_results;
    if (red.n_outer || red.n_free || red.path)
        return no_result(r, RF_DIAG_UNSUPPORTED,
                         "the loop of this partial result is conditional or "
                         "nested");
    if (rf_strip_float_casts(red.init)->kind == RF_VAL_RESULT)
        return no_result(r, RF_DIAG_UNSUPPORTED,
                         "this sum goes on with what another loop left: two "
                         "loops that share a row are no single axis yet");
    const rf_val *begins = red.init;
    choose_init(r, s, &red);
    if ((red.init == begins && !may_repeat(&red)) ||
        !add_extra(r, &red, s->extra))
        return no_result(r, RF_DIAG_NOT_DECOMPOSABLE,
                         "every thread begins with a value that then counts "
                         "more than once");
    return rf_trace_red(r->tr->t, &red);
}

/* What set "s" lacks, for people. */
static void blame_set(rf_team_run *r, unsigned t, const rf_lane_set *s)
{
    unsigned size = r->w->size;
    unsigned width = r->width_known ? r->team->width : 0;
    unsigned first = width ? t - t % width : 0;
    unsigned end = width && first + width < size ? first + width : size;
    for (unsigned i = first; i < end; i++)
        if (!has_lane(s, i)) {
            rf_lane_blame(r, RF_DIAG_NOT_DECOMPOSABLE,
                          "with %u threads the %s in thread %u misses the "
                          "contribution of thread %u",
                          size, rf_reduce_name(s->op), t, i);
            return;
        }
    rf_lane_blame(r, RF_DIAG_NOT_DECOMPOSABLE,
                  "with %u threads the %s in thread %u holds contributions of "
                  "other teams",
                  size, rf_reduce_name(s->op), t);
}

const rf_val *rf_lane_result(rf_team_run *r, unsigned t, const rf_lane_set *s,
                             bool *own)
{
    if (s->twice) {
        rf_lane_blame(r, RF_DIAG_NOT_DECOMPOSABLE,
                      "with %u threads the %s in thread %u counts a "
                      "contribution twice",
                      r->w->size, rf_reduce_name(s->op), t);
        return NULL;
    }
    if (!is_team(r, t, s)) {
        blame_set(r, t, s);
        return NULL;
    }
    const rf_val *v = team_result(r, t, s);
    if (v && r->team->width)
        *own = true;
    return v;
}

/* ---- export ---- */

static void blame_lane(rf_team_run *r, unsigned t, rf_lane a)
{
    if (a.kind == RF_LANE_OWN)
        rf_lane_blame(r, RF_DIAG_NOT_DECOMPOSABLE,
                      "with %u threads thread %u holds only what thread %u "
                      "contributes",
                      r->w->size, t, a.lane);
    else if (a.kind == RF_LANE_UNDEF || a.kind == RF_LANE_MIXED)
        rf_lane_blame(r, RF_DIAG_NOT_DECOMPOSABLE,
                      "with %u threads thread %u does not hold the result: %s",
                      r->w->size, t, a.why);
}

static const rf_val *lane_export(rf_team_run *r, unsigned t, rf_lane a)
{
    bool own = false;
    const rf_val *v = rf_lane_to_val(r, t, a, &own);
    if (!v)
        blame_lane(r, t, a);
    return v;
}

static const rf_val *world_export(rf_team_run *r, const rf_lane *lanes,
                                  bool all_lanes, bool *any)
{
    const rf_val *all = NULL;
    for (unsigned t = 0; t < r->w->size; t++) {
        if (!all_lanes && !rf_lane_is_active(r, t))
            continue;
        *any = true;
        const rf_val *v = lane_export(r, t, lanes[t]);
        if (!v || (all && v != all))
            return NULL;
        all = v;
    }
    return all;
}

const rf_val *rf_lane_export(rf_team_run *r, rf_lane *const *lanes,
                             bool all_lanes)
{
    const rf_val *all = NULL;
    rf_world *world = r->w;
    size_t index = r->index;
    for (size_t i = 0; i < r->worlds.len; i++) {
        bool any = false;
        r->w = r->worlds.data[i];
        r->index = i;
        if (r->w->failed)
            continue;
        const rf_val *v = world_export(r, lanes[i], all_lanes, &any);
        if (r->w->optional && any && (!v || (all && v != all)))
            r->w->failed = true;
        if (r->w->failed || (!any && v == NULL && !all_lanes))
            continue;
        if (!v || (all && v != all)) {
            all = NULL;
            break;
        }
        all = v;
    }
    r->w = world;
    r->index = index;
    return all;
}
