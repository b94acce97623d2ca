/* Findings as text and as data. */
#include "report/report.h"

#include <criterion/criterion.h>
#include <string.h>

static rf_report_file file_of(const char *bytes)
{
    return (rf_report_file){ "/a/b.cu", bytes, strlen(bytes) };
}

static rf_place place_of(const rf_report_file *file, const char *what)
{
    rf_place at = { .file = file->path,
                    .offset =
                        (uint32_t)(strstr(file->bytes, what) - file->bytes) };
    rf_place_complete(file, &at);
    return at;
}

static void check_text(const char *bytes, const char *what, const char *want)
{
    rf_report_file file = file_of(bytes);
    rf_finding f = { .name = RF_DIAG_ALIAS,
                     .severity = RF_WARNING,
                     .at = place_of(&file, what),
                     .text = "text" };
    rf_buf out = { 0 };
    rf_finding_text(&out, &file, &f, false);
    cr_assert_str_eq(out.data, want);
    rf_buf_free(&out);
}

Test(text, has_line_and_caret)
{
    check_text("a\n  b = c;\n", "c;",
               "/a/b.cu:2:7: warning: text [rf-alias]\n  b = c;\n      ^\n");
    check_text("a\r\n\tb;\r\n", "b;",
               "/a/b.cu:2:2: warning: text [rf-alias]\n\tb;\n\t^\n");
    check_text("/* \xc3\xa4 */ b;", "b;",
               "/a/b.cu:1:10: warning: text [rf-alias]\n"
               "/* \xc3\xa4 */ b;\n        ^\n");
    check_text("b", "b", "/a/b.cu:1:1: warning: text [rf-alias]\nb\n^\n");
}

Test(text, shows_a_long_line_around_its_column)
{
    char bytes[5001];
    memset(bytes, 'x', 5000);
    bytes[5000] = 0;
    memcpy(bytes + 3000, "HERE", 4);
    rf_report_file file = file_of(bytes);
    rf_finding f = { .at = place_of(&file, "HERE"), .text = "t" };
    rf_buf out = { 0 };
    rf_finding_text(&out, &file, &f, false);
    cr_assert_lt(out.len, 400);
    const char *caret = strchr(out.data, '^');
    const char *line = strchr(out.data, '\n') + 1;
    const char *below = strchr(line, '\n') + 1;
    cr_assert_eq(strncmp(line + (caret - below), "HERE", 4), 0);
    rf_buf_free(&out);
}

Test(text, of_the_tool_itself_and_of_lost_places)
{
    rf_report_file file = file_of("");
    rf_finding f = { .name = RF_DIAG_ERROR,
                     .severity = RF_ERROR,
                     .text = "a\nb" };
    rf_buf out = { 0 };
    rf_finding_text(&out, &file, &f, false);
    cr_assert_str_eq(out.data, "rf-rewrite: error: a b [rf-error]\n");
    f.at = (rf_place){ "/none", 7, 3, 4 };
    f.promoted = true;
    out.len = 0;
    rf_finding_text(&out, &file, &f, false);
    cr_assert_str_eq(out.data,
                     "/none:3:4: error: a b [rf-error,-warnings-as-errors]\n");
    rf_buf_free(&out);
}

static void check_scalar(const char *text, const char *want)
{
    rf_buf out = { 0 };
    rf_yaml_scalar(&out, text, strlen(text));
    cr_assert_str_eq(out.data, want);
    rf_buf_free(&out);
}

Test(yaml, quotes)
{
    check_scalar("a", "'a'");
    check_scalar("it's", "'it''s'");
    check_scalar("a\nb\t\"\\\x01", "\"a\\nb\\t\\\"\\\\\\x01\"");
    check_scalar("", "''");
    check_scalar("\xc3\xa4", "'\xc3\xa4'");
}

Test(utf8, is_checked)
{
    static const struct {
        const char *bytes;
        size_t good;
    } rows[] = {
        { "abc", 3 },
        { "\xc3\xa4", 2 },
        { "\xf0\x9f\x98\x80", 4 },
        { "a\xff", 1 },
        { "\xc0\x80", 0 },         /* overlong */
        { "\xed\xa0\x80", 0 },     /* surrogate */
        { "\xf4\x90\x80\x80", 0 }, /* beyond the last */
        { "x\xe2\x82", 1 },        /* cut off */
    };
    for (size_t i = 0; i < RF_COUNTOF(rows); i++)
        cr_assert_eq(rf_utf8_check(rows[i].bytes, strlen(rows[i].bytes)),
                     rows[i].good, "row %zu", i);
    cr_assert_eq(rf_utf16_length("a\xc3\xa4\xf0\x9f\x98\x80", 7), 4);
    json_t *text = rf_json_text("a\xff"
                                "b",
                                3);
    cr_assert_str_eq(json_string_value(text), "a\xef\xbf\xbd"
                                              "b");
    json_decref(text);
}

Test(checks, are_selected_by_globs)
{
    cr_assert(rf_checks_select(NULL, "rf-alias"));
    cr_assert(!rf_checks_select("", "rf-alias"));
    cr_assert(rf_checks_select("*", "rf-alias"));
    cr_assert(rf_checks_select("-*,rf-al*", "rf-alias"));
    cr_assert(!rf_checks_select("*, -rf-alias", "rf-alias"));
    cr_assert(rf_checks_select("*\n-rf-race", "rf-alias"));
    cr_assert(!rf_checks_select("rf-alia", "rf-alias"));
    cr_assert(!rf_checks_select(",,", "rf-alias"));
}

Test(line_filter, is_inclusive_and_by_suffix)
{
    rf_arena *arena = rf_arena_new();
    const char *why;
    rf_line_filter *f = rf_line_filter_read(
        arena,
        "[{\"name\":\"a.cu\",\"lines\":[[1,3],[5,7]]},{\"name\":\"b.h\"}]",
        &why);
    cr_assert(f);
    cr_assert(rf_line_filter_passes(f, "/x/a.cu", 1));
    cr_assert(rf_line_filter_passes(f, "/x/a.cu", 3));
    cr_assert(!rf_line_filter_passes(f, "/x/a.cu", 4));
    cr_assert(rf_line_filter_passes(f, "/x/a.cu", 7));
    cr_assert(!rf_line_filter_passes(f, "/x/a.cu", 8));
    cr_assert(rf_line_filter_passes(f, "/x/b.h", 800));
    cr_assert(!rf_line_filter_passes(f, "/x/c.cu", 1));
    cr_assert(rf_line_filter_passes(NULL, "/x/c.cu", 1));
    rf_line_filter_free(f);
    static const char *const wrong[] = {
        "",
        "{}",
        "[1]",
        "[{}]",
        "[{\"name\":1}]",
        "[{\"name\":\"a\",\"lines\":1}]",
        "[{\"name\":\"a\",\"lines\":[1]}]",
        "[{\"name\":\"a\",\"lines\":[[1,\"2\"]]}]",
    };
    for (size_t i = 0; i < RF_COUNTOF(wrong); i++)
        cr_assert(!rf_line_filter_read(arena, wrong[i], &why), "%s", wrong[i]);
    rf_arena_free(arena);
}

/* Sorting: by file, place, name; each once, the one with a fix. */
Test(findings, are_sorted_and_said_once)
{
    rf_findings list = { 0 };
    rf_edit edit = { 0, 0, "", 0 };
    rf_place late = { "b", 9, 2, 1 }, early = { "b", 3, 1, 4 };
    rf_place other = { "a", 50, 9, 1 };
    rf_finding all[] = {
        { .name = RF_DIAG_RACE, .at = late, .text = "1" },
        { .name = RF_DIAG_ALIAS, .at = late, .text = "2" },
        { .name = RF_DIAG_ALIAS, .at = early, .text = "3" },
        { .name = RF_DIAG_ALIAS,
          .at = late,
          .text = "2",
          .fixes = &edit,
          .n_fixes = 1 },
        { .name = RF_DIAG_ALIAS, .at = other, .text = "4" },
    };
    for (size_t i = 0; i < RF_COUNTOF(all); i++)
        RF_PUSH(list.list, all[i]);
    rf_findings_sort(&list);
    cr_assert_eq(list.list.len, 4);
    const char *want[] = { "4", "3", "2", "1" };
    for (int i = 0; i < 4; i++)
        cr_assert_str_eq(list.list.data[i].text, want[i]);
    cr_assert_eq(list.list.data[2].n_fixes, 1);
    RF_CLEAR(list.list);
}
