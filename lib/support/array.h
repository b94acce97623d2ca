/* Growable arrays: RF_ARRAY(T) declares one, RF_PUSH appends.
 *
 *     RF_ARRAY(int) xs = { 0 };
 *     RF_PUSH(xs, 7);
 *     for (size_t i = 0; i < xs.len; i++) use(xs.data[i]);
 *     RF_CLEAR(xs);                                     frees, empties
 *
 * The memory is malloc'ed and belongs to whoever owns the array. */
#ifndef RF_SUPPORT_ARRAY_H
#define RF_SUPPORT_ARRAY_H

#include "support/arena.h"

#include <stdlib.h>

#define RF_ARRAY(type)                                                         \
    struct {                                                                   \
        type *data;                                                            \
        size_t len, cap;                                                       \
    }

/* Return "data" with room for one more element, doubling when full. */
static inline void *rf_array_grow(void *data, size_t len, size_t *cap,
                                  size_t size)
{
    if (len < *cap)
        return data;
    *cap = *cap ? *cap * 2 : 8;
    return rf_realloc(data, *cap * size);
}

#define RF_PUSH(a, ...)                                                        \
    ((a).data = rf_array_grow((a).data, (a).len, &(a).cap, sizeof *(a).data),  \
     (a).data[(a).len++] = (__VA_ARGS__))
#define RF_POP(a)   ((a).data[--(a).len])
#define RF_LAST(a)  ((a).data[(a).len - 1])
#define RF_CLEAR(a) (free((a).data), (a).data = NULL, (a).len = (a).cap = 0)

/* The array lies in "arena" and is freed with it. */
#define RF_ADOPT(arena, a) rf_arena_adopt(arena, &(a).data)

#define RF_COUNTOF(a) (sizeof(a) / sizeof *(a))

#endif
