/* What a widened plan adds to its statements: the place of the thread in its
 * team, and stores that lane 0 makes for all. */
#include "emit/emitting.h"
#include "plan/widen.h"

static rf_expr *text(rf_emitter *em, const char *t)
{
    return rf_expr_var(em->arena, rf_new_var(em, t, &rf_type_int, true));
}

void rf_emit_lane(rf_emitter *em)
{
    const rf_widening *w = em->plan->wide;
    if (!w)
        return;
    w->lane->name = rf_names_fresh(em, "lane");
    rf_emit_append(em, rf_declare(em, w->lane, text(em, w->lane_text)));
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
