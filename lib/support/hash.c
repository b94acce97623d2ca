/* Hashes, from xxHash's header. */
#include "support/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t rf_hash64(const void *bytes, size_t n)
{
    return XXH64(bytes, n, 0);
}
