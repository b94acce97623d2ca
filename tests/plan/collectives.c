/* tests/collectives: collectives in many spellings. Each file ends with what
 * is expected of it,
 *
 *     // fused: block 2 -> 1, barriers 18 -> 1
 *     // expect: line:column rf-name
 *
 * the team, the passes and barriers before and after, or the refusal. */
#include "front/front.h"
#include "plan/plan.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define CASES RF_SOURCE_DIR "/tests/collectives"

static char *read_file(rf_arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    rf_buf buf = { 0 };
    for (int c; file && (c = fgetc(file)) != EOF;)
        rf_buf_putc(&buf, (char)c);
    if (file)
        fclose(file);
    char *text = rf_arena_strndup(arena, rf_buf_text(&buf), buf.len);
    rf_buf_free(&buf);
    return text;
}

static const char *team_name(rf_arena *arena, const rf_team *team)
{
    return !team          ? "thread"
           : !team->width ? "block"
                          : rf_arena_printf(arena, "%u lanes", team->width);
}

static const char *outcome(rf_arena *arena, const rf_plans *plans,
                           const rf_diags *diags)
{
    if (plans->len) {
        const rf_plan *p = plans->data[0];
        return rf_arena_printf(arena, "fused: %s %u -> %u, barriers %u -> %u",
                               team_name(arena, p->trace->team),
                               p->passes_before, p->passes_after,
                               p->barriers_before, p->barriers_after);
    }
    if (!diags->list.len)
        return "nothing";
    const rf_diag *d = &diags->list.data[0];
    return rf_arena_printf(arena, "expect: %u:%u %s", d->at.line, d->at.column,
                           rf_diag_spelling(d->name));
}

static const char *expectation(rf_arena *arena, const char *text)
{
    const char *last = text, *p = text;
    while ((p = strstr(p, "\n// ")))
        last = p += 4;
    return rf_arena_strndup(arena, last, strcspn(last, "\n"));
}

/* "... thread 32 ..." */
static bool names_thread(const char *text)
{
    const char *at = strstr(text, "thread ");
    while (at && (at[7] < '0' || at[7] > '9'))
        at = strstr(at + 7, "thread ");
    return at != NULL;
}

static void check_case(const char *name)
{
    rf_arena *arena = rf_arena_new();
    const char *path = rf_arena_printf(arena, CASES "/%s", name);
    rf_front_options options = { .headers = RF_HEADERS_OWN, .use_cache = true };
    rf_diags *diags = rf_diags_new();
    rf_unit *unit;
    const char *text = read_file(arena, path);
    cr_assert_eq(
        rf_front_parse(&unit, arena, path, text, strlen(text), &options, diags),
        0, "%s is not read", name);
    cr_assert_eq(unit->regions.len, 1, "%s has one region", name);
    rf_plans plans = { 0 };
    rf_plan_region(arena, unit, &unit->regions.data[0], &plans, diags);
    const char *got = outcome(arena, &plans, diags);
    const char *want = expectation(arena, text);
    if (strstr(name, "_wrong_") && diags->list.len)
        cr_expect(names_thread(diags->list.data[0].text),
                  "%s: no thread is named in \"%s\"", name,
                  diags->list.data[0].text);
    cr_expect_str_eq(got, want, "%s: %s, expected %s", name, got, want);
    RF_CLEAR(plans);
    rf_diags_free(diags);
    rf_arena_free(arena);
}

Test(collectives, cases, .timeout = 120)
{
    struct dirent **list;
    int n = scandir(CASES, &list, NULL, alphasort), cases = 0;
    cr_assert_geq(n, 0);
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name;
        if (strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".cu")) {
            check_case(name);
            cases++;
        }
        free(list[i]);
    }
    free(list);
    cr_assert_geq(cases, 60);
}
