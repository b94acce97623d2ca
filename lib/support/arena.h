/* Arenas: memory that is allocated piece by piece and freed all at once.
 *
 * Every stage hands its results on in an arena that the caller owns; a pointer
 * into an arena is valid until rf_arena_free. Allocation never fails: out of
 * memory ends the process with a message (exit 1), as in other compilers. */
#ifndef RF_SUPPORT_ARENA_H
#define RF_SUPPORT_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct rf_arena rf_arena;

/* Make an empty arena. The caller owns it. */
rf_arena *rf_arena_new(void);
/* Free "arena" and everything allocated in it; NULL is allowed. */
void rf_arena_free(rf_arena *arena);

/* Return "size" zeroed bytes, aligned for any type, owned by "arena". */
void *rf_arena_alloc(rf_arena *arena, size_t size);
/* Return a zeroed array of "n" elements of "size" bytes. */
void *rf_arena_array(rf_arena *arena, size_t n, size_t size);
/* Copy "n" bytes of "text" and a final NUL into "arena". */
char *rf_arena_strndup(rf_arena *arena, const char *text, size_t n);
char *rf_arena_strdup(rf_arena *arena, const char *text);
/* Let "arena" free what the malloc'ed pointer at "pointer", which lies in it,
 * points to by then: the data of a growable array. */
void rf_arena_adopt(rf_arena *arena, void *pointer);
/* Format into "arena". */
char *rf_arena_printf(rf_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *rf_arena_vprintf(rf_arena *arena, const char *format, va_list args);

#define RF_NEW(arena, type) ((type *)rf_arena_alloc(arena, sizeof(type)))
#define RF_NEW_ARRAY(arena, n, type)                                           \
    ((type *)rf_arena_array(arena, n, sizeof(type)))

/* malloc, realloc and strdup that end the process instead of failing; the
 * result is freed with free(). */
void *rf_malloc(size_t size);
void *rf_realloc(void *old, size_t size);
char *rf_strdup(const char *text);

#endif
