/* Goldens: cases/NAME.cu reads as cases/NAME.ast, with our declarations and,
 * where there is a CUDA toolkit, with its headers too.
 *
 * A case that needs RF_REFERENCE, or that only our declarations read, says so
 * in its first line. RF_UPDATE=1 writes the goldens anew. */
#include "render.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define CASES RF_SOURCE_DIR "/tests/front/cases"

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

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file, "cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

static void read_case(rf_buf *out, rf_arena *arena, const char *path,
                      const char *text, rf_headers headers)
{
    rf_front_options options = { .headers = headers };
    options.reference = strstr(text, "RF_REFERENCE") == text + 3;
    rf_diags *diags = rf_diags_new();
    rf_unit *unit;
    rf_front_parse(&unit, arena, path, NULL, 0, &options, diags);
    render(out, unit, diags);
    rf_diags_free(diags);
}

static void check_case(const char *name, rf_headers headers, bool update)
{
    rf_arena *arena = rf_arena_new();
    const char *path = rf_arena_printf(arena, CASES "/%s", name);
    char *golden = rf_arena_printf(arena, CASES "/%s", name);
    strcpy(strrchr(golden, '.'), "");
    golden = rf_arena_printf(arena, "%s.ast", golden);
    const char *text = read_file(arena, path);
    bool only_own = !strncmp(text, "// own", 6);
    rf_buf out = { 0 };
    if (headers == RF_HEADERS_OWN || !only_own)
        read_case(&out, arena, path, text, headers);
    if (update)
        write_file(golden, rf_buf_text(&out));
    if (out.len)
        cr_expect_str_eq(rf_buf_text(&out), read_file(arena, golden), "%s",
                         name);
    rf_buf_free(&out);
    rf_arena_free(arena);
}

static int check_all(rf_headers headers, bool update)
{
    int n = 0;
    DIR *dir = opendir(CASES);
    cr_assert(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".cu"))
            continue;
        check_case(e->d_name, headers, update);
        n++;
    }
    closedir(dir);
    return n;
}

Test(cases, with_our_declarations)
{
    cr_expect_geq(check_all(RF_HEADERS_OWN, getenv("RF_UPDATE") != NULL), 10);
}

Test(cases, with_the_toolkit)
{
    rf_arena *arena = rf_arena_new();
    if (rf_toolkit_find(arena, NULL))
        check_all(RF_HEADERS_TOOLKIT, false);
    rf_arena_free(arena);
}
