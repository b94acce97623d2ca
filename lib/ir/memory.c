/* Memory: loads see what the block stored before them.
 *
 * A load of base[index] looks backwards through the stores. The same base and
 * the same index value is the same element: loops over one axis share their
 * index, so a value stored by one loop and read by the next is found however
 * far apart they are. What cannot be decided becomes a load that "sees" the
 * stores before it (its version) and is judged in depend/.
 *
 * Inside a loop that stores to the base, a load of an element that does not
 * move with the loop is the running value of an accumulator in memory:
 * RF_VAL_CELL, matched when the loop ends. */
#include "ir/collective.h"

/* base + a + b ... : the innermost non-sum is the base, the rest the index. */
void rf_split_pointer(rf_tracer *tr, const rf_val *p, const rf_val **base,
                      const rf_val **index)
{
    *index = rf_val_int(tr->vals, 0, &rf_type_int);
    while (p->kind == RF_VAL_OP || p->kind == RF_VAL_CAST) {
        if (p->kind == RF_VAL_CAST && rf_type_is_pointer_like(p->type) &&
            rf_type_is_pointer_like(p->arg[0]->type) &&
            rf_type_same(p->type->elem, p->arg[0]->type->elem)) {
            p = p->arg[0];
            continue;
        }
        if (p->kind != RF_VAL_OP || (p->op != RF_OP_ADD && p->op != RF_OP_SUB))
            break;
        bool left = rf_type_is_pointer_like(p->arg[0]->type);
        if (p->op == RF_OP_SUB && !left)
            break;
        const rf_val *by = p->arg[left ? 1 : 0];
        *index = p->op == RF_OP_SUB ? rf_offset_sum(tr, RF_OP_SUB, *index, by)
                                    : rf_offset_sum(tr, RF_OP_ADD, by, *index);
        p = p->arg[left ? 0 : 1];
    }
    *base = p;
}

rf_var *rf_root_var(rf_tracer *tr, const rf_val *base)
{
    const rf_val *root = rf_trace_root(tr->t, base);
    return root->kind == RF_VAL_ENTRY ? root->var : NULL;
}

static bool same_root(rf_tracer *tr, const rf_val *a, const rf_val *b)
{
    if (a == b)
        return true;
    rf_var *x = rf_root_var(tr, a), *y = rf_root_var(tr, b);
    return x && x == y;
}

/* Constant indices that differ are different elements. */
static bool differ(const rf_val *a, const rf_val *b)
{
    int64_t x, y;
    if (rf_val_is_int(a, &x) && rf_val_is_int(b, &y))
        return x != y;
    if (a->kind == RF_VAL_OP && b->kind == RF_VAL_OP && a->op == b->op &&
        a->op == RF_OP_ADD)
        return (a->arg[0] == b->arg[0] && differ(a->arg[1], b->arg[1])) ||
               (a->arg[1] == b->arg[1] && differ(a->arg[0], b->arg[0]));
    return false;
}

/* An index as a number: integer conversions dropped, sums and products as if
 * they could not wrap. */
static const rf_val *widen(rf_tracer *tr, const rf_val *v)
{
    if (!v->type || v->type->kind != RF_TYPE_INT)
        return v;
    if (v->kind == RF_VAL_CAST && v->arg[0]->type &&
        v->arg[0]->type->kind == RF_TYPE_INT)
        return widen(tr, v->arg[0]);
    if (v->kind != RF_VAL_OP ||
        (v->op != RF_OP_ADD && v->op != RF_OP_SUB && v->op != RF_OP_MUL))
        return v;
    return rf_val_op2(tr->vals, v->op, &rf_type_long, widen(tr, v->arg[0]),
                      widen(tr, v->arg[1]));
}

static bool is_assigned(const rf_frame *f, const rf_var *var)
{
    for (size_t i = 0; i < f->assigned.len; i++)
        if (f->assigned.data[i] == var)
            return true;
    return false;
}

/* Numbers and variables that the loop leaves alone, added and multiplied. */
static bool is_fixed(const rf_frame *f, const rf_expr *e)
{
    bool is_leaf = e->op == RF_OP_INT ||
                   (e->op == RF_OP_VAR && !is_assigned(f, e->var)) ||
                   e->op == RF_OP_FIELD;
    bool is_inner = e->op == RF_OP_CAST || e->op == RF_OP_ADD ||
                    e->op == RF_OP_SUB || e->op == RF_OP_MUL ||
                    e->op == RF_OP_FIELD;
    for (unsigned i = 0; i < e->n; i++)
        if (!is_fixed(f, e->arg[i]))
            return false;
    return is_leaf || is_inner;
}

/* Does the body of "f" store to another element than base[index] there? */
static bool stores_elsewhere(rf_tracer *tr, const rf_frame *f,
                             const rf_expr *target, const rf_val *base,
                             const rf_val *index)
{
    if (!target || target->op != RF_OP_INDEX || !is_fixed(f, target->arg[0]) ||
        !is_fixed(f, target->arg[1]))
        return false;
    size_t n = tr->t->reads.len;
    const rf_val *b, *i, *at = rf_eval(tr, target->arg[1]);
    rf_split_pointer(tr, rf_eval(tr, target->arg[0]), &b, &i);
    tr->t->reads.len = n;
    i = rf_offset_sum(tr, RF_OP_ADD, i, at);
    return b == base && differ(tr->is_proof ? widen(tr, i) : i, index);
}

static bool frame_stores_to(rf_tracer *tr, const rf_frame *f,
                            const rf_var *root, const rf_val *base,
                            const rf_val *index)
{
    for (size_t i = 0; i < f->stored.len; i++)
        if (f->stored.data[i].root == root &&
            !stores_elsewhere(tr, f, f->stored.data[i].target, base, index))
            return true;
    return false;
}

/* The innermost loop that stores to "root" and leaves "index" fixed. */
static rf_frame *accumulating_frame(rf_tracer *tr, const rf_var *root,
                                    const rf_val *base, const rf_val *index)
{
    for (rf_frame *f = tr->frame; f; f = f->outer)
        if (root && !rf_varies(index, f->loop) && !rf_varies(base, f->loop) &&
            frame_stores_to(tr, f, root, base, index))
            return f;
    return NULL;
}

/* True if store "k" was made in the iteration of "loop" that is running. */
static bool is_of_this_iteration(const rf_tracer *tr, size_t k,
                                 const rf_loop *loop)
{
    for (const rf_frame *f = tr->frame; f; f = f->outer)
        if (f->loop == loop && k >= f->first_store)
            return true;
    return false;
}

static bool surely_runs(const rf_loop *loop)
{
    int64_t lower, upper, step;
    return loop->at_least_once || (rf_val_is_int(loop->lower, &lower) &&
                                   rf_val_is_int(loop->upper, &upper) &&
                                   rf_val_is_int(loop->step, &step) &&
                                   (step > 0 ? lower < upper : lower > upper));
}

/* True if a loop that has ended, and that the index of store "k" does not
 * name, decides what stays: the last iteration's value, or, where the loop may
 * not run, what was there before. */
static bool is_up_to_a_loop(const rf_tracer *tr, size_t k)
{
    const rf_store *s = &tr->t->stores.data[k];
    for (unsigned i = 0; i < s->n_loops; i++)
        if (s->is_closed && !is_of_this_iteration(tr, k, s->loops[i]) &&
            !rf_varies(s->index, s->loops[i]) &&
            (rf_varies(s->value, s->loops[i]) ||
             !(rf_loop_is_open(tr, s->loops[i]) || surely_runs(s->loops[i]))))
            return true;
    return false;
}

static const rf_val *cell_val(rf_tracer *tr, rf_frame *f, const rf_val *base,
                              const rf_val *index, const rf_type *type)
{
    return rf_val_make(tr->vals,
                       &(rf_val){ .kind = RF_VAL_CELL,
                                  .type = type,
                                  .loop = f->loop,
                                  .n = 2,
                                  .arg = (const rf_val *[]){ base, index } });
}

static const rf_val *load_val(rf_tracer *tr, const rf_val *base,
                              const rf_val *index, const rf_type *type,
                              unsigned version)
{
    return rf_val_make(tr->vals,
                       &(rf_val){ .kind = RF_VAL_LOAD,
                                  .type = type,
                                  .version = version,
                                  .n = 2,
                                  .arg = (const rf_val *[]){ base, index } });
}

/* Stores are numbered in program order; some are dropped later. */
static unsigned next_store(const rf_tracer *tr)
{
    return tr->t->stores.len ? RF_LAST(tr->t->stores).id + 1 : 0;
}

/* The value of base[index] after the first "n" stores. */
static const rf_val *look_up(rf_tracer *tr, const rf_val *base,
                             const rf_val *index, const rf_type *type, size_t n,
                             rf_frame *accumulating)
{
    for (size_t i = n; i-- > 0;) {
        const rf_store *s = &tr->t->stores.data[i];
        if (accumulating && i < accumulating->first_store)
            break;
        if (!same_root(tr, s->base, base))
            continue;
        if (!s->index)
            return s->value;
        if (s->base != base || s->index != index) {
            if (s->base == base && differ(s->index, index))
                continue;
            return load_val(tr, base, index, type, s->id + 1);
        }
        if (is_up_to_a_loop(tr, i))
            return load_val(tr, base, index, type, s->id + 1);
        if (!s->guard || s->guard == tr->path)
            return s->value;
        return rf_val_select(tr->vals, s->guard, s->value,
                             look_up(tr, base, index, type, i, accumulating));
    }
    if (accumulating)
        return cell_val(tr, accumulating, base, index, type);
    return load_val(tr, base, index, type, 0);
}

static const rf_loop **open_loops(rf_tracer *tr, unsigned *n)
{
    *n = 0;
    for (rf_frame *f = tr->frame; f; f = f->outer)
        ++*n;
    const rf_loop **loops = RF_NEW_ARRAY(tr->t->arena, *n + 1, const rf_loop *);
    unsigned i = *n;
    for (rf_frame *f = tr->frame; f; f = f->outer)
        loops[--i] = f->loop;
    return loops;
}

const rf_val *rf_load_cell(rf_tracer *tr, const rf_val *base,
                           const rf_val *index, const rf_type *type,
                           rf_range at)
{
    if (tr->is_proof)
        index = widen(tr, index);
    if (type && type->is_volatile)
        rf_refuse(tr, RF_DIAG_SIDE_EFFECT, at, "a volatile object is read");
    rf_var *root = rf_root_var(tr, base);
    const rf_val *exchanged =
        tr->team && root && root->storage == RF_VAR_SHARED
            ? rf_team_load(tr, root, base, index, type, at)
            : NULL;
    if (exchanged)
        return exchanged;
    rf_frame *f = accumulating_frame(tr, root, base, index);
    size_t n = tr->t->stores.len;
    const rf_val *v = look_up(tr, base, index, type, n, f);
    rf_load load = { .base = base,
                     .index = index,
                     .value = v,
                     .pass = tr->pass,
                     .n_stores = next_store(tr),
                     .at = at };
    load.loops = open_loops(tr, &load.n_loops);
    RF_PUSH(tr->t->loads, load);
    return v;
}

void rf_store_cell(rf_tracer *tr, const rf_val *base, const rf_val *index,
                   const rf_type *type, const rf_val *value, rf_range at)
{
    if (tr->is_proof && index)
        index = widen(tr, index);
    if (type && type->is_volatile)
        rf_refuse(tr, RF_DIAG_SIDE_EFFECT, at, "a volatile object is written");
    value = rf_team_read(tr, value);
    rf_store s = { .id = next_store(tr),
                   .base = base,
                   .index = index,
                   .value = rf_usual_cast(tr, value, type),
                   .guard = tr->path,
                   .type = type,
                   .pass = tr->pass,
                   .at = at };
    s.loops = open_loops(tr, &s.n_loops);
    RF_PUSH(tr->t->stores, s);
}

/* float a[n] = {}: every element is zero. */
void rf_fill_array(rf_tracer *tr, const rf_val *base, const rf_type *type,
                   rf_range at)
{
    rf_store s = { .id = next_store(tr),
                   .base = base,
                   .value = rf_usual_cast(
                       tr, rf_val_int(tr->vals, 0, &rf_type_int), type),
                   .type = type,
                   .pass = tr->pass,
                   .at = at };
    RF_PUSH(tr->t->stores, s);
}

/* ---- the end of a loop ---- */

/* A load in the loop of an element that another iteration stores. */
static void check_loads(rf_tracer *tr, const rf_frame *f)
{
    for (size_t i = f->first_load; i < tr->t->loads.len; i++) {
        const rf_load *l = &tr->t->loads.data[i];
        if (l->value->kind == RF_VAL_CELL)
            continue;
        for (size_t k = f->first_store; k < tr->t->stores.len; k++) {
            const rf_store *s = &tr->t->stores.data[k];
            if (!same_root(tr, s->base, l->base) || !s->index ||
                (s->base == l->base &&
                 (s->index == l->index || differ(s->index, l->index))))
                continue;
            rf_refuse(tr, RF_DIAG_CARRIED, l->at,
                      "this element may have been written by an earlier "
                      "iteration");
            tr->t->refusal.note_at = s->at;
            tr->t->refusal.note = "it is written here";
            return;
        }
    }
}

/* A running element that this loop does not store: another name for one that
 * it does, or an element of another iteration. */
static void check_cells(rf_tracer *tr, const rf_frame *f)
{
    for (size_t i = f->first_load; i < tr->t->loads.len; i++) {
        const rf_load *l = &tr->t->loads.data[i];
        bool is_stored =
            l->value->kind != RF_VAL_CELL || l->value->loop != f->loop;
        for (size_t k = f->first_store; k < tr->t->stores.len; k++)
            is_stored |= tr->t->stores.data[k].base == l->base &&
                         tr->t->stores.data[k].index == l->index;
        if (is_stored)
            continue;
        rf_refuse(tr, RF_DIAG_CARRIED, l->at,
                  "an earlier iteration may have written this element");
        return;
    }
}

/* The index of the last store in this loop to the cell of store "k". */
static size_t last_store_to(rf_tracer *tr, size_t k)
{
    const rf_store *s = &tr->t->stores.data[k];
    size_t last = k;
    if (!s->index)
        return k;
    for (size_t i = k + 1; i < tr->t->stores.len; i++)
        if (tr->t->stores.data[i].base == s->base &&
            tr->t->stores.data[i].index == s->index)
            last = i;
    return last;
}

/* The loops of "s" inside "f" that its index names: the free loops. */
static const rf_loop **free_loops(rf_tracer *tr, const rf_frame *f,
                                  const rf_store *s, unsigned *n)
{
    const rf_loop **out =
        RF_NEW_ARRAY(tr->t->arena, s->n_loops + 1, const rf_loop *);
    bool inside = false;
    *n = 0;
    for (unsigned i = 0; i < s->n_loops; i++) {
        if (inside && rf_varies(s->index, s->loops[i]))
            out[(*n)++] = s->loops[i];
        inside |= s->loops[i] == f->loop;
    }
    return out;
}

static rf_range first_read_of(const rf_tracer *tr, const rf_val *cell,
                              rf_range otherwise)
{
    for (size_t i = 0; i < tr->t->loads.len; i++)
        if (tr->t->loads.data[i].value == cell)
            return tr->t->loads.data[i].at;
    return otherwise;
}

/* Where the loop reads another running element than "cell". */
static rf_range running_read(const rf_tracer *tr, const rf_frame *f,
                             const rf_val *cell, rf_range otherwise)
{
    for (size_t i = tr->t->loads.len; i-- > f->first_load;)
        if (tr->t->loads.data[i].value != cell &&
            rf_is_carried(tr->t->loads.data[i].value, f->loop))
            return tr->t->loads.data[i].at;
    return otherwise;
}

/* Turn the stores of an accumulator into one store of its results. */
static void close_accumulator(rf_tracer *tr, rf_frame *f, size_t k,
                              const rf_val *cell)
{
    rf_store s = tr->t->stores.data[k];
    rf_match m = { 0 };
    bool known = rf_match_update(tr, s.value, cell, &m);
    bool carried =
        rf_is_carried(m.term, f->loop) || rf_is_carried(m.guard, f->loop);
    if (tr->is_proof && (!known || carried)) {
        m = (rf_match){ .op = RF_REDUCE_FOLD, .term = s.value };
    } else if (known && carried) {
        rf_refuse(tr, RF_DIAG_ORDER, running_read(tr, f, cell, s.at),
                  "a reduction is used before it is finished");
        return;
    } else if (!known) {
        rf_refuse(tr, RF_DIAG_CARRIED, first_read_of(tr, cell, s.at),
                  "this element was written by an earlier iteration");
        return;
    }
    rf_frame *outer = tr->frame; /* already the frame around "f" */
    rf_red red = { .op = m.op,
                   .axis = f->loop,
                   .term = m.term,
                   .guard = rf_val_and(tr->vals, s.guard, m.guard),
                   .phi = cell,
                   .next = s.value,
                   .type = s.type,
                   .base = s.base,
                   .index = s.index,
                   .at = s.at };
    red.free = free_loops(tr, f, &s, &red.n_free);
    red.init = look_up(
        tr, s.base, s.index, s.type, f->first_store,
        accumulating_frame(tr, rf_root_var(tr, s.base), s.base, s.index));
    s.value = rf_make_red(tr, f, &red);
    rf_note_update(tr, &red, s.value);
    s.guard = NULL;
    s.is_result = true;
    unsigned n_outer = 0;
    for (rf_frame *o = outer; o; o = o->outer)
        n_outer++;
    const rf_loop **loops =
        RF_NEW_ARRAY(tr->t->arena, n_outer + red.n_free + 1, const rf_loop *);
    unsigned i = n_outer;
    for (rf_frame *o = outer; o; o = o->outer)
        loops[--i] = o->loop;
    for (unsigned j = 0; j < red.n_free; j++)
        loops[n_outer + j] = red.free[j];
    s.loops = loops;
    s.n_loops = n_outer + red.n_free;
    tr->t->stores.data[k] = s;
}

static void drop_store(rf_tracer *tr, size_t k)
{
    for (size_t i = k; i + 1 < tr->t->stores.len; i++)
        tr->t->stores.data[i] = tr->t->stores.data[i + 1];
    tr->t->stores.len--;
}

/* Two stores to one element, the later one guarded, as one without guard:
 * g2 ? v2 : g1 ? v1 : the element as the iteration found it. */
static void join_stores(rf_tracer *tr, rf_frame *f, size_t early, size_t late)
{
    rf_store *a = &tr->t->stores.data[early], *b = &tr->t->stores.data[late];
    const rf_val *kept = a->value;
    if (a->guard)
        kept = rf_val_select(tr->vals, a->guard, kept,
                             cell_val(tr, f, b->base, b->index, b->type));
    b->value = rf_val_select(tr->vals, b->guard, b->value, kept);
    b->guard = NULL;
    drop_store(tr, early);
}

/* if (c) a[i] = ...; else a[i] = ...: both stay, one of them is made. */
static bool is_either_or(rf_tracer *tr, size_t early, size_t late)
{
    const rf_store *a = &tr->t->stores.data[early];
    const rf_store *b = &tr->t->stores.data[late];
    for (size_t i = early + 1; i < late; i++)
        if (tr->t->stores.data[i].base == b->base &&
            tr->t->stores.data[i].index == b->index)
            return false;
    return a->guard && b->guard && rf_val_not(tr->vals, a->guard) == b->guard;
}

/* The conditions of "all" that mention "cell", or that do not; NULL: none. */
static const rf_val *conditions(rf_tracer *tr, const rf_val *all,
                                const rf_val *cell, bool mention)
{
    if (all->kind == RF_VAL_OP && all->op == RF_OP_AND)
        return rf_val_and(tr->vals, conditions(tr, all->arg[0], cell, mention),
                          conditions(tr, all->arg[1], cell, mention));
    return rf_val_mentions(all, cell) == mention ? all : NULL;
}

/* if (c && x > a[i]) a[i] = x;  is  if (c) a[i] = x > a[i] ? x : a[i]; */
static void select_cell(rf_tracer *tr, rf_store *s, const rf_val *cell)
{
    const rf_val *test = s->guard && !rf_val_mentions(s->value, cell)
                             ? conditions(tr, s->guard, cell, true)
                             : NULL;
    if (!test)
        return;
    s->guard = conditions(tr, s->guard, cell, false);
    s->value = rf_val_select(tr->vals, test, s->value, cell);
}

void rf_close_cells(rf_tracer *tr, rf_frame *f)
{
    check_loads(tr, f);
    check_cells(tr, f);
    for (size_t k = f->first_store; k < tr->t->stores.len && !tr->t->refused;
         k++) {
        while (last_store_to(tr, k) != k) {
            size_t last = last_store_to(tr, k);
            if (is_either_or(tr, k, last))
                break;
            if (tr->t->stores.data[last].guard && tr->is_proof) {
                join_stores(tr, f, k, last);
                continue;
            }
            if (tr->t->stores.data[last].guard)
                break; /* the earlier value may stay */
            drop_store(tr, k);
        }
        rf_store *s = &tr->t->stores.data[k];
        if (!s->index)
            continue;
        const rf_val *cell = cell_val(tr, f, s->base, s->index, s->type);
        select_cell(tr, s, cell);
        if (rf_val_mentions(s->value, cell))
            close_accumulator(tr, f, k, cell);
    }
    for (size_t k = f->first_store; k < tr->t->stores.len; k++) {
        rf_store *s = &tr->t->stores.data[k];
        s->is_closed = true;
        s->guard = rf_val_and(tr->vals, f->path, s->guard);
    }
}
