/* Manifests are JSON:
 *
 *     { "file": "a.cu", "line": 7, "source_hash": "...", "text_hash": "...",
 *       "rounding": [ { "result": "s", "class": "rescaled", ... } ],
 *       "obligations": [
 *         { "equation": "T-6", "text": "...", "begin": 120, "end": 160,
 *           "result": "proven", "smt": "a_7_02.smt2", "hash": "..." } ] }
 *
 * where source_hash is of the file's bytes and text_hash of the emitted code
 * that the obligations are about. */
#include "manifest.h"

#include "support/hash.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- writing ---- */

static int write_text(rf_arena *arena, const char *path, const char *text,
                      const char **why)
{
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(text, f) >= 0;
    ok = f && fclose(f) == 0 && ok;
    if (!ok)
        *why = rf_arena_printf(arena, "cannot write %s: %s", path,
                               strerror(errno));
    return ok ? 0 : -1;
}

static const char *stem(rf_arena *arena, const rf_unit *unit,
                        const rf_region *region)
{
    const char *name = strrchr(unit->path, '/');
    name = name ? name + 1 : unit->path;
    const char *dot = strrchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : strlen(name);
    return rf_arena_printf(arena, "%.*s_%u", (int)n, name,
                           region->mark.place.line);
}

static const char *hash_text(rf_arena *arena, const char *text)
{
    return rf_arena_printf(arena, "%016" PRIx64, rf_hash64(text, strlen(text)));
}

static json_t *obligation(const rf_proof_item *item)
{
    json_t *o = json_object();
    json_object_set_new(o, "equation", json_string(item->equation));
    json_object_set_new(o, "text", json_string(item->text));
    json_object_set_new(o, "begin", json_integer(item->at.begin));
    json_object_set_new(o, "end", json_integer(item->at.end));
    json_object_set_new(o, "result",
                        json_string(rf_verdict_name(item->verdict)));
    return o;
}

static void set_count(json_t *o, const char *name, const char *count,
                      const char *scale)
{
    if (!count)
        return;
    json_t *bound = json_object();
    json_object_set_new(bound, "gamma", json_string(count));
    if (scale)
        json_object_set_new(bound, "sum", json_string(scale));
    json_object_set_new(o, name, bound);
}

json_t *rf_bounds_json(const rf_told_bound *bounds, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const rf_told_bound *b = &bounds[i];
        json_t *o = json_object();
        json_object_set_new(o, "result", json_string(b->name));
        json_object_set_new(o, "class",
                            json_string(rf_rounding_name(b->rounding)));
        if (b->term)
            json_object_set_new(o, "term", json_string(b->term));
        if (b->bits)
            json_object_set_new(o, "bits", json_integer(b->bits));
        set_count(o, "fused", b->fused, b->fused_scale);
        set_count(o, "source", b->source, b->source_scale);
        json_object_set_new(o, "within_four", json_boolean(b->is_within_four));
        json_array_append_new(list, o);
    }
    return list;
}

static int make_folder(rf_arena *arena, const char *folder, const char **why)
{
    if (!mkdir(folder, 0777) || errno == EEXIST)
        return 0;
    *why =
        rf_arena_printf(arena, "cannot make %s: %s", folder, strerror(errno));
    return -1;
}

/* What an earlier run has left of the same region. */
static void remove_files(rf_arena *arena, const char *folder, const char *name)
{
    enum { MOST = 200 };
    for (unsigned i = 1; i <= MOST; i++)
        unlink(rf_arena_printf(arena, "%s/%s_%02u.smt2", folder, name, i));
}

/* The obligations, and a file for each that has a certificate. */
static int write_obligations(rf_arena *arena, const char *folder,
                             const char *name, const rf_proof *proof,
                             json_t *list, const char **why)
{
    int rc = 0;
    for (size_t i = 0; i < proof->items.len && !rc; i++) {
        const rf_proof_item *item = &proof->items.data[i];
        json_t *o = obligation(item);
        json_array_append_new(list, o);
        if (!item->smt)
            continue;
        const char *file = rf_arena_printf(arena, "%s_%02zu.smt2", name, i + 1);
        json_object_set_new(o, "smt", json_string(file));
        json_object_set_new(o, "hash",
                            json_string(hash_text(arena, item->smt)));
        rc = write_text(arena, rf_arena_printf(arena, "%s/%s", folder, file),
                        item->smt, why);
    }
    return rc;
}

int rf_manifest_write(rf_arena *arena, const char *folder, const rf_manifest *m,
                      const char **why)
{
    if (make_folder(arena, folder, why))
        return -1;
    const char *name = stem(arena, m->unit, m->region);
    json_t *root = json_object(), *list = json_array();
    remove_files(arena, folder, name);
    int rc = write_obligations(arena, folder, name, m->proof, list, why);
    json_object_set_new(root, "file", json_string(m->unit->path));
    json_object_set_new(root, "line", json_integer(m->region->mark.place.line));
    json_object_set_new(root, "source_hash",
                        json_string(hash_text(arena, m->unit->bytes)));
    json_object_set_new(root, "text_hash",
                        json_string(hash_text(arena, m->text)));
    json_object_set_new(root, "rounding",
                        rf_bounds_json(m->bounds, m->n_bounds));
    json_object_set_new(root, "obligations", list);
    char *text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    if (!rc)
        rc = write_text(arena,
                        rf_arena_printf(arena, "%s/%s.json", folder, name),
                        text, why);
    free(text);
    return rc;
}

/* ---- checking ---- */

static const struct {
    const char *name, *limit;
} solvers[] = { { "z3", "-T:20" }, { "cvc5", "--tlimit=20000" } };

typedef struct {
    rf_arena *arena;
    const char *folder;
    unsigned files, failed;
    unsigned answers[RF_COUNTOF(solvers)];
    double slowest[RF_COUNTOF(solvers)]; /* seconds */
    bool installed[RF_COUNTOF(solvers)];
} checker;

/* The first word that "solver" prints about "path". */
static void ask_solver(const char *solver, const char *limit, const char *path,
                       char *answer, size_t size)
{
    int pipe_ends[2];
    answer[0] = 0;
    if (pipe(pipe_ends))
        return;
    pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], 1);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        execlp(solver, solver, limit, path, (char *)NULL);
        _exit(127);
    }
    close(pipe_ends[1]);
    size_t n = 0;
    for (ssize_t k; n + 1 < size &&
                    (k = read(pipe_ends[0], answer + n, size - 1 - n)) > 0;)
        n += (size_t)k;
    answer[n] = 0;
    answer[strcspn(answer, " \r\n")] = 0;
    close(pipe_ends[0]);
    int status;
    if (child > 0)
        waitpid(child, &status, 0);
}

static bool is_installed(const char *program)
{
    const char *path = getenv("PATH");
    char full[4096];
    while (path && *path) {
        size_t n = strcspn(path, ":");
        snprintf(full, sizeof full, "%.*s/%s", (int)n, path, program);
        if (!access(full, X_OK))
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static const char *read_text(rf_arena *arena, const char *path)
{
    FILE *f = fopen(path, "r");
    rf_buf text = { 0 };
    char block[4096];
    size_t n;
    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        rf_buf_add(&text, block, n);
    if (f)
        fclose(f);
    const char *copy = f ? rf_arena_strdup(arena, rf_buf_text(&text)) : NULL;
    rf_buf_free(&text);
    return copy;
}

static void complain(checker *c, const char *file, const char *what)
{
    printf("%s/%s: %s\n", c->folder, file, what);
    c->failed++;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check_file(checker *c, const char *file, const char *hash)
{
    const char *path = rf_arena_printf(c->arena, "%s/%s", c->folder, file);
    const char *text = read_text(c->arena, path);
    c->files++;
    if (!text || strcmp(hash_text(c->arena, text), hash)) {
        complain(c, file, text ? "was changed" : "is missing");
        return;
    }
    for (size_t i = 0; i < RF_COUNTOF(solvers); i++) {
        char answer[64];
        if (!c->installed[i])
            continue;
        double begin = seconds();
        ask_solver(solvers[i].name, solvers[i].limit, path, answer,
                   sizeof answer);
        double took = seconds() - begin;
        c->slowest[i] = took > c->slowest[i] ? took : c->slowest[i];
        if (!strcmp(answer, "unsat"))
            c->answers[i]++;
        else
            complain(c, file,
                     rf_arena_printf(c->arena, "%s answers '%s'",
                                     solvers[i].name, answer));
    }
}

static void check_manifest(checker *c, const char *name)
{
    json_t *root = json_load_file(
        rf_arena_printf(c->arena, "%s/%s", c->folder, name), 0, NULL);
    json_t *list = json_object_get(root, "obligations"), *o;
    size_t i;
    if (!list)
        complain(c, name, "is no manifest");
    json_array_foreach(list, i, o)
    {
        const char *result = json_string_value(json_object_get(o, "result"));
        const char *smt = json_string_value(json_object_get(o, "smt"));
        const char *hash = json_string_value(json_object_get(o, "hash"));
        if (!result || (strcmp(result, "proven") && strcmp(result, "checked")))
            complain(c, name, "lists an obligation that does not hold");
        if (smt)
            check_file(c, smt, hash ? hash : "");
    }
    json_decref(root);
}

int rf_manifest_check(rf_arena *arena, const char *folder)
{
    checker c = { .arena = arena, .folder = folder };
    DIR *dir = opendir(folder);
    unsigned manifests = 0, n = 0;
    for (size_t i = 0; i < RF_COUNTOF(solvers); i++)
        n += c.installed[i] = is_installed(solvers[i].name);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t len = strlen(e->d_name);
        if (len < 5 || strcmp(e->d_name + len - 5, ".json"))
            continue;
        manifests++;
        check_manifest(&c, e->d_name);
    }
    if (dir)
        closedir(dir);
    if (!manifests || !n) {
        printf("%s: %s\n", folder,
               n ? "no manifest here" : "neither z3 nor cvc5 is installed");
        return -1;
    }
    for (size_t i = 0; i < RF_COUNTOF(solvers); i++)
        if (c.installed[i])
            printf("%s: %u of %u unsat, the slowest in %.2f s\n",
                   solvers[i].name, c.answers[i], c.files, c.slowest[i]);
    return c.failed ? 1 : 0;
}
