/* Precompiled headers in the user's cache folder (cache.c). */
#ifndef RF_FRONT_CACHE_H
#define RF_FRONT_CACHE_H

#include "support/arena.h"
#include "support/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* The folder in "arena", made if need be; NULL if there is none of ours. */
const char *rf_cache_folder(rf_arena *arena);

typedef struct {
    const char *pch, *sum; /* paths */
} rf_cache_entry;

rf_cache_entry rf_cache_entry_of(rf_arena *arena, const char *folder,
                                 uint64_t key);
/* True if the entry is there, as it was written. */
bool rf_cache_has(const rf_cache_entry *entry);
/* Move the file "part" to its place; false if that fails. */
bool rf_cache_keep(rf_arena *arena, const rf_cache_entry *entry,
                   const char *part);
/* Note that building fails; it is not tried again for a while. */
void rf_cache_give_up(rf_arena *arena, const rf_cache_entry *entry);
bool rf_cache_is_hopeless(const rf_cache_entry *entry);
/* Remove the entries that have not been used for longest. */
void rf_cache_prune(rf_arena *arena, const char *folder);

/* Append the bytes of "path" to "out"; false if it cannot be read. */
bool rf_cache_read(const char *path, rf_buf *out);

#endif
