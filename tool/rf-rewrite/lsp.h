/* The language server: JSON-RPC on stdin and stdout, beside clangd.
 *
 * One process serves the editor and never waits: it reads messages, keeps the
 * texts, and answers from the latest result. Each analysis is a process of its
 * own, started when the typing has paused, ended when its text is stale. It
 * answers twice: what there is to say, as soon as that is known, then the whole
 * result with proofs, explanations and candidates. Requests that come before
 * the result wait for it. The server writes no file: edits go to the editor.
 *
 * Between the two stands a keeper, a process for an open file that holds what
 * libclang knows of it: it reads the new text, forks the analysis, which finds
 * it read, and is ready for the next.
 */
#ifndef RF_TOOL_LSP_H
#define RF_TOOL_LSP_H

#include "analysis.h"

#include <sys/types.h>

/* Serve until "exit". Return the exit code. */
int rf_lsp_serve(const rf_run *run);

/* ---- Messages ------------------------------------------------------- */

typedef struct {
    rf_buf in; /* bytes read, not yet taken */
    bool ended, broken;
} rf_lsp_stream;

/* Read what there is on "fd". */
void rf_lsp_fill(rf_lsp_stream *stream, int fd);
/* Take the next whole message; NULL when there is none yet. One that is not
 * JSON comes as null. The caller owns it. */
json_t *rf_lsp_take(rf_lsp_stream *stream);
/* Send; "message" is used up. */
void rf_lsp_send(json_t *message);
void rf_lsp_reply(const json_t *id, json_t *result);
void rf_lsp_refuse(const json_t *id, int code, const char *text);
void rf_lsp_notify(const char *method, json_t *params);

/* ---- Keepers -------------------------------------------------------- */

typedef struct {
    pid_t pid; /* 0: none */
    int socket;
} rf_lsp_keeper;

/* Start one for the file "path"; false if there cannot be one. */
bool rf_lsp_keeper_start(rf_lsp_keeper *keeper, const rf_run *run,
                         const char *path);
/* Let it analyse "text" instead of what it does. Return where the answer will
 * come from, two lines of JSON; or -1. The caller closes it. */
int rf_lsp_keeper_ask(const rf_lsp_keeper *keeper, const rf_buf *text);
/* End the analysis in progress, if there is one. */
void rf_lsp_keeper_cancel(const rf_lsp_keeper *keeper);
/* End it and its analysis, if there is one. */
void rf_lsp_keeper_stop(rf_lsp_keeper *keeper);

/* ---- Texts ---------------------------------------------------------- */

typedef struct {
    char *uri, *path;
    json_int_t version;
    rf_buf text;
    bool utf8; /* positions count bytes instead of UTF-16 units */

    bool dirty; /* the result is not of this text */
    double due; /* when to start the analysis */
    rf_lsp_keeper keeper;
    double asked;    /* when the keeper was last in use */
    int fd;          /* the answer of the analysis in progress, or -1 */
    rf_buf answer;   /* so far */
    bool said;       /* its first line, the diagnostics, is published */
    json_t *shown;   /* the diagnostics that were published last; owned */
    json_t *result;  /* of the text, unless dirty; owned */
    json_t *waiting; /* requests for the result; owned */
} rf_lsp_doc;

rf_lsp_doc *rf_lsp_doc_new(const char *uri, bool utf8);
void rf_lsp_doc_free(rf_lsp_doc *doc);
/* Apply the changes of didChange; -1 when one makes no sense. */
int rf_lsp_doc_change(rf_lsp_doc *doc, const json_t *changes);
/* Between positions of the protocol and offsets. */
size_t rf_lsp_offset(const rf_lsp_doc *doc, const json_t *position);
json_t *rf_lsp_range(const rf_lsp_doc *doc, size_t begin, size_t end);
char *rf_lsp_path(const char *uri);
char *rf_lsp_uri(const char *path);

/* ---- Answers -------------------------------------------------------- */

/* What the results mean to an editor; the caller owns them. */
json_t *rf_lsp_diagnostics(const rf_lsp_doc *doc, const json_t *result);
json_t *rf_lsp_actions(const rf_lsp_doc *doc, const json_t *params);
json_t *rf_lsp_lenses(const rf_lsp_doc *doc);
json_t *rf_lsp_hover(const rf_lsp_doc *doc, const json_t *params);
/* The edit (a WorkspaceEdit) behind a command, or NULL. */
json_t *rf_lsp_command_edit(const rf_lsp_doc *doc, const char *command,
                            size_t offset);
/* The Markdown of the region at "offset", or NULL. */
const char *rf_lsp_explain(const rf_lsp_doc *doc, size_t offset);

#define RF_LSP_FUSE     "rf-rewrite.fuse"
#define RF_LSP_FUSE_ALL "rf-rewrite.fuseAll"
#define RF_LSP_REVERT   "rf-rewrite.revert"
#define RF_LSP_EXPLAIN  "rf-rewrite.explain"

#endif
