/* The results of all files together. */
#include "report/report.h"

#include <string.h>

static json_t *findings_of(const json_t *results, size_t i)
{
    return json_object_get(json_array_get(results, i), "findings");
}

void rf_results_unique(json_t *results)
{
    json_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_t *list = findings_of(results, i);
        for (size_t k = 0; k < json_array_size(list);) {
            const char *key = json_string_value(
                json_object_get(json_array_get(list, k), "key"));
            if (key && json_object_get(seen, key)) {
                json_array_remove(list, k);
                continue;
            }
            if (key)
                json_object_set_new(seen, key, json_true());
            k++;
        }
    }
    json_decref(seen);
}

static void put_field(rf_buf *out, const json_t *results, const char *field)
{
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *list = findings_of(results, i);
        for (size_t k = 0; k < json_array_size(list); k++) {
            const json_t *text =
                json_object_get(json_array_get(list, k), field);
            rf_buf_add(out, json_string_value(text), json_string_length(text));
        }
    }
}

void rf_results_text(rf_buf *out, const json_t *results)
{
    put_field(out, results, "text");
}

void rf_results_remarks(rf_buf *out, const json_t *results)
{
    put_field(out, results, "remark");
}

static const char *string_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* Comments carry the hashes: a key of our own would make
 * clang-apply-replacements pass the file over. */
void rf_results_yaml(rf_buf *out, const json_t *results)
{
    rf_buf list = { 0 };
    put_field(&list, results, "yaml");
    if (!list.len)
        return;
    rf_buf_puts(out, "---\n");
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *file = json_array_get(results, i);
        rf_buf_printf(out, "# rf-content: %s ", string_of(file, "hash"));
        rf_yaml_scalar(out, string_of(file, "path"),
                       strlen(string_of(file, "path")));
        rf_buf_putc(out, '\n');
    }
    rf_buf_puts(out, "MainSourceFile:  ");
    const char *main = json_array_size(results) == 1
                           ? string_of(json_array_get(results, 0), "path")
                           : "";
    rf_yaml_scalar(out, main, strlen(main));
    rf_buf_puts(out, "\nDiagnostics:\n");
    rf_buf_add(out, list.data, list.len);
    rf_buf_puts(out, "...\n");
    rf_buf_free(&list);
}

long rf_results_count(const json_t *results, const char *name)
{
    json_int_t sum = 0;
    for (size_t i = 0; i < json_array_size(results); i++)
        sum += json_integer_value(json_object_get(
            json_object_get(json_array_get(results, i), "counts"), name));
    return (long)sum;
}

static json_t *file_summary(const json_t *result)
{
    static const char *const fields[] = { "path", "hash", "written", "counts",
                                          "regions" };
    json_t *file = json_object();
    for (size_t i = 0; i < RF_COUNTOF(fields); i++) {
        json_t *value = json_object_get(result, fields[i]);
        if (value)
            json_object_set(file, fields[i], value);
    }
    return file;
}

static json_t *totals(const json_t *results)
{
    json_t *sum = json_object();
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_t *counts = json_object_get(json_array_get(results, i), "counts");
        for (void *it = json_object_iter(counts); it;
             it = json_object_iter_next(counts, it)) {
            const char *name = json_object_iter_key(it);
            json_object_set_new(sum, name,
                                json_integer(rf_results_count(results, name)));
        }
    }
    return sum;
}

void rf_results_summary(rf_buf *out, const json_t *results)
{
    json_t *files = json_array();
    for (size_t i = 0; i < json_array_size(results); i++)
        json_array_append_new(files, file_summary(json_array_get(results, i)));
    json_t *all =
        json_pack("{s:s, s:s, s:o, s:o}", "tool", "rf-rewrite", "version",
                  RF_VERSION, "totals", totals(results), "files", files);
    char *text = json_dumps(all, JSON_INDENT(2));
    rf_buf_puts(out, text ? text : "{}");
    rf_buf_putc(out, '\n');
    free(text);
    json_decref(all);
}
