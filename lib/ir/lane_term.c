/* States that every step rescales, merged by the code that was emitted (T-6):
 *
 *     l{A u B} = l{A}*R(m{A}, m{A u B}) + l{B}*R(m{B}, m{A u B})
 *
 * What an operation makes of values of several lanes is kept as a tree. An
 * addition that uses the state l of two disjoint sets of lanes, and of the
 * other states only what those sets or both together hold, is taken to be the
 * state of both sets; the trace lists the claim, once for all lanes that claim
 * the same, and the proof has to show it for any two states. */
#include "ir/lanes.h"

#include <string.h>

enum { MOST_PARTS = 16, MOST_NODES = 500 };

bool rf_lane_is_open(const rf_team_run *r, unsigned t, rf_lane a)
{
    return r->tr->beside && (a.kind == RF_LANE_SET || a.kind == RF_LANE_TERM ||
                             (a.kind == RF_LANE_OWN && a.lane != t));
}

rf_lane rf_lane_term_new(rf_team_run *r, rf_op op, const rf_type *type,
                         const rf_expr *call, unsigned n, const rf_lane *args)
{
    for (unsigned i = 0; i < n; i++)
        if (args[i].kind == RF_LANE_UNDEF || args[i].kind == RF_LANE_MIXED)
            return args[i];
        else if (args[i].kind == RF_LANE_PLACE || args[i].kind == RF_LANE_ORDER)
            return rf_lane_mixed("contributions of several lanes are mixed");
    unsigned size = 1;
    for (unsigned i = 0; i < n; i++)
        size += args[i].kind == RF_LANE_TERM ? args[i].term->size : 1;
    if (size > MOST_NODES)
        return rf_lane_mixed("values of several lanes are mixed for too long");
    rf_lane_term *term = RF_NEW(r->w->arena, rf_lane_term);
    *term = (rf_lane_term){
        .op = op, .type = type, .call = call, .size = size, .n = n
    };
    memcpy(term->arg, args, n * sizeof *args);
    return (rf_lane){ .kind = RF_LANE_TERM, .term = term };
}

bool rf_lane_term_equal(const rf_lane_term *a, const rf_lane_term *b)
{
    if (a == b)
        return true;
    if (a->op != b->op || a->n != b->n || a->type != b->type ||
        a->call != b->call)
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (!rf_lane_equal(a->arg[i], b->arg[i]))
            return false;
    return true;
}

/* ---- terms as values ---- */

/* The node "term" over the values of its operands. */
static const rf_val *build(rf_team_run *r, const rf_lane_term *term,
                           const rf_val **arg)
{
    rf_vals *vals = r->tr->vals;
    if (term->op == RF_OP_CALL)
        return rf_val_make(vals, &(rf_val){ .kind = RF_VAL_CALL,
                                            .type = term->type,
                                            .name = term->call->name,
                                            .n = term->n,
                                            .arg = arg,
                                            .expr = term->call });
    if (term->op == RF_OP_CAST)
        return rf_usual_cast(r->tr, arg[0], term->type);
    if (term->op == RF_OP_SELECT)
        return rf_val_select(vals, rf_truth_of(r->tr, arg[0]), arg[1], arg[2]);
    if (term->op == RF_OP_NOT)
        return rf_val_not(vals, arg[0]);
    if (term->n == 1)
        return rf_val_op(vals, term->op, term->type ? term->type : arg[0]->type,
                         1, arg, NULL);
    const rf_val *x = arg[0], *y = arg[1];
    bool plain = term->op == RF_OP_SHL || term->op == RF_OP_SHR ||
                 term->op == RF_OP_AND || term->op == RF_OP_OR;
    if (!plain && x->type && y->type) {
        const rf_type *common = rf_common_type(x->type, y->type);
        x = rf_usual_cast(r->tr, x, common);
        y = rf_usual_cast(r->tr, y, common);
    }
    return rf_val_op2(vals, term->op, term->type ? term->type : x->type, x, y);
}

const rf_val *rf_lane_term_val(rf_team_run *r, unsigned t,
                               const rf_lane_term *term, bool *own)
{
    const rf_val *arg[3];
    for (unsigned i = 0; i < term->n; i++) {
        arg[i] = rf_lane_to_val(r, t, term->arg[i], own);
        if (!arg[i])
            return NULL;
    }
    return build(r, term, arg);
}

/* ---- parts of a merge ---- */

/* What a lane makes of its own part ("source"), over the lanes of "bits". */
typedef struct {
    const rf_val *source;
    const rf_lane_set *set; /* NULL: of "lane" alone */
    unsigned lane;
    rf_side side;
} merge_part;

typedef struct {
    rf_team_run *r;
    merge_part part[MOST_PARTS];
    unsigned n;
    bool failed;
} parts;

static bool has_lane(const merge_part *p, unsigned t)
{
    return p->set ? p->set->bits[t / 64] >> t % 64 & 1 : p->lane == t;
}

static uint64_t bits_of(const merge_part *p, size_t i)
{
    if (p->set)
        return p->set->bits[i];
    return p->lane / 64 == i ? (uint64_t)1 << p->lane % 64 : 0;
}

static bool same_lanes(const merge_part *a, const merge_part *b)
{
    if (!a->set && !b->set)
        return a->lane == b->lane;
    for (size_t i = 0; i < RF_LARGEST_BLOCK / 64; i++)
        if (bits_of(a, i) != bits_of(b, i))
            return false;
    return true;
}

static merge_part *find_part(parts *p, const merge_part *x)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->part[i].source == x->source && same_lanes(&p->part[i], x))
            return &p->part[i];
    return NULL;
}

static void add_part(parts *p, const merge_part *x)
{
    bool odd = x->set && (x->set->twice || x->set->extra || !x->set->source);
    if (odd || p->n == MOST_PARTS)
        p->failed = true;
    else if (!find_part(p, x))
        p->part[p->n++] = *x;
}

static void collect_val(parts *p, unsigned lane, const rf_val *v)
{
    if (v->kind == RF_VAL_RESULT && !v->red->team)
        add_part(p, &(merge_part){ .source = v, .lane = lane });
    else if (v->kind == RF_VAL_UNKNOWN)
        p->failed = true;
    else
        for (unsigned i = 0; i < v->n; i++)
            collect_val(p, lane, v->arg[i]);
}

static void collect(parts *p, rf_lane a)
{
    if (p->failed)
        return;
    if (a.kind == RF_LANE_OWN)
        collect_val(p, a.lane, a.val);
    else if (a.kind == RF_LANE_SET)
        add_part(p, &(merge_part){ .source = a.set->source, .set = a.set });
    else if (a.kind == RF_LANE_TERM)
        for (unsigned i = 0; i < a.term->n; i++)
            collect(p, a.term->arg[i]);
}

static bool is_state(const rf_val *v)
{
    return v->kind == RF_VAL_RESULT && v->red->op == RF_REDUCE_FOLD;
}

/* The one state that "p" holds for two disjoint sets of lanes. */
static bool find_sides(parts *p, merge_part **left, merge_part **right)
{
    *left = *right = NULL;
    for (unsigned i = 0; i < p->n; i++) {
        merge_part *x = &p->part[i];
        if (!is_state(x->source))
            continue;
        if (*right || (*left && (*left)->source != x->source))
            return false;
        if (*left)
            *right = x;
        else
            *left = x;
    }
    if (!*right)
        return false;
    for (size_t i = 0; i < RF_LARGEST_BLOCK / 64; i++)
        if (bits_of(*left, i) & bits_of(*right, i))
            return false;
    return true;
}

/* Every part is of the left lanes, of the right ones or of both. */
static bool name_sides(parts *p, const merge_part *left,
                       const merge_part *right, const rf_lane_set *both)
{
    merge_part all = { .set = both };
    for (unsigned i = 0; i < p->n; i++) {
        merge_part *x = &p->part[i];
        if (same_lanes(x, left))
            x->side = RF_SIDE_LEFT;
        else if (same_lanes(x, right))
            x->side = RF_SIDE_RIGHT;
        else if (same_lanes(x, &all))
            x->side = RF_SIDE_BOTH;
        else
            return false;
    }
    return true;
}

/* ---- claims ---- */

static const rf_val *named(rf_team_run *r, const merge_part *x)
{
    static const char *const tails[] = { "left", "right", "both" };
    rf_trace *t = r->tr->t;
    for (size_t i = 0; i < t->merge_parts.len; i++)
        if (t->merge_parts.data[i].source == x->source &&
            t->merge_parts.data[i].side == x->side)
            return t->merge_parts.data[i].value;
    const rf_var *of =
        x->source->kind == RF_VAL_RESULT ? x->source->red->var : NULL;
    rf_var *var = RF_NEW(t->arena, rf_var);
    *var = (rf_var){ .name = rf_arena_printf(t->arena, "%s_%s",
                                             of ? of->name : "state",
                                             tails[x->side]),
                     .type = x->source->type,
                     .is_const = true,
                     .at = RF_NOWHERE };
    const rf_val *value = rf_val_entry(r->tr->vals, var);
    RF_PUSH(t->merge_parts, (rf_merge_part){ .source = x->source,
                                             .side = x->side,
                                             .value = value });
    return value;
}

static const rf_val *rename_val(parts *p, unsigned lane, const rf_val *v)
{
    const rf_val *from[MOST_PARTS], *to[MOST_PARTS];
    unsigned n = 0;
    for (unsigned i = 0; i < p->n; i++)
        if (!p->part[i].set && p->part[i].lane == lane) {
            from[n] = p->part[i].source;
            to[n++] = named(p->r, &p->part[i]);
        }
    return rf_val_subst(p->r->tr->vals, v, n, from, to);
}

/* "a" with names for its parts: the same for all lanes that do the same. */
static const rf_val *rename_lane(parts *p, rf_lane a)
{
    bool own = false;
    if (a.kind == RF_LANE_OWN)
        return rename_val(p, a.lane, a.val);
    if (a.kind == RF_LANE_SET)
        return named(p->r, find_part(p, &(merge_part){ .source = a.set->source,
                                                       .set = a.set }));
    if (a.kind != RF_LANE_TERM)
        return rf_lane_to_val(p->r, 0, a, &own);
    const rf_val *arg[3];
    for (unsigned i = 0; i < a.term->n; i++) {
        arg[i] = rename_lane(p, a.term->arg[i]);
        if (!arg[i])
            return NULL;
    }
    return build(p->r, a.term, arg);
}

static void claim(rf_team_run *r, const rf_val *source, const rf_val *value)
{
    rf_trace *t = r->tr->t;
    for (size_t i = 0; i < t->merges.len; i++)
        if (t->merges.data[i].source == source &&
            t->merges.data[i].value == value)
            return;
    RF_PUSH(t->merges, (rf_merge_claim){ .source = source,
                                         .value = value,
                                         .at = source->red->at });
}

bool rf_lane_merge(rf_team_run *r, const rf_lane_term *sum, rf_lane *out)
{
    parts p = { .r = r };
    merge_part *left, *right;
    rf_lane whole = { .kind = RF_LANE_TERM, .term = sum };
    collect(&p, whole);
    if (p.failed || !find_sides(&p, &left, &right))
        return false;
    rf_lane_set *both = RF_NEW(r->w->arena, rf_lane_set);
    *both = (rf_lane_set){ .op = RF_REDUCE_FOLD, .source = left->source };
    for (size_t i = 0; i < RF_LARGEST_BLOCK / 64; i++)
        both->bits[i] = bits_of(left, i) | bits_of(right, i);
    for (unsigned t = 0; t < r->w->size; t++)
        both->n += has_lane(left, t) || has_lane(right, t);
    if (!name_sides(&p, left, right, both))
        return false;
    const rf_val *value = rename_lane(&p, whole);
    if (!value)
        return false;
    claim(r, left->source, value);
    *out = (rf_lane){ .kind = RF_LANE_SET, .set = both };
    return true;
}
