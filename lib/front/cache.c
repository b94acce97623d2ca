/* The user's cache folder ($XDG_CACHE_HOME/rf-rewrite or ~/.cache/rf-rewrite)
 * and what is in it:
 *
 *     KEY.pch  what libclang saved
 *     KEY.sum  the hash of its bytes; or "none": building failed lately
 *
 * Both appear by renaming. Of the entries those used last are kept. */
#include "front/cache.h"
#include "support/array.h"
#include "support/buf.h"
#include "support/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ENTRIES = 64, RETRY_SECONDS = 3600 };

static const char none[] = "none\n";

/* ---- the cache folder ---- */

/* True if "path" is a folder of ours that nobody else may write to. */
static bool is_ours(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode) &&
           info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH)) &&
           !access(path, W_OK | X_OK);
}

const char *rf_cache_folder(rf_arena *arena)
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

bool rf_cache_read(const char *path, rf_buf *out)
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
    bool ok = rf_cache_read(path, &bytes) && bytes.len;
    *hash = rf_hash64(rf_buf_text(&bytes), bytes.len);
    rf_buf_free(&bytes);
    return ok;
}

/* Write "text" to "path" in one step. */
static bool write_text(rf_arena *arena, const char *path, const char *text)
{
    const char *part = rf_arena_printf(arena, "%s.%d", path, (int)getpid());
    FILE *file = fopen(part, "wb");
    if (!file)
        return false;
    bool ok = fputs(text, file) >= 0;
    ok = !fclose(file) && ok && !rename(part, path);
    if (!ok)
        unlink(part);
    return ok;
}

/* ---- entries ---- */

rf_cache_entry rf_cache_entry_of(rf_arena *arena, const char *folder,
                                 uint64_t key)
{
    const char *stem = rf_arena_printf(arena, "%s/%016" PRIx64, folder, key);
    return (rf_cache_entry){ rf_arena_printf(arena, "%s.pch", stem),
                             rf_arena_printf(arena, "%s.sum", stem) };
}

bool rf_cache_has(const rf_cache_entry *e)
{
    rf_buf text = { 0 };
    uint64_t hash;
    bool ok = rf_cache_read(e->sum, &text) && hash_file(e->pch, &hash) &&
              strtoull(rf_buf_text(&text), NULL, 16) == hash;
    rf_buf_free(&text);
    if (ok)
        utimensat(AT_FDCWD, e->sum, NULL, 0); /* used last */
    return ok;
}

bool rf_cache_keep(rf_arena *arena, const rf_cache_entry *e, const char *part)
{
    uint64_t hash;
    return hash_file(part, &hash) &&
           write_text(arena, e->sum,
                      rf_arena_printf(arena, "%016" PRIx64 "\n", hash)) &&
           !rename(part, e->pch);
}

void rf_cache_give_up(rf_arena *arena, const rf_cache_entry *e)
{
    write_text(arena, e->sum, none);
}

bool rf_cache_is_hopeless(const rf_cache_entry *e)
{
    struct stat info;
    rf_buf text = { 0 };
    bool hopeless = !stat(e->sum, &info) && rf_cache_read(e->sum, &text) &&
                    !strcmp(rf_buf_text(&text), none) &&
                    info.st_mtime + RETRY_SECONDS > time(NULL);
    rf_buf_free(&text);
    return hopeless;
}

/* ---- old entries ---- */

typedef struct {
    const char *sum;
    time_t used;
} dated;

static int by_use(const void *a, const void *b)
{
    const dated *x = a, *y = b;
    return (x->used < y->used) - (x->used > y->used);
}

void rf_cache_prune(rf_arena *arena, const char *folder)
{
    DIR *dir = opendir(folder);
    RF_ARRAY(dated) list = { 0 };
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name);
        struct stat info;
        const char *path =
            rf_arena_printf(arena, "%s/%s", folder, entry->d_name);
        if (n > 4 && !strcmp(entry->d_name + n - 4, ".sum") &&
            !stat(path, &info))
            RF_PUSH(list, (dated){ path, info.st_mtime });
    }
    if (dir)
        closedir(dir);
    if (list.len)
        qsort(list.data, list.len, sizeof *list.data, by_use);
    for (size_t i = MOST_ENTRIES; i < list.len; i++) {
        const char *sum = list.data[i].sum;
        unlink(sum);
        unlink(rf_arena_printf(arena, "%.*s.pch", (int)strlen(sum) - 4, sum));
    }
    RF_CLEAR(list);
}
