/* rf_front_parse: what a golden does not show. */
#include "front/front.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rf_arena *arena;
static rf_diags *diags;

static void begin(void)
{
    arena = rf_arena_new();
    diags = rf_diags_new();
}

static void end(void)
{
    rf_diags_free(diags);
    rf_arena_free(arena);
}

TestSuite(front, .init = begin, .fini = end);

static rf_unit *parse_with(const char *text, const rf_front_options *options)
{
    rf_unit *unit;
    rf_front_parse(&unit, arena, "memory.cu", text, strlen(text), options,
                   diags);
    return unit;
}

static rf_unit *parse(const char *text)
{
    rf_front_options options = { .headers = RF_HEADERS_OWN };
    return parse_with(text, &options);
}

static const rf_stmt *first(const rf_unit *unit, unsigned i)
{
    return unit->funcs.data[0]->body->list[i];
}

Test(front, two_uses_are_one_variable)
{
    rf_unit *u =
        parse("__global__ void f(float *x, int n)\n"
              "{ float n2 = n; { int n = 3; x[n] = n2; } x[n] = n2; }");
    const rf_func *f = u->funcs.data[0];
    const rf_expr *inner = f->body->list[1]->list[1]->expr;
    const rf_expr *outer = f->body->list[2]->expr;
    cr_expect_eq(inner->arg[1]->var, outer->arg[1]->var);
    cr_expect_neq(inner->arg[0]->arg[1]->var, outer->arg[0]->arg[1]->var);
    cr_expect_eq(outer->arg[0]->arg[1]->var, f->params[1]);
    cr_expect(!rf_expr_same(inner, outer));
    cr_expect(rf_expr_same(outer, outer));
}

static bool is_const(const rf_unit *u, const char *name)
{
    const rf_stmt *body = u->funcs.data[u->funcs.len - 1]->body;
    for (unsigned i = 0; i < body->n; i++)
        if (body->list[i]->kind == RF_STMT_DECL &&
            !strcmp(body->list[i]->var->name, name))
            return body->list[i]->var->is_const;
    cr_assert(0, "no variable %s", name);
    return false;
}

Test(front, knows_what_is_never_assigned)
{
    rf_unit *u = parse(
        "struct S { float *p; float v; };\n"
        "__device__ void out(float &a, const float &b, float c) { a = b + c; "
        "}\n"
        "__global__ void f(float *x, int n) {\n"
        "  float kept = 1, set = 1, taken = 1, by_ref = 1, by_const = 1;\n"
        "  float *pointer = x, *moved = x; S s, t; float array[3], inside = "
        "0;\n"
        "  float kept2 = 1, aliased = 2; float &alias = aliased;\n"
        "  set += kept; x = &taken; out(by_ref, by_const, kept); alias = 3;\n"
        "  pointer[0] = 1; moved++; s.p[0] = 2; t.v = kept2; array[1] = 2;\n"
        "  auto g = [&]() { inside = 1; }; g(); }");
    cr_assert_eq(rf_diags_count(diags, RF_ERROR), 0);
    const struct {
        unsigned stmt, decl;
        bool is_const;
    } rows[] = {
        { 0, 0, true },  { 0, 1, false }, { 0, 2, false }, { 0, 3, false },
        { 0, 4, true },  { 1, 0, true },  { 1, 1, false }, { 2, 0, true },
        { 2, 1, false }, { 3, 0, false }, { 3, 1, false }, { 4, 0, true },
        { 4, 1, false },
    };
    const rf_stmt *body = u->funcs.data[1]->body;
    for (size_t i = 0; i < RF_COUNTOF(rows); i++) {
        const rf_var *v = body->list[rows[i].stmt]->list[rows[i].decl]->var;
        cr_expect_eq(v->is_const, rows[i].is_const, "%s", v->name);
    }
    cr_expect(!is_const(u, "alias"));
}

Test(front, ranges_are_bytes_of_the_file)
{
    const char *text = "__global__ void f(float *x, int n)\n{\n"
                       "    for (int i = 0; i < n; i++)\n"
                       "        x[i] += 1.5f; // end\n}\n";
    rf_unit *u = parse(text);
    const rf_stmt *loop = first(u, 0);
    const char *want = "x[i] += 1.5f;";
    cr_expect_eq(loop->body->at.end - loop->body->at.begin, strlen(want));
    cr_expect_eq(strncmp(text + loop->body->at.begin, want, strlen(want)), 0);
    cr_expect_eq(loop->at.end, loop->body->at.end);
    const rf_expr *value = loop->body->expr->arg[1];
    cr_expect_str_eq(value->spelling, "1.5f");
    cr_expect_eq(value->value.f, 1.5);
    cr_expect_eq(value->type->format, RF_F32);
    rf_place place = rf_unit_place(u, loop->body->at.begin);
    cr_expect_eq(place.line, 4);
    cr_expect_eq(place.column, 9);
    cr_expect_eq(u->funcs.data[0]->at.begin, 0);
}

Test(front, sees_macros)
{
    rf_unit *u = parse("#define TWO 2\n#define SUM(a, b) ((a) + (b))\n"
                       "__global__ void f(float *x, int n)\n"
                       "{ __shared__ int s; x[0] = n + 1; x[1] = n + TWO;\n"
                       "  x[2] = SUM(n, 1); }");
    cr_expect(!first(u, 0)->in_macro);
    cr_expect(!first(u, 1)->expr->in_macro);
    cr_expect(first(u, 2)->expr->in_macro);
    cr_expect(!first(u, 2)->expr->arg[0]->in_macro);
    cr_expect(!first(u, 2)->in_macro);
    const rf_expr *two = first(u, 2)->expr->arg[1]->arg[0]->arg[1];
    cr_expect_str_eq(two->spelling, "TWO");
    cr_expect_eq(two->value.i, 2);
    cr_expect(first(u, 3)->expr->arg[1]->in_macro);
}

Test(front, recursion_is_marked)
{
    rf_unit *u = parse("__device__ int b(int n);\n"
                       "__device__ int a(int n) { return n ? b(n - 1) : 0; }\n"
                       "__device__ int b(int n) { return a(n); }\n"
                       "__device__ int c(int n) { return a(n); }\n");
    cr_assert_eq(u->funcs.len, 3);
    cr_expect(u->funcs.data[0]->is_recursive);
    cr_expect(u->funcs.data[1]->is_recursive);
    cr_expect(!u->funcs.data[2]->is_recursive);
    const rf_expr *call = u->funcs.data[2]->body->list[0]->expr;
    cr_expect_eq(call->callee, u->funcs.data[0]);
}

static void expect_error(const char *path, const char *words)
{
    rf_unit *unit;
    cr_expect_eq(rf_front_parse(&unit, arena, path, NULL, 0, NULL, diags), -1);
    cr_assert_eq(rf_diags_count(diags, RF_ERROR), 1);
    cr_expect(strstr(diags->list.data[0].text, words), "%s",
              diags->list.data[0].text);
    cr_expect_eq(unit, NULL);
}

Test(front, a_file_that_is_not_there)
{
    expect_error("/nonexistent/k.cu", "No such file");
}

Test(front, a_folder)
{
    expect_error("/usr", "folder");
}

Test(front, not_text)
{
    cr_expect_eq(parse("int x;\n// \xe9\n"), NULL);
    cr_assert_eq(diags->list.len, 1);
    cr_expect_eq(diags->list.data[0].at.line, 2);
    cr_expect_eq(diags->list.data[0].at.column, 4);
}

static char *repeat(const char *text, int n)
{
    rf_buf buf = { 0 };
    for (int i = 0; i < n; i++)
        rf_buf_puts(&buf, text);
    char *all = rf_arena_strdup(arena, rf_buf_text(&buf));
    rf_buf_free(&buf);
    return all;
}

Test(front, brackets_without_end)
{
    cr_expect_eq(parse(repeat("(", 5000)), NULL);
    cr_expect_str_eq(diags->list.data[0].text,
                     "brackets are nested more than 256 deep");
    cr_expect(
        parse(repeat("int f(int x = 1'0); // (\n/* ( */ \"(\" '('", 500)));
}

Test(front, sums_without_end)
{
    rf_unit *u =
        parse(rf_arena_printf(arena, "__global__ void f(int *x) { *x = %s 1; }",
                              repeat("1 + ", 9000)));
    const rf_expr *e = first(u, 0)->expr->arg[1];
    int depth = 0;
    for (; e->op == RF_OP_ADD; e = e->arg[0])
        depth++;
    cr_expect_lt(depth, 1000);
    cr_expect_eq(e->op, RF_OP_OPAQUE);
}

Test(front, an_empty_file)
{
    rf_unit *u = parse("");
    cr_assert(u);
    cr_expect_eq(u->funcs.len, 0);
    cr_expect_eq(u->regions.len, 0);
}

Test(front, flags_of_nvcc_and_of_the_author)
{
    static const char *const flags[] = {
        "-gencode",
        "arch=compute_80,code=sm_80",
        "--expt-relaxed-constexpr",
        "-arch=sm_80",
        "-O3",
        "-Xcompiler",
        "-fPIC",
        "-D",
        "WIDTH=7",
        "-DHEIGHT=3",
        "-std=c++20",
        "-lineinfo",
        "--use_fast_math",
    };
    rf_front_options options = { .headers = RF_HEADERS_OWN,
                                 .flags = flags,
                                 .n_flags = RF_COUNTOF(flags) };
    rf_unit *u = parse_with(
        "template <class T> concept any = true;\n"
        "#pragma rf cascade\n"
        "__global__ void f(int *x) { *x = WIDTH + HEIGHT + __CUDA_ARCH__; }",
        &options);
    cr_assert_eq(rf_diags_count(diags, RF_ERROR), 0);
    cr_assert_eq(u->regions.len, 1);
    rf_buf out = { 0 };
    rf_stmt_dump(&out, u->regions.data[0].stmt, 0);
    cr_expect_str_eq(out.data, "(block\n  (= (deref x) (+ (+ WIDTH HEIGHT) "
                               "__CUDA_ARCH__)))");
    cr_expect_eq(first(u, 0)->expr->arg[1]->arg[1]->value.i, 800);
    rf_buf_free(&out);
}

Test(front, finds_marks_cheaply)
{
    static const struct {
        const char *text;
        bool has;
    } rows[] = {
        { "", false },
        { "#pragma once\nint x;", false },
        { "#pragma rf cascade", true },
        { "# \t pragma\\\n rf cascade", true },
        { "_Pragma(\"rf cascade\")", true },
    };
    for (size_t i = 0; i < RF_COUNTOF(rows); i++)
        cr_expect_eq(
            rf_front_may_have_marks(rows[i].text, strlen(rows[i].text)),
            rows[i].has, "%s", rows[i].text);
}

/* ---- the cache ---- */

static const char *cache(void)
{
    char folder[] = "/tmp/rf-cache-XXXXXX";
    cr_assert(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    return rf_arena_printf(arena, "%s/rf-rewrite", folder);
}

/* The path of the only file in "folder" that ends in "suffix", or NULL. */
static const char *only(const char *folder, const char *suffix)
{
    DIR *dir = opendir(folder);
    const char *found = NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && !strcmp(dot, suffix)) {
            cr_expect(!found, "two %s", suffix);
            found = rf_arena_printf(arena, "%s/%s", folder, e->d_name);
        }
    }
    if (dir)
        closedir(dir);
    return found;
}

static void remove_folder(const char *folder)
{
    cr_assert_eq(system(rf_arena_printf(arena, "rm -r %s", folder)), 0);
}

static void expect_reads(void)
{
    rf_front_options options = { .headers = RF_HEADERS_OWN, .use_cache = true };
    rf_unit *u = parse_with("#pragma rf cascade\n"
                            "__global__ void f(float *x) { *x = expf(*x); }",
                            &options);
    cr_assert(u);
    cr_expect_eq(u->regions.len, 1);
    cr_expect_eq(diags->list.len, 0);
}

static off_t size_of(const char *path)
{
    struct stat info;
    return path && !stat(path, &info) ? info.st_size : 0;
}

Test(front, builds_the_cache_and_uses_it)
{
    const char *folder = cache();
    expect_reads();
    const char *pch = only(folder, ".pch");
    cr_assert(pch, "the declaration header has an error");
    struct stat before, after;
    stat(pch, &before);
    expect_reads();
    stat(pch, &after);
    cr_expect_eq(before.st_ino, after.st_ino);
    remove_folder(getenv("XDG_CACHE_HOME"));
}

Test(front, replaces_a_damaged_cache)
{
    const char *folder = cache();
    expect_reads();
    const char *pch = only(folder, ".pch");
    off_t size = size_of(pch);
    cr_assert_eq(truncate(pch, size / 2), 0);
    expect_reads();
    cr_expect_eq(size_of(pch), size);
    FILE *file = fopen(pch, "r+b");
    fseek(file, size / 3, SEEK_SET);
    fputs("garbage", file);
    fclose(file);
    expect_reads();
    unlink(only(folder, ".sum"));
    expect_reads();
    cr_expect(only(folder, ".sum"));
    remove_folder(getenv("XDG_CACHE_HOME"));
}

Test(front, replaces_a_stale_cache)
{
    cache();
    rf_front_options options = { .headers = RF_HEADERS_OWN, .use_cache = true };
    const char *include =
        rf_arena_printf(arena, "%s-include", getenv("XDG_CACHE_HOME"));
    const char *copy =
        rf_arena_printf(arena, "mkdir -p %s && cp -r %s/. %s", include,
                        rf_include_find(arena, NULL), include);
    cr_assert_eq(system(copy), 0);
    options.include = include;
    const char *text = "#pragma rf cascade\n"
                       "__global__ void f(float *x) { *x = added(*x); }";
    cr_expect_eq(parse_with(text, &options)->regions.len, 0);
    const char *edit = rf_arena_printf(
        arena, "echo '__device__ float added(float);' >> %s/rf_cuda.h",
        include);
    cr_assert_eq(system(edit), 0);
    cr_expect_eq(parse_with(text, &options)->regions.len, 1);
    remove_folder(include);
    remove_folder(getenv("XDG_CACHE_HOME"));
}

Test(front, goes_on_without_a_cache)
{
    setenv("XDG_CACHE_HOME", "/proc/nonexistent", 1);
    expect_reads();
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "", 1);
    expect_reads();
}
