/* SARIF 2.1.0 with what code-scanning services require: rules with help,
 * relative addresses, columns in UTF-16 units, fingerprints of lines. */
#include "report/report.h"

#include "support/hash.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

/* "path" as an address: relative to the folder we are in where it lies below
 * it, absolute otherwise. */
static json_t *artifact(const char *path)
{
    char here[4096];
    rf_buf uri = { 0 };
    json_t *location = json_object();
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = n && !strncmp(path, here, n) && path[n] == '/';
    if (!below && *path == '/')
        rf_buf_puts(&uri, "file://");
    for (const char *c = below ? path + n + 1 : path; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr("/-._~", *c))
            rf_buf_putc(&uri, *c);
        else
            rf_buf_printf(&uri, "%%%02X", (unsigned char)*c);
    }
    json_object_set_new(location, "uri", json_string(rf_buf_text(&uri)));
    if (below)
        json_object_set_new(location, "uriBaseId", json_string("%SRCROOT%"));
    rf_buf_free(&uri);
    return location;
}

/* Lines and columns as SARIF counts them: from 1, UTF-16, end one past. */
static void set_position(json_t *region, const rf_report_file *file,
                         size_t offset, const char *line, const char *column)
{
    rf_place at = { .offset = (uint32_t)offset };
    size_t len;
    rf_place_complete(file, &at);
    const char *text = rf_report_line(file, offset, &len);
    size_t bytes = at.column - 1 < len ? at.column - 1 : len;
    json_object_set_new(region, line, json_integer(at.line));
    json_object_set_new(
        region, column,
        json_integer((json_int_t)(rf_utf16_length(text, bytes) + 1)));
}

static json_t *region(const rf_report_file *file, size_t begin, size_t end)
{
    json_t *r = json_object();
    set_position(r, file, begin, "startLine", "startColumn");
    set_position(r, file, end, "endLine", "endColumn");
    return r;
}

/* The word at "offset", or one byte. */
static size_t word_end(const rf_report_file *file, size_t offset)
{
    size_t end = offset;
    while (end < file->len && (isalnum((unsigned char)file->bytes[end]) ||
                               file->bytes[end] == '_'))
        end++;
    if (end == offset && end < file->len && file->bytes[end] != '\n')
        end++;
    return end;
}

static json_t *place(const rf_report_file *file, rf_place at)
{
    json_t *physical = json_object(), *location = json_object(), *where;
    const char *path = at.file ? at.file : file->path;
    json_object_set_new(physical, "artifactLocation", artifact(path));
    if (at.file && !strcmp(at.file, file->path)) {
        where = region(file, at.offset, word_end(file, at.offset));
    } else {
        where = json_object();
        json_object_set_new(where, "startLine",
                            json_integer(at.line ? at.line : 1));
        json_object_set_new(where, "startColumn",
                            json_integer(at.column ? at.column : 1));
    }
    json_object_set_new(physical, "region", where);
    json_object_set_new(location, "physicalLocation", physical);
    return location;
}

static json_t *message(const char *text)
{
    json_t *m = json_object();
    json_object_set_new(m, "text", rf_json_text(text, strlen(text)));
    return m;
}

static json_t *related(const rf_report_file *file, const rf_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_notes; i++) {
        json_t *one = place(file, f->notes[i].at);
        json_object_set_new(one, "id", json_integer((json_int_t)i));
        json_object_set_new(one, "message", message(f->notes[i].text));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *replacement(const rf_report_file *file, const rf_edit *e)
{
    json_t *r = json_object(), *inserted = json_object();
    json_object_set_new(r, "deletedRegion", region(file, e->begin, e->end));
    json_object_set_new(inserted, "text", rf_json_text(e->text, e->len));
    json_object_set_new(r, "insertedContent", inserted);
    return r;
}

static json_t *fixes(const rf_report_file *file, const rf_finding *f)
{
    json_t *list = json_array(), *changes = json_array();
    json_t *change = json_object(), *fix = json_object();
    for (size_t i = 0; i < f->n_fixes; i++)
        json_array_append_new(list, replacement(file, &f->fixes[i]));
    json_object_set_new(change, "artifactLocation", artifact(file->path));
    json_object_set_new(change, "replacements", list);
    json_array_append_new(changes, change);
    json_object_set_new(fix, "description", message(f->text));
    json_object_set_new(fix, "artifactChanges", changes);
    json_t *all = json_array();
    json_array_append_new(all, fix);
    return all;
}

/* The text of the line, without blanks, names the place over versions. */
static json_t *fingerprint(const rf_report_file *file, const rf_finding *f)
{
    size_t len = 0;
    char text[40];
    bool here = f->at.file && !strcmp(f->at.file, file->path);
    const char *line = here ? rf_report_line(file, f->at.offset, &len) : "";
    snprintf(text, sizeof text, "%016llx:1",
             (unsigned long long)rf_text_hash(line, len));
    json_t *print = json_object();
    json_object_set_new(print, "primaryLocationLineHash", json_string(text));
    return print;
}

static const char *level(rf_severity severity)
{
    static const char *const words[] = { "note", "note", "warning", "error" };
    return words[severity];
}

json_t *rf_finding_sarif(const rf_report_file *file, const rf_finding *f)
{
    json_t *result = json_object(), *places = json_array();
    json_object_set_new(result, "ruleId",
                        json_string(rf_diag_spelling(f->name)));
    json_object_set_new(result, "ruleIndex", json_integer(f->name));
    json_object_set_new(result, "level", json_string(level(f->severity)));
    json_object_set_new(result, "message", message(f->text));
    json_array_append_new(places, place(file, f->at));
    json_object_set_new(result, "locations", places);
    if (f->n_notes)
        json_object_set_new(result, "relatedLocations", related(file, f));
    json_object_set_new(result, "partialFingerprints", fingerprint(file, f));
    if (f->n_fixes)
        json_object_set_new(result, "fixes", fixes(file, f));
    return result;
}

/* ---- The log -------------------------------------------------------- */

static json_t *rule(rf_diag_name name)
{
    json_t *r = json_object(), *help = json_object();
    const char *id = rf_diag_spelling(name), *text = rf_diag_help(name);
    json_object_set_new(r, "id", json_string(id));
    json_object_set_new(r, "name", json_string(id));
    json_object_set_new(r, "shortDescription", message(text));
    json_object_set_new(
        r, "fullDescription",
        json_pack(
            "{s:o}", "text",
            json_sprintf("rf-rewrite: %s. See docs/checks/%s.md.", text, id)));
    json_object_set_new(help, "text",
                        json_sprintf("%s: %s. docs/checks/%s.md says why and "
                                     "what unblocks it.",
                                     id, text, id));
    json_object_set_new(help, "markdown",
                        json_sprintf("**%s**: %s. `docs/checks/%s.md` says "
                                     "why and what unblocks it.",
                                     id, text, id));
    json_object_set_new(r, "help", help);
    json_object_set_new(
        r, "properties",
        json_pack("{s:[s,s], s:s, s:s}", "tags", "cuda", "performance",
                  "precision", "high", "problem.severity",
                  name == RF_DIAG_ERROR ? "error" : "recommendation"));
    return r;
}

static json_t *driver(void)
{
    json_t *d = json_object(), *rules = json_array();
    for (int i = 0; i < RF_DIAG_COUNT; i++)
        json_array_append_new(rules, rule((rf_diag_name)i));
    json_object_set_new(d, "name", json_string("rf-rewrite"));
    json_object_set_new(d, "version", json_string(RF_VERSION));
    json_object_set_new(d, "semanticVersion", json_string(RF_VERSION));
    json_object_set_new(d, "rules", rules);
    return d;
}

/* Two results on equal lines are told apart by their number. */
static void number_fingerprints(json_t *all)
{
    json_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *prints =
            json_object_get(json_array_get(all, i), "partialFingerprints");
        json_t *print = json_object_get(prints, "primaryLocationLineHash");
        char hash[24];
        snprintf(hash, sizeof hash, "%.16s", json_string_value(print));
        json_int_t n = json_integer_value(json_object_get(seen, hash)) + 1;
        json_object_set_new(seen, hash, json_integer(n));
        json_object_set_new(prints, "primaryLocationLineHash",
                            json_sprintf("%s:%d", hash, (int)n));
    }
    json_decref(seen);
}

static json_t *all_results(const json_t *results)
{
    json_t *all = json_array();
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *list =
            json_object_get(json_array_get(results, i), "findings");
        for (size_t k = 0; k < json_array_size(list); k++)
            json_array_append(
                all, json_object_get(json_array_get(list, k), "sarif"));
    }
    number_fingerprints(all);
    return all;
}

static json_t *source_root(void)
{
    char here[4096];
    rf_buf uri = { 0 };
    rf_buf_printf(&uri, "file://%s/", getcwd(here, sizeof here) ? here : "");
    json_t *root = json_pack("{s:{s:o}}", "%SRCROOT%", "uri",
                             rf_json_text(uri.data, uri.len));
    rf_buf_free(&uri);
    return root;
}

void rf_results_sarif(rf_buf *out, const json_t *results)
{
    bool failed = rf_results_count(results, "errors") > 0;
    json_t *run =
        json_pack("{s:{s:o}, s:o, s:s, s:{s:s}, s:[{s:b}], s:o}", "tool",
                  "driver", driver(), "originalUriBaseIds", source_root(),
                  "columnKind", "utf16CodeUnits", "automationDetails", "id",
                  "rf-rewrite/", "invocations", "executionSuccessful",
                  (int)!failed, "results", all_results(results));
    json_t *log = json_pack("{s:s, s:s, s:[o]}", "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json",
                            "version", "2.1.0", "runs", run);
    char *text = json_dumps(log, JSON_INDENT(2));
    rf_buf_puts(out, text ? text : "{}");
    rf_buf_putc(out, '\n');
    free(text);
    json_decref(log);
}
