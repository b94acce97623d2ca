/* What synchronises lanes and moves values between them, by its documented
 * meaning: CUDA's barriers and shuffles, warp reductions, atomics on shared
 * memory, cub's block and warp reductions, cooperative groups. */
#include "ir/lanes.h"

#include <string.h>

/* ---- the table ---- */

#define SYNC_NAMES(X)                                                          \
    X("__syncthreads", BARRIER)                                                \
    X("__syncwarp", WARP)                                                      \
    X("__threadfence_block", FENCE)                                            \
    X("__threadfence", FENCE)                                                  \
    X("this_thread_block", GROUP)                                              \
    X("tiled_partition", GROUP)                                                \
    X("thread_block_tile", GROUP)                                              \
    X("__activemask", ACTIVE)                                                  \
    X("__shfl_sync", SHUFFLE)                                                  \
    X("__shfl_up_sync", SHUFFLE)                                               \
    X("__shfl_down_sync", SHUFFLE)                                             \
    X("__shfl_xor_sync", SHUFFLE)                                              \
    X("__reduce_add_sync", REDUCE)                                             \
    X("__reduce_min_sync", REDUCE)                                             \
    X("__reduce_max_sync", REDUCE)                                             \
    X("__reduce_and_sync", REDUCE)                                             \
    X("__reduce_or_sync", REDUCE)                                              \
    X("__reduce_xor_sync", REDUCE)                                             \
    X("__ballot_sync", VOTE)                                                   \
    X("__any_sync", VOTE)                                                      \
    X("__all_sync", VOTE)                                                      \
    X("atomicAdd", ATOMIC)                                                     \
    X("atomicMax", ATOMIC)                                                     \
    X("atomicMin", ATOMIC)                                                     \
    X("atomicAdd_block", ATOMIC)                                               \
    X("atomicMax_block", ATOMIC)                                               \
    X("atomicMin_block", ATOMIC)

static const struct {
    const char *name;
    rf_sync sync;
} table[] = {
#define X(name, id) { name, RF_SYNC_##id },
    SYNC_NAMES(X)
#undef X
};

static const char *type_text(const rf_expr *e)
{
    if (!e || !e->type)
        return "";
    const rf_type *t = e->type;
    while (t->kind == RF_TYPE_POINTER && t->elem)
        t = t->elem;
    return t->canonical ? t->canonical : t->spelling ? t->spelling : "";
}

/* The object of a method, or the first argument, has a type that names
 * "word". */
static bool is_about(const rf_expr *call, const char *word)
{
    return call->n && strstr(type_text(call->arg[0]), word);
}

static const rf_var *root_of(const rf_expr *e)
{
    while (e && e->op != RF_OP_VAR)
        e = e->n ? e->arg[0] : NULL;
    return e ? e->var : NULL;
}

rf_sync rf_sync_of(const rf_expr *call)
{
    if (!call->name || call->callee)
        return RF_SYNC_NONE;
    for (size_t i = 0; i < RF_COUNTOF(table); i++)
        if (!strcmp(table[i].name, call->name)) {
            const rf_var *root = call->n ? root_of(call->arg[0]) : NULL;
            bool global = table[i].sync == RF_SYNC_ATOMIC &&
                          (!root || (root->storage != RF_VAR_SHARED &&
                                     root->storage != RF_VAR_LOCAL &&
                                     root->storage != RF_VAR_PARAM));
            return global ? RF_SYNC_NONE : table[i].sync;
        }
    if (call->is_method &&
        (is_about(call, "BlockReduce<") || is_about(call, "WarpReduce<")))
        return RF_SYNC_CUB;
    if (is_about(call, "thread_block_tile<") ||
        is_about(call, "thread_block") || is_about(call, "coalesced_group"))
        return RF_SYNC_GROUP;
    return RF_SYNC_NONE;
}

/* ---- barriers ---- */

static bool is_uniform(rf_team_run *r, const rf_lanes *l, rf_range at)
{
    if (!l->when)
        return true;
    rf_lane_fail(r, RF_DIAG_UNIFORM, at,
                 "threads exchange values here under a condition that is not "
                 "known");
    return false;
}

static bool all_here(rf_team_run *r, const rf_lanes *l, rf_range at)
{
    if (!is_uniform(r, l, at))
        return false;
    for (unsigned t = 0; t < r->w->size; t++)
        if (!l->mask[t]) {
            rf_lane_fail(r, RF_DIAG_UNIFORM, at,
                         "with %u threads thread %u does not reach this "
                         "barrier",
                         r->w->size, t);
            return false;
        }
    return true;
}

static void barrier(rf_team_run *r, rf_lanes *l, rf_range at)
{
    if (!all_here(r, l, at))
        return;
    r->w->epoch++;
    r->w->barriers++;
}

/* ---- masks ---- */

/* The lanes of the warp of "t" that the mask names must all be here. */
static bool check_mask(rf_team_run *r, const rf_lanes *l, unsigned t,
                       int64_t mask, rf_range at)
{
    unsigned warp = t - t % RF_WARP;
    if (!(mask >> (t - warp) & 1)) {
        rf_lane_fail(r, RF_DIAG_UNIFORM, at,
                     "with %u threads thread %u is not named by the mask of "
                     "its own shuffle",
                     r->w->size, t);
        return false;
    }
    for (unsigned i = 0; i < RF_WARP; i++) {
        if (!(mask >> i & 1) || (warp + i < r->w->size && l->mask[warp + i]))
            continue;
        rf_lane_fail(r, RF_DIAG_UNIFORM, at,
                     "with %u threads the mask of thread %u names thread %u, "
                     "which does not take part",
                     r->w->size, t, warp + i);
        return false;
    }
    return true;
}

static int64_t active_mask(const rf_team_run *r, const rf_lanes *l, unsigned t)
{
    int64_t mask = 0;
    unsigned warp = t - t % RF_WARP;
    for (unsigned i = 0; i < RF_WARP; i++)
        if (warp + i < r->w->size && l->mask[warp + i])
            mask |= (int64_t)1 << i;
    return mask;
}

static void sync_warp(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    if (!is_uniform(r, l, e->at))
        return;
    rf_lane *mask = e->n ? rf_lanes_eval(r, l, e->arg[0]) : NULL;
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t++) {
        if (!l->mask[t])
            continue;
        bool known = mask && mask[t].kind == RF_LANE_NUM;
        int64_t m = known ? mask[t].num & 0xffffffff : 0xffffffff;
        unsigned left = r->w->size - (t - t % RF_WARP);
        if (left < RF_WARP)
            m &= ((int64_t)1 << left) - 1;
        check_mask(r, l, t, m, e->at);
    }
    for (unsigned t = 0; t < r->w->size; t += RF_WARP)
        r->w->warp_epoch[t / RF_WARP] += active_mask(r, l, t) != 0;
}

/* ---- shuffles ---- */

typedef enum { TO_LANE, UP, DOWN, XOR } direction;

static direction direction_of(const char *name)
{
    return strstr(name, "xor")    ? XOR
           : strstr(name, "up")   ? UP
           : strstr(name, "down") ? DOWN
                                  : TO_LANE;
}

/* The lane of the warp that lane "i" reads. */
static unsigned source_lane(direction d, unsigned i, int64_t by, unsigned width)
{
    unsigned base = i & ~(width - 1), end = base + width;
    int64_t j = d == XOR    ? (int64_t)(i ^ (unsigned)by)
                : d == UP   ? (int64_t)i - by
                : d == DOWN ? (int64_t)i + by
                            : (int64_t)base + (by & (width - 1));
    if (d == UP)
        return j < (int64_t)base ? i : (unsigned)j;
    return j < 0 || j >= (int64_t)end ? i : (unsigned)j;
}

/* A value that all lanes of a group share is theirs wherever it is read. */
static rf_lane as_seen_by(rf_team_run *r, unsigned t, rf_lane a)
{
    unsigned width = r->team->width;
    if (a.kind == RF_LANE_OWN && r->width_known && width &&
        a.lane / width == t / width && rf_lane_is_shared(r, a.val))
        a.lane = t;
    return a;
}

static rf_lane read_lane(rf_team_run *r, const rf_lanes *l, unsigned t,
                         const rf_lane *value, unsigned from, int64_t mask)
{
    unsigned u = t - t % RF_WARP + from;
    if (u >= r->w->size || !l->mask[u] || !(mask >> from & 1))
        return rf_lane_undef("a lane is read that does not take part");
    return as_seen_by(r, t, value[u]);
}

static rf_lane *shuffle(rf_team_run *r, rf_lanes *l, direction d, rf_range at,
                        const rf_lane *mask, const rf_lane *value,
                        const rf_lane *by, const rf_lane *width)
{
    rf_lane *out = rf_lanes_new(r);
    if (!is_uniform(r, l, at))
        return out;
    r->w->shuffles++;
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t++) {
        if (!l->mask[t])
            continue;
        bool known = (!mask || mask[t].kind == RF_LANE_NUM) &&
                     by[t].kind == RF_LANE_NUM &&
                     (!width || width[t].kind == RF_LANE_NUM);
        int64_t w = known && width ? width[t].num : RF_WARP;
        if (!known || w < 1 || w > RF_WARP || (w & (w - 1))) {
            rf_lane_fail(r, RF_DIAG_UNSUPPORTED, at,
                         "the lanes of this shuffle are not known");
            break;
        }
        int64_t m = mask ? mask[t].num & 0xffffffff : active_mask(r, l, t);
        if (check_mask(r, l, t, m, at))
            out[t] = read_lane(
                r, l, t, value,
                source_lane(d, t % RF_WARP, by[t].num, (unsigned)w), m);
    }
    return out;
}

static rf_lane *cuda_shuffle(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *a[4] = { 0 };
    for (unsigned i = 0; i < e->n && i < 4; i++)
        a[i] = rf_lanes_eval(r, l, e->arg[i]);
    if (e->n < 3 || r->w->failed)
        return rf_lanes_new(r);
    return shuffle(r, l, direction_of(e->name), e->at, a[0], a[1], a[2], a[3]);
}

/* ---- reductions of groups of lanes ---- */

/* (+) of the values of lanes first..first + n - 1, in "out" of each of them,
 * or of the first alone. */
static void reduce_group(rf_team_run *r, rf_reduce_op op, const rf_lane *value,
                         unsigned first, unsigned n, bool everywhere,
                         rf_lane *out)
{
    rf_lane total = value[first];
    for (unsigned i = 1; i < n; i++)
        if (!rf_lane_combine(r, op, total, value[first + i], &total)) {
            total = rf_lane_mixed("contributions of several lanes are mixed");
            break;
        }
    for (unsigned i = 0; i < n; i++)
        out[first + i] =
            i == 0 || everywhere
                ? total
                : rf_lane_undef("only the first thread gets the result");
}

static rf_reduce_op op_named(const char *text)
{
    static const struct {
        const char *word;
        rf_reduce_op op;
    } words[] = {
        { "aximum", RF_REDUCE_MAX },      { "Max", RF_REDUCE_MAX },
        { "max", RF_REDUCE_MAX },         { "greater", RF_REDUCE_MAX },
        { "inimum", RF_REDUCE_MIN },      { "Min", RF_REDUCE_MIN },
        { "min", RF_REDUCE_MIN },         { "less", RF_REDUCE_MIN },
        { "bit_xor", RF_REDUCE_BIT_XOR }, { "xor", RF_REDUCE_BIT_XOR },
        { "bit_and", RF_REDUCE_BIT_AND }, { "and", RF_REDUCE_BIT_AND },
        { "bit_or", RF_REDUCE_BIT_OR },   { "or", RF_REDUCE_BIT_OR },
        { "plus", RF_REDUCE_SUM },        { "Sum", RF_REDUCE_SUM },
        { "add", RF_REDUCE_SUM },         { "Add", RF_REDUCE_SUM },
    };
    for (size_t i = 0; text && i < RF_COUNTOF(words); i++)
        if (strstr(text, words[i].word))
            return words[i].op;
    return RF_REDUCE_FOLD;
}

static rf_lane *reduce_sync(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *mask = rf_lanes_eval(r, l, e->arg[0]);
    rf_lane *value = rf_lanes_eval(r, l, e->arg[1]);
    rf_lane *out = rf_lanes_new(r);
    rf_reduce_op op = op_named(e->name + strlen("__reduce_"));
    if (!is_uniform(r, l, e->at))
        return out;
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t += RF_WARP) {
        if (!active_mask(r, l, t))
            continue;
        if (active_mask(r, l, t) != 0xffffffff || mask[t].kind != RF_LANE_NUM ||
            (mask[t].num & 0xffffffff) != 0xffffffff)
            rf_lane_fail(r, RF_DIAG_UNIFORM, e->at,
                         "with %u threads the warp of thread %u is not "
                         "complete here",
                         r->w->size, t);
        else
            reduce_group(r, op, value, t, RF_WARP, true, out);
    }
    return out;
}

/* The lanes of the warp of "t" that vote yes, of those in "mask"; -1 if a vote
 * is not known. */
static int64_t votes_for(const rf_lane *vote, unsigned t, int64_t mask)
{
    int64_t yes = 0;
    for (unsigned i = 0; i < RF_WARP; i++) {
        const rf_lane *v = &vote[t - t % RF_WARP + i];
        if (!(mask >> i & 1))
            continue;
        if (v->kind != RF_LANE_NUM)
            return -1;
        yes |= (int64_t)(v->num != 0) << i;
    }
    return yes;
}

static rf_lane *vote(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *mask = rf_lanes_eval(r, l, e->arg[0]);
    rf_lane *of = rf_lanes_eval(r, l, e->arg[1]);
    rf_lane *out = rf_lanes_new(r);
    if (r->w->failed || !is_uniform(r, l, e->at))
        return out;
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t++) {
        if (!l->mask[t])
            continue;
        int64_t m = mask[t].kind == RF_LANE_NUM ? mask[t].num & 0xffffffff : 0;
        int64_t yes =
            m && check_mask(r, l, t, m, e->at) ? votes_for(of, t, m) : -1;
        if (yes < 0)
            rf_lane_fail(r, RF_DIAG_UNSUPPORTED, e->at,
                         "what the lanes vote here is not known");
        out[t] = rf_lane_num(!strcmp(e->name, "__any_sync")   ? yes != 0
                             : !strcmp(e->name, "__all_sync") ? yes == m
                                                              : yes);
    }
    return out;
}

static rf_lane *atomic(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *place = rf_lanes_eval(r, l, e->arg[0]);
    rf_lane *value = rf_lanes_eval(r, l, e->arg[1]);
    rf_reduce_op op = op_named(e->name);
    for (unsigned t = 0; t < r->w->size && !r->w->failed; t++) {
        if (!l->mask[t])
            continue;
        if (place[t].kind != RF_LANE_PLACE || l->when)
            rf_lane_fail(r, RF_DIAG_SIDE_EFFECT, e->at,
                         "an atomic operation on memory that other blocks "
                         "see");
        else
            rf_lane_atomic(r, t, place[t].place, op, value[t], e->at);
    }
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        out[t] = rf_lane_undef("an intermediate value of an atomic operation");
    return out;
}

/* ---- cub ---- */

static long number_in(const char *text, const char *after)
{
    const char *p = strstr(text, after);
    return p ? strtol(p + strlen(after), NULL, 10) : 0;
}

/* The second template argument: the block size or the logical warp. */
/* The number of threads, or of lanes, that "type" is for; 0: not known. A
 * template parameter of which no launch says anything must be the size of the
 * block: cub asks for that. */
static long second_argument(rf_team_run *r, const char *type)
{
    const char *p = strstr(type, "Reduce<");
    p = p ? strchr(p, ',') : NULL;
    if (!p)
        return 0;
    p += 1 + strspn(p + 1, " ");
    const char *name = rf_arena_strndup(r->tr->t->arena, p, strcspn(p, " ,>"));
    int64_t n;
    if (rf_lane_template_value(r, name, &n))
        return (long)n;
    bool is_open = !strncmp(name, "value-parameter", 15) && !r->y_known;
    return is_open && strstr(type, "BlockReduce<") ? (long)r->w->size
                                                   : strtol(p, NULL, 10);
}

/* Storage that is used again needs a barrier. */
static void use_storage(rf_team_run *r, const rf_expr *object)
{
    rf_var *var = (rf_var *)root_of(object);
    if (!var || var->storage != RF_VAR_SHARED)
        return;
    rf_shared *s = rf_lane_shared(r->w, var, true);
    if (!s->slots.len)
        RF_PUSH(s->slots, (rf_slot_state){ 0 });
    bool block = strstr(type_text(object), "BlockReduce<") != NULL;
    if (s->slots.data[0].write_epoch == r->w->epoch &&
        (block || s->slots.data[0].write_warp_epoch == r->w->warp_epoch[0]))
        rf_lane_fail(r, RF_DIAG_RACE, object->at,
                     "'%s' is used again without a barrier in between",
                     var->name);
    s->slots.data[0].write_epoch = r->w->epoch;
    s->slots.data[0].write_warp_epoch = r->w->warp_epoch[0];
}

static rf_lane *cub(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    const char *type = type_text(e->arg[0]);
    bool block = strstr(type, "BlockReduce<") != NULL;
    long width = second_argument(r, type);
    rf_lane *value = e->n > 1 ? rf_lanes_eval(r, l, e->arg[1]) : NULL;
    rf_lane *out = rf_lanes_new(r);
    bool sum = !strcmp(e->name, "Sum");
    rf_reduce_op op =
        sum ? RF_REDUCE_SUM : op_named(e->n > 2 ? type_text(e->arg[2]) : NULL);
    bool known =
        (sum && e->n == 2) || (!strcmp(e->name, "Reduce") && e->n == 3);
    if (!known || op == RF_REDUCE_FOLD) {
        rf_lane_fail(r, RF_DIAG_UNSUPPORTED, e->at,
                     "this use of cub's '%s' is not read", e->name);
        return out;
    }
    if (!all_here(r, l, e->at))
        return out;
    if (block && !width) {
        rf_lane_fail(r, RF_DIAG_UNIFORM, e->at,
                     "the launches do not say how many threads this "
                     "BlockReduce is for");
        return out;
    }
    if (block && width != (long)r->w->size) {
        rf_lane_drop(r, RF_DIAG_UNIFORM, e->at,
                     "this BlockReduce is for %ld threads: with %u in the "
                     "block it is wrong for thread %ld",
                     width, r->w->size, width < (long)r->w->size ? width : 0L);
        return out;
    }
    use_storage(r, e->arg[0]);
    r->w->barriers += block;
    r->w->gathered += block;
    unsigned n = block ? r->w->size : width ? (unsigned)width : RF_WARP;
    for (unsigned t = 0; t < r->w->size; t += n)
        reduce_group(r, op, value, t, t + n <= r->w->size ? n : r->w->size - t,
                     false, out);
    return out;
}

/* ---- cooperative groups ---- */

/* Lanes in the group of "e": 0: the block; -1: not known. */
static int group_width(const rf_expr *e)
{
    const char *type = e->n ? type_text(e->arg[0]) : "";
    if (strstr(type, "thread_block_tile<"))
        return (int)number_in(type, "thread_block_tile<");
    return strstr(type, "thread_block") ? 0 : -1;
}

bool rf_group_query(const rf_expr *call, int *rank)
{
    if (rf_sync_of(call) != RF_SYNC_GROUP || !call->n || group_width(call) < 0)
        return false;
    *rank = !strcmp(call->name, "thread_rank");
    return *rank || !strcmp(call->name, "size") ||
           !strcmp(call->name, "num_threads");
}

static const rf_val *builtin_x(rf_tracer *tr, const char *name)
{
    static const rf_type record = { .kind = RF_TYPE_RECORD,
                                    .spelling = "uint3" };
    static const rf_type number = { .kind = RF_TYPE_INT,
                                    .bits = 32,
                                    .is_unsigned = true,
                                    .spelling = "unsigned int" };
    rf_var *var = RF_NEW(tr->t->arena, rf_var);
    *var = (rf_var){ .name = name,
                     .type = &record,
                     .storage = RF_VAR_BUILTIN,
                     .is_const = true,
                     .at = RF_NOWHERE };
    const rf_val *of = rf_val_entry(tr->vals, var);
    return rf_val_make(tr->vals, &(rf_val){ .kind = RF_VAL_OP,
                                            .op = RF_OP_FIELD,
                                            .type = &number,
                                            .name = "x",
                                            .n = 1,
                                            .arg = &of });
}

static bool has_rows(const rf_tracer *tr)
{
    rf_blocks blocks = rf_blocks_of(tr->t->unit, tr->t->func);
    bool any = !blocks.followed;
    for (size_t i = 0; i < blocks.whole.len; i++)
        any |= blocks.whole.data[i].x != blocks.whole.data[i].threads;
    RF_CLEAR(blocks.whole);
    RF_CLEAR(blocks.partial);
    return any;
}

const rf_val *rf_team_query(rf_tracer *tr, const rf_expr *call)
{
    int rank, width;
    if (!rf_group_query(call, &rank))
        return NULL;
    width = group_width(call);
    if (!width && has_rows(tr))
        return NULL; /* the rank counts rows too */
    if (!rank && width)
        return rf_val_int(tr->vals, width, call->type);
    if (!tr->thread[rank])
        tr->thread[rank] = builtin_x(tr, rank ? "threadIdx" : "blockDim");
    const rf_val *v = tr->thread[rank];
    if (rank && width)
        v = rf_val_op2(tr->vals, RF_OP_REM, v->type, v,
                       rf_val_int(tr->vals, width, v->type));
    return rf_usual_cast(tr, v, call->type);
}

static rf_lane *constant_by(rf_team_run *r, unsigned width, bool rank)
{
    rf_lane *out = rf_lanes_new(r);
    for (unsigned t = 0; t < r->w->size; t++)
        out[t] = rf_lane_num(rank ? (width ? t % width : t)
                                  : (width ? width : r->w->size));
    return out;
}

static rf_lane *group_reduce(rf_team_run *r, rf_lanes *l, const rf_expr *e,
                             unsigned width)
{
    rf_lane *value = rf_lanes_eval(r, l, e->arg[1]), *out = rf_lanes_new(r);
    rf_reduce_op op = op_named(type_text(e->arg[2]));
    if (op == RF_REDUCE_FOLD || !width)
        rf_lane_fail(r, RF_DIAG_UNSUPPORTED, e->at,
                     "this reduction of a group is not read");
    else if (all_here(r, l, e->at))
        for (unsigned t = 0; t < r->w->size; t += width) {
            unsigned n = r->w->size - t < width ? r->w->size - t : width;
            reduce_group(r, op, value, t, n, true, out);
        }
    return out;
}

static rf_lane *group_shuffle(rf_team_run *r, rf_lanes *l, const rf_expr *e,
                              unsigned width)
{
    rf_lane *value = rf_lanes_eval(r, l, e->arg[1]);
    rf_lane *by = rf_lanes_eval(r, l, e->arg[2]);
    return shuffle(r, l, direction_of(e->name), e->at, NULL, value, by,
                   constant_by(r, width, false));
}

static rf_lane *group(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    int width = group_width(e);
    const char *name = e->name;
    int rank;
    if (rf_group_query(e, &rank))
        return constant_by(r, (unsigned)width, rank);
    if (!strcmp(name, "sync") && width >= 0) {
        if (width)
            sync_warp(r, l, &(rf_expr){ .at = e->at });
        else
            barrier(r, l, e->at);
        return rf_lanes_new(r);
    }
    if (!strcmp(name, "reduce") && e->n == 3 && width >= 0)
        return group_reduce(r, l, e, (unsigned)width);
    if (!strncmp(name, "shfl", 4) && e->n == 3 && width > 0)
        return group_shuffle(r, l, e, (unsigned)width);
    if (strstr(name, "tiled_partition") || strstr(name, "thread_block"))
        return rf_lanes_new(r);
    rf_lane_fail(r, RF_DIAG_UNSUPPORTED, e->at,
                 "'%s' of a cooperative group is not read", name);
    return rf_lanes_new(r);
}

rf_lane *rf_lanes_sync(rf_team_run *r, rf_lanes *l, const rf_expr *e)
{
    rf_lane *out = rf_lanes_new(r);
    switch (rf_sync_of(e)) {
    case RF_SYNC_BARRIER:
        barrier(r, l, e->at);
        break;
    case RF_SYNC_WARP:
        sync_warp(r, l, e);
        break;
    case RF_SYNC_ACTIVE:
        for (unsigned t = 0; t < r->w->size; t++)
            out[t] = rf_lane_num(active_mask(r, l, t));
        break;
    case RF_SYNC_SHUFFLE:
        return cuda_shuffle(r, l, e);
    case RF_SYNC_REDUCE:
        return reduce_sync(r, l, e);
    case RF_SYNC_VOTE:
        return vote(r, l, e);
    case RF_SYNC_ATOMIC:
        return atomic(r, l, e);
    case RF_SYNC_CUB:
        return cub(r, l, e);
    case RF_SYNC_GROUP:
        return group(r, l, e);
    default:
        break;
    }
    return out;
}
