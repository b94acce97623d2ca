/* Elements of test matrices: small integers in every type of tensor cores. */
#ifndef RF_TESTS_EXEC_ELEMENTS_H
#define RF_TESTS_EXEC_ELEMENTS_H

#include <stdint.h>

/* Bits of an element of the type spelled "type". */
int element_bits(const char *type);
/* The bits of a small integer in a type. */
uint64_t element_encode(const char *type, int v);
/* A small integer that the type holds, from a number. */
int element_value(const char *type, unsigned seed);

#endif
