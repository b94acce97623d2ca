/* Any bytes as a stream of messages; messages as changes of a text. */
#include "lsp.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void change(rf_lsp_doc *doc, const json_t *message)
{
    const json_t *params = json_object_get(message, "params");
    rf_lsp_doc_change(doc, json_object_get(params, "contentChanges"));
    size_t at = rf_lsp_offset(doc, json_object_get(params, "position"));
    json_decref(rf_lsp_range(doc, 0, at));
    json_decref(rf_lsp_actions(doc, params));
    json_decref(rf_lsp_hover(doc, params));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rf_lsp_stream stream = { 0 };
    rf_lsp_doc *doc = rf_lsp_doc_new("file:///a%20b%.cu", size % 2);
    json_t *message;
    rf_buf_add(&stream.in, (const char *)data, size);
    while ((message = rf_lsp_take(&stream))) {
        change(doc, message);
        json_decref(message);
    }
    /* and the bytes as one message, so that little is lost on headers */
    message = json_loadb((const char *)data, size, 0, NULL);
    change(doc, message);
    json_decref(message);
    rf_lsp_doc_free(doc);
    rf_buf_free(&stream.in);
    return 0;
}
