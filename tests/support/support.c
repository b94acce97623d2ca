/* Arena, array, buffer, diagnostics. */
#include "support/arena.h"
#include "support/array.h"
#include "support/buf.h"
#include "support/diag.h"

#include <criterion/criterion.h>
#include <string.h>

Test(arena, keeps_what_it_gave)
{
    rf_arena *a = rf_arena_new();
    char *first = rf_arena_strdup(a, "first");
    for (int i = 0; i < 10000; i++)
        cr_assert_eq(RF_NEW_ARRAY(a, 3, int)[2], 0);
    cr_assert_str_eq(first, "first");
    cr_assert_str_eq(rf_arena_printf(a, "%d-%s", 7, "x"), "7-x");
    rf_arena_free(a);
}

Test(array, grows)
{
    RF_ARRAY(int) xs = { 0 };
    for (int i = 0; i < 100; i++)
        RF_PUSH(xs, i * i);
    cr_assert_eq(xs.len, 100);
    cr_assert_eq(xs.data[9], 81);
    cr_assert_eq(RF_POP(xs), 99 * 99);
    RF_CLEAR(xs);
}

Test(buf, appends)
{
    rf_buf b = { 0 };
    cr_assert_str_eq(rf_buf_text(&b), "");
    rf_buf_puts(&b, "ab");
    rf_buf_fill(&b, 'c', 3);
    rf_buf_printf(&b, "%d", 12);
    cr_assert_str_eq(rf_buf_text(&b), "abccc12");
    rf_buf_free(&b);
}

Test(diag, carries_notes_and_names)
{
    rf_diags *d = rf_diags_new();
    rf_place at = { .file = "k.cu", .offset = 3, .line = 1, .column = 4 };
    rf_diag_add(d, RF_WARNING, RF_DIAG_ALIAS, at, "'%s' overlaps", "x");
    rf_diag_note_add(d, at, "here");
    cr_assert_str_eq(d->list.data[0].text, "'x' overlaps");
    cr_assert_eq(d->list.data[0].notes.len, 1);
    cr_assert_str_eq(rf_diag_spelling(RF_DIAG_ALIAS), "rf-alias");
    cr_assert_eq(rf_diag_find("rf-alias"), RF_DIAG_ALIAS);
    cr_assert_eq(rf_diag_find("nope"), RF_DIAG_COUNT);
    rf_diags_free(d);
}
