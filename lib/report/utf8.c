/* UTF-8: what is valid, how long it is for those who count in UTF-16. */
#include "report/report.h"

#include <string.h>

/* The length of the valid sequence at "s", or 0 (RFC 3629, table 3-7). */
static size_t sequence(const unsigned char *s, size_t len)
{
    unsigned char c = s[0];
    size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (c > 0xf4 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) ||
        (c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

size_t rf_utf8_check(const char *bytes, size_t len)
{
    size_t at = 0;
    while (at < len) {
        size_t n = sequence((const unsigned char *)bytes + at, len - at);
        if (!n)
            return at;
        at += n;
    }
    return len;
}

size_t rf_utf16_length(const char *bytes, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        n += (c & 0xc0) != 0x80;
        n += c >= 0xf0;
    }
    return n;
}

json_t *rf_json_text(const char *text, size_t len)
{
    size_t good = rf_utf8_check(text, len);
    if (good == len)
        return json_stringn(text, len);
    rf_buf b = { 0 };
    while (good < len) {
        rf_buf_add(&b, text, good);
        rf_buf_puts(&b, "\xef\xbf\xbd");
        text += good + 1;
        len -= good + 1;
        good = rf_utf8_check(text, len);
    }
    rf_buf_add(&b, text, len);
    json_t *json = json_stringn(b.data, b.len);
    rf_buf_free(&b);
    return json;
}

const char *rf_json_string(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

const char *rf_report_line(const rf_report_file *file, size_t offset,
                           size_t *len)
{
    if (offset > file->len)
        offset = file->len;
    const char *at = file->bytes + offset;
    const char *nl = offset ? memrchr(file->bytes, '\n', offset) : NULL;
    const char *begin = nl ? nl + 1 : file->bytes;
    const char *end = memchr(at, '\n', file->len - offset);
    if (!end)
        end = file->bytes + file->len;
    if (end > begin && end[-1] == '\r')
        end--;
    *len = (size_t)(end - begin);
    return begin;
}

void rf_place_complete(const rf_report_file *file, rf_place *at)
{
    size_t offset = at->offset < file->len ? at->offset : file->len;
    size_t line = 1, start = 0;
    const char *nl = file->bytes, *end = file->bytes + offset;
    while ((nl = memchr(nl, '\n', (size_t)(end - nl)))) {
        line++;
        start = (size_t)(++nl - file->bytes);
    }
    at->line = (uint32_t)line;
    at->column = (uint32_t)(offset - start + 1);
}
