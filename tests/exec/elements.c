/* Elements of test matrices. */
#include "elements.h"

#include "reference.h"

#include "support/array.h"

#include <string.h>

int element_bits(const char *type)
{
    static const struct {
        const char *name;
        int bits;
    } sizes[] = { { "f64", 64 }, { "f32", 32 }, { "tf32", 32 },
                  { "s32", 32 }, { "f16", 16 }, { "bf16", 16 },
                  { "s4", 4 },   { "u4", 4 },   { "b1", 1 } };
    for (size_t i = 0; i < RF_COUNTOF(sizes); i++)
        if (!strcmp(sizes[i].name, type))
            return sizes[i].bits;
    return 8;
}

static char letter_of(const char *type)
{
    static const char *const names[] = { "f64",  "f32",  "tf32", "f16",
                                         "bf16", "e4m3", "e5m2" };
    for (size_t i = 0; i < RF_COUNTOF(names); i++)
        if (!strcmp(names[i], type))
            return "DFTHBbe"[i];
    return 0;
}

/* The bits of a small integer in a type. */
uint64_t element_encode(const char *type, int v)
{
    int bits = element_bits(type);
    char letter = letter_of(type);
    if (!letter)
        return bits == 64 ? (uint64_t)v : (uint64_t)v & ((1ull << bits) - 1);
    mpfr_t x;
    mpfr_init2(x, 64);
    mpfr_set_si(x, v, MPFR_RNDN);
    uint64_t r = ref_encode(letter, x, ref_mode_of(".rn"));
    mpfr_clear(x);
    return r;
}

int element_value(const char *type, unsigned seed)
{
    unsigned v = (seed * 2654435761u) >> 16;
    if (!strcmp(type, "b1"))
        return v & 1;
    if (type[0] == 'u')
        return v % 8;
    return (int)(v % 9) - 4;
}
