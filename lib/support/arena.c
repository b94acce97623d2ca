/* Arenas: a list of blocks, each filled from its start; a request that does
 * not fit opens a block twice as large as the last one. */
#include "support/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With sanitizers each request has a block to itself, as long as it asked
 * for: what is written behind it is found. */
#ifdef RF_EXACT_ARENA
enum { FIRST_BLOCK = 0, LARGEST_BLOCK = 0, ALIGNMENT = 1 };
#else
enum {
    FIRST_BLOCK = 4096,
    LARGEST_BLOCK = 1 << 20,
    ALIGNMENT = _Alignof(max_align_t)
};
#endif

typedef struct block {
    struct block *next;
    size_t used, size;
    _Alignas(max_align_t) unsigned char bytes[];
} block;

typedef struct adopted {
    struct adopted *next;
    void *pointer;
} adopted;

struct rf_arena {
    block *head;
    adopted *adopted;
};

static void out_of_memory(void)
{
    fputs("rf: error: out of memory\n", stderr);
    exit(1);
}

void *rf_malloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *rf_realloc(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

char *rf_strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(rf_malloc(n), text, n);
}

rf_arena *rf_arena_new(void)
{
    rf_arena *arena = rf_malloc(sizeof *arena);
    *arena = (rf_arena){ 0 };
    return arena;
}

void rf_arena_free(rf_arena *arena)
{
    if (!arena)
        return;
    for (adopted *a = arena->adopted; a; a = a->next) {
        void *p;
        memcpy(&p, a->pointer, sizeof p);
        free(p);
    }
    for (block *b = arena->head, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(arena);
}

static block *block_open(rf_arena *arena, size_t size)
{
    size_t want = arena->head ? arena->head->size * 2 : FIRST_BLOCK;
    if (want > LARGEST_BLOCK)
        want = LARGEST_BLOCK;
    if (want < size)
        want = size;
    block *b = rf_malloc(sizeof *b + want);
    b->next = arena->head;
    b->used = 0;
    b->size = want;
    arena->head = b;
    return b;
}

void *rf_arena_alloc(rf_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        out_of_memory();
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block *b = arena->head;
    if (!b || b->size - b->used < size)
        b = block_open(arena, size);
    void *p = b->bytes + b->used;
    b->used += size;
    return memset(p, 0, size);
}

void *rf_arena_array(rf_arena *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 2 / size)
        out_of_memory();
    return rf_arena_alloc(arena, n * size);
}

void rf_arena_adopt(rf_arena *arena, void *pointer)
{
    adopted *a = RF_NEW(arena, adopted);
    *a = (adopted){ arena->adopted, pointer };
    arena->adopted = a;
}

char *rf_arena_strndup(rf_arena *arena, const char *text, size_t n)
{
    char *p = rf_arena_alloc(arena, n + 1);
    memcpy(p, text, n);
    return p;
}

char *rf_arena_strdup(rf_arena *arena, const char *text)
{
    return rf_arena_strndup(arena, text, strlen(text));
}

char *rf_arena_vprintf(rf_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *p = rf_arena_alloc(arena, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0)
        vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return p;
}

char *rf_arena_printf(rf_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *p = rf_arena_vprintf(arena, format, args);
    va_end(args);
    return p;
}
