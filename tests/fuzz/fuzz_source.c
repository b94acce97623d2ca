/* Any text as a source with marks: read and planned. */
#include "front/front.h"
#include "plan/plan.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* Traces keep their lists until the process ends. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static void plan(rf_arena *arena, const rf_unit *unit, const rf_region *region,
                 rf_diags *diags)
{
    rf_plans plans = { 0 };
    rf_buf text = { 0 };
    if (region->mark.kind == RF_MARK_CASCADE)
        rf_plan_region(arena, unit, region, &plans, diags);
    for (size_t i = 0; i < plans.len; i++)
        rf_plan_dump(&text, plans.data[i]);
    rf_buf_free(&text);
    RF_CLEAR(plans);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rf_arena *arena = rf_arena_new();
    rf_diags *diags = rf_diags_new();
    rf_front_options options = { .headers = RF_HEADERS_OWN,
                                 .use_cache = true,
                                 .reference = true };
    const char *text = rf_arena_strndup(arena, (const char *)data, size);
    rf_unit *unit;
    if (!rf_front_parse(&unit, arena, "a.cu", text, size, &options, diags))
        for (size_t i = 0; i < unit->regions.len; i++)
            plan(arena, unit, &unit->regions.data[i], diags);
    rf_diags_free(diags);
    rf_arena_free(arena);
    return 0;
}
