/* The bytes of a file: read, checked to be text that libclang can take. */
#include "front/reader.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- reading ---- */

static void cannot_read(rf_diags *diags, const char *path, const char *why)
{
    rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR, (rf_place){ .file = path },
                "cannot read: %s", why);
}

/* Read all of "file" into "arena"; NULL on an error of the device. */
static char *read_all(rf_arena *arena, FILE *file, size_t *size)
{
    rf_buf buf = { 0 };
    char part[65536];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0)
        rf_buf_add(&buf, part, n);
    char *bytes = NULL;
    if (!ferror(file))
        bytes = rf_arena_strndup(arena, rf_buf_text(&buf), buf.len);
    *size = buf.len;
    rf_buf_free(&buf);
    return bytes;
}

static char *read_disk(rf_arena *arena, const char *path, size_t *size,
                       rf_diags *diags)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file) {
        cannot_read(diags, path, strerror(errno));
        return NULL;
    }
    char *bytes = NULL;
    if (fstat(fileno(file), &info) || S_ISDIR(info.st_mode))
        cannot_read(diags, path, "it is a folder");
    else if (!(bytes = read_all(arena, file, size)))
        cannot_read(diags, path, strerror(errno));
    fclose(file);
    return bytes;
}

/* The length of the UTF-8 sequence at "b", 0 if there is none. */
static size_t sequence(const unsigned char *b, size_t left)
{
    size_t n = b[0] < 0x80             ? 1
               : (b[0] & 0xe0) == 0xc0 ? 2
               : (b[0] & 0xf0) == 0xe0 ? 3
               : (b[0] & 0xf8) == 0xf0 ? 4
                                       : 0;
    if (n > left || b[0] == 0)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static bool is_text(const rf_unit *unit, rf_diags *diags)
{
    if (unit->size >= INT32_MAX) {
        cannot_read(diags, unit->path, "it is larger than 2 GB");
        return false;
    }
    size_t i = 0, n;
    const unsigned char *b = (const unsigned char *)unit->bytes;
    while (i < unit->size && (n = sequence(b + i, unit->size - i)))
        i += n;
    if (i < unit->size)
        rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR,
                    rf_unit_place(unit, (uint32_t)i), "not UTF-8 text");
    return i == unit->size;
}

/* ---- nesting ---- */

enum { DEEPEST = 256 };

/* Skip the comment or literal that begins at "p" in "text"; NULL if none does.
 * The quote in 1'000 begins none. */
static const char *skip_literal(const char *text, const char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    bool is_separator = p[0] == '\'' && p > text && isalnum((uint8_t)p[-1]);
    if ((p[0] != '"' && p[0] != '\'') || is_separator)
        return NULL;
    char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

/* libclang, told to go on after errors, overflows its stack on brackets that
 * are nested without end. */
static bool is_shallow(const rf_unit *unit, rf_diags *diags)
{
    int depth = 0;
    for (const char *p = unit->bytes; *p;) {
        const char *next = skip_literal(unit->bytes, p);
        if (!next) {
            depth += (*p == '(' || *p == '[' || *p == '{');
            depth -= depth && (*p == ')' || *p == ']' || *p == '}');
            next = p + 1;
        }
        if (depth > DEEPEST) {
            uint32_t at = (uint32_t)(p - unit->bytes);
            rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR, rf_unit_place(unit, at),
                        "brackets are nested more than %d deep", DEEPEST);
            return false;
        }
        p = next;
    }
    return true;
}

/* ---- the whole ---- */

static const char *absolute(rf_arena *arena, const char *path)
{
    char real[PATH_MAX];
    if (path[0] == '/')
        return rf_arena_strdup(arena, path);
    if (!realpath(".", real))
        return rf_arena_strdup(arena, path);
    return rf_arena_printf(arena, "%s/%s", real, path);
}

rf_unit *rf_unit_make(rf_arena *arena, const char *path, const char *bytes,
                      size_t size, rf_diags *diags)
{
    rf_unit *unit = RF_NEW(arena, rf_unit);
    unit->arena = arena;
    unit->path = absolute(arena, path);
    unit->size = size;
    unit->bytes = bytes ? rf_arena_strndup(arena, bytes, size)
                        : read_disk(arena, path, &unit->size, diags);
    bool ok = unit->bytes && is_text(unit, diags) && is_shallow(unit, diags);
    return ok ? unit : NULL;
}

bool rf_front_may_have_marks(const char *bytes, size_t size)
{
    const char *p = bytes, *end = bytes + size;
    while ((p = memmem(p, (size_t)(end - p), "ragma", 5))) {
        const char *stop = p + 200 < end ? p + 200 : end;
        if (memmem(p, (size_t)(stop - p), "rf", 2))
            return true;
        p += 5;
    }
    return false;
}
