/* What a widened plan adds to its statements: the place of the thread in its
 * team, and stores that lane 0 makes for all. */
#include "emit/emitting.h"
#include "plan/widen.h"

#include <string.h>

static rf_expr *text(rf_emitter *em, const char *t)
{
    return rf_expr_var(em->arena, rf_new_var(em, t, &rf_type_int, true));
}

/* The row's index in the plan's statements; a long one gets a name. */
static void bind_place(rf_emitter *em)
{
    const rf_widening *w = em->plan->wide;
    const rf_val *place = w->place;
    if (!place)
        return;
    bool is_long = w->place_text[0] == '(';
    const char *name = is_long ? rf_names_fresh(em, "row") : w->place_text;
    rf_var *var = rf_new_var(em, name, place->type, true);
    if (is_long)
        rf_emit_append(
            em,
            rf_declare(em, var,
                       text(em, rf_arena_strndup(em->arena, w->place_text + 1,
                                                 strlen(w->place_text) - 2))));
    RF_PUSH(em->scope, (rf_in_scope){ .value = place, .var = var });
}

rf_expr *rf_emit_in_team(rf_emitter *em, rf_expr *e)
{
    const rf_widening *w = em->plan->wide;
    if (!e || !w || !w->inside.len)
        return e;
    for (size_t i = 0; i < w->inside.len; i++)
        if (w->inside.data[i] == e)
            return text(em, w->place_text);
    rf_expr *copy = RF_NEW(em->arena, rf_expr);
    *copy = *e;
    copy->arg = RF_NEW_ARRAY(em->arena, e->n + 1, rf_expr *);
    for (unsigned i = 0; i < e->n; i++)
        copy->arg[i] = rf_emit_in_team(em, e->arg[i]);
    return copy;
}

void rf_emit_lane(rf_emitter *em)
{
    const rf_widening *w = em->plan->wide;
    if (!w)
        return;
    w->lane->name = rf_names_fresh(em, "lane");
    rf_emit_append(em, rf_declare(em, w->lane, text(em, w->lane_text)));
    bind_place(em);
    if (!w->count)
        return;
    w->count->name = rf_names_fresh(em, "lanes");
    rf_emit_append(em, rf_declare(em, w->count, text(em, w->count_text)));
}

void rf_emit_leader_begin(rf_emitter *em, rf_open_block *block)
{
    if (em->plan->wide)
        rf_block_begin(em, block);
}

void rf_emit_leader_end(rf_emitter *em, rf_open_block *block)
{
    if (!em->plan->wide)
        return;
    rf_block_end(em, block);
    rf_expr *leads = rf_binary(em, RF_OP_EQ, &rf_type_bool,
                               rf_emit_use(em, em->plan->wide->lane),
                               rf_expr_int(em->arena, 0));
    rf_emit_append(em, rf_if(em, leads, &block->body));
}
