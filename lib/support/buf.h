/* String buffers: text that grows at its end. Always NUL-terminated once
 * something was written; freed with rf_buf_free. */
#ifndef RF_SUPPORT_BUF_H
#define RF_SUPPORT_BUF_H

#include <stdarg.h>
#include <stddef.h>

typedef struct {
    char *data; /* NULL while empty */
    size_t len, cap;
} rf_buf;

void rf_buf_free(rf_buf *buf);
void rf_buf_add(rf_buf *buf, const char *bytes, size_t n);
void rf_buf_puts(rf_buf *buf, const char *text);
void rf_buf_putc(rf_buf *buf, char c);
/* Append "n" copies of "c". */
void rf_buf_fill(rf_buf *buf, char c, size_t n);
void rf_buf_printf(rf_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rf_buf_vprintf(rf_buf *buf, const char *format, va_list args);
/* The text, "" while empty; valid until the next change. */
const char *rf_buf_text(const rf_buf *buf);

#endif
