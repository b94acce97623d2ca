/* Run a fuzz target without libFuzzer: on each file given, and on random
 * variants of them, for a number of rounds that is always the same.
 *
 *     fuzz_NAME ROUNDS FILE... */
#include "edit/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 1;

static uint32_t roll(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)(state >> 33) % n : 0;
}

/* Overwrite, drop or double a few bytes. */
static void mutate(rf_buf *b)
{
    for (uint32_t i = roll(6) + 1; i && b->len > 1; i--) {
        size_t at = roll((uint32_t)b->len), n = roll(12);
        if (at + n > b->len)
            n = b->len - at;
        switch (roll(3)) {
        case 0:
            b->data[at] = (char)roll(256);
            break;
        case 1:
            memmove(b->data + at, b->data + at + n, b->len - at - n);
            b->len -= n;
            break;
        default: {
            char *copy = rf_malloc(n + 1);
            memcpy(copy, b->data + at, n);
            rf_buf_add(b, copy, n);
            free(copy);
        }
        }
    }
}

static void run(const rf_file *file, long rounds)
{
    LLVMFuzzerTestOneInput((const uint8_t *)file->bytes, file->len);
    for (long i = 0; i < rounds; i++) {
        rf_buf b = { 0 };
        rf_buf_add(&b, file->bytes, file->len);
        mutate(&b);
        LLVMFuzzerTestOneInput((const uint8_t *)rf_buf_text(&b), b.len);
        rf_buf_free(&b);
    }
}

int main(int argc, char **argv)
{
    rf_arena *arena = rf_arena_new();
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    int rc = 0;
    for (int i = 2; i < argc; i++) {
        rf_file file;
        const char *why;
        if (rf_file_read(arena, argv[i], &file, &why)) {
            fprintf(stderr, "%s: %s\n", argv[i], why);
            rc = 1;
            continue;
        }
        run(&file, rounds);
        rf_file_free(&file);
    }
    rf_arena_free(arena);
    return rc;
}
