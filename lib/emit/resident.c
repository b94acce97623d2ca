/* Loops over a row that a team keeps in registers (THEORY 5). Slot k of a
 * thread holds the element lane + k * lanes; the loops over slots have a
 * constant length, so that unrolled each slot is a register.
 *
 *     for (int k = 0; k < 8; ++k) {
 *         const int i = lane + k * 128;
 *         if (i < width)
 *             m = max(m, x_row[k]);
 *     } */
#include "plan/resident.h"
#include "emit/combining.h"
#include "plan/widen.h"

/* ---- loops ---- */

static bool is_over_slots(const rf_emitter *em, const rf_loop *loop)
{
    return em->plan->wide && em->plan->resident && loop == em->plan->axis;
}

/* True if every slot has an element: the row has as many as the team slots. */
static bool is_full(const rf_emitter *em)
{
    const rf_resident *r = em->plan->resident;
    int64_t n;
    return !r->count && rf_val_is_int(r->length, &n) &&
           n + em->plan->axis->is_inclusive ==
               (int64_t)r->slots * em->plan->wide->lanes;
}

static void declare_counter(rf_emitter *em, const rf_val *value)
{
    const rf_loop *axis = em->plan->axis;
    rf_var *var =
        rf_new_var(em, rf_names_fresh(em, axis->name), axis->type, true);
    rf_emit_append(em,
                   rf_declare(em, var, rf_express_as(em, value, axis->type)));
    RF_PUSH(em->counters, (rf_counter){ .loop = axis, .var = var });
}

static void bind_row(rf_emitter *em)
{
    const rf_resident *r = em->plan->resident;
    for (size_t i = 0; i < r->n; i++)
        RF_PUSH(em->scope, (rf_in_scope){ .value = r->kept[i].load,
                                          .var = r->kept[i].var,
                                          .index = r->loop->index });
}

/* if (i < width), or if (lane + k * lanes < length) where the row does not
 * begin with element 0: a sum of both might overflow. */
static void slots_begin(rf_emitter *em, rf_open_axis *open)
{
    const rf_resident *r = em->plan->resident;
    const rf_loop *axis = em->plan->axis;
    bool from_zero = rf_val_is_number(r->first, 0);
    open->loop = rf_loop_begin(em, r->loop);
    open->loop->stmt->attribute = "#pragma unroll";
    if (from_zero)
        declare_counter(em, r->offset);
    open->has_test = !is_full(em);
    if (open->has_test) {
        rf_expr *at = from_zero ? rf_emit_use(em, RF_LAST(em->counters).var)
                                : rf_express(em, r->offset);
        open->test = rf_binary(em, axis->is_inclusive ? RF_OP_LE : RF_OP_LT,
                               &rf_type_bool, at, rf_express(em, r->length));
        rf_block_begin(em, &open->inside);
    }
    if (!from_zero)
        declare_counter(em, rf_val_op2(em->vals, RF_OP_ADD, axis->type,
                                       r->first, r->offset));
    open->has_counter = true;
}

void rf_axis_begin(rf_emitter *em, rf_open_axis *open, const rf_loop *loop)
{
    *open = (rf_open_axis){ 0 };
    if (!is_over_slots(em, loop)) {
        open->loop = rf_loop_begin(em, loop);
        return;
    }
    slots_begin(em, open);
    bind_row(em);
}

/* The declaration of a counter that nothing names goes away. */
static void drop_unused_counter(rf_emitter *em)
{
    const rf_var *var = RF_LAST(em->counters).var;
    rf_stmts *list = em->out;
    for (size_t i = 0; i < em->used.len; i++)
        if (em->used.data[i] == var)
            return;
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i]->kind == RF_STMT_DECL && list->data[i]->var == var) {
            for (; i + 1 < list->len; i++)
                list->data[i] = list->data[i + 1];
            list->len--;
        }
}

void rf_axis_end(rf_emitter *em, rf_open_axis *open)
{
    if (open->has_counter)
        drop_unused_counter(em);
    if (open->has_test) {
        rf_block_end(em, &open->inside);
        rf_emit_append(em, rf_if(em, open->test, &open->inside.body));
    }
    em->counters.len -= open->has_counter;
    rf_loop_end(em, open->loop);
}

/* ---- the row ---- */

/* float x_row[8]; */
static rf_var *row_array(rf_emitter *em, const rf_val *load)
{
    const rf_resident *r = em->plan->resident;
    const rf_val *root = rf_trace_root(em->trace, load->arg[0]);
    const char *of = root->kind == RF_VAL_ENTRY ? root->var->name : "its";
    rf_type *element = RF_NEW(em->arena, rf_type);
    rf_type *t = RF_NEW(em->arena, rf_type);
    *element = *load->type;
    element->is_const = false;
    *t = (rf_type){ .kind = RF_TYPE_ARRAY,
                    .elem = element,
                    .count = r->count ? -1 : (int64_t)r->slots };
    t->spelling = r->count
                      ? rf_arena_printf(em->arena, "%s[%s]",
                                        load->type->spelling, r->count->name)
                      : rf_arena_printf(em->arena, "%s[%u]",
                                        load->type->spelling, r->slots);
    const char *wish = rf_arena_printf(em->arena, "%s_row", of);
    return rf_new_var(em, rf_names_fresh(em, wish), t, false);
}

static void declare_slots(rf_emitter *em)
{
    rf_resident *r = em->plan->resident;
    if (!r->count)
        return;
    r->count->name = rf_names_fresh(em, "slots");
    rf_var *text = rf_new_var(em, r->count_text, &rf_type_int, true);
    rf_emit_append(em, rf_declare(em, r->count, rf_expr_var(em->arena, text)));
}

static void load_slot(rf_emitter *em, const rf_kept_load *kept)
{
    rf_expr *place =
        rf_binary(em, RF_OP_INDEX, kept->load->type, rf_emit_use(em, kept->var),
                  rf_express(em, em->plan->resident->loop->index));
    rf_emit_append(em, rf_assign(em, place, rf_express(em, kept->load)));
}

/* if (width > 1024) __trap(); unless the row's length is a number. */
static void stop_long_rows(rf_emitter *em)
{
    const rf_resident *r = em->plan->resident;
    int64_t n, room = (int64_t)r->slots * em->plan->wide->lanes;
    if (rf_val_is_int(r->length, &n))
        return;
    rf_stmts list = { 0 };
    RF_PUSH(list, rf_emit_call_stmt(em, "__trap"));
    rf_expr *test = rf_binary(
        em, em->plan->axis->is_inclusive ? RF_OP_GE : RF_OP_GT, &rf_type_bool,
        rf_express(em, r->length), rf_expr_int(em->arena, room));
    rf_stmt *s = rf_if(em, test, &list);
    s->text = "longer than was assumed: the row would not fit";
    rf_emit_append(em, s);
    RF_CLEAR(list);
}

void rf_emit_keep_row(rf_emitter *em)
{
    rf_resident *r = em->plan->resident;
    rf_open_axis open = { 0 };
    if (!is_over_slots(em, em->plan->axis))
        return;
    stop_long_rows(em);
    declare_slots(em);
    for (size_t i = 0; i < r->n; i++) {
        r->kept[i].var = row_array(em, r->kept[i].load);
        rf_stmt *s = rf_declare(em, r->kept[i].var, NULL);
        if (!i)
            s->text = "the row is read once and stays in registers";
        rf_emit_append(em, s);
    }
    slots_begin(em, &open);
    for (size_t i = 0; i < r->n; i++)
        rf_emit_tally(em, r->kept[i].load, 1);
    for (size_t i = 0; i < r->n; i++) {
        rf_emit_prepare(em, r->kept[i].load->arg[0]);
        rf_emit_prepare(em, r->kept[i].load->arg[1]);
        load_slot(em, &r->kept[i]);
    }
    rf_axis_end(em, &open);
}
