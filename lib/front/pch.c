/* Headers, precompiled once and kept in the user's cache folder: the
 * declarations of CUDA, and on top of them what a file includes before anything
 * else.
 *
 * The key of the first is a hash of the libclang version, the language flags
 * and the bytes of our headers; of the second, of all flags, the text and where
 * it stands. A file whose hash is wrong is built anew; libclang itself refuses
 * one of whose headers the size or the time has changed. A header that appears
 * in front of another on the include path is not noticed until that one
 * changes. Whatever fails here, the headers are read as text instead. */
#include "front/cache.h"
#include "front/reader.h"
#include "support/hash.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the key ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Add the names and bytes of the headers in "folder" in a fixed order. */
static void add_headers(rf_buf *key, rf_arena *arena, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    RF_ARRAY(const char *) names = { 0 };
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            RF_PUSH(names,
                    rf_arena_printf(arena, "%s/%s", folder, entry->d_name));
    closedir(dir);
    if (names.len)
        qsort(names.data, names.len, sizeof *names.data, by_name);
    for (size_t i = 0; i < names.len; i++) {
        struct stat info;
        rf_buf_printf(key, "\n%s\n", names.data[i]);
        if (!stat(names.data[i], &info) && S_ISREG(info.st_mode))
            rf_cache_read(names.data[i], key);
    }
    RF_CLEAR(names);
}

static uint64_t key_of(rf_arena *arena, const rf_flags *flags,
                       const char *include, const char *header)
{
    rf_buf key = { 0 };
    rf_buf_puts(&key, rf_front_clang_version(arena));
    for (size_t i = 0; i < flags->language.len; i++)
        rf_buf_printf(&key, "\n%s", flags->language.data[i]);
    rf_buf_printf(&key, "\n%s\n", header);
    add_headers(&key, arena, include);
    add_headers(&key, arena, rf_arena_printf(arena, "%s/rf", include));
    uint64_t hash = rf_hash64(key.data, key.len);
    rf_buf_free(&key);
    return hash;
}

/* ---- building ---- */

static bool has_errors(CXTranslationUnit tu)
{
    bool any = false;
    unsigned n = clang_getNumDiagnostics(tu);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        any |= clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error;
        clang_disposeDiagnostic(d);
    }
    return any;
}

/* What is precompiled. */
typedef struct {
    const char *header, *text; /* NULL: the text on disk */
    const char *const *flags;
    size_t n_flags;
} recipe;

static void note_time(CXFile file, CXSourceLocation *stack, unsigned depth,
                      CXClientData data)
{
    (void)stack;
    time_t *latest = data, at = clang_getFileTime(file);
    if (depth > 0 && at > *latest)
        *latest = at;
}

/* True if a file was written just now: times are in seconds, and it may be
 * written once more in this one. */
static bool is_fresh(CXTranslationUnit tu)
{
    time_t latest = 0;
    clang_getInclusions(tu, note_time, &latest);
    return latest + 2 > time(NULL);
}

typedef enum { SAVED, BROKEN, NOT_NOW } verdict;

static verdict save(const recipe *r, const char *path)
{
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit tu = NULL;
    struct CXUnsavedFile file = { r->header, r->text,
                                  r->text ? strlen(r->text) : 0 };
    unsigned options = CXTranslationUnit_Incomplete |
                       CXTranslationUnit_ForSerialization |
                       CXTranslationUnit_DetailedPreprocessingRecord;
    bool ok = !clang_parseTranslationUnit2(index, r->header, r->flags,
                                           (int)r->n_flags, &file,
                                           r->text ? 1 : 0, options, &tu) &&
              !has_errors(tu);
    verdict v = !ok ? BROKEN : r->text && is_fresh(tu) ? NOT_NOW : SAVED;
    if (v == SAVED &&
        clang_saveTranslationUnit(tu, path, CXSaveTranslationUnit_None))
        v = NOT_NOW;
    clang_disposeTranslationUnit(tu);
    clang_disposeIndex(index);
    return v;
}

/* The precompiled form of "r", made if it is not there, or NULL. */
static const char *get(rf_arena *arena, const char *folder, uint64_t key,
                       const recipe *r)
{
    rf_cache_entry e = rf_cache_entry_of(arena, folder, key);
    if (rf_cache_has(&e))
        return e.pch;
    if (rf_cache_is_hopeless(&e))
        return NULL;
    const char *part = rf_arena_printf(arena, "%s.%d", e.pch, (int)getpid());
    verdict v = save(r, part);
    bool kept = v == SAVED && rf_cache_keep(arena, &e, part);
    if (!kept)
        unlink(part);
    if (v == BROKEN)
        rf_cache_give_up(arena, &e);
    rf_cache_prune(arena, folder);
    return kept ? e.pch : NULL;
}

void rf_pch_drop(const rf_flags *flags)
{
    for (size_t i = 0; i + 1 < flags->list.len; i++)
        if (!strcmp(flags->list.data[i], "-include-pch"))
            unlink(flags->list.data[i + 1]);
}

bool rf_flags_add_header(rf_flags *flags, rf_arena *arena, rf_headers headers,
                         const char *include, bool precompiled)
{
    const char *header = rf_arena_printf(
        arena, "%s/%s", include,
        headers == RF_HEADERS_TOOLKIT ? "rf_toolkit.h" : "rf_cuda.h");
    const char *folder = precompiled ? rf_cache_folder(arena) : NULL;
    recipe r = { .header = header,
                 .flags = flags->language.data,
                 .n_flags = flags->language.len };
    const char *pch =
        folder ? get(arena, folder, key_of(arena, flags, include, header), &r)
               : NULL;
    RF_PUSH(flags->list, pch ? "-include-pch" : "-include");
    RF_PUSH(flags->list, pch ? pch : header);
    return pch != NULL;
}

/* ---- the file's own headers ---- */

static bool includes_by_flag(const rf_flags *flags)
{
    for (size_t i = 0; i + 2 < flags->list.len; i++)
        if (!strcmp(flags->list.data[i], "-include") ||
            !strcmp(flags->list.data[i], "-imacros"))
            return true;
    return false;
}

/* All that decides what the includes of "text" mean, but for the bytes of the
 * headers, which libclang looks after. */
static uint64_t key_of_text(rf_arena *arena, const rf_flags *flags,
                            const char *folder, const char *text)
{
    static const char *const variables[] = { "CPATH", "C_INCLUDE_PATH",
                                             "CPLUS_INCLUDE_PATH" };
    char here[PATH_MAX];
    rf_buf key = { 0 };
    rf_buf_puts(&key, rf_front_clang_version(arena));
    for (size_t i = 0; i < flags->list.len; i++)
        rf_buf_printf(&key, "\n%s", flags->list.data[i]);
    for (size_t i = 0; i < RF_COUNTOF(variables); i++) {
        const char *value = getenv(variables[i]);
        rf_buf_printf(&key, "\n%s", value ? value : "");
    }
    rf_buf_printf(&key, "\n%s\n%s\n%s", getcwd(here, sizeof here) ? here : "",
                  folder, text);
    uint64_t hash = rf_hash64(key.data, key.len);
    rf_buf_free(&key);
    return hash;
}

size_t rf_flags_add_own_headers(rf_flags *flags, rf_arena *arena,
                                const rf_unit *unit)
{
    size_t end = rf_includes_end(unit->bytes);
    const char *folder = end ? rf_cache_folder(arena) : NULL;
    const char *slash = strrchr(unit->path, '/');
    if (!folder || !slash || includes_by_flag(flags))
        return 0;
    const char *beside =
        rf_arena_strndup(arena, unit->path, (size_t)(slash - unit->path));
    recipe r = { .header = rf_arena_printf(arena, "%s/.rf-rewrite.h", beside),
                 .text = rf_arena_strndup(arena, unit->bytes, end),
                 .flags = flags->list.data,
                 .n_flags = flags->list.len };
    const char *pch =
        get(arena, folder, key_of_text(arena, flags, beside, r.text), &r);
    if (!pch)
        return 0;
    RF_LAST(flags->list) = pch;
    return end;
}
