/* Messages: "Content-Length: N", an empty line, N bytes of JSON. */
#include "lsp.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LONGEST = 256 << 20 };

void rf_lsp_fill(rf_lsp_stream *stream, int fd)
{
    char block[1 << 16];
    ssize_t n = read(fd, block, sizeof block);
    if (n > 0)
        rf_buf_add(&stream->in, block, (size_t)n);
    else if (!n || errno != EINTR)
        stream->ended = true;
}

/* The length that the header says; -1 when it says none. */
static long content_length(const char *head, size_t len)
{
    static const char name[] = "content-length:";
    for (size_t at = 0; at < len;) {
        const char *end = memchr(head + at, '\n', len - at);
        if (!strncasecmp(head + at, name, sizeof name - 1))
            return strtol(head + at + sizeof name - 1, NULL, 10);
        at = end ? (size_t)(end - head) + 1 : len;
    }
    return -1;
}

static void drop(rf_buf *in, size_t n)
{
    memmove(in->data, in->data + n, in->len - n);
    in->len -= n;
    in->data[in->len] = 0;
}

json_t *rf_lsp_take(rf_lsp_stream *stream)
{
    rf_buf *in = &stream->in;
    const char *end = in->len ? memmem(in->data, in->len, "\r\n\r\n", 4) : NULL;
    if (!end)
        return NULL;
    size_t head = (size_t)(end - in->data) + 4;
    long n = content_length(in->data, head);
    if (n < 0 || n > LONGEST) {
        stream->broken = true;
        return NULL;
    }
    if (in->len - head < (size_t)n)
        return NULL;
    json_t *message = json_loadb(in->data + head, (size_t)n, 0, NULL);
    drop(in, head + (size_t)n);
    return message ? message : json_null();
}

void rf_lsp_send(json_t *message)
{
    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    char *text = json_dumps(message, JSON_COMPACT);
    if (text) {
        printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
        fflush(stdout);
    }
    free(text);
    json_decref(message);
}

void rf_lsp_reply(const json_t *id, json_t *result)
{
    rf_lsp_send(json_pack("{s:O, s:o}", "id", id, "result", result));
}

void rf_lsp_refuse(const json_t *id, int code, const char *text)
{
    rf_lsp_send(json_pack("{s:o, s:{s:i, s:s}}", "id",
                          id ? json_deep_copy(id) : json_null(), "error",
                          "code", code, "message", text));
}

void rf_lsp_notify(const char *method, json_t *params)
{
    rf_lsp_send(json_pack("{s:s, s:o}", "method", method, "params", params));
}
