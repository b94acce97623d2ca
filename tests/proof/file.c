#include "file.h"

#include "support/buf.h"

#include <stdio.h>

const char *read_file(rf_arena *arena, const char *path)
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
