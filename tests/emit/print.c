/* Statements: layout, braces, long lines, comments; the author's style. */
#include "build.h"

#include <criterion/criterion.h>
#include <string.h>

static rf_arena *arena;

static void set_up(void)
{
    arena = rf_arena_new();
}

static void tear_down(void)
{
    rf_arena_free(arena);
}

TestSuite(print, .init = set_up, .fini = tear_down);

static const rf_print_style plain = { "    ", "", "\n", false, false, NULL };

static void expect(const rf_stmt *s, const rf_print_style *style,
                   const char *text)
{
    rf_buf out = { 0 };
    rf_print_stmt(&out, s, style);
    cr_expect_str_eq(rf_buf_text(&out), text, "got\n%swanted\n%s",
                     rf_buf_text(&out), text);
    rf_buf_free(&out);
}

static rf_stmt *expr(const char *text)
{
    return statement(arena, RF_STMT_EXPR, text);
}

static rf_stmt *cond(const char *text, rf_stmt *body, rf_stmt *orelse)
{
    rf_stmt *s = statement(arena, RF_STMT_IF, text);
    s->body = body;
    s->orelse = orelse;
    return s;
}

static rf_stmt *count(rf_stmt *body)
{
    rf_stmt *s = statement(arena, RF_STMT_FOR, "(< j n)");
    s->init = declaration(arena, &type_int_, "j", "0");
    s->step = tree(arena, "(x++ j)");
    s->body = body;
    return s;
}

Test(print, declarations)
{
    rf_type fixed = type_float;
    fixed.is_const = true;
    rf_type row = { .kind = RF_TYPE_ARRAY, .elem = &type_float, .count = 64 };
    expect(declaration(arena, &fixed, "p", "(expf (- s m))"), &plain,
           "const float p = expf(s - m);\n");
    expect(declaration(arena, &row, "o", NULL), &plain, "float o[64];\n");
    expect(declaration(arena, &row, "o", "{}"), &plain, "float o[64] = {};\n");
    rf_stmt *shared = declaration(arena, &row, "t", NULL);
    shared->var->storage = RF_VAR_SHARED;
    expect(shared, &plain, "__shared__ float t[64];\n");
}

Test(print, loops_and_comments)
{
    rf_stmt *loop = count(block(arena, expr("(+= s (index x j))"), NULL));
    loop->text = "one pass over the row";
    loop->attribute = "#pragma unroll";
    expect(loop, &plain,
           "// one pass over the row\n"
           "#pragma unroll\n"
           "for (int j = 0; j < n; j++)\n"
           "    s += x[j];\n");
    rf_print_style tabs = { "\t", "  ", "\r\n", true, true, NULL };
    expect(loop, &tabs,
           "  // one pass over the row\r\n"
           "#pragma unroll\r\n"
           "  for (int j = 0; j < n; j++) {\r\n"
           "  \ts += x[j];\r\n"
           "  }\r\n");
    rf_stmt *nest = count(count(expr("(= y 0)")));
    expect(nest, &plain,
           "for (int j = 0; j < n; j++) {\n"
           "    for (int j = 0; j < n; j++)\n"
           "        y = 0;\n"
           "}\n");
}

Test(print, several_counters)
{
    rf_stmt *loop = count(rf_stmt_new(arena, RF_STMT_EMPTY));
    loop->init = block(arena, declaration(arena, &type_int_, "i", "0"),
                       declaration(arena, &type_int_, "k", "1"), NULL);
    loop->init->is_scope = false;
    expect(loop, &plain,
           "for (int i = 0, k = 1; j < n; j++)\n"
           "    ;\n");
    loop->init = NULL, loop->expr = NULL, loop->step = NULL;
    loop->body = block(arena, rf_stmt_new(arena, RF_STMT_BREAK), NULL);
    expect(loop, &plain, "for (;;)\n    break;\n");
}

Test(print, while_and_do)
{
    rf_stmt *s = statement(arena, RF_STMT_WHILE, "(= c (f))");
    s->body = expr("(x++ n)");
    expect(s, &plain, "while ((c = f()))\n    n++;\n");
    s->kind = RF_STMT_DO;
    s->expr = tree(arena, "(< c n)");
    expect(s, &plain, "do {\n    n++;\n} while (c < n);\n");
}

Test(print, branches)
{
    rf_stmt *ret = statement(arena, RF_STMT_RETURN, NULL);
    expect(cond("(>= i n)", ret, NULL), &plain, "if (i >= n)\n    return;\n");
    expect(
        cond("a", expr("(= x 1)"), cond("b", expr("(= x 2)"), expr("(= x 3)"))),
        &plain,
        "if (a)\n    x = 1;\nelse if (b)\n    x = 2;\nelse\n    x = 3;\n");
    rf_stmt *two = block(arena, expr("(= x 1)"), expr("(= y 1)"), NULL);
    expect(cond("a", two, block(arena, expr("(= x 2)"), NULL)), &plain,
           "if (a) {\n    x = 1;\n    y = 1;\n} else {\n    x = 2;\n}\n");
    /* The else belongs to the outer if. */
    expect(cond("a", cond("b", expr("(= x 1)"), NULL), expr("(= x 2)")), &plain,
           "if (a) {\n    if (b)\n        x = 1;\n} else {\n    x = 2;\n}\n");
}

Test(print, a_declaration_alone_keeps_its_braces)
{
    rf_stmt *d = declaration(arena, &type_int_, "k", "1");
    expect(cond("a", block(arena, d, NULL), NULL), &plain,
           "if (a) {\n    int k = 1;\n}\n");
    rf_stmt *commented = expr("(= x 1)");
    commented->text = "why";
    expect(cond("a", commented, NULL), &plain,
           "if (a) {\n    // why\n    x = 1;\n}\n");
}

Test(print, sequences_have_no_braces)
{
    rf_stmt *s = block(arena, declaration(arena, &type_int_, "a", "1"),
                       declaration(arena, &type_int_, "b", "2"), NULL);
    expect(s, &plain, "{\n    int a = 1;\n    int b = 2;\n}\n");
    s->is_scope = false;
    expect(s, &plain, "int a = 1;\nint b = 2;\n");
}

Test(print, opaque_statements_come_from_the_source)
{
    rf_stmt *s = statement(arena, RF_STMT_OPAQUE, NULL);
    s->text = "asm";
    s->at = (rf_range){ 2, 16 };
    rf_print_style style = plain;
    style.source = "  asm(\"bar 0;\"); x";
    expect(s, &style, "asm(\"bar 0;\");\n");
}

Test(print, long_lines_break_at_the_loosest_operator)
{
    expect(expr("(= result (+ (* first_factor second_factor) (* third_factor "
                "(index another_array (+ row column)))))"),
           &plain,
           "result = first_factor * second_factor +\n"
           "         third_factor * another_array[row + column];\n");
    expect(declaration(arena, &type_float, "weighted_average_of_the_row",
                       "(some_function first_argument second_argument "
                       "third_one)"),
           &plain,
           "float weighted_average_of_the_row =\n"
           "    some_function(first_argument, second_argument, third_one);\n");
    expect(expr("(some_function_name first_argument_value "
                "second_argument_value (+ third_argument_value 1))"),
           &plain,
           "some_function_name(first_argument_value, second_argument_value,\n"
           "                   third_argument_value + 1);\n");
    expect(cond("(&& (< first_long_name second_long_name) (< third_long_name "
                "fourth_long_name_of_all))",
                expr("(f)"), NULL),
           &plain,
           "if (first_long_name < second_long_name &&\n"
           "    third_long_name < fourth_long_name_of_all)\n"
           "    f();\n");
    expect(expr("(= result (? (< first_long_name second_long_name) "
                "third_long_name fourth_long_name_of_all))"),
           &plain,
           "result = first_long_name < second_long_name ? third_long_name\n"
           "                                            : "
           "fourth_long_name_of_all;\n");
}

Test(print, no_line_is_longer_than_it_must)
{
    rf_print_style deep = { "    ", "                    ", "\n", false, false,
                            NULL };
    rf_stmt *s = count(expr("(= (index output_of_row (+ (* row stride) j)) (* "
                            "(expf (- (* scale (index scores j)) maximum)) (/ "
                            "weight (index denominators j))))"));
    s->text = "every term is rescaled to the maximum so far, so that nothing "
              "overflows and an empty row keeps its initial value";
    rf_buf out = { 0 };
    rf_print_stmt(&out, s, &deep);
    for (const char *t = rf_buf_text(&out); *t;) {
        size_t n = strcspn(t, "\n");
        cr_expect_leq(n, 80, "%.*s", (int)n, t);
        cr_expect(!strncmp(t, deep.base, strlen(deep.base)));
        t += n + 1;
    }
    rf_buf_free(&out);
}

static void expect_style(const char *text, const char *indent, const char *eol,
                         bool braces, bool flush)
{
    rf_print_style s = rf_print_style_of(text, strlen(text));
    cr_expect_str_eq(s.indent, indent, "%s", text);
    cr_expect_str_eq(s.eol, eol);
    cr_expect_eq(s.always_braces, braces);
    cr_expect_eq(s.flush_pragmas, flush);
}

Test(print, style_of_a_file)
{
    expect_style("", "    ", "\n", false, false);
    expect_style("void f() {\n  if (x)\n    g();\n}\n", "  ", "\n", false,
                 false);
    expect_style("void f() {\r\n\tif (x) {\r\n\t\tg();\r\n\t}\r\n}\r\n", "\t",
                 "\r\n", true, false);
    expect_style("void f()\n{\n    {\n#pragma unroll\n        for (;;)\n"
                 "            g();\n    }\n}\n",
                 "    ", "\n", false, true);
    expect_style("void f() {\n  #pragma unroll\n  for (;;)\n    g();\n}\n",
                 "  ", "\n", false, false);
}
