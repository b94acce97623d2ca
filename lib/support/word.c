/* Words of a source text. */
#include "support/word.h"

#include <ctype.h>
#include <string.h>

bool rf_is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *rf_find_word(const char *text, size_t size, const char *word,
                         size_t n)
{
    for (size_t i = 0; i + n <= size; i++)
        if (!memcmp(text + i, word, n) &&
            (i == 0 || !rf_is_word_byte(text[i - 1])) &&
            (i + n == size || !rf_is_word_byte(text[i + n])))
            return text + i;
    return NULL;
}
