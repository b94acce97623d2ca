/* YAML for other tools: fixes as clang's DiagnosticsYaml.h has them, remarks
 * as LLVM's opt-viewer reads them. */
#include "report/report.h"

#include <string.h>
#include <unistd.h>

static bool needs_double(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return true;
    return false;
}

static void put_escaped(rf_buf *out, unsigned char c)
{
    static const char names[] = "\n\r\t\"\\", letters[] = "nrt\"\\";
    const char *at = c ? strchr(names, c) : NULL;
    if (at)
        rf_buf_printf(out, "\\%c", letters[at - names]);
    else if (c < ' ' || c == 0x7f)
        rf_buf_printf(out, "\\x%02X", c);
    else
        rf_buf_putc(out, (char)c);
}

void rf_yaml_scalar(rf_buf *out, const char *text, size_t len)
{
    bool twice = needs_double(text, len);
    rf_buf_putc(out, twice ? '"' : '\'');
    for (size_t i = 0; i < len; i++) {
        if (twice)
            put_escaped(out, (unsigned char)text[i]);
        else if (text[i] == '\'')
            rf_buf_puts(out, "''");
        else
            rf_buf_putc(out, text[i]);
    }
    rf_buf_putc(out, twice ? '"' : '\'');
}

/* "  Key:             'value'" with the value in its column. */
static void put_key(rf_buf *out, int indent, const char *key)
{
    int n = (int)strlen(key) + 1;
    rf_buf_printf(out, "%*s%s:%*s", indent, "", key, n < 17 ? 17 - n : 1, "");
}

static void put_text(rf_buf *out, int indent, const char *key, const char *text)
{
    put_key(out, indent, key);
    rf_yaml_scalar(out, text, strlen(text));
    rf_buf_putc(out, '\n');
}

static void put_number(rf_buf *out, int indent, const char *key, size_t value)
{
    put_key(out, indent, key);
    rf_buf_printf(out, "%zu\n", value);
}

static void put_message(rf_buf *out, int indent, const char *text, rf_place at)
{
    put_text(out, indent, "Message", text);
    put_text(out, indent, "FilePath", at.file ? at.file : "");
    put_number(out, indent, "FileOffset", at.offset);
}

static void put_fixes(rf_buf *out, const rf_report_file *file,
                      const rf_finding *f)
{
    rf_buf_puts(out, f->n_fixes ? "      Replacements:\n"
                                : "      Replacements:    []\n");
    for (size_t i = 0; i < f->n_fixes; i++) {
        const rf_edit *e = &f->fixes[i];
        rf_buf_puts(out, "        - ");
        put_text(out, 0, "FilePath", file->path);
        put_number(out, 10, "Offset", e->begin);
        put_number(out, 10, "Length", e->end - e->begin);
        put_key(out, 10, "ReplacementText");
        rf_yaml_scalar(out, e->text, e->len);
        rf_buf_putc(out, '\n');
    }
}

static const char *level(rf_severity severity)
{
    static const char *const words[] = { "Remark", "Remark", "Warning",
                                         "Error" };
    return words[severity];
}

void rf_finding_yaml(rf_buf *out, const rf_report_file *file,
                     const rf_finding *f)
{
    char here[4096];
    rf_buf_puts(out, "  - ");
    put_key(out, 0, "DiagnosticName");
    rf_buf_printf(out, "%s\n    DiagnosticMessage:\n",
                  rf_diag_spelling(f->name));
    put_message(out, 6, f->text, f->at);
    put_fixes(out, file, f);
    if (f->n_notes)
        rf_buf_puts(out, "    Notes:\n");
    for (size_t i = 0; i < f->n_notes; i++) {
        rf_buf_puts(out, "      - ");
        put_text(out, 0, "Message", f->notes[i].text);
        put_text(out, 8, "FilePath",
                 f->notes[i].at.file ? f->notes[i].at.file : "");
        put_number(out, 8, "FileOffset", f->notes[i].at.offset);
        rf_buf_puts(out, "        Replacements:    []\n");
    }
    put_key(out, 4, "Level");
    rf_buf_printf(out, "%s\n", level(f->severity));
    put_text(out, 4, "BuildDirectory", getcwd(here, sizeof here) ? here : "");
}

/* ---- Remarks -------------------------------------------------------- */

static void put_loc(rf_buf *out, rf_place at)
{
    rf_buf_puts(out, "{ File: ");
    rf_yaml_scalar(out, at.file, strlen(at.file));
    rf_buf_printf(out, ", Line: %u, Column: %u }\n", at.line, at.column);
}

static const char *remark_kind(const rf_finding *f)
{
    if (f->name == RF_DIAG_CASCADE || f->name == RF_DIAG_GEMM_CHAIN)
        return "Passed";
    return f->name == RF_DIAG_CANDIDATE ? "Analysis" : "Missed";
}

void rf_finding_remark(rf_buf *out, const rf_finding *f)
{
    if (!f->at.file || !f->at.line)
        return;
    rf_buf_printf(out, "--- !%s\n", remark_kind(f));
    put_text(out, 0, "Pass", "rf-rewrite");
    put_text(out, 0, "Name", rf_diag_spelling(f->name));
    put_key(out, 0, "DebugLoc");
    put_loc(out, f->at);
    put_text(out, 0, "Function", f->function ? f->function : "(file)");
    rf_buf_puts(out, "Args:\n  - ");
    put_text(out, 0, "String", f->text);
    for (size_t i = 0; i < f->n_notes; i++) {
        rf_buf_puts(out, "  - ");
        put_text(out, 0, "String", f->notes[i].text);
        if (f->notes[i].at.file && f->notes[i].at.line) {
            put_key(out, 4, "DebugLoc");
            put_loc(out, f->notes[i].at);
        }
    }
    rf_buf_puts(out, "...\n");
}
