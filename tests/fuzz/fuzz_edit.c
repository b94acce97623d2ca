/* Any bytes as a file, any ranges as regions: edits are sorted and disjoint,
 * and what was applied can be taken back. */
#include "edit/edit.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PARTS = 4 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_sorted(const rf_edits *edits, size_t len)
{
    size_t at = 0;
    for (size_t i = 0; i < edits->list.len; i++) {
        must(edits->list.data[i].begin >= at);
        must(edits->list.data[i].end >= edits->list.data[i].begin);
        at = edits->list.data[i].end;
    }
    must(at <= len);
}

/* Whether the bytes could be taken for guards of ours already. */
static bool has_guards(rf_arena *arena, const char *bytes, size_t len)
{
    rf_guards guards = rf_guards_find(arena, bytes, len);
    bool any = guards.list.len > 0;
    RF_CLEAR(guards.list);
    return any;
}

static void check_round(rf_arena *arena, const char *bytes, size_t len,
                        rf_edit_region *region)
{
    rf_edits edits = { 0 }, back = { 0 };
    rf_buf once = { 0 }, twice = { 0 }, diff = { 0 };
    bool fresh = !has_guards(arena, bytes, len);
    rf_edit_plan(arena, bytes, len, region, 1, (rf_edit_rules){ 0 }, &edits,
                 NULL);
    check_sorted(&edits, len);
    rf_edits_apply(&edits, bytes, len, &once);
    rf_edits_diff(&edits, bytes, len, "a.cu", &diff);
    int rc = rf_revert_plan(arena, rf_buf_text(&once), once.len, &back);
    check_sorted(&back, once.len);
    if (fresh && region->state == RF_EDIT_NEW) {
        must(!rc);
        rf_edits_apply(&back, rf_buf_text(&once), once.len, &twice);
        must(twice.len == len);
        must(!len || !memcmp(twice.data, bytes, len));
    }
    RF_CLEAR(edits.list);
    RF_CLEAR(back.list);
    rf_buf_free(&once);
    rf_buf_free(&twice);
    rf_buf_free(&diff);
}

static void check_nolint(const char *bytes, size_t len)
{
    rf_report_file file = { "a.cu", bytes, len };
    rf_diags *diags = rf_diags_new();
    rf_nolint *nolint = rf_nolint_read(&file, diags);
    rf_nolint_covers(nolint, 1, "rf-alias");
    rf_nolint_free(nolint);
    rf_diags_free(diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rf_edit_part parts[MOST_PARTS];
    size_t n = size ? data[0] % (MOST_PARTS + 1) : 0;
    size_t head = 1 + 2 * n;
    if (size < head)
        return 0;
    char *bytes = rf_malloc(size - head + 1);
    size_t len = size - head;
    memcpy(bytes, data + head, len);
    bytes[len] = 0;
    for (size_t i = 0; i < n; i++)
        parts[i] = (rf_edit_part){ .begin = data[1 + 2 * i],
                                   .end = (size_t)data[1 + 2 * i] +
                                          data[2 + 2 * i] % 16,
                                   .text = "new(text);\n" };
    rf_edit_region region = {
        .parts = parts, .n_parts = n, .words = "fused", .keep = true
    };
    rf_arena *arena = rf_arena_new();
    check_round(arena, bytes, len, &region);
    check_nolint(bytes, len);
    rf_text_hash(bytes, len);
    rf_arena_free(arena);
    free(bytes);
    return 0;
}
