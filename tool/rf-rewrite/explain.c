/* The frame around plan/'s explanation: obligations, and refusals. */
#include "explain.h"

#include "plan/explain.h"

#include <string.h>

static const struct {
    const char *equation, *meaning;
} legend[] = {
    { "D1", "the loops have the source's counters" },
    { "D3", "no store is lost or added" },
    { "D4", "no access is moved across one it may meet" },
    { "D7", "no element outside a local array is used" },
    { "T-3", "a step keeps the invariant, and so does the start" },
    { "T-4", "what is stored is the source's value" },
    { "T-5", "a term is its common factor times what is carried" },
    { "T-6", "the correction takes earlier terms along" },
    { "T-7", "infinities, NaN and empty axes" },
    { "T-9", "a step moves the sums to the new reference" },
};

static const char *meaning_of(const char *equation)
{
    for (size_t i = 0; i < RF_COUNTOF(legend); i++)
        if (!strcmp(legend[i].equation, equation))
            return legend[i].meaning;
    return "";
}

/* A bar would end the cell. */
static void put_cell(rf_buf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '|')
            rf_buf_puts(out, "\\|");
        else
            rf_buf_putc(out, *text == '\n' ? ' ' : *text);
}

static const char *decision_of(const rf_proof_item *item)
{
    return item->verdict == RF_PROVEN    ? "proven"
           : item->verdict == RF_CHECKED ? "held in every run"
                                         : rf_verdict_name(item->verdict);
}

const char *rf_explain_proof(rf_arena *arena, const rf_proof *proof)
{
    rf_buf out = { 0 };
    rf_buf_puts(&out, "| obligation | about the emitted text | decided |\n"
                      "|---|---|---|\n");
    for (size_t i = 0; i < proof->items.len; i++) {
        const rf_proof_item *item = &proof->items.data[i];
        rf_buf_printf(&out, "| %s: %s | ", item->equation,
                      meaning_of(item->equation));
        put_cell(&out, item->text);
        rf_buf_printf(&out, " | %s |\n", decision_of(item));
    }
    const char *text = rf_arena_strdup(arena, rf_buf_text(&out));
    rf_buf_free(&out);
    return text;
}

const char *rf_explain_plans(rf_arena *arena, const rf_unit *unit,
                             const rf_plans *plans, const char *obligations)
{
    rf_buf out = { 0 };
    for (size_t i = 0; i < plans->len; i++)
        rf_plan_explain(&out, unit, plans->data[i]);
    rf_buf_puts(&out, "### Obligations\n\n");
    if (obligations)
        rf_buf_printf(&out,
                      "%s\nProven: decided by exact algebra over the code as "
                      "the compiler will read it;\n`--proof=DIR` writes the "
                      "certificates for other solvers.\n\n",
                      obligations);
    else
        rf_buf_puts(&out, "The merge of a team is not proven about the emitted "
                          "text; `--verify` executes both\nbuilds.\n\n");
    const char *text = rf_arena_strdup(arena, rf_buf_text(&out));
    rf_buf_free(&out);
    return text;
}

void rf_explain_refusal(rf_buf *out, const rf_outcome *o, const rf_diags *diags)
{
    if (o->finding < 0 || (size_t)o->finding >= diags->list.len)
        return;
    const rf_diag *d = &diags->list.data[o->finding];
    rf_buf_printf(out, "## `%s`, line %u: not fused\n\n%u:%u: %s (`%s`)\n\n",
                  o->function ? o->function : "?", o->at.line, d->at.line,
                  d->at.column, d->text, rf_diag_spelling(d->name));
    for (size_t i = 0; i < d->notes.len; i++)
        rf_buf_printf(out, "- %u:%u: %s\n", d->notes.data[i].at.line,
                      d->notes.data[i].at.column, d->notes.data[i].text);
    rf_buf_printf(out, "%sdocs/checks/%s.md tells what helps.\n\n",
                  d->notes.len ? "\n" : "", rf_diag_spelling(d->name));
}
