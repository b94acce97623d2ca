/* Any text as compile_commands.json: read, listed, looked up. */
#include "database.h"

#include "edit/edit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/rf-fuzz-XXXXXX";

static void clean_up(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/compile_commands.json", folder);
    unlink(path);
    rmdir(folder);
}

static void look_up(rf_arena *arena, const rf_database *database)
{
    static const char *const names[] = { "/a/k.cu", "/a/inc/h.cuh", "k.cuh",
                                         "-" };
    rf_words files = { 0 };
    rf_database_files(database, arena, &files);
    RF_CLEAR(files.list);
    for (size_t i = 0; i < RF_COUNTOF(names); i++) {
        rf_command flags = { 0 };
        rf_database_flags(database, arena, names[i], &flags);
        RF_CLEAR(flags.list);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    if (!made) {
        made = mkdtemp(folder) != NULL;
        atexit(clean_up);
    }
    char path[64];
    rf_arena *arena = rf_arena_new();
    rf_database database;
    const char *why;
    snprintf(path, sizeof path, "%s/compile_commands.json", folder);
    rf_file_write(arena, path, (const char *)data, size, &why);
    if (!rf_database_open(arena, folder, ".", &database, &why))
        look_up(arena, &database);
    rf_database_close(&database);
    rf_arena_free(arena);
    return 0;
}
