/* The compile database, on jansson. */
#include "database.h"

#include "edit/edit.h"
#include "front/front.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char name[] = "compile_commands.json";

/* ---- Reading -------------------------------------------------------- */

static const char *parent(rf_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || !path[1])
        return NULL;
    return slash == path
               ? "/"
               : rf_arena_strndup(arena, path, (size_t)(slash - path));
}

/* The nearest database above "first"; also in a folder "build" beside. */
static const char *search(rf_arena *arena, const char *first)
{
    static const char *const places[] = { "", "build/" };
    char real[PATH_MAX];
    const char *dir = realpath(first, real) ? parent(arena, real) : NULL;
    for (; dir; dir = parent(arena, dir)) {
        for (size_t i = 0; i < RF_COUNTOF(places); i++) {
            const char *path =
                rf_arena_printf(arena, "%s/%s%s", dir, places[i], name);
            if (!access(path, R_OK))
                return path;
        }
    }
    return NULL;
}

static int read_entries(rf_arena *arena, rf_database *out, const char **why)
{
    json_error_t error;
    rf_file file;
    if (rf_file_read(arena, out->path, &file, why)) {
        *why = rf_arena_printf(arena, "%s: %s", out->path, *why);
        return -1;
    }
    out->entries = json_loadb(file.bytes, file.len, 0, &error);
    rf_file_free(&file);
    if (json_is_array(out->entries))
        return 0;
    *why = out->entries
               ? rf_arena_printf(arena, "%s:1:1: it is not a list", out->path)
               : rf_arena_printf(arena, "%s:%d:%d: %s", out->path, error.line,
                                 error.column, error.text);
    json_decref(out->entries);
    out->entries = NULL;
    return -1;
}

/* False for the database itself. */
static bool is_folder(const char *dir)
{
    size_t n = strlen(dir), m = strlen(".json");
    return n < m || strcmp(dir + n - m, ".json");
}

int rf_database_open(rf_arena *arena, const char *dir, const char *first,
                     rf_database *out, const char **why)
{
    *out = (rf_database){ 0 };
    out->path = !dir             ? search(arena, first)
                : is_folder(dir) ? rf_arena_printf(arena, "%s/%s", dir, name)
                                 : dir;
    return out->path ? read_entries(arena, out, why) : 0;
}

void rf_database_close(rf_database *database)
{
    json_decref(database->entries);
    *database = (rf_database){ 0 };
}

/* ---- Looking up ----------------------------------------------------- */

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text ? text : "";
}

/* The entry's source, absolute. */
static const char *entry_file(const json_t *entry, rf_arena *arena)
{
    const char *file = text_of(entry, "file");
    if (*file == '/' || !*file)
        return file;
    return rf_arena_printf(arena, "%s/%s", text_of(entry, "directory"), file);
}

static void entry_words(const json_t *entry, rf_arena *arena, rf_command *out)
{
    const json_t *words = json_object_get(entry, "arguments");
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (word)
            RF_PUSH(out->list, rf_arena_strdup(arena, word));
    }
    if (!words)
        rf_command_split(arena, text_of(entry, "command"), out);
}

static void entry_flags(const json_t *entry, rf_arena *arena, rf_command *flags)
{
    rf_command words = { 0 };
    entry_words(entry, arena, &words);
    rf_command_translate(arena, &words, text_of(entry, "directory"), flags);
    RF_CLEAR(words.list);
}

/* Walk the headers of the entry's source. */
static bool walk_entry(const json_t *entry, rf_arena *arena, json_t *seen,
                       rf_include_visit *visit, void *data)
{
    rf_command flags = { 0 };
    entry_flags(entry, arena, &flags);
    bool stopped = rf_includes_walk(arena, entry_file(entry, arena), &flags,
                                    seen, visit, data);
    RF_CLEAR(flags.list);
    return stopped;
}

static bool take_marked(const char *real, const char *bytes, size_t len,
                        void *data)
{
    rf_words *files = data;
    if (rf_front_may_have_marks(bytes, len))
        RF_PUSH(files->list, real);
    return false;
}

void rf_database_files(const rf_database *database, rf_arena *arena,
                       rf_words *files)
{
    json_t *seen = json_object();
    const json_t *entry;
    char real[PATH_MAX];
    size_t i;
    json_array_foreach(database->entries, i, entry)
    {
        const char *file = entry_file(entry, arena);
        if (realpath(file, real))
            file = rf_arena_strdup(arena, real);
        if (!*file || json_object_get(seen, file))
            continue;
        json_object_set_new(seen, file, json_true());
        RF_PUSH(files->list, file);
    }
    json_array_foreach(database->entries, i, entry)
        walk_entry(entry, arena, seen, take_marked, files);
    json_decref(seen);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Links are followed, but names must agree: a database may be long. */
static bool same_file(const char *a, const char *real)
{
    char other[PATH_MAX];
    return !strcmp(a, real) || (!strcmp(base_of(a), base_of(real)) &&
                                realpath(a, other) && !strcmp(other, real));
}

static bool same_stem(const char *a, const char *b)
{
    size_t n = strcspn(base_of(a), "."), m = strcspn(base_of(b), ".");
    return n == m && !strncmp(base_of(a), base_of(b), n);
}

/* Whether the text of "source" includes something of the name of "header". */
static bool includes(const char *source, const char *header)
{
    rf_arena *arena = rf_arena_new();
    rf_file file;
    const char *why, *base = base_of(header);
    bool found = false;
    if (!rf_file_read(arena, source, &file, &why)) {
        const char *at = file.bytes;
        while (!found && (at = strstr(at, base))) {
            char before = at > file.bytes ? at[-1] : 0;
            char after = at[strlen(base)];
            found = (before == '"' || before == '<' || before == '/') &&
                    (after == '"' || after == '>');
            at++;
        }
        rf_file_free(&file);
    }
    rf_arena_free(arena);
    return found;
}

static bool is_the_file(const char *real, const char *bytes, size_t len,
                        void *data)
{
    (void)bytes, (void)len;
    return !strcmp(real, data);
}

/* The first entry whose source includes "real" by way of other headers. */
static const json_t *reaching(const rf_database *db, rf_arena *arena,
                              const char *real)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", real);
    json_t *seen = json_object();
    const json_t *entry, *found = NULL;
    size_t i;
    json_array_foreach(db->entries, i, entry)
    {
        if (!found && walk_entry(entry, arena, seen, is_the_file, copy))
            found = entry;
    }
    json_decref(seen);
    return found;
}

static const json_t *find(const rf_database *db, rf_arena *arena,
                          const char *real)
{
    const json_t *stem = NULL, *entry;
    size_t i;
    json_array_foreach(db->entries, i, entry)
    {
        const char *file = entry_file(entry, arena);
        if (same_file(file, real))
            return entry;
        if (!stem && same_stem(file, real))
            stem = entry;
    }
    json_array_foreach(db->entries, i, entry)
    {
        if (includes(entry_file(entry, arena), real))
            return entry;
    }
    return stem ? stem : reaching(db, arena, real);
}

bool rf_database_flags(const rf_database *db, rf_arena *arena, const char *path,
                       rf_command *flags)
{
    char real[PATH_MAX];
    const json_t *entry =
        db->entries && realpath(path, real) ? find(db, arena, real) : NULL;
    if (entry)
        entry_flags(entry, arena, flags);
    return entry;
}
