/* Findings: from diagnostics, sorted, each once, as one JSON object. */
#include "report/report.h"

#include "support/hash.h"

#include <string.h>

rf_findings rf_findings_from(const rf_diags *diags)
{
    rf_findings findings = { 0 };
    for (size_t i = 0; i < diags->list.len; i++) {
        const rf_diag *d = &diags->list.data[i];
        rf_finding f = { .name = d->name,
                         .severity = d->severity,
                         .at = d->at,
                         .text = d->text,
                         .notes = d->notes.data,
                         .n_notes = d->notes.len };
        RF_PUSH(findings.list, f);
    }
    return findings;
}

static int compare(const rf_finding *a, const rf_finding *b)
{
    int c = strcmp(a->at.file ? a->at.file : "", b->at.file ? b->at.file : "");
    if (c)
        return c;
    if (a->at.offset != b->at.offset)
        return a->at.offset < b->at.offset ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return strcmp(a->text, b->text);
}

static int compare_pointers(const void *a, const void *b)
{
    const rf_finding *x = a, *y = b;
    int c = compare(x, y);
    return c ? c : (x->n_fixes < y->n_fixes) - (x->n_fixes > y->n_fixes);
}

void rf_findings_sort(rf_findings *findings)
{
    size_t kept = 0;
    if (findings->list.len)
        qsort(findings->list.data, findings->list.len,
              sizeof *findings->list.data, compare_pointers);
    for (size_t i = 0; i < findings->list.len; i++) {
        rf_finding *f = &findings->list.data[i];
        if (!kept || compare(&findings->list.data[kept - 1], f))
            findings->list.data[kept++] = *f;
    }
    findings->list.len = kept;
}

static json_t *text_of(void (*write)(rf_buf *, const rf_report_file *,
                                     const rf_finding *),
                       const rf_report_file *file, const rf_finding *finding)
{
    rf_buf b = { 0 };
    write(&b, file, finding);
    json_t *json = rf_json_text(rf_buf_text(&b), b.len);
    rf_buf_free(&b);
    return json;
}

static void plain(rf_buf *out, const rf_report_file *file,
                  const rf_finding *finding)
{
    rf_finding_text(out, file, finding, false);
}

static void coloured(rf_buf *out, const rf_report_file *file,
                     const rf_finding *finding)
{
    rf_finding_text(out, file, finding, true);
}

static void remark(rf_buf *out, const rf_report_file *file,
                   const rf_finding *finding)
{
    (void)file;
    rf_finding_remark(out, finding);
}

json_t *rf_edits_json(const rf_edit *edits, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_array();
        json_array_append_new(one, json_integer((json_int_t)edits[i].begin));
        json_array_append_new(one, json_integer((json_int_t)edits[i].end));
        json_array_append_new(one, rf_json_text(edits[i].text, edits[i].len));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *notes_json(const rf_finding *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_notes; i++) {
        const rf_diag_note *n = &f->notes[i];
        json_t *one = json_object();
        const char *path = n->at.file ? n->at.file : "";
        json_object_set_new(one, "path", rf_json_text(path, strlen(path)));
        json_object_set_new(one, "offset", json_integer(n->at.offset));
        json_object_set_new(one, "line", json_integer(n->at.line));
        json_object_set_new(one, "column", json_integer(n->at.column));
        json_object_set_new(one, "message",
                            rf_json_text(n->text, strlen(n->text)));
        json_array_append_new(list, one);
    }
    return list;
}

/* What an editor needs of a finding. */
static void add_parts(json_t *json, const rf_report_file *file,
                      const rf_finding *f)
{
    bool here = f->at.file && f->at.line && !strcmp(f->at.file, file->path);
    json_object_set_new(json, "message",
                        rf_json_text(f->text, strlen(f->text)));
    json_object_set_new(json, "offset", json_integer(here ? f->at.offset : 0));
    json_object_set_new(json, "here", json_boolean(here));
    json_object_set_new(json, "notes", notes_json(f));
    json_object_set_new(json, "fixes", rf_edits_json(f->fixes, f->n_fixes));
}

json_t *rf_finding_json(const rf_report_file *file, const rf_finding *f,
                        bool color)
{
    rf_buf key = { 0 };
    rf_buf_printf(&key, "%s:%u:%s:", f->at.file ? f->at.file : "", f->at.offset,
                  rf_diag_spelling(f->name));
    rf_buf_puts(&key, f->text);
    json_t *json = json_object();
    json_object_set_new(json, "key", rf_json_text(key.data, key.len));
    json_object_set_new(json, "name", json_string(rf_diag_spelling(f->name)));
    json_object_set_new(json, "level",
                        json_string(rf_severity_spelling(f->severity)));
    json_object_set_new(json, "text",
                        text_of(color ? coloured : plain, file, f));
    json_object_set_new(json, "yaml", text_of(rf_finding_yaml, file, f));
    json_object_set_new(json, "remark", text_of(remark, file, f));
    json_object_set_new(json, "sarif", rf_finding_sarif(file, f));
    add_parts(json, file, f);
    rf_buf_free(&key);
    return json;
}
