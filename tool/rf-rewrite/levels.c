/* Plan a region twice, for merged loops that stream and for a team that keeps
 * its row, and rank what is possible. */
#include "levels.h"

#include "devices.h"
#include "plan/resident.h"

/* The only plan of "region" at "level", or NULL. */
static const rf_plan *plan_at(rf_arena *arena, const rf_unit *unit,
                              const rf_region *region, rf_level level)
{
    rf_region at = *region;
    rf_plans plans = { 0 };
    at.mark.level = level;
    rf_plan_region(arena, unit, &at, &plans, NULL);
    const rf_plan *plan = plans.len == 1 ? plans.data[0] : NULL;
    RF_CLEAR(plans);
    return plan && !plan->trace->team ? plan : NULL;
}

unsigned rf_level_choices(const rf_options *options, rf_arena *arena,
                          const rf_unit *unit, const rf_region *region,
                          rf_level_choice *out, const char **table)
{
    const rf_device *device = rf_devices_find(options->devices, options->arch);
    const rf_plan *streamed = plan_at(arena, unit, region, RF_LEVEL_THREAD);
    const rf_plan *kept = plan_at(arena, unit, region, RF_LEVEL_CLUSTER);
    kept = kept && kept->resident ? kept : NULL;
    if (!streamed && !kept)
        return 0;
    rf_row_work work = rf_levels_work(unit, streamed, kept);
    rf_buf text = { 0 };
    rf_buf_puts(&text, "### A team for each row\n\n");
    rf_levels_explain(&text, device, &work);
    if (table)
        *table = rf_arena_strdup(arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return rf_levels_rank(device, &work, out);
}

const rf_region *rf_region_at(rf_arena *arena, const rf_region *region,
                              const rf_level_choice *choice)
{
    rf_region *at = RF_NEW(arena, rf_region);
    *at = *region;
    at->mark.level = choice->level;
    if (choice->level == RF_LEVEL_CLUSTER && !at->mark.cluster)
        at->mark.cluster = (int)choice->blocks;
    if (choice->level >= RF_LEVEL_BLOCK && !at->mark.threads)
        at->mark.threads = (int)choice->threads;
    return at;
}
