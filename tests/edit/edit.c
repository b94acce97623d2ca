/* Guards: their form, and what happens to a file that has them. */
#include "edit/edit.h"

#include <criterion/criterion.h>
#include <string.h>

static rf_arena *arena;

static void setup(void)
{
    arena = rf_arena_new();
}

static void teardown(void)
{
    rf_arena_free(arena);
}

TestSuite(guard, .init = setup, .fini = teardown);

/* Plan for one region that replaces "what" by "text"; the result is applied
 * to "source". */
static const char *rewrite(const char *source, const char *what,
                           const char *text, const char *input,
                           rf_edit_state *state, bool keep)
{
    const char *at = strstr(source, what);
    const char *mark = strstr(source, "#pragma rf");
    rf_edit_part part = { .text = text };
    part.begin = (size_t)(at - source);
    part.end = part.begin + strlen(what);
    rf_edit_region region = { .parts = &part, .n_parts = 1, .keep = keep };
    region.words = "fused, 3 passes -> 1";
    region.hash_input = input;
    if (mark) {
        region.mark_begin = (size_t)(mark - source);
        region.mark_end = region.mark_begin + strcspn(mark, "\r\n");
    }
    rf_edits edits = { 0 };
    rf_buf out = { 0 };
    rf_edit_plan(arena, source, strlen(source), &region, 1,
                 (rf_edit_rules){ 0 }, &edits, NULL);
    rf_edits_apply(&edits, source, strlen(source), &out);
    const char *result = rf_arena_strdup(arena, rf_buf_text(&out));
    rf_buf_free(&out);
    RF_CLEAR(edits.list);
    *state = region.state;
    return result;
}

static const char *revert(const char *source, int *rc)
{
    rf_edits edits = { 0 };
    rf_buf out = { 0 };
    *rc = rf_revert_plan(arena, source, strlen(source), &edits);
    rf_edits_apply(&edits, source, strlen(source), &out);
    const char *result = rf_arena_strdup(arena, rf_buf_text(&out));
    rf_buf_free(&out);
    RF_CLEAR(edits.list);
    return result;
}

static void check_round(const char *source, const char *what, const char *text)
{
    rf_edit_state state;
    int rc;
    const char *once = rewrite(source, what, text, "", &state, true);
    cr_assert_eq(state, RF_EDIT_NEW);
    cr_assert_str_neq(once, source);
    cr_assert_str_eq(revert(once, &rc), source);
    cr_assert_eq(rc, 0);
    cr_assert_str_eq(rewrite(once, what, text, "", &state, true), once);
    cr_assert_eq(state, RF_EDIT_CURRENT);
}

Test(guard, has_the_published_form)
{
    const char *source = "void f() {\n"
                         "#pragma rf cascade\n"
                         "    for (;;)\n"
                         "        a();\n"
                         "}\n";
    rf_edit_state state;
    const char *got =
        rewrite(source, "for (;;)\n        a();",
                "    while (1) // one loop\n        b();\n", "", &state, true);
    const char *hash = strstr(got, "passes -> 1, ");
    cr_assert(hash);
    char *want = rf_arena_printf(
        arena,
        "void f() {\n"
        "#pragma rf cascade\n"
        "#ifdef RF_REFERENCE\n"
        "    for (;;)\n"
        "        a();\n"
        "#else  // rf: fused, 3 passes -> 1, %.21s; do not edit\n"
        "    while (1) // one loop\n"
        "        b();\n"
        "#endif // rf\n"
        "}\n",
        hash + strlen("passes -> 1, "));
    cr_assert_str_eq(got, want);
}

Test(guard, keeps_what_is_around)
{
    check_round("#pragma rf cascade\nfor(;;) a();\n", "for(;;) a();", "b();");
    check_round("#pragma rf cascade\r\n\tfor(;;)\r\n a();\r\nx;",
                "for(;;)\r\n a();", "b();\nc();\n");
    check_round("#pragma rf cascade\nfor(;;) a();", "for(;;) a();", "b();\n");
    check_round("#pragma rf cascade\r\nfor(;;) a();", "for(;;) a();", "b();");
    check_round("\xef\xbb\xbf"
                "for(;;) a();\nx;\n",
                "for(;;) a();", "b();");
    check_round("x(); for(;;) a(); y(); /* and\n more */ z();\n",
                "for(;;) a();", "b();\nc();");
    check_round(
        "#define M \\\n  1\nfor(;;)\n#if X\n a();\n#else\nb();\n#endif\n",
        "for(;;)\n#if X\n a();\n#else\nb();\n#endif", "c();\n");
    check_round("s = R\"(\n#else // rf: x\n)\"; a(); t = 1'000;\n", "a();",
                "b();");
}

Test(guard, says_what_stands_beside_a_part_twice)
{
    rf_edit_state state;
    const char *got =
        rewrite("  p(); k<<<1, n>>>(x); q(); // tail\n", "k<<<1, n>>>(x);",
                "k<<<8, n>>>(x);", "", &state, true);
    cr_assert(strstr(got, "\n  p(); k<<<8, n>>>(x); q(); // tail\n#endif"));
    cr_assert(strstr(got, "\n  p(); k<<<1, n>>>(x); q(); // tail\n#else"));
}

Test(guard, is_renewed_not_nested)
{
    const char *source = "#pragma rf cascade\nfor(;;) a();\nrest();\n";
    rf_edit_state state;
    int rc;
    const char *one = rewrite(source, "for(;;) a();", "b();", "v1", &state, 1);
    const char *two = rewrite(one, "for(;;) a();", "c();", "v2", &state, 1);
    cr_assert_eq(state, RF_EDIT_STALE);
    cr_assert(strstr(two, "c();") && !strstr(two, "b();"));
    const char *first = strstr(two, "#ifdef");
    cr_assert(first && !strstr(first + 1, "#ifdef"));
    cr_assert_str_eq(revert(two, &rc), source);
    const char *three = rewrite(one, "for(;;) a();", "c();", "v1", &state, 1);
    cr_assert_eq(state, RF_EDIT_STALE, "another text is another region");
    cr_assert(strstr(three, "c();"));
}

Test(guard, notices_an_edit_by_hand)
{
    const char *source = "#pragma rf cascade\nfor(;;) a();\nrest();\n";
    rf_edit_state state;
    char *one = (char *)rewrite(source, "for(;;) a();", "b();", "", &state, 1);
    *strstr(one, "b();") = 'd';
    const char *two = rewrite(one, "for(;;) a();", "b();", "", &state, true);
    cr_assert_eq(state, RF_EDIT_BY_HAND);
    cr_assert_str_eq(one, two);
    rf_guards guards = rf_guards_find(arena, one, strlen(one));
    cr_assert_eq(guards.list.len, 1);
    cr_assert(guards.list.data[0].edited);
    RF_CLEAR(guards.list);
    int rc;
    cr_assert_str_eq(revert(one, &rc), source);
}

Test(guard, survives_a_formatter)
{
    const char *formatted = "#pragma rf cascade\n"
                            "# ifdef   RF_REFERENCE\n"
                            "  for (;;) a ( );\n"
                            "  # else   // rf: fused, 3 passes\n"
                            "        // -> 1, %.21s; do not\n"
                            "        // edit\n"
                            "        // a comment of ours\n"
                            "  b( ) ;\n"
                            "#  endif // rf\n";
    rf_edit_state state;
    const char *one =
        rewrite("#pragma rf cascade\nfor(;;) a();\n", "for(;;) a();",
                "// a comment of ours\nb();", "", &state, true);
    const char *hash = strstr(one, "-> 1, ") + 6;
    char *text = rf_arena_printf(arena, formatted, hash);
    const char *two = rewrite(text, "for (;;) a ( );",
                              "// a comment of ours\nb();", "", &state, true);
    cr_assert_eq(state, RF_EDIT_CURRENT);
    cr_assert_str_eq(two, text);
    rf_guards guards = rf_guards_find(arena, text, strlen(text));
    cr_assert_str_eq(guards.list.data[0].words, "fused, 3 passes -> 1");
    RF_CLEAR(guards.list);
}

Test(guard, replace_leaves_a_comment)
{
    rf_edit_state state;
    const char *got = rewrite("#pragma rf cascade replace\nfor(;;) a();\nx;\n",
                              "for(;;) a();", "b();", "", &state, false);
    cr_assert_str_eq(got, "// rf: fused, 3 passes -> 1\nb();\nx;\n");
    const char *kept = rewrite("#pragma rf cascade\nfor(;;) a();\nx;\n",
                               "for(;;) a();", "b();", "", &state, true);
    got = rewrite(kept, "for(;;) a();", "b();", "", &state, false);
    cr_assert_str_eq(got, "// rf: fused, 3 passes -> 1\nb();\nx;\n");
}

Test(guard, is_not_set_across_conditionals)
{
    rf_edit_state state;
    const char *source = "for(;;)\n#if X\n a();\n#endif\n";
    cr_assert_str_eq(
        rewrite(source, "for(;;)\n#if X\n a();", "b();", "", &state, true),
        source);
    cr_assert_eq(state, RF_EDIT_IMPOSSIBLE);
    source = "#if X\na();\n#else\nc();\n#endif\n";
    cr_assert_str_eq(
        rewrite(source, "a();\n#else\nc();", "b();", "", &state, true), source);
    cr_assert_eq(state, RF_EDIT_IMPOSSIBLE);
    source = "a();\rb();\r";
    cr_assert_str_eq(rewrite(source, "a();", "b();", "", &state, true), source);
    cr_assert_eq(state, RF_EDIT_IMPOSSIBLE);
}

Test(guard, of_the_author_is_not_ours)
{
    const char *source = "#ifdef RF_REFERENCE\na();\n#else\nb();\n#endif\n";
    rf_guards guards = rf_guards_find(arena, source, strlen(source));
    cr_assert_eq(guards.list.len, 0);
    const char *broken =
        "#ifdef RF_REFERENCE\na();\n#else // rf: fused\nb();\n";
    guards = rf_guards_find(arena, broken, strlen(broken));
    cr_assert_eq(guards.list.len, 1);
    cr_assert(guards.list.data[0].damaged);
    RF_CLEAR(guards.list);
    int rc;
    cr_assert_str_eq(revert(broken, &rc), broken);
    cr_assert_eq(rc, -1);
}

/* Two regions and a launch that belongs to the first. */
Test(guard, ties_the_parts_of_a_region)
{
    const char *s = "A;\nB;\nlaunchA;\n";
    rf_edit_part a[] = { { 0, 2, "a;", NULL },
                         { 6, 14, "launcha;", "launch" } };
    rf_edit_part b[] = { { 3, 5, "b;", NULL } };
    rf_edit_region regions[] = {
        { .parts = a, .n_parts = 2, .words = "fused", .keep = true },
        { .parts = b, .n_parts = 1, .words = "fused", .keep = true },
    };
    rf_edits edits = { 0 };
    rf_buf out = { 0 };
    rf_edit_plan(arena, s, strlen(s), regions, 2, (rf_edit_rules){ 0 }, &edits,
                 NULL);
    rf_edits_apply(&edits, s, strlen(s), &out);
    rf_guards guards = rf_guards_find(arena, out.data, out.len);
    cr_assert_eq(guards.list.len, 3);
    cr_assert_eq(guards.list.data[0].input, guards.list.data[2].input);
    cr_assert_neq(guards.list.data[0].input, guards.list.data[1].input);
    cr_assert_str_eq(guards.list.data[2].words, "launch");
    RF_CLEAR(guards.list);
    RF_CLEAR(edits.list);
    rf_guards orphans = { 0 };
    rf_edit_plan(arena, out.data, out.len, NULL, 0, (rf_edit_rules){ 0 },
                 &edits, &orphans);
    cr_assert_eq(orphans.list.len, 3);
    RF_CLEAR(orphans.list);
    rf_buf back = { 0 };
    rf_edits_apply(&edits, out.data, out.len, &back);
    cr_assert_str_eq(back.data, s);
    rf_buf_free(&out);
    rf_buf_free(&back);
    RF_CLEAR(edits.list);
}

/* If one part cannot be guarded, none is. */
Test(guard, is_all_or_nothing)
{
    const char *s = "A;\nB;\n#if X\nC;\n#endif\n";
    rf_edit_part parts[] = { { 0, 2, "a;", NULL }, { 3, 14, "b;", NULL } };
    rf_edit_region region = { .parts = parts, .n_parts = 2, .keep = true };
    rf_edits edits = { 0 };
    rf_edit_plan(arena, s, strlen(s), &region, 1, (rf_edit_rules){ 0 }, &edits,
                 NULL);
    cr_assert_eq(region.state, RF_EDIT_IMPOSSIBLE);
    cr_assert_eq(edits.list.len, 0);
    cr_assert_eq(region.problem_at, 3);
    rf_edit_part over[] = { { 0, 4, "a;", NULL }, { 3, 5, "b;", NULL } };
    region.parts = over;
    region.problem = NULL;
    rf_edit_plan(arena, s, strlen(s), &region, 1, (rf_edit_rules){ 0 }, &edits,
                 NULL);
    cr_assert_str_eq(region.problem, "two regions overlap");
    rf_edit_part out[] = { { 0, 400, "a;", NULL }, { 3, 5, "b;", NULL } };
    region.parts = out;
    rf_edit_plan(arena, s, strlen(s), &region, 1, (rf_edit_rules){ 0 }, &edits,
                 NULL);
    cr_assert_eq(region.state, RF_EDIT_IMPOSSIBLE);
    cr_assert_eq(edits.list.len, 0);
}

Test(guard, takes_braces_for_style)
{
    const char *source = "#pragma rf cascade\nfor(;;) a();\nrest();\n";
    rf_edit_state state;
    const char *one =
        rewrite(source, "for(;;) a();", "while (x)\n  b();", "", &state, true);
    const char *two = rewrite(one, "for(;;) a();", "while (x) {\n  b();\n}", "",
                              &state, true);
    cr_assert_eq(state, RF_EDIT_CURRENT);
    cr_assert_str_eq(one, two);
    char *edited = rf_arena_strdup(arena, one);
    memcpy(strstr(edited, "  b()"), "{ b()", 5);
    rewrite(edited, "for(;;) a();", "while (x)\n  b();", "", &state, true);
    cr_assert_eq(state, RF_EDIT_BY_HAND);
}

static uint64_t hash_of(const char *text)
{
    return rf_text_hash(text, strlen(text));
}

Test(text_hash, sees_tokens_only)
{
    cr_assert_eq(hash_of("a = b+1; // x"), hash_of("a=b +\n\t1 ;"));
    cr_assert_eq(hash_of("x<<<1, 2>>>(y)"), hash_of("x <<<1,2>>> (y)"));
    cr_assert_neq(hash_of("a b"), hash_of("ab"));
    cr_assert_neq(hash_of("a + +b"), hash_of("a ++b"));
    cr_assert_neq(hash_of("s = \"a b\""), hash_of("s = \"ab\""));
    cr_assert_neq(hash_of("#if A\nb"), hash_of("#if A b"));
    cr_assert_eq(hash_of("#if A\nb\n"), hash_of("# if A \r\n\r\n  b"));
    cr_assert_eq(hash_of("a /* x */ b"), hash_of("a b"));
}
