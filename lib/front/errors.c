/* Errors of the compiler: which of them matter, and to whom. */
#include "front/reader.h"

#include <string.h>

static bool is_missing_header(const char *text)
{
    return strstr(text, "file not found") != NULL;
}

static void add_error(rf_reader *r, CXDiagnostic d)
{
    CXFile file;
    rf_error e = { 0 };
    clang_getFileLocation(clang_getDiagnosticLocation(d), &file, NULL, NULL,
                          &e.offset);
    e.file = file;
    e.text = rf_string(r, clang_getDiagnosticSpelling(d));
    e.is_missing_header = is_missing_header(e.text);
    RF_PUSH(r->errors, e);
}

void rf_read_errors(rf_reader *r)
{
    unsigned n = clang_getNumDiagnostics(r->tu);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(r->tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            add_error(r, d);
        clang_disposeDiagnostic(d);
    }
}

bool rf_has_error(const rf_reader *r, CXFile file, rf_range at)
{
    for (size_t i = 0; i < r->errors.len; i++) {
        const rf_error *e = &r->errors.data[i];
        if (e->file && clang_File_isEqual(e->file, file) &&
            at.begin <= e->offset && e->offset <= at.end)
            return true;
    }
    return false;
}

bool rf_report_errors(rf_reader *r, rf_range at)
{
    bool any = false;
    for (size_t i = 0; i < r->errors.len; i++) {
        rf_error *e = &r->errors.data[i];
        if (!e->file || !clang_File_isEqual(e->file, r->source->file) ||
            e->offset < at.begin || e->offset > at.end)
            continue;
        any = true;
        r->n_broken += !e->is_reported;
        bool again =
            i > 0 && e[-1].offset == e->offset && !strcmp(e[-1].text, e->text);
        if (!e->is_reported && !again)
            rf_diag_add(r->diags, RF_ERROR, RF_DIAG_ERROR,
                        rf_unit_place(r->unit, e->offset), "%s", e->text);
        e->is_reported = true;
    }
    return any;
}

/* A missing `#include "x.h"` of the main file is an error; a missing library
 * header is one only where its names are used. */
bool rf_misses_own_header(rf_reader *r)
{
    bool missing = false;
    for (size_t i = 0; i < r->errors.len; i++) {
        rf_error *e = &r->errors.data[i];
        if (!e->is_missing_header || !e->file ||
            !clang_File_isEqual(e->file, r->source->file) ||
            e->offset >= r->unit->size || r->unit->bytes[e->offset] != '"')
            continue;
        missing |= rf_report_errors(r, (rf_range){ e->offset, e->offset });
    }
    return missing;
}
