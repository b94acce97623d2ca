#include "subject.h"

#include "file.h"
#include "plan/widen.h"

#include <string.h>

static const rf_front_options front = { .use_cache = true, .reference = true };

/* Where the first argument in "text" ends. */
static size_t argument(const char *text)
{
    int depth = 0;
    size_t i = 0;
    for (; depth || !strchr(",)>", text[i]); i++)
        depth += (text[i] == '(') - (text[i] == ')');
    return i;
}

/* <<<grid, block>>> with blocks of "threads", a team each: grid becomes
 * grid * block. */
static void edit_launch(subject *s, const rf_kernel_launch *l, unsigned threads)
{
    const char *begin = strstr(s->unit->bytes + l->at.begin, "<<<") + 3;
    const char *end = strstr(begin, ">>>");
    bool is_dim3 = !strncmp(begin, "dim3(", 5);
    const char *x = is_dim3 ? begin + 5 : begin;
    int n = (int)argument(x), whole = (int)argument(begin);
    const char *text = rf_arena_printf(
        s->arena, "%s(%.*s) * (%.*s)%.*s, %u", is_dim3 ? "dim3(" : "", n, x,
        (int)(end - begin) - whole - 1, begin + whole + 1,
        (int)(begin + whole - x) - n, x + n, threads);
    RF_PUSH(s->edits, (rf_emitted){ .begin = (uint32_t)(begin - s->unit->bytes),
                                    .end = (uint32_t)(end - s->unit->bytes),
                                    .text = text });
}

/* The same with the author's blocks, a warp for each row. */
static void edit_grid(subject *s, const rf_kernel_launch *l)
{
    const char *begin = strstr(s->unit->bytes + l->at.begin, "<<<") + 3;
    int n = (int)argument(begin);
    uint32_t at = (uint32_t)(begin - s->unit->bytes);
    RF_PUSH(s->edits, (rf_emitted){ .begin = at,
                                    .end = at + (uint32_t)n,
                                    .text = rf_arena_printf(
                                        s->arena, "(%.*s) * 32", n, begin) });
}

/* A team folds a row where the mark asks for it. */
static bool widen(subject *s)
{
    rf_plan *plan = s->plans.data[0];
    rf_level level = s->region->mark.level;
    rf_refusal why;
    if ((level != RF_LEVEL_WARP && level != RF_LEVEL_BLOCK) ||
        plan->trace->team)
        return true;
    if (!rf_plan_widen(s->arena, s->unit, s->region, plan, &why))
        return false;
    for (size_t i = 0; i < plan->wide->edits.len; i++) {
        const rf_row_edit *e = &plan->wide->edits.data[i];
        RF_PUSH(s->edits, (rf_emitted){ .begin = e->at.begin,
                                        .end = e->at.end,
                                        .text = e->text });
    }
    for (size_t i = 0; i < s->unit->launches.len; i++) {
        const rf_kernel_launch *l = &s->unit->launches.data[i];
        if (plan->wide->threads || l->block[0] % 32)
            edit_launch(s, l, plan->wide->threads ? plan->wide->threads : 32);
        else
            edit_grid(s, l);
    }
    RF_CLEAR(plan->wide->edits);
    rf_emitted_sort(s->edits.data, s->edits.len);
    return true;
}

void subject_open(subject *s, const char *path)
{
    *s = (subject){ .arena = rf_arena_new(), .diags = rf_diags_new() };
    const char *full = rf_arena_printf(s->arena, "%s/%s", RF_SOURCE_DIR, path);
    const char *bytes = read_file(s->arena, full);
    if (rf_front_parse(&s->unit, s->arena, full, bytes, strlen(bytes), &front,
                       s->diags) ||
        !s->unit->regions.len)
        return;
    s->region = &s->unit->regions.data[0];
    rf_plan_region(s->arena, s->unit, s->region, &s->plans, s->diags);
    rf_refusal why;
    rf_emitted_list parts = { 0 };
    s->is_fused =
        s->plans.len && widen(s) &&
        !rf_emit_plan(s->arena, s->unit, NULL, s->plans.data[0], &parts, &why);
    if (s->is_fused)
        s->part = parts.data[0];
    RF_CLEAR(parts);
}

void subject_close(subject *s)
{
    RF_CLEAR(s->plans);
    RF_CLEAR(s->edits);
    rf_diags_free(s->diags);
    rf_arena_free(s->arena);
}

/* The bytes from "*at" to "end" with the changes in them. */
static void add_edits(const subject *s, rf_buf *file, uint32_t *at,
                      uint32_t end)
{
    for (size_t i = 0; i < s->edits.len; i++) {
        const rf_emitted *e = &s->edits.data[i];
        if (e->begin < *at || e->end > end)
            continue;
        rf_buf_add(file, s->unit->bytes + *at, e->begin - *at);
        rf_buf_puts(file, e->text);
        *at = e->end;
    }
    rf_buf_add(file, s->unit->bytes + *at, end - *at);
}

uint32_t subject_file(const subject *s, const char *text, rf_buf *file)
{
    uint32_t at = 0;
    add_edits(s, file, &at, s->part.begin);
    uint32_t begin = (uint32_t)file->len;
    rf_buf_puts(file, text);
    at = s->part.end;
    add_edits(s, file, &at, (uint32_t)s->unit->size);
    return begin;
}

/* Where "text" has two versions: the first one, behind the test. */
static rf_range first_version(const subject *s, const char *text)
{
    const char *begin = strstr(text, "{\n");
    const char *end = strstr(text, "\n    } else {\n");
    if (!s->part.inner_end || !begin || !end)
        return (rf_range){ 0, (uint32_t)strlen(text) };
    return (rf_range){ (uint32_t)(begin + 2 - text), (uint32_t)(end - text) };
}

void subject_prove(const subject *s, rf_arena *arena, const char *text,
                   rf_proof *proof)
{
    rf_buf file = { 0 };
    uint32_t begin = subject_file(s, text, &file);
    rf_range first = first_version(s, text);
    rf_proof_window window = { .source = { s->part.begin, s->part.end },
                               .emitted = { begin + first.begin,
                                            begin + first.end },
                               .has_two_versions = s->part.inner_end };
    rf_proof_task task = { .source = s->unit,
                           .region = s->region,
                           .bytes = rf_buf_text(&file),
                           .size = file.len,
                           .n_windows = 1,
                           .windows = &window,
                           .front = &front };
    *proof = (rf_proof){ 0 };
    rf_prove(arena, &task, proof);
    rf_buf_free(&file);
}
