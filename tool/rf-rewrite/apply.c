/* Apply exported fixes, each file all or nothing, and only to the bytes that
 * were analysed: the hash in the export's comment must be the file's. */
#include "apply.h"

#include "edit/edit.h"
#include "report/report.h"
#include "support/hash.h"

#include <string.h>
#include <yaml.h>

typedef struct {
    const char *path;
    const char *hash; /* of the file when it was analysed; NULL: not told */
    rf_edits edits;
} target;

typedef struct {
    rf_arena *arena;
    const char *path; /* of the YAML file */
    yaml_document_t document;
    RF_ARRAY(target) targets;
} applier;

static int complain(const char *path, yaml_mark_t at, const char *text)
{
    fprintf(stderr, "%s:%zu:%zu: error: %s\n", path, at.line + 1, at.column + 1,
            text);
    return -1;
}

static target *target_of(applier *a, const char *path)
{
    for (size_t i = 0; i < a->targets.len; i++)
        if (!strcmp(a->targets.data[i].path, path))
            return &a->targets.data[i];
    target t = { .path = rf_arena_strdup(a->arena, path) };
    RF_PUSH(a->targets, t);
    return &RF_LAST(a->targets);
}

/* ---- Reading -------------------------------------------------------- */

static const char *scalar(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE
               ? (const char *)node->data.scalar.value
               : NULL;
}

static const yaml_node_t *get(applier *a, const yaml_node_t *map,
                              const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start;
         p < map->data.mapping.pairs.top; p++) {
        const char *name = scalar(yaml_document_get_node(&a->document, p->key));
        if (name && !strcmp(name, key))
            return yaml_document_get_node(&a->document, p->value);
    }
    return NULL;
}

static bool number(const yaml_node_t *node, size_t *out)
{
    const char *text = scalar(node);
    char *end = NULL;
    if (!text || !*text)
        return false;
    *out = strtoul(text, &end, 10);
    return !*end;
}

static int take_replacement(applier *a, const yaml_node_t *node)
{
    const char *path = scalar(get(a, node, "FilePath"));
    const yaml_node_t *text = get(a, node, "ReplacementText");
    size_t offset, length;
    if (!path || !scalar(text) || !number(get(a, node, "Offset"), &offset) ||
        !number(get(a, node, "Length"), &length))
        return complain(a->path, node->start_mark,
                        "a replacement needs FilePath, Offset, Length and "
                        "ReplacementText");
    rf_edit e = { offset, offset + length, NULL, text->data.scalar.length };
    e.text = rf_arena_strndup(a->arena, scalar(text), e.len);
    RF_PUSH(target_of(a, path)->edits.list, e);
    return 0;
}

static int take_diagnostic(applier *a, const yaml_node_t *node)
{
    const yaml_node_t *message = get(a, node, "DiagnosticMessage");
    const yaml_node_t *list = get(a, message, "Replacements");
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return complain(a->path, node->start_mark,
                        "a diagnostic needs a DiagnosticMessage with "
                        "Replacements");
    for (yaml_node_item_t *i = list->data.sequence.items.start;
         i < list->data.sequence.items.top; i++)
        if (take_replacement(a, yaml_document_get_node(&a->document, *i)))
            return -1;
    return 0;
}

static int take_document(applier *a)
{
    const yaml_node_t *root = yaml_document_get_root_node(&a->document);
    const yaml_node_t *list = root ? get(a, root, "Diagnostics") : NULL;
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return complain(a->path, (yaml_mark_t){ 0 },
                        "there is no list of Diagnostics");
    for (yaml_node_item_t *i = list->data.sequence.items.start;
         i < list->data.sequence.items.top; i++)
        if (take_diagnostic(a, yaml_document_get_node(&a->document, *i)))
            return -1;
    return 0;
}

/* "# rf-content: HASH 'path'"; the path is read as YAML is. */
static void take_hash(applier *a, const char *line, size_t len)
{
    yaml_parser_t parser;
    yaml_document_t document;
    size_t n = strcspn(line, " ");
    if (n >= len || !yaml_parser_initialize(&parser))
        return;
    yaml_parser_set_input_string(&parser, (const unsigned char *)line + n,
                                 len - n);
    if (yaml_parser_load(&parser, &document)) {
        const char *path = scalar(yaml_document_get_root_node(&document));
        if (path)
            target_of(a, path)->hash = rf_arena_strndup(a->arena, line, n);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
}

static void take_hashes(applier *a, const char *text)
{
    static const char head[] = "# rf-content: ";
    while (text && *text) {
        if (!strncmp(text, head, strlen(head)))
            take_hash(a, text + strlen(head),
                      strcspn(text + strlen(head), "\n"));
        text = strchr(text, '\n');
        text += text != NULL;
    }
}

static int read_yaml(applier *a, const rf_file *file)
{
    yaml_parser_t parser;
    int rc;
    if (!yaml_parser_initialize(&parser))
        return -1;
    yaml_parser_set_input_string(&parser, (const unsigned char *)file->bytes,
                                 file->len);
    if (yaml_parser_load(&parser, &a->document)) {
        take_hashes(a, file->bytes);
        rc = take_document(a);
        yaml_document_delete(&a->document);
    } else {
        rc = complain(a->path, parser.problem_mark,
                      parser.problem ? parser.problem : "it is not YAML");
    }
    yaml_parser_delete(&parser);
    return rc;
}

static int read_export(applier *a, const char *path)
{
    rf_file file;
    const char *why;
    a->path = path;
    if (rf_file_read(a->arena, path, &file, &why)) {
        fprintf(stderr, "%s: error: %s\n", path, why);
        return -1;
    }
    int rc = read_yaml(a, &file);
    rf_file_free(&file);
    return rc;
}

/* ---- Writing -------------------------------------------------------- */

static bool same_edit(const rf_edit *a, const rf_edit *b)
{
    return a->begin == b->begin && a->end == b->end && a->len == b->len &&
           !memcmp(a->text, b->text, a->len);
}

/* Sort, drop what is there twice; false if edits overlap or lie outside. */
static bool tidy(rf_edits *edits, size_t len)
{
    size_t kept = 0;
    rf_edits_sort(edits);
    for (size_t i = 0; i < edits->list.len; i++) {
        const rf_edit *e = &edits->list.data[i];
        const rf_edit *last = kept ? &edits->list.data[kept - 1] : NULL;
        if (last && same_edit(last, e))
            continue;
        if (e->begin > e->end || e->end > len ||
            (last && (e->begin < last->end ||
                      (e->begin == last->begin && e->end == last->end))))
            return false;
        edits->list.data[kept++] = *e;
    }
    edits->list.len = kept;
    return true;
}

static int write_target(applier *a, target *t, const rf_file *file,
                        const char **why)
{
    char hash[20];
    rf_buf text = { 0 };
    snprintf(hash, sizeof hash, "%016llx",
             (unsigned long long)rf_hash64(file->bytes, file->len));
    if (!t->hash)
        *why = "the export does not say which content it is for";
    else if (strcmp(hash, t->hash))
        *why = "it is not the content that was analysed (applied already, or "
               "changed since)";
    else if (!tidy(&t->edits, file->len))
        *why = "fixes overlap";
    else {
        rf_edits_apply(&t->edits, file->bytes, file->len, &text);
        int rc = rf_file_replace(a->arena, t->path, file, rf_buf_text(&text),
                                 text.len, why);
        rf_buf_free(&text);
        return rc;
    }
    return -1;
}

static int apply_target(applier *a, target *t)
{
    rf_file file;
    const char *why = NULL;
    if (!t->edits.list.len)
        return 0;
    int rc = rf_file_read(a->arena, t->path, &file, &why);
    if (!rc) {
        rc = write_target(a, t, &file, &why);
        rf_file_free(&file);
    }
    if (rc)
        fprintf(stderr, "%s: error: not applied: %s\n", t->path, why);
    return rc;
}

int rf_apply(const rf_options *options)
{
    applier a = { .arena = rf_arena_new() };
    size_t files = 0, failed = 0;
    int rc = 0;
    for (size_t i = 0; i < options->files.list.len; i++)
        rc |= read_export(&a, options->files.list.data[i]);
    for (size_t i = 0; !rc && i < a.targets.len; i++) {
        bool bad = apply_target(&a, &a.targets.data[i]);
        files += !bad && a.targets.data[i].edits.list.len;
        failed += bad;
    }
    if (!options->quiet)
        fprintf(stderr, "rf-rewrite: %zu file%s written, %zu left\n", files,
                files == 1 ? "" : "s", failed);
    for (size_t i = 0; i < a.targets.len; i++)
        RF_CLEAR(a.targets.data[i].edits.list);
    RF_CLEAR(a.targets);
    rf_arena_free(a.arena);
    return rc || failed ? 1 : 0;
}
