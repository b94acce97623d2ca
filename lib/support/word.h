/* Words of a source text: runs of letters, digits and underscores. */
#ifndef RF_SUPPORT_WORD_H
#define RF_SUPPORT_WORD_H

#include <stdbool.h>
#include <stddef.h>

bool rf_is_word_byte(char c);

/* Where the "n" bytes of "word" stand as a whole word in the "size" bytes of
 * "text", first place first, or NULL. */
const char *rf_find_word(const char *text, size_t size, const char *word,
                         size_t n);

#endif
