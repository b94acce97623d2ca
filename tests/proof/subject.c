#include "subject.h"

#include <stdio.h>
#include <string.h>

static const char *read_file(rf_arena *arena, const char *path)
{
    FILE *f = fopen(path, "r");
    rf_buf text = { 0 };
    char block[4096];
    size_t n;
    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        rf_buf_add(&text, block, n);
    if (f)
        fclose(f);
    const char *copy = rf_arena_strdup(arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}

static const rf_front_options front = { .use_cache = true, .reference = true };

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
    s->is_fused =
        s->plans.len &&
        !rf_emit_plan(s->arena, s->unit, s->plans.data[0], &s->part, &why);
}

void subject_close(subject *s)
{
    RF_CLEAR(s->plans);
    rf_diags_free(s->diags);
    rf_arena_free(s->arena);
}

void subject_prove(const subject *s, rf_arena *arena, const char *text,
                   rf_proof *proof)
{
    rf_buf file = { 0 };
    uint32_t begin = s->part.begin, n = (uint32_t)strlen(text);
    rf_buf_add(&file, s->unit->bytes, begin);
    rf_buf_puts(&file, text);
    rf_buf_puts(&file, s->unit->bytes + s->part.end);
    rf_proof_window window = { .source = { begin, s->part.end },
                               .emitted = { begin, begin + n } };
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
