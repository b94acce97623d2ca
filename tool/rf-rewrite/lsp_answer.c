/* What a result means to an editor: diagnostics, actions, lenses, hovers. */
#include "lsp.h"

#include <ctype.h>
#include <string.h>

static size_t number_of(const json_t *object, const char *key)
{
    return (size_t)json_integer_value(json_object_get(object, key));
}

/* The end of the line or of the word at "offset", whichever comes first. */
static size_t finding_end(const rf_lsp_doc *doc, size_t offset)
{
    const char *text = doc->text.data;
    size_t end = offset;
    if (offset >= doc->text.len)
        return doc->text.len;
    if (text[offset] == '#')
        return offset + strcspn(text + offset, "\r\n");
    while (end < doc->text.len && (isalnum((unsigned char)text[end]) ||
                                   text[end] == '_' || (text[end] & 0x80)))
        end++;
    return end > offset ? end : offset + 1;
}

/* ---- Diagnostics ---------------------------------------------------- */

static int severity(const json_t *finding)
{
    const char *level = rf_json_string(finding, "level");
    const char *name = rf_json_string(finding, "name");
    if (!strcmp(level, "error"))
        return 1;
    bool offer = !strcmp(name, "rf-cascade") || !strcmp(name, "rf-candidate") ||
                 !strcmp(name, "rf-gemm-chain");
    return offer || strcmp(level, "warning") ? 3 : 2;
}

/* A note's place: exact in this file, by line elsewhere. */
static json_t *note_location(const rf_lsp_doc *doc, const json_t *note)
{
    const char *path = rf_json_string(note, "path");
    if (!strcmp(path, doc->path)) {
        size_t at = number_of(note, "offset");
        return json_pack("{s:s, s:o}", "uri", doc->uri, "range",
                         rf_lsp_range(doc, at, finding_end(doc, at)));
    }
    char *uri = rf_lsp_uri(path);
    json_int_t line = (json_int_t)number_of(note, "line");
    json_int_t column = (json_int_t)number_of(note, "column");
    line -= line > 0;
    column -= column > 0;
    json_t *place = json_pack("{s:s, s:{s:{s:I, s:I}, s:{s:I, s:I}}}", "uri",
                              uri, "range", "start", "line", line, "character",
                              column, "end", "line", line, "character", column);
    free(uri);
    return place;
}

static json_t *related(const rf_lsp_doc *doc, const json_t *finding)
{
    const json_t *notes = json_object_get(finding, "notes"), *note;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(notes, i, note)
    {
        if (*rf_json_string(note, "path"))
            json_array_append_new(list,
                                  json_pack("{s:o, s:s}", "location",
                                            note_location(doc, note), "message",
                                            rf_json_string(note, "message")));
    }
    return list;
}

static json_t *diagnostic(const rf_lsp_doc *doc, const json_t *finding)
{
    size_t at = number_of(finding, "offset");
    bool here = json_is_true(json_object_get(finding, "here"));
    return json_pack("{s:o, s:i, s:s, s:s, s:s, s:o}", "range",
                     rf_lsp_range(doc, at, here ? finding_end(doc, at) : at),
                     "severity", severity(finding), "code",
                     rf_json_string(finding, "name"), "source", "rf-rewrite",
                     "message", rf_json_string(finding, "message"),
                     "relatedInformation", related(doc, finding));
}

json_t *rf_lsp_diagnostics(const rf_lsp_doc *doc, const json_t *result)
{
    const json_t *findings = json_object_get(result, "findings"), *f;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(findings, i, f)
        json_array_append_new(list, diagnostic(doc, f));
    return list;
}

/* ---- Edits ---------------------------------------------------------- */

/* The WorkspaceEdit of edits [[begin, end, "text"], ...]. */
static json_t *workspace_edit(const rf_lsp_doc *doc, const json_t *edits)
{
    json_t *list = json_array(), *edit;
    size_t i;
    json_array_foreach((json_t *)edits, i, edit)
    {
        size_t begin = (size_t)json_integer_value(json_array_get(edit, 0));
        size_t end = (size_t)json_integer_value(json_array_get(edit, 1));
        json_array_append_new(list,
                              json_pack("{s:o, s:O}", "range",
                                        rf_lsp_range(doc, begin, end),
                                        "newText", json_array_get(edit, 2)));
    }
    return json_pack("{s:{s:o}}", "changes", doc->uri, list);
}

static bool meets(size_t begin, size_t end, size_t from, size_t to)
{
    return begin <= to && from <= end;
}

/* The edits that take away the guards around or right after the mark that
 * holds [from, to]; NULL when there are none. */
static json_t *revert_edits(const rf_lsp_doc *doc, size_t from, size_t to)
{
    rf_arena *arena = rf_arena_new();
    rf_guards guards = rf_guards_find(arena, doc->text.data, doc->text.len);
    rf_edits edits = { 0 };
    uint64_t input = 0;
    bool found = false;
    for (size_t i = 0; i < guards.list.len && !found; i++) {
        const rf_guard *g = &guards.list.data[i];
        found = !g->damaged && meets(g->begin, g->end, from, to);
        input = g->input;
    }
    for (size_t i = 0; i < guards.list.len && found; i++)
        if (guards.list.data[i].input == input && !guards.list.data[i].damaged)
            rf_guard_remove(&guards.list.data[i], doc->text.data, doc->text.len,
                            &edits);
    json_t *list =
        found ? rf_edits_json(edits.list.data, edits.list.len) : NULL;
    RF_CLEAR(edits.list);
    RF_CLEAR(guards.list);
    rf_arena_free(arena);
    return list;
}

static const json_t *region_at(const rf_lsp_doc *doc, size_t from, size_t to)
{
    const json_t *regions = json_object_get(doc->result, "regions"), *r;
    size_t i;
    json_array_foreach(regions, i, r)
    {
        if (meets(number_of(r, "begin"), number_of(r, "end"), from, to))
            return r;
    }
    return NULL;
}

/* The fixes of the finding at the mark of the region at "offset". */
static const json_t *fixes_at(const rf_lsp_doc *doc, size_t offset)
{
    const json_t *r = region_at(doc, offset, offset);
    const json_t *findings = json_object_get(doc->result, "findings"), *f;
    size_t i;
    json_array_foreach(findings, i, f)
    {
        size_t at = number_of(f, "offset");
        bool inside =
            r && at >= number_of(r, "begin") && at <= number_of(r, "end");
        if ((at == offset || inside) &&
            json_array_size(json_object_get(f, "fixes")))
            return json_object_get(f, "fixes");
    }
    return NULL;
}

json_t *rf_lsp_command_edit(const rf_lsp_doc *doc, const char *command,
                            size_t offset)
{
    const json_t *edits = NULL;
    json_t *own = NULL;
    if (!strcmp(command, RF_LSP_FUSE))
        edits = fixes_at(doc, offset);
    else if (!strcmp(command, RF_LSP_FUSE_ALL))
        edits = json_object_get(doc->result, "edits");
    else if (!strcmp(command, RF_LSP_REVERT))
        edits = own = revert_edits(doc, offset, offset);
    json_t *edit = json_array_size(edits) ? workspace_edit(doc, edits) : NULL;
    json_decref(own);
    return edit;
}

/* ---- Actions -------------------------------------------------------- */

static void add_action(json_t *list, const char *title, const char *kind,
                       json_t *edit)
{
    json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "title", title,
                                          "kind", kind, "edit", edit));
}

static json_t *command(const rf_lsp_doc *doc, const char *title,
                       const char *name, size_t offset)
{
    return json_pack("{s:s, s:s, s:[s, I]}", "title", title, "command", name,
                     "arguments", doc->uri, (json_int_t)offset);
}

/* What was said of the candidate that begins at "begin", or NULL. */
static const json_t *candidate_finding(const rf_lsp_doc *doc, size_t begin)
{
    const json_t *f;
    size_t i;
    json_array_foreach(json_object_get(doc->result, "findings"), i, f)
    {
        if (number_of(f, "offset") == begin &&
            !strcmp(rf_json_string(f, "name"), "rf-candidate"))
            return f;
    }
    return NULL;
}

static void add_fix(const rf_lsp_doc *doc, json_t *list, const json_t *finding)
{
    const json_t *fixes = json_object_get(finding, "fixes");
    const char *name = rf_json_string(finding, "name");
    if (!json_array_size(fixes) || !strcmp(name, "rf-candidate"))
        return;
    const char *title =
        !strcmp(name, "rf-stale") ? "Fuse this again" : "Fuse this";
    add_action(list, title, "quickfix", workspace_edit(doc, fixes));
    json_t *action = json_array_get(list, json_array_size(list) - 1);
    json_t *about = json_array();
    json_array_append_new(about, diagnostic(doc, finding));
    json_object_set_new(action, "diagnostics", about);
    json_object_set_new(action, "isPreferred", json_true());
}

/* Unmarked loops that would fuse, wherever in their function the editor is;
 * a refactoring, or the fix of a finding where those are on. */
static void add_marks(const rf_lsp_doc *doc, json_t *list, size_t from,
                      size_t to)
{
    const json_t *c;
    size_t i;
    json_array_foreach(json_object_get(doc->result, "candidates"), i, c)
    {
        if (!meets(number_of(c, "begin"), number_of(c, "end"), from, to))
            continue;
        const json_t *finding = candidate_finding(doc, number_of(c, "begin"));
        rf_buf title = { 0 };
        rf_buf_printf(&title, "Mark as %s (%zu passes -> %zu)",
                      rf_json_string(c, "mark"), number_of(c, "passes_before"),
                      number_of(c, "passes_after"));
        add_action(list, title.data, finding ? "quickfix" : "refactor.rewrite",
                   workspace_edit(doc, json_object_get(c, "fixes")));
        rf_buf_free(&title);
        json_t *action = json_array_get(list, json_array_size(list) - 1);
        if (finding)
            json_object_set_new(action, "diagnostics",
                                json_pack("[o]", diagnostic(doc, finding)));
    }
}

static void add_region_actions(const rf_lsp_doc *doc, json_t *list,
                               const json_t *region)
{
    size_t begin = number_of(region, "begin");
    const char *outcome = rf_json_string(region, "outcome");
    bool open = !strcmp(outcome, "refused") || !strcmp(outcome, "error");
    const char *title = open ? "Why is this not fused?" : "Explain this fusion";
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:o}", "title", title, "kind", "info",
                        "command", command(doc, title, RF_LSP_EXPLAIN, begin)));
}

/* Whether the editor wants actions of "kind" (a prefix counts). */
static bool wants(const json_t *params, const char *kind)
{
    const json_t *only =
        json_object_get(json_object_get(params, "context"), "only");
    for (size_t i = 0; i < json_array_size(only); i++) {
        const char *word = json_string_value(json_array_get(only, i));
        size_t n = word ? strlen(word) : 0;
        if (word && !strncmp(kind, word, n) && (!kind[n] || kind[n] == '.'))
            return true;
    }
    return !only;
}

static void keep_wanted(json_t *list, const json_t *params)
{
    for (size_t i = json_array_size(list); i-- > 0;)
        if (!wants(params, rf_json_string(json_array_get(list, i), "kind")))
            json_array_remove(list, i);
}

json_t *rf_lsp_actions(const rf_lsp_doc *doc, const json_t *params)
{
    const json_t *range = json_object_get(params, "range"), *f;
    size_t from = rf_lsp_offset(doc, json_object_get(range, "start"));
    size_t to = rf_lsp_offset(doc, json_object_get(range, "end")), i;
    const json_t *region = region_at(doc, from, to);
    json_t *list = json_array();
    json_array_foreach(json_object_get(doc->result, "findings"), i, f)
    {
        size_t at = number_of(f, "offset");
        bool inside = region && at >= number_of(region, "begin") &&
                      at <= number_of(region, "end");
        if (inside || meets(at, finding_end(doc, at), from, to))
            add_fix(doc, list, f);
    }
    add_marks(doc, list, from, to);
    json_t *all = rf_lsp_command_edit(doc, RF_LSP_FUSE_ALL, 0);
    if (all)
        add_action(list, "Fuse all in this file", "source.fixAll.rf-rewrite",
                   all);
    size_t low = region ? number_of(region, "begin") : from;
    size_t high = region ? number_of(region, "end") : to;
    json_t *back = revert_edits(doc, low, high);
    if (back)
        add_action(list, "Revert to the author's code", "refactor.rewrite",
                   workspace_edit(doc, back));
    json_decref(back);
    if (region)
        add_region_actions(doc, list, region);
    keep_wanted(list, params);
    return list;
}

/* ---- Lenses and hovers ---------------------------------------------- */

static json_t *lens(const rf_lsp_doc *doc, const json_t *region)
{
    size_t begin = number_of(region, "begin");
    const char *outcome = rf_json_string(region, "outcome");
    bool fused = !strcmp(outcome, "current"),
         open = !strcmp(outcome, "fusible");
    rf_buf title = { 0 };
    rf_buf_puts(&title, fused ? "fused" : open ? "fuse" : outcome);
    if (json_object_get(region, "passes_before"))
        rf_buf_printf(&title, ": %zu passes -> %zu",
                      number_of(region, "passes_before"),
                      number_of(region, "passes_after"));
    else
        rf_buf_printf(&title, ": %s", rf_json_string(region, "check"));
    const char *name = fused  ? RF_LSP_REVERT
                       : open ? RF_LSP_FUSE
                              : RF_LSP_EXPLAIN;
    json_t *json =
        json_pack("{s:o, s:o}", "range", rf_lsp_range(doc, begin, begin),
                  "command", command(doc, title.data, name, begin));
    rf_buf_free(&title);
    return json;
}

json_t *rf_lsp_lenses(const rf_lsp_doc *doc)
{
    const json_t *regions = json_object_get(doc->result, "regions"), *r;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(regions, i, r) json_array_append_new(list, lens(doc, r));
    return list;
}

/* The messages of the findings inside a region. */
static void put_messages(const rf_lsp_doc *doc, const json_t *region,
                         rf_buf *out)
{
    const json_t *f;
    size_t i;
    json_array_foreach(json_object_get(doc->result, "findings"), i, f)
    {
        size_t at = number_of(f, "offset");
        if (at >= number_of(region, "begin") && at <= number_of(region, "end"))
            rf_buf_printf(out, "\n\n%s `%s`", rf_json_string(f, "message"),
                          rf_json_string(f, "name"));
    }
}

json_t *rf_lsp_hover(const rf_lsp_doc *doc, const json_t *params)
{
    size_t at = rf_lsp_offset(doc, json_object_get(params, "position"));
    const json_t *r = region_at(doc, at, at);
    rf_buf text = { 0 };
    if (!r)
        return json_null();
    rf_buf_printf(&text, "**%s**: %s", rf_json_string(r, "outcome"),
                  *rf_json_string(r, "words") ? rf_json_string(r, "words")
                                              : rf_json_string(r, "check"));
    if (strcmp(rf_json_string(r, "outcome"), "refused") ||
        !*rf_json_string(r, "explain"))
        put_messages(doc, r, &text);
    if (*rf_json_string(r, "explain"))
        rf_buf_printf(&text, "\n\n%s", rf_json_string(r, "explain"));
    json_t *hover = json_pack(
        "{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value",
        text.data, "range",
        rf_lsp_range(doc, number_of(r, "begin"), number_of(r, "end")));
    rf_buf_free(&text);
    return hover;
}

const char *rf_lsp_explain(const rf_lsp_doc *doc, size_t offset)
{
    const json_t *r = region_at(doc, offset, offset), *f;
    size_t i;
    if (r && *rf_json_string(r, "explain"))
        return rf_json_string(r, "explain");
    json_array_foreach(json_object_get(doc->result, "findings"), i, f)
    {
        size_t at = number_of(f, "offset");
        if (r && at >= number_of(r, "begin") && at <= number_of(r, "end"))
            return rf_json_string(f, "message");
    }
    return NULL;
}
