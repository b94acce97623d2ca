/* Texts of open files, and places in them. Lines end in "\n", "\r\n" or "\r";
 * characters are UTF-16 units or bytes, as the editor and we agreed. */
#include "lsp.h"

#include <ctype.h>
#include <string.h>

rf_lsp_doc *rf_lsp_doc_new(const char *uri, bool utf8)
{
    rf_lsp_doc *doc = rf_malloc(sizeof *doc);
    *doc = (rf_lsp_doc){ .uri = rf_strdup(uri),
                         .path = rf_lsp_path(uri),
                         .utf8 = utf8,
                         .fd = -1,
                         .waiting = json_array() };
    rf_buf_puts(&doc->text, "");
    return doc;
}

void rf_lsp_doc_free(rf_lsp_doc *doc)
{
    free(doc->uri);
    free(doc->path);
    rf_buf_free(&doc->text);
    rf_buf_free(&doc->answer);
    json_decref(doc->shown);
    json_decref(doc->result);
    json_decref(doc->waiting);
    free(doc);
}

/* ---- Addresses ------------------------------------------------------ */

static int hex(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return at ? (int)(at - digits) : -1;
}

char *rf_lsp_path(const char *uri)
{
    rf_buf path = { 0 };
    if (!strncmp(uri, "file://", 7)) {
        uri += 7;
        uri += strcspn(uri, "/");
    }
    for (; *uri; uri++) {
        int high = *uri == '%' ? hex(uri[1]) : -1;
        int low = high >= 0 ? hex(uri[2]) : -1;
        if (low >= 0)
            uri += 2;
        rf_buf_putc(&path, low >= 0 ? (char)(high * 16 + low) : *uri);
    }
    char *text = rf_strdup(rf_buf_text(&path));
    rf_buf_free(&path);
    return text;
}

char *rf_lsp_uri(const char *path)
{
    rf_buf uri = { 0 };
    rf_buf_puts(&uri, "file://");
    for (; *path; path++) {
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
            rf_buf_putc(&uri, *path);
        else
            rf_buf_printf(&uri, "%%%02X", (unsigned char)*path);
    }
    char *text = rf_strdup(uri.data);
    rf_buf_free(&uri);
    return text;
}

/* ---- Places --------------------------------------------------------- */

/* The length of the line end at "at", or 0. */
static size_t line_end(const rf_buf *text, size_t at)
{
    if (text->data[at] == '\n')
        return 1;
    if (text->data[at] != '\r')
        return 0;
    return at + 1 < text->len && text->data[at + 1] == '\n' ? 2 : 1;
}

static size_t line_start(const rf_buf *text, json_int_t line)
{
    size_t at = 0;
    while (line > 0 && at < text->len) {
        size_t end = line_end(text, at);
        at += end ? end : 1;
        line -= end != 0;
    }
    return at;
}

/* The length of the character at "at" in bytes, and in units. */
static size_t character(const rf_lsp_doc *doc, size_t at, json_int_t *units)
{
    size_t n = 1;
    while (at + n < doc->text.len && (doc->text.data[at + n] & 0xc0) == 0x80)
        n++;
    *units = doc->utf8 ? (json_int_t)n : n == 4 ? 2 : 1;
    return n;
}

size_t rf_lsp_offset(const rf_lsp_doc *doc, const json_t *position)
{
    json_int_t line = json_integer_value(json_object_get(position, "line"));
    json_int_t left =
        json_integer_value(json_object_get(position, "character"));
    size_t at = line_start(&doc->text, line);
    while (left > 0 && at < doc->text.len && !line_end(&doc->text, at)) {
        json_int_t units;
        size_t n = character(doc, at, &units);
        if (units > left)
            break;
        left -= units;
        at += n;
    }
    return at;
}

static json_t *position(const rf_lsp_doc *doc, size_t offset)
{
    json_int_t line = 0, column = 0;
    for (size_t at = 0; at < offset && at < doc->text.len;) {
        size_t end = line_end(&doc->text, at);
        json_int_t units = 0;
        at += end ? end : character(doc, at, &units);
        line += end != 0;
        column = end ? 0 : column + units;
    }
    return json_pack("{s:I, s:I}", "line", line, "character", column);
}

json_t *rf_lsp_range(const rf_lsp_doc *doc, size_t begin, size_t end)
{
    return json_pack("{s:o, s:o}", "start", position(doc, begin), "end",
                     position(doc, end));
}

/* ---- Changes -------------------------------------------------------- */

static void splice(rf_buf *text, size_t begin, size_t end, const json_t *with)
{
    rf_buf out = { 0 };
    rf_buf_add(&out, text->data, begin);
    rf_buf_add(&out, json_string_value(with), json_string_length(with));
    rf_buf_add(&out, text->data + end, text->len - end);
    rf_buf_free(text);
    *text = out;
}

int rf_lsp_doc_change(rf_lsp_doc *doc, const json_t *changes)
{
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);
        const json_t *text = json_object_get(change, "text");
        const json_t *range = json_object_get(change, "range");
        size_t begin = 0, end = doc->text.len;
        if (!json_is_string(text))
            return -1;
        if (range) {
            begin = rf_lsp_offset(doc, json_object_get(range, "start"));
            end = rf_lsp_offset(doc, json_object_get(range, "end"));
        }
        if (begin > end)
            return -1;
        splice(&doc->text, begin, end, text);
    }
    return 0;
}
