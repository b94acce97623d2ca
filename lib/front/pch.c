/* The declarations of CUDA, precompiled once and kept in the user's cache
 * folder ($XDG_CACHE_HOME/rf-rewrite or ~/.cache/rf-rewrite).
 *
 *     KEY.pch  what libclang saved
 *     KEY.sum  the hash of its bytes
 *
 * KEY is a hash of the libclang version, the language flags and the bytes of
 * our headers. Both files appear by renaming. A file whose hash is wrong is
 * built anew; libclang itself refuses one whose system headers have changed.
 * Whatever fails here, the header is read as text instead. */
#include "front/reader.h"
#include "support/hash.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the cache folder ---- */

/* True if "path" is a folder of ours that nobody else may write to. */
static bool is_ours(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode) &&
           info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH)) &&
           !access(path, W_OK | X_OK);
}

static const char *cache_folder(rf_arena *arena)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (!base || base[0] != '/') {
        if (!home || home[0] != '/')
            return NULL;
        base = rf_arena_printf(arena, "%s/.cache", home);
    }
    const char *folder = rf_arena_printf(arena, "%s/rf-rewrite", base);
    if (mkdir(base, 0700) && errno != EEXIST)
        return NULL;
    if (mkdir(folder, 0700) && errno != EEXIST)
        return NULL;
    return is_ours(folder) ? folder : NULL;
}

/* ---- files ---- */

/* Append the bytes of "path" to "out"; false if it cannot be read. */
static bool read_file(const char *path, rf_buf *out)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    char part[65536];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0)
        rf_buf_add(out, part, n);
    bool ok = !ferror(file);
    fclose(file);
    return ok;
}

static bool hash_file(const char *path, uint64_t *hash)
{
    rf_buf bytes = { 0 };
    bool ok = read_file(path, &bytes) && bytes.len;
    *hash = rf_hash64(rf_buf_text(&bytes), bytes.len);
    rf_buf_free(&bytes);
    return ok;
}

static bool write_sum(rf_arena *arena, const char *path, uint64_t hash)
{
    const char *part = rf_arena_printf(arena, "%s.%d", path, (int)getpid());
    FILE *file = fopen(part, "wb");
    if (!file)
        return false;
    bool ok = fprintf(file, "%016" PRIx64 "\n", hash) > 0;
    ok = !fclose(file) && ok && !rename(part, path);
    if (!ok)
        unlink(part);
    return ok;
}

static bool matches_sum(const char *sum, uint64_t hash)
{
    rf_buf text = { 0 };
    bool ok =
        read_file(sum, &text) && strtoull(rf_buf_text(&text), NULL, 16) == hash;
    rf_buf_free(&text);
    return ok;
}

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
            read_file(names.data[i], key);
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

static bool save(const rf_flags *flags, const char *header, const char *path)
{
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit tu = NULL;
    unsigned options = CXTranslationUnit_Incomplete |
                       CXTranslationUnit_ForSerialization |
                       CXTranslationUnit_DetailedPreprocessingRecord;
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, header, flags->language.data, (int)flags->language.len, NULL, 0,
        options, &tu);
    bool ok = code == CXError_Success && !has_errors(tu) &&
              clang_saveTranslationUnit(tu, path, CXSaveTranslationUnit_None) ==
                  CXSaveError_None;
    clang_disposeTranslationUnit(tu);
    clang_disposeIndex(index);
    return ok;
}

/* Build "pch" and its "sum" beside it. */
static bool build(rf_arena *arena, const rf_flags *flags, const char *header,
                  const char *pch, const char *sum)
{
    const char *part = rf_arena_printf(arena, "%s.%d", pch, (int)getpid());
    uint64_t hash;
    bool ok = save(flags, header, part) && hash_file(part, &hash) &&
              write_sum(arena, sum, hash) && !rename(part, pch);
    if (!ok)
        unlink(part);
    return ok;
}

static const char *get(rf_arena *arena, const rf_flags *flags,
                       const char *include, const char *header)
{
    const char *folder = cache_folder(arena);
    if (!folder)
        return NULL;
    uint64_t key = key_of(arena, flags, include, header);
    const char *pch =
        rf_arena_printf(arena, "%s/%016" PRIx64 ".pch", folder, key);
    const char *sum =
        rf_arena_printf(arena, "%s/%016" PRIx64 ".sum", folder, key);
    uint64_t hash;
    if (hash_file(pch, &hash) && matches_sum(sum, hash))
        return pch;
    return build(arena, flags, header, pch, sum) ? pch : NULL;
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
    const char *pch = precompiled ? get(arena, flags, include, header) : NULL;
    RF_PUSH(flags->list, pch ? "-include-pch" : "-include");
    RF_PUSH(flags->list, pch ? pch : header);
    return pch != NULL;
}
