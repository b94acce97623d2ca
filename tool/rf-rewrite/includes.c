/* The headers of a source, from its text: enough to find the marks in the
 * headers of a project without a parse. A branch of an #if that is not taken
 * counts too; a name that a macro makes is missed. */
#include "database.h"

#include "edit/edit.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    rf_arena *arena;
    rf_words folders; /* of -I and -iquote */
    json_t *seen;
    rf_words todo; /* real paths */
} walk;

/* Note "folder/name" if it is a file that is new. */
static bool try_file(walk *w, const char *folder, const char *name)
{
    char real[PATH_MAX];
    const char *path = rf_arena_printf(w->arena, "%s/%s", folder, name);
    if (access(path, R_OK) || !realpath(path, real))
        return false;
    if (!json_object_get(w->seen, real)) {
        json_object_set_new(w->seen, real, json_true());
        RF_PUSH(w->todo.list, rf_arena_strdup(w->arena, real));
    }
    return true;
}

static void take_name(walk *w, const char *includer, const char *name)
{
    const char *slash = strrchr(includer, '/');
    size_t n = slash ? (size_t)(slash - includer) : 0;
    bool found =
        *name == '/'
            ? try_file(w, "", name)
            : try_file(w, rf_arena_strndup(w->arena, includer, n), name);
    for (size_t i = 0; i < w->folders.list.len && !found; i++)
        found = try_file(w, w->folders.list.data[i], name);
}

/* The name of the #include directive that may begin at "at", or NULL. */
static const char *include_name(rf_arena *arena, const char *at)
{
    static const char word[] = "include";
    at += strspn(at, " \t");
    if (*at != '#')
        return NULL;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, word, sizeof word - 1))
        return NULL;
    at += sizeof word - 1;
    at += strspn(at, " \t");
    if (*at != '"' && *at != '<')
        return NULL;
    size_t n = strcspn(at + 1, "\">\n");
    return rf_arena_strndup(arena, at + 1, n);
}

static void take_names(walk *w, const char *path, const char *bytes)
{
    for (const char *line = bytes; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *name = include_name(w->arena, line);
        if (name && *name)
            take_name(w, path, name);
    }
}

static void take_folders(walk *w, const rf_command *flags)
{
    for (size_t i = 0; i < flags->list.len; i++) {
        const char *flag = flags->list.data[i];
        if (!strcmp(flag, "-iquote") && i + 1 < flags->list.len)
            RF_PUSH(w->folders.list, flags->list.data[++i]);
        else if (!strncmp(flag, "-I", 2) && flag[2])
            RF_PUSH(w->folders.list, flag + 2);
    }
}

bool rf_includes_walk(rf_arena *arena, const char *source,
                      const rf_command *flags, json_t *seen,
                      rf_include_visit *visit, void *data)
{
    walk w = { .arena = arena, .seen = seen };
    bool stop = false;
    take_folders(&w, flags);
    RF_PUSH(w.todo.list, source);
    for (size_t i = 0; i < w.todo.list.len && !stop; i++) {
        const char *why, *path = w.todo.list.data[i];
        rf_file file;
        if (rf_file_read(arena, path, &file, &why))
            continue;
        stop = i > 0 && visit(path, file.bytes, file.len, data);
        take_names(&w, path, file.bytes);
        rf_file_free(&file);
    }
    RF_CLEAR(w.folders.list);
    RF_CLEAR(w.todo.list);
    return stop;
}
