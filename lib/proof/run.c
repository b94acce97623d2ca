/* The interpreter: a value is evaluated from its operands; the result of a
 * reduction by running its loop with everything that its update uses. */
#include "proof/run.h"

#include "plan/range.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 20000, MAX_TRIPS = 300, SHORT_TRIPS = 40 };

typedef struct {
    const rf_val *val; /* a counter or a running value */
    double value;
} binding;

typedef struct {
    const rf_red *red;
    unsigned n;
    double arg[4];
    double value;
} known;

struct rf_run {
    rf_prover *p;
    rf_data data;
    unsigned seed;
    unsigned steps, depth;
    bool failed;
    RF_ARRAY(binding) bound; /* the last one for a value counts */
    RF_ARRAY(known) results;
};

rf_run *rf_run_new(rf_prover *p, rf_data data, unsigned seed)
{
    rf_run *run = rf_malloc(sizeof *run);
    *run = (rf_run){ .p = p, .data = data, .seed = seed };
    return run;
}

void rf_run_free(rf_run *run)
{
    RF_CLEAR(run->bound);
    RF_CLEAR(run->results);
    free(run);
}

bool rf_run_failed(const rf_run *run)
{
    return run->failed;
}

static double fail(rf_run *run)
{
    run->failed = true;
    return 0;
}

/* ---- data ---- */

/* A well mixed function of both (the finaliser of splitmix64). */
static unsigned mix(unsigned h, uint64_t v)
{
    uint64_t x = v * 0x9e3779b97f4a7c15u + h;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)(x ^ (x >> 31));
}

static unsigned name_hash(const char *s)
{
    unsigned h = 17;
    while (s && *s)
        h = h * 31 + (unsigned char)*s++;
    return h;
}

static double plain(unsigned h)
{
    static const double values[] = { 0.5, -1.25, 2, 0, 1.5, -3, 0.25, 1 };
    return values[(h >> 8) % RF_COUNTOF(values)];
}

static const char *root_name(const rf_val *root)
{
    return root->kind == RF_VAL_ENTRY ? root->var->name : "";
}

static double special(rf_data data, const rf_type *type, unsigned h)
{
    switch (data) {
    case RF_DATA_SOME_MINUS:
    case RF_DATA_ALL_MINUS:
    case RF_DATA_ONE_MINUS:
        return -INFINITY;
    case RF_DATA_SOME_PLUS:
    case RF_DATA_ALL_PLUS:
    case RF_DATA_ONE_PLUS:
        return INFINITY;
    case RF_DATA_ZEROS:
        return 0;
    case RF_DATA_SOME_HUGE:
        return rf_range_most(type) / (h & 8 ? 64 : -64);
    default:
        return NAN;
    }
}

/* What the author assumes about an array holds for all its elements. */
static double assumed(const rf_run *run, const rf_val *root, double x)
{
    rf_sign sign = root->kind == RF_VAL_ENTRY
                       ? rf_reals_sign(run->p->reals, root->var)
                       : RF_SIGN_ANY;
    if (sign == RF_SIGN_ANY)
        return x;
    double least = sign == RF_SIGN_POSITIVE ? 0.25 : 0;
    return isnan(x) || x == -INFINITY ? 1 : fabs(x) + least;
}

/* One element in a row, its last one where the row has "period" elements. */
static bool has_one(const rf_run *run)
{
    return run->data == RF_DATA_ONE_MINUS || run->data == RF_DATA_ONE_PLUS;
}

static bool is_the_one(const rf_run *run, double index)
{
    int64_t period = 3 + run->seed % 4;
    return ((int64_t)index + 1) % period == 0;
}

/* Some objects, most or few, hold special values, everywhere or rarely or
 * often; the others are positive then, so that products and sums keep the
 * special values. */
static double datum(const rf_run *run, const rf_val *root, const rf_type *type,
                    double index, unsigned h)
{
    if (run->data == RF_DATA_FINITE)
        return plain(h);
    if (run->data == RF_DATA_LARGE)
        return 900 * plain(h) + plain(h >> 3);
    unsigned which = mix(run->seed * 31u + 5, name_hash(root_name(root)));
    bool is_all =
        run->data == RF_DATA_ALL_MINUS || run->data == RF_DATA_ALL_PLUS;
    static const unsigned rarities[] = { 40, 2, 12 };
    unsigned rarity = rarities[run->seed % 3];
    bool holds = run->seed % 2 ? (which >> 6) % 4 != 0 : (which >> 6) % 3 == 0;
    bool is_here =
        has_one(run) ? is_the_one(run, index) : (h >> 4) % rarity == 0;
    if (holds && (is_all || is_here))
        return special(run->data, type, h);
    return holds ? plain(h) : fabs(plain(h)) + 0.25;
}

static bool is_integer(const rf_type *t)
{
    return t && (t->kind == RF_TYPE_INT || t->kind == RF_TYPE_BOOL);
}

static bool is_quotient(const rf_val *v, const void *data)
{
    (void)data;
    return v->kind == RF_VAL_OP && (v->op == RF_OP_DIV || v->op == RF_OP_SHR);
}

/* Some loop runs to n / 4, which is 0 for small n. */
static bool divides_sizes(const rf_run *run)
{
    const rf_trace *t = run->p->trace;
    for (size_t i = 0; i < t->loops.len; i++)
        if (rf_val_find(t->loops.data[i]->upper, is_quotient, NULL))
            return true;
    return false;
}

/* Sizes and counters are 0 to 3, in some runs all 0; four times as much where
 * they are divided; up to 6 where one element is special. */
static double parameter(const rf_run *run, const rf_val *v, unsigned h)
{
    static const double scales[] = { 0.5, 1, 2, 0.5, 1, 2, 0, -1 };
    h = mix(h, run->seed * 7919u + 1);
    if (v->type && v->type->kind == RF_TYPE_BOOL)
        return h % 2;
    if (is_integer(v->type) && run->seed % 7 == 6)
        return 0;
    if (is_integer(v->type))
        return (h >> 5) % (has_one(run) ? 7 : 4) * (divides_sizes(run) ? 4 : 1);
    return assumed(run, v, scales[(h >> 5) % RF_COUNTOF(scales)]);
}

/* acc[1] of an array of the function: as good as a variable. */
static bool is_variable(const rf_val *root, const rf_val *index)
{
    return root->kind == RF_VAL_ENTRY && root->var->storage == RF_VAR_LOCAL &&
           root->var->type->kind == RF_TYPE_ARRAY &&
           index->kind == RF_VAL_CONST;
}

/* "member": the hash of a member's name, or 0. */
static double load(rf_run *run, const rf_val *v, const rf_type *type,
                   unsigned member)
{
    const rf_val *root = rf_trace_root(run->p->trace, v->arg[0]);
    unsigned h = mix(run->seed + 1, root->id);
    if (root != v->arg[0])
        h = mix(h, v->arg[0]->id);
    double index = rf_run_value(run, v->arg[1]);
    h = mix(h, (uint64_t)(int64_t)index);
    if (!member && !v->version && is_variable(root, v->arg[1]))
        return parameter(run, v, h);
    if (v->version)
        h = mix(h, v->version);
    double all =
        member && !is_integer(type) ? datum(run, root, type, index, h) : 0;
    if (!isfinite(all) && run->seed % 3)
        return all; /* all members of the element */
    if (member)
        h = mix(h, member);
    if (is_integer(type))
        return (h >> 5) % 3;
    return assumed(run, root, datum(run, root, type, index, h));
}

/* A member of an element varies with it, others are parameters. */
static double field(rf_run *run, const rf_val *v)
{
    unsigned name = name_hash(v->name);
    return v->arg[0]->kind == RF_VAL_LOAD
               ? load(run, v->arg[0], v->type, name | 1)
               : parameter(run, v, mix(v->id, name));
}

/* ---- operators ---- */

/* "value" in type "t": as a double, but infinite where it rounds to infinity,
 * from FLT_MAX and half of a last place on. */
static double in_range(const rf_type *t, double value)
{
    if (!t || t->kind != RF_TYPE_FLOAT || t->format == RF_F64 || isnan(value))
        return value;
    double most =
        t->format == RF_F32 ? 0x1.fffffefffffffp127 : rf_range_most(t);
    return fabs(value) <= most ? value : copysign(INFINITY, value);
}

static double integer_op(rf_run *run, rf_op op, double x, double y)
{
    int64_t a = (int64_t)x, b = (int64_t)y;
    switch (op) {
    case RF_OP_DIV:
        return b ? (double)(a / b) : fail(run);
    case RF_OP_REM:
        return b ? (double)(a % b) : fail(run);
    case RF_OP_SHL:
        return b >= 0 && b < 32 ? (double)(a * ((int64_t)1 << b)) : fail(run);
    case RF_OP_SHR:
        return b >= 0 && b < 63 ? (double)(a >> b) : fail(run);
    case RF_OP_BIT_AND:
        return (double)(a & b);
    case RF_OP_BIT_OR:
        return (double)(a | b);
    case RF_OP_BIT_XOR:
        return (double)(a ^ b);
    default:
        return fail(run);
    }
}

static double binary(rf_run *run, const rf_val *v, double x, double y)
{
    switch (v->op) {
    case RF_OP_ADD:
        return x + y;
    case RF_OP_SUB:
        return x - y;
    case RF_OP_MUL:
        return x * y;
    case RF_OP_DIV:
        if (!is_integer(v->type))
            return x / y;
        return integer_op(run, v->op, x, y);
    default:
        if (v->op >= RF_OP_LT && v->op <= RF_OP_NE)
            return rf_relation_holds(v->op, x, y);
        return integer_op(run, v->op, x, y);
    }
}

static double operation(rf_run *run, const rf_val *v)
{
    double a = rf_run_value(run, v->arg[0]);
    switch (v->op) {
    case RF_OP_SELECT:
        return rf_run_value(run, v->arg[a != 0 ? 1 : 2]);
    case RF_OP_AND:
        return a != 0 && rf_run_value(run, v->arg[1]) != 0;
    case RF_OP_OR:
        return a != 0 || rf_run_value(run, v->arg[1]) != 0;
    case RF_OP_NOT:
        return a == 0;
    case RF_OP_NEG:
        return -a;
    case RF_OP_PLUS:
        return a;
    case RF_OP_BIT_NOT:
        return (double)~(int64_t)a;
    default:
        if (v->n != 2)
            return fail(run);
        return binary(run, v, a, rf_run_value(run, v->arg[1]));
    }
}

/* An unknown pure function: some function of its arguments. */
static double anything(rf_run *run, const rf_val *v)
{
    double sum = (double)(name_hash(v->name) % 97) / 97;
    for (unsigned i = 0; i < v->n; i++)
        sum = sum * 0.75 + rf_run_value(run, v->arg[i]);
    return isinf(sum) ? (sum > 0 ? 2 : -2) : sin(sum) + 1.5;
}

static double call(rf_run *run, const rf_val *v)
{
    rf_math meaning = v->math;
    double a[3] = { 0 }, value;
    unsigned n = meaning == RF_MATH_FMA ? 3 : 2;
    for (unsigned i = 0; i < v->n && i < n; i++)
        a[i] = rf_run_value(run, v->arg[i]);
    if (rf_math_value(meaning, v->n, a, &value))
        return value;
    if (meaning == RF_MATH_CONVERT)
        return a[0];
    return meaning == RF_MATH_MAX || meaning == RF_MATH_MIN ? fail(run)
                                                            : anything(run, v);
}

static double constant(rf_run *run, const rf_val *v)
{
    if (v->expr->op == RF_OP_INT)
        return (double)v->expr->value.i;
    return v->expr->op == RF_OP_FLOAT ? v->expr->value.f : fail(run);
}

static double cast(rf_run *run, const rf_val *v)
{
    double a = rf_run_value(run, v->arg[0]);
    if (v->type->kind == RF_TYPE_BOOL)
        return a != 0;
    if (v->type->kind == RF_TYPE_INT)
        return isfinite(a) ? trunc(a) : isnan(a) ? 0 : a > 0 ? 1e9 : -1e9;
    return a;
}

/* ---- loops ---- */

static void bind(rf_run *run, const rf_val *v, double value)
{
    RF_PUSH(run->bound, (binding){ .val = v, .value = value });
}

static bool find_bound(const rf_run *run, const rf_val *v, double *value)
{
    for (size_t i = run->bound.len; i-- > 0;)
        if (run->bound.data[i].val == v) {
            *value = run->bound.data[i].value;
            return true;
        }
    return false;
}

static bool goes_on(const rf_loop *l, double i, double upper, double step)
{
    if (l->is_inclusive)
        return step > 0 ? i <= upper : i >= upper;
    return step > 0 ? i < upper : i > upper;
}

/* Both programs run the first turns of such an axis instead of all. */
static bool has_fixed_length(const rf_loop *l)
{
    int64_t n;
    return rf_val_is_int(l->lower, &n) && rf_val_is_int(l->upper, &n) &&
           rf_val_is_int(l->step, &n);
}

/* First and number of the counters of "l"; those of all lanes, as if they
 * were neighbours, where lanes share them out. */
static unsigned count_trips(rf_run *run, const rf_loop *l, double *first,
                            double *step)
{
    double upper = rf_run_value(run, l->upper);
    *first = rf_run_value(run, l->lower);
    *step = rf_run_value(run, l->step);
    if (run->p->team && l->is_split && l->least && *step > 0) {
        *first = rf_run_value(run, l->least);
        *step = 1;
    }
    unsigned n = l->at_least_once;
    if (*step == 0)
        run->failed = true;
    while (!run->failed && goes_on(l, *first + n * *step, upper, *step))
        if (++n > MAX_TRIPS) {
            run->failed = !has_fixed_length(l);
            return run->failed ? 0 : SHORT_TRIPS;
        }
    return run->failed ? 0 : n;
}

void rf_run_loops(rf_run *run, unsigned n, const rf_loop *const *loops,
                  void (*visit)(rf_run *, void *), void *data)
{
    if (!n) {
        visit(run, data);
        return;
    }
    double first, step;
    unsigned trips = count_trips(run, loops[0], &first, &step);
    for (unsigned i = 0; i < trips && !run->failed; i++) {
        bind(run, loops[0]->index, first + i * step);
        rf_run_loops(run, n - 1, loops + 1, visit, data);
        run->bound.len--;
    }
}

/* ---- reductions ---- */

typedef RF_ARRAY(const rf_update *) updates;

/* A variable that two loops over one axis use has one update in each. */
static bool has_update(const updates *list, const rf_update *u)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i]->phi == u->phi)
            return true;
    return false;
}

/* "first" and all updates of its program whose running values it uses. */
static void close_updates(const rf_run *run, const rf_update *first,
                          updates *list)
{
    const rf_trace *t = run->p->trace;
    size_t n = run->p->n_updates;
    bool is_source = first < t->updates.data + n;
    RF_PUSH(*list, first);
    for (size_t i = 0; i < list->len; i++)
        for (size_t k = is_source ? 0 : n; k < (is_source ? n : t->updates.len);
             k++) {
            const rf_update *u = &t->updates.data[k];
            if (!has_update(list, u) && u->phi->loop == first->phi->loop &&
                u->result->kind == RF_VAL_RESULT &&
                rf_val_mentions(list->data[i]->next, u->phi))
                RF_PUSH(*list, u);
        }
}

static const rf_update *update_of(const rf_run *run, const rf_red *red)
{
    const rf_trace *t = run->p->trace;
    for (size_t i = 0; i < t->updates.len; i++)
        if (t->updates.data[i].result->kind == RF_VAL_RESULT &&
            t->updates.data[i].result->red == red)
            return &t->updates.data[i];
    return NULL;
}

static double fold(double a, double b, rf_reduce_op op)
{
    switch (op) {
    case RF_REDUCE_SUM:
        return a + b;
    case RF_REDUCE_PRODUCT:
        return a * b;
    case RF_REDUCE_MAX:
        return fmax(a, b);
    case RF_REDUCE_MIN:
        return fmin(a, b);
    case RF_REDUCE_AND:
        return a != 0 && b != 0;
    case RF_REDUCE_OR:
        return a != 0 || b != 0;
    default:
        return NAN;
    }
}

/* The values of "list" after every "by"-th trip from "from" on. */
static void run_lane(rf_run *run, const rf_loop *axis, const updates *list,
                     unsigned from, unsigned by, double *value)
{
    double first, step;
    unsigned trips = count_trips(run, axis, &first, &step);
    size_t base = run->bound.len, n = list->len;
    for (size_t i = 0; i < n; i++) {
        double init = rf_run_value(run, list->data[i]->result->red->init);
        bind(run, list->data[i]->phi, init);
    }
    for (unsigned t = from; t < trips && !run->failed; t += by) {
        bind(run, axis->index, first + t * step);
        for (size_t i = 0; i < n; i++) {
            const rf_val *guard = list->data[i]->phi->var
                                      ? NULL
                                      : list->data[i]->result->red->guard;
            double was = run->bound.data[base + i].value;
            bool on = !guard || rf_run_value(run, guard) != 0;
            value[i] = on ? rf_run_value(run, list->data[i]->next) : was;
        }
        run->bound.len--;
        for (size_t i = 0; i < n; i++)
            run->bound.data[base + i].value = value[i];
    }
    for (size_t i = 0; i < n; i++)
        value[i] = run->bound.data[base + i].value;
    run->bound.len = base;
}

static bool is_flag(const rf_red *red)
{
    return red->op == RF_REDUCE_FOLD && red->type->kind == RF_TYPE_BOOL;
}

static void bind_parts(rf_run *run, const rf_red *red, rf_side side,
                       double value)
{
    const rf_trace *t = run->p->lanes;
    for (size_t i = 0; i < t->merge_parts.len; i++)
        if (t->merge_parts.data[i].side == side &&
            rf_is_for_team(t->merge_parts.data[i].source->red, red))
            bind(run, t->merge_parts.data[i].value, value);
}

/* "red" over both states, as the emitted code joins them; the shuffles and the
 * slots may do it in different ways. */
static double join_claimed(rf_run *run, const rf_red *red)
{
    const rf_trace *t = run->p->lanes;
    unsigned n = 0, wanted = run->seed / 4;
    for (size_t i = 0; i < t->merges.len; i++)
        n += rf_is_for_team(t->merges.data[i].source->red, red);
    for (size_t i = 0; i < t->merges.len && n; i++)
        if (rf_is_for_team(t->merges.data[i].source->red, red) &&
            wanted-- % n == 0)
            return rf_run_value(run, t->merges.data[i].value);
    return fail(run);
}

/* left := left and right together */
static void join_lanes(rf_run *run, const updates *list, double *left,
                       const double *right)
{
    size_t base = run->bound.len;
    double *both = rf_malloc((list->len + 1) * sizeof *both);
    for (size_t i = 0; i < list->len; i++) {
        const rf_red *red = list->data[i]->result->red;
        bind_parts(run, red, RF_SIDE_LEFT, left[i]);
        bind_parts(run, red, RF_SIDE_RIGHT, right[i]);
        if (red->op == RF_REDUCE_FOLD && !is_flag(red))
            continue;
        rf_reduce_op op = is_flag(red) ? RF_REDUCE_OR : red->op;
        both[i] = op <= RF_REDUCE_OR
                      ? in_range(red->type, fold(left[i], right[i], op))
                      : fail(run);
        bind_parts(run, red, RF_SIDE_BOTH, both[i]);
    }
    for (size_t i = 0; i < list->len; i++) {
        const rf_red *red = list->data[i]->result->red;
        if (red->op == RF_REDUCE_FOLD && !is_flag(red))
            both[i] = join_claimed(run, red);
    }
    memcpy(left, both, list->len * sizeof *both);
    free(both);
    run->bound.len = base;
}

static double run_updates(rf_run *run, const rf_red *red, updates *list)
{
    bool is_emitted =
        list->data[0] >= run->p->trace->updates.data + run->p->n_updates;
    unsigned lanes = red->team && is_emitted ? 1 + run->seed % 4 : 1;
    double *value = rf_malloc(2 * (list->len + 1) * sizeof *value);
    double *other = value + list->len;
    for (unsigned t = 0; t < lanes && !run->failed; t++) {
        run_lane(run, red->axis, list, t, lanes, t ? other : value);
        if (t && !run->failed)
            join_lanes(run, list, value, other);
    }
    double result = value[0];
    free(value);
    return result;
}

/* A reduction that no statement updates on its own: part of another one. */
static double run_term(rf_run *run, const rf_red *red)
{
    double first, step, value = rf_run_value(run, red->init);
    unsigned trips = count_trips(run, red->axis, &first, &step);
    if (red->op > RF_REDUCE_OR)
        return fail(run);
    for (unsigned t = 0; t < trips && !run->failed; t++) {
        bind(run, red->axis->index, first + t * step);
        if (!red->guard || rf_run_value(run, red->guard) != 0)
            value = in_range(
                red->type, fold(value, rf_run_value(run, red->term), red->op));
        run->bound.len--;
    }
    return value;
}

static double compute(rf_run *run, const rf_val *v, const double *arg)
{
    const rf_red *red = v->red;
    size_t base = run->bound.len;
    for (unsigned i = 0; i < v->n; i++)
        bind(run, red->result->arg[i], arg[i]);
    double value;
    const rf_update *u = update_of(run, red);
    if (red->path && rf_run_value(run, red->path) == 0) {
        value = rf_run_value(run, red->init);
    } else if (u) {
        updates list = { 0 };
        close_updates(run, u, &list);
        value = run_updates(run, red, &list);
        RF_CLEAR(list);
    } else {
        value = run_term(run, red);
    }
    run->bound.len = base;
    return value;
}

static double result(rf_run *run, const rf_val *v)
{
    known k = { .red = v->red, .n = v->n };
    if (v->n > RF_COUNTOF(k.arg))
        return fail(run);
    for (unsigned i = 0; i < v->n; i++)
        k.arg[i] = rf_run_value(run, v->arg[i]);
    for (size_t i = 0; i < run->results.len; i++)
        if (run->results.data[i].red == v->red &&
            !memcmp(run->results.data[i].arg, k.arg, v->n * sizeof *k.arg))
            return run->results.data[i].value;
    k.value = compute(run, v, k.arg);
    if (!run->failed)
        RF_PUSH(run->results, k);
    return k.value;
}

/* ---- values ---- */

/* A variable from before the statements: what it was declared or last set to,
 * where that is known. */
static double entry(rf_run *run, const rf_val *v)
{
    const rf_val *value = rf_entry_value(run->p, v);
    if (value == v && v->var->storage == RF_VAR_LOCAL)
        value = rf_declared_value(run->p, v);
    if (value != v)
        return rf_run_value(run, value);
    return parameter(run, v, name_hash(v->var->name));
}

static double evaluate(rf_run *run, const rf_val *v)
{
    double value;
    switch (v->kind) {
    case RF_VAL_CONST:
        return constant(run, v);
    case RF_VAL_ENTRY:
        return find_bound(run, v, &value) ? value : entry(run, v);
    case RF_VAL_INDEX:
    case RF_VAL_PHI:
    case RF_VAL_CELL:
        return find_bound(run, v, &value) ? value : fail(run);
    case RF_VAL_OP:
        if (v->op == RF_OP_FIELD)
            return field(run, v);
        return operation(run, v);
    case RF_VAL_CALL:
        return call(run, v);
    case RF_VAL_CAST:
        return cast(run, v);
    case RF_VAL_LOAD:
        return load(run, v, v->type, 0);
    case RF_VAL_RESULT:
        return result(run, v);
    default:
        return fail(run);
    }
}

double rf_run_value(rf_run *run, const rf_val *v)
{
    if (run->failed || ++run->steps > MAX_STEPS * 50u || run->depth > 200)
        return fail(run);
    run->depth++;
    double value = in_range(v->type, evaluate(run, v));
    run->depth--;
    return value;
}
