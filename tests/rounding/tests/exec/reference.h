/* What float instructions must give, computed with MPFR. */
#ifndef RF_TESTS_EXEC_REFERENCE_H
#define RF_TESTS_EXEC_REFERENCE_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

/* How a result is rounded and changed, read from modifiers such as
 * ".rn.ftz.sat". */
typedef struct {
    mpfr_rnd_t round;
    bool away; /* .rna */
    bool ftz, sat, relu, nan, xorsign, satfinite;
} ref_mode;

ref_mode ref_mode_of(const char *modifiers);

/* Float types by letter, as in rows.h, and T: tf32, b: e4m3, e: e5m2. */
bool ref_is_nan(char type, uint64_t bits);
/* "to" = the value of "bits"; 64 bits of precision are enough. */
void ref_decode(mpfr_t to, char type, uint64_t bits);
/* Round "x", 200 bits or fewer, to "type". */
uint64_t ref_encode(char type, const mpfr_t x, ref_mode mode);

/* The result of "op" (add, fma, sqrt, min, ...) on values of "type". */
uint64_t ref_op(const char *op, char type, ref_mode mode, const uint64_t *s);

/* Whether "a" and "b" are the same value of "type" or both NaN. */
bool ref_same(char type, uint64_t a, uint64_t b);

#endif
