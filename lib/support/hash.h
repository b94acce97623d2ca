/* Hashes of bytes: small fingerprints that tell whether a text is still the
 * one that was seen before. Not meant to withstand forgery. */
#ifndef RF_SUPPORT_HASH_H
#define RF_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash "n" bytes; the same on every machine (XXH64, seed 0). */
uint64_t rf_hash64(const void *bytes, size_t n);

#endif
