/* The server's loop: messages in, analyses in processes of their own. */
#include "lsp.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 2, MOST_KEEPERS = 4 };

static const double pause_after_typing = 0.1;

typedef struct {
    const rf_run *run;
    rf_lsp_stream stream;
    RF_ARRAY(rf_lsp_doc *) docs;
    bool started, utf8, stopped, left;
    json_int_t next_id; /* of our own requests */
} server;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The document that "params" is about, or NULL. */
static rf_lsp_doc *doc_of(server *s, const char *uri)
{
    for (size_t i = 0; i < s->docs.len; i++)
        if (!strcmp(s->docs.data[i]->uri, uri))
            return s->docs.data[i];
    return NULL;
}

static rf_lsp_doc *doc_in(server *s, const json_t *params)
{
    return doc_of(
        s, rf_json_string(json_object_get(params, "textDocument"), "uri"));
}

/* ---- Analysis ------------------------------------------------------- */

static bool is_busy(const rf_lsp_doc *doc)
{
    return doc->fd >= 0;
}

static void close_answer(rf_lsp_doc *doc)
{
    close(doc->fd);
    doc->fd = -1;
}

static void cancel_analysis(rf_lsp_doc *doc)
{
    if (!is_busy(doc))
        return;
    rf_lsp_keeper_cancel(&doc->keeper);
    close_answer(doc);
}

static void drop(rf_lsp_doc *doc)
{
    if (is_busy(doc))
        close_answer(doc);
    rf_lsp_keeper_stop(&doc->keeper);
    rf_lsp_doc_free(doc);
}

/* Of many open files only the latest stay parsed. */
static void limit_keepers(server *s)
{
    size_t n = 0;
    rf_lsp_doc *oldest = NULL;
    for (size_t i = 0; i < s->docs.len; i++) {
        rf_lsp_doc *doc = s->docs.data[i];
        n += doc->keeper.pid != 0;
        if (doc->keeper.pid && !is_busy(doc) &&
            (!oldest || doc->asked < oldest->asked))
            oldest = doc;
    }
    if (n >= MOST_KEEPERS && oldest)
        rf_lsp_keeper_stop(&oldest->keeper);
}

static void start_analysis(server *s, rf_lsp_doc *doc)
{
    rf_buf_free(&doc->answer);
    doc->said = false;
    doc->asked = now();
    if (!doc->keeper.pid) {
        limit_keepers(s);
        rf_lsp_keeper_start(&doc->keeper, s->run, doc->path);
    }
    if (doc->keeper.pid)
        doc->fd = rf_lsp_keeper_ask(&doc->keeper, &doc->text);
    if (is_busy(doc))
        return;
    rf_lsp_keeper_stop(&doc->keeper);
    doc->due = now() + 1;
}

/* The text changed: the result will be old, the analysis is of another. */
static void invalidate(rf_lsp_doc *doc, double wait)
{
    cancel_analysis(doc);
    doc->dirty = true;
    doc->due = now() + wait;
}

static size_t workers(const server *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->docs.len; i++)
        n += is_busy(s->docs.data[i]);
    return n;
}

static void start_due(server *s)
{
    for (size_t i = 0; i < s->docs.len; i++) {
        rf_lsp_doc *doc = s->docs.data[i];
        if (doc->dirty && !is_busy(doc) && doc->due <= now() &&
            workers(s) < MOST_WORKERS)
            start_analysis(s, doc);
    }
}

/* Publish what "result" says, unless "again" and it is what was said last. */
static void publish(rf_lsp_doc *doc, const json_t *result, bool again)
{
    json_t *list = rf_lsp_diagnostics(doc, result);
    if (!again || !json_equal(list, doc->shown))
        rf_lsp_notify("textDocument/publishDiagnostics",
                      json_pack("{s:s, s:I, s:O}", "uri", doc->uri, "version",
                                doc->version, "diagnostics", list));
    json_decref(doc->shown);
    doc->shown = list;
}

/* ---- Requests that need a result ------------------------------------ */

static void command_edit(server *s, rf_lsp_doc *doc, const char *name,
                         size_t offset)
{
    const char *text = rf_lsp_explain(doc, offset);
    json_t *edit = rf_lsp_command_edit(doc, name, offset);
    if (edit)
        rf_lsp_send(json_pack("{s:I, s:s, s:{s:s, s:o}}", "id", ++s->next_id,
                              "method", "workspace/applyEdit", "params",
                              "label", "rf-rewrite", "edit", edit));
    else if (!strcmp(name, RF_LSP_EXPLAIN) && text)
        rf_lsp_notify("window/showMessage",
                      json_pack("{s:i, s:s}", "type", 3, "message", text));
}

static void answer(server *s, rf_lsp_doc *doc, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const json_t *params = json_object_get(message, "params");
    const char *method = rf_json_string(message, "method");
    json_t *result = json_null();
    if (!strcmp(method, "textDocument/codeAction"))
        result = rf_lsp_actions(doc, params);
    else if (!strcmp(method, "textDocument/codeLens"))
        result = rf_lsp_lenses(doc);
    else if (!strcmp(method, "textDocument/hover"))
        result = rf_lsp_hover(doc, params);
    else
        command_edit(s, doc, rf_json_string(params, "command"),
                     (size_t)json_integer_value(json_array_get(
                         json_object_get(params, "arguments"), 1)));
    rf_lsp_reply(id, result);
}

static void answer_waiting(server *s, rf_lsp_doc *doc)
{
    json_t *waiting = doc->waiting, *message;
    size_t i;
    doc->waiting = json_array();
    json_array_foreach(waiting, i, message) answer(s, doc, message);
    json_decref(waiting);
}

/* The length of the first line of the answer; 0: it is not whole yet. */
static size_t first_line(const rf_lsp_doc *doc)
{
    const char *begin = rf_buf_text(&doc->answer);
    const char *end = memchr(begin, '\n', doc->answer.len);
    return end ? (size_t)(end - begin) + 1 : 0;
}

static void take_answer(server *s, rf_lsp_doc *doc)
{
    close_answer(doc);
    json_decref(doc->result);
    size_t first = first_line(doc);
    doc->result = json_loadb(rf_buf_text(&doc->answer) + first,
                             doc->answer.len - first, 0, NULL);
    doc->dirty = false;
    if (!doc->result) {
        rf_lsp_keeper_stop(&doc->keeper);
        rf_lsp_notify("window/logMessage",
                      json_pack("{s:i, s:s}", "type", 1, "message",
                                "rf-rewrite: the analysis ended "
                                "unexpectedly"));
    }
    publish(doc, doc->result, doc->said);
    answer_waiting(s, doc);
}

/* The diagnostics are there; the rest is on its way. */
static void take_first(rf_lsp_doc *doc)
{
    size_t len = first_line(doc);
    if (doc->said || !len)
        return;
    json_t *result = json_loadb(doc->answer.data, len, 0, NULL);
    doc->said = result != NULL;
    if (result)
        publish(doc, result, false);
    json_decref(result);
}

static void receive(server *s, rf_lsp_doc *doc)
{
    char block[1 << 16];
    ssize_t n = read(doc->fd, block, sizeof block);
    if (n > 0)
        rf_buf_add(&doc->answer, block, (size_t)n);
    if (n > 0)
        take_first(doc);
    else
        take_answer(s, doc);
}

/* ---- Notifications -------------------------------------------------- */

static void did_open(server *s, const json_t *params)
{
    const json_t *item = json_object_get(params, "textDocument");
    const json_t *text = json_object_get(item, "text");
    rf_lsp_doc *doc = doc_of(s, rf_json_string(item, "uri"));
    if (!doc) {
        doc = rf_lsp_doc_new(rf_json_string(item, "uri"), s->utf8);
        RF_PUSH(s->docs, doc);
    }
    doc->text.len = 0;
    rf_buf_add(&doc->text, json_string_value(text), json_string_length(text));
    doc->version = json_integer_value(json_object_get(item, "version"));
    invalidate(doc, 0);
}

static void did_change(server *s, const json_t *params)
{
    rf_lsp_doc *doc = doc_in(s, params);
    if (!doc)
        return;
    if (rf_lsp_doc_change(doc, json_object_get(params, "contentChanges")))
        rf_lsp_notify("window/showMessage",
                      json_pack("{s:i, s:s}", "type", 2, "message",
                                "rf-rewrite: a change made no sense; close "
                                "and open the file"));
    doc->version = json_integer_value(
        json_object_get(json_object_get(params, "textDocument"), "version"));
    invalidate(doc, pause_after_typing);
}

/* What a save may have changed lies in other files: look again. */
static void did_save(server *s, const json_t *params)
{
    (void)params;
    for (size_t i = 0; i < s->docs.len; i++)
        invalidate(s->docs.data[i], 0);
}

static void did_close(server *s, const json_t *params)
{
    rf_lsp_doc *doc = doc_in(s, params);
    for (size_t i = 0; doc && i < s->docs.len; i++) {
        if (s->docs.data[i] != doc)
            continue;
        s->docs.data[i] = RF_LAST(s->docs);
        s->docs.len--;
        break;
    }
    if (!doc)
        return;
    cancel_analysis(doc);
    json_decref(doc->result);
    doc->result = NULL;
    answer_waiting(s, doc);
    publish(doc, NULL, false);
    drop(doc);
}

static bool same_id(const json_t *message, const json_t *id)
{
    return json_equal((json_t *)id, json_object_get(message, "id"));
}

static void cancel(server *s, const json_t *params)
{
    const json_t *id = json_object_get(params, "id");
    for (size_t i = 0; i < s->docs.len; i++) {
        json_t *waiting = s->docs.data[i]->waiting;
        for (size_t k = json_array_size(waiting); k-- > 0;) {
            if (!same_id(json_array_get(waiting, k), id))
                continue;
            rf_lsp_refuse(id, -32800, "cancelled");
            json_array_remove(waiting, k);
        }
    }
}

static void leave(server *s, const json_t *params)
{
    (void)params;
    s->left = true;
}

/* ---- Requests ------------------------------------------------------- */

static bool offers_utf8(const json_t *params)
{
    const json_t *list = json_object_get(
        json_object_get(json_object_get(params, "capabilities"), "general"),
        "positionEncodings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name && !strcmp(name, "utf-8"))
            return true;
    }
    return false;
}

static void initialize(server *s, const json_t *id, const json_t *params)
{
    s->started = true;
    s->utf8 = offers_utf8(params);
    json_t *can =
        json_pack("{s:s, s:{s:b, s:i, s:b}, s:b, s:{s:[s, s, s, s]}, s:{s:b},"
                  " s:{s:[s, s, s, s]}}",
                  "positionEncoding", s->utf8 ? "utf-8" : "utf-16",
                  "textDocumentSync", "openClose", 1, "change", 2, "save", 1,
                  "hoverProvider", 1, "codeActionProvider", "codeActionKinds",
                  "quickfix", "source.fixAll.rf-rewrite", "refactor.rewrite",
                  "info", "codeLensProvider", "resolveProvider", 0,
                  "executeCommandProvider", "commands", RF_LSP_FUSE,
                  RF_LSP_FUSE_ALL, RF_LSP_REVERT, RF_LSP_EXPLAIN);
    rf_lsp_reply(id, json_pack("{s:o, s:{s:s, s:s}}", "capabilities", can,
                               "serverInfo", "name", "rf-rewrite", "version",
                               RF_VERSION));
}

static void request_result(server *s, const json_t *message)
{
    const json_t *params = json_object_get(message, "params");
    const char *uri = json_string_value(
        json_array_get(json_object_get(params, "arguments"), 0));
    rf_lsp_doc *doc = uri ? doc_of(s, uri) : doc_in(s, params);
    if (!doc)
        rf_lsp_refuse(json_object_get(message, "id"), -32602,
                      "the file is not open");
    else if (doc->dirty)
        json_array_append(doc->waiting, (json_t *)message);
    else
        answer(s, doc, message);
}

static void request(server *s, const json_t *message)
{
    static const char *const with_result[] = { "textDocument/codeAction",
                                               "textDocument/codeLens",
                                               "textDocument/hover",
                                               "workspace/executeCommand" };
    const json_t *id = json_object_get(message, "id");
    const char *method = rf_json_string(message, "method");
    bool first = !strcmp(method, "initialize");
    if (s->stopped || (first && s->started)) {
        rf_lsp_refuse(id, -32600, "not now");
    } else if (first) {
        initialize(s, id, json_object_get(message, "params"));
    } else if (!s->started) {
        rf_lsp_refuse(id, -32002, "initialize comes first");
    } else if (!strcmp(method, "shutdown")) {
        s->stopped = true;
        rf_lsp_reply(id, json_null());
    } else {
        for (size_t i = 0; i < RF_COUNTOF(with_result); i++)
            if (!strcmp(method, with_result[i])) {
                request_result(s, message);
                return;
            }
        rf_lsp_refuse(id, -32601, "no such method");
    }
}

static void notification(server *s, const json_t *message)
{
    static const struct {
        const char *method;
        void (*take)(server *, const json_t *);
    } known[] = {
        { "textDocument/didOpen", did_open },
        { "textDocument/didChange", did_change },
        { "textDocument/didSave", did_save },
        { "textDocument/didClose", did_close },
        { "$/cancelRequest", cancel },
        { "exit", leave },
    };
    const char *method = rf_json_string(message, "method");
    bool allowed = (s->started && !s->stopped) || !strcmp(method, "exit");
    for (size_t i = 0; allowed && i < RF_COUNTOF(known); i++)
        if (!strcmp(known[i].method, method))
            known[i].take(s, json_object_get(message, "params"));
}

static void dispatch(server *s, const json_t *message)
{
    if (!json_is_object(message))
        rf_lsp_refuse(NULL, -32700, "not a message");
    else if (!json_object_get(message, "method"))
        return;
    else if (json_object_get(message, "id"))
        request(s, message);
    else
        notification(s, message);
}

/* ---- The loop ------------------------------------------------------- */

/* Milliseconds until something is due; -1: nothing is. */
static int patience(const server *s)
{
    double least = -1;
    for (size_t i = 0; i < s->docs.len; i++) {
        const rf_lsp_doc *doc = s->docs.data[i];
        double wait = doc->due - now();
        if (!doc->dirty || is_busy(doc))
            continue;
        if (wait < 0)
            wait = workers(s) < MOST_WORKERS ? 0 : 0.05;
        if (least < 0 || wait < least)
            least = wait;
    }
    return least < 0 ? -1 : (int)(least * 1000) + 1;
}

static void wait_and_read(server *s)
{
    RF_ARRAY(struct pollfd) polls = { 0 };
    RF_ARRAY(rf_lsp_doc *) polled = { 0 };
    struct pollfd input = { .fd = 0, .events = POLLIN };
    RF_PUSH(polls, input);
    for (size_t i = 0; i < s->docs.len; i++) {
        if (!is_busy(s->docs.data[i]))
            continue;
        struct pollfd p = { .fd = s->docs.data[i]->fd, .events = POLLIN };
        RF_PUSH(polls, p);
        RF_PUSH(polled, s->docs.data[i]);
    }
    if (poll(polls.data, polls.len, patience(s)) > 0) {
        for (size_t i = 1; i < polls.len; i++)
            if (polls.data[i].revents)
                receive(s, polled.data[i - 1]);
        if (polls.data[0].revents)
            rf_lsp_fill(&s->stream, 0);
    }
    RF_CLEAR(polls);
    RF_CLEAR(polled);
}

int rf_lsp_serve(const rf_run *run)
{
    server s = { .run = run };
    signal(SIGPIPE, SIG_IGN);
    while (!s.left && !s.stream.ended && !s.stream.broken) {
        json_t *message;
        start_due(&s);
        wait_and_read(&s);
        while (!s.left && (message = rf_lsp_take(&s.stream))) {
            dispatch(&s, message);
            json_decref(message);
        }
    }
    for (size_t i = 0; i < s.docs.len; i++)
        drop(s.docs.data[i]);
    RF_CLEAR(s.docs);
    rf_buf_free(&s.stream.in);
    return s.left && s.stopped ? 0 : 1;
}
