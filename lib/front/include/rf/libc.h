/* The C library functions that device code may call. */
#pragma once
#pragma GCC system_header

#define RF_DEVICE __attribute__((device))

extern "C" {
RF_DEVICE int printf(const char *, ...);
RF_DEVICE void *malloc(size_t) __attribute__((nothrow));
RF_DEVICE void free(void *) __attribute__((nothrow));
RF_DEVICE void *memcpy(void *, const void *, size_t);
RF_DEVICE void *memmove(void *, const void *, size_t);
RF_DEVICE void *memset(void *, int, size_t);
RF_DEVICE void __assert_fail(const char *, const char *, unsigned,
                             const char *) __attribute__((nothrow));
}
RF_DEVICE clock_t clock();
