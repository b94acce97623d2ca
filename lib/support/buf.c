/* String buffers on realloc, doubling. */
#include "support/buf.h"

#include "support/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(rf_buf *buf, size_t more)
{
    size_t need = buf->len + more + 1;
    if (need <= buf->cap)
        return;
    while (buf->cap < need)
        buf->cap = buf->cap ? buf->cap * 2 : 64;
    buf->data = rf_realloc(buf->data, buf->cap);
}

void rf_buf_free(rf_buf *buf)
{
    free(buf->data);
    *buf = (rf_buf){ 0 };
}

void rf_buf_add(rf_buf *buf, const char *bytes, size_t n)
{
    reserve(buf, n);
    if (n)
        memcpy(buf->data + buf->len, bytes, n);
    buf->len += n;
    buf->data[buf->len] = 0;
}

void rf_buf_puts(rf_buf *buf, const char *text)
{
    rf_buf_add(buf, text, strlen(text));
}

void rf_buf_putc(rf_buf *buf, char c)
{
    rf_buf_add(buf, &c, 1);
}

void rf_buf_fill(rf_buf *buf, char c, size_t n)
{
    reserve(buf, n);
    memset(buf->data + buf->len, c, n);
    buf->len += n;
    buf->data[buf->len] = 0;
}

void rf_buf_vprintf(rf_buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n > 0) {
        reserve(buf, (size_t)n);
        vsnprintf(buf->data + buf->len, (size_t)n + 1, format, again);
        buf->len += (size_t)n;
    }
    va_end(again);
}

void rf_buf_printf(rf_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rf_buf_vprintf(buf, format, args);
    va_end(args);
}

const char *rf_buf_text(const rf_buf *buf)
{
    return buf->data ? buf->data : "";
}
