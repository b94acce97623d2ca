/* The configuration file: a mapping of the keys in the table below. */
#include "config.h"

#include "edit/edit.h"
#include "report/report.h"

#include <limits.h>
#include <string.h>
#include <yaml.h>

typedef enum { TEXT, LIST, FLAG, INHERIT } kind;

typedef struct {
    const char *name;
    kind kind;
    size_t field;
    const char *words; /* the values allowed, with blanks; NULL: any */
} key;

#define AT(field) offsetof(rf_config, field)

static const key keys[] = {
    { "Checks", TEXT, AT(checks), NULL },
    { "WarningsAsErrors", TEXT, AT(warnings_as_errors), NULL },
    { "HeaderFilterRegex", TEXT, AT(header_filter), NULL },
    { "InheritParentConfig", INHERIT, AT(inherit), "true false" },
    { "ExtraArgs", LIST, AT(extra), NULL },
    { "ExtraArgsBefore", LIST, AT(extra_before), NULL },
    { "RemovedArgs", LIST, AT(removed), NULL },
    { "UseColor", TEXT, AT(color), "true false" },
    { "Level", TEXT, AT(level), "auto thread warp block cluster grid" },
    { "Arch", TEXT, AT(arch), NULL },
    { "CudaPath", TEXT, AT(cuda_path), NULL },
    { "Form", TEXT, AT(form), "keep replace" },
    { "Strict", FLAG, AT(strict), "true false" },
};

typedef struct {
    rf_arena *arena;
    const char *path;
    yaml_document_t document;
    rf_config *out;
    const char **why;
} reader;

static int complain(reader *r, yaml_mark_t at, const char *text)
{
    *r->why = rf_arena_printf(r->arena, "%s:%zu:%zu: error: %s", r->path,
                              at.line + 1, at.column + 1, text);
    return -1;
}

static const char *scalar(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE
               ? (const char *)node->data.scalar.value
               : NULL;
}

static bool among(const char *words, const char *word)
{
    size_t n = strlen(word);
    while (words && *words) {
        size_t m = strcspn(words, " ");
        if (n == m && !strncmp(words, word, n))
            return true;
        words += m + (words[m] == ' ');
    }
    return !words;
}

static int take_text(reader *r, const key *k, const yaml_node_t *value)
{
    void *where = (char *)r->out + k->field;
    const char *text = scalar(value);
    if (!text)
        return complain(r, value->start_mark, "a text is expected here");
    if (!among(k->words, text))
        return complain(r, value->start_mark,
                        rf_arena_printf(r->arena, "'%s' is not one of: %s",
                                        text, k->words));
    if (k->kind == TEXT)
        *(const char **)where = rf_arena_strdup(r->arena, text);
    else
        *(bool *)where = !strcmp(text, "true");
    r->out->strict_set |= k->kind == FLAG;
    return 0;
}

static int take_list(reader *r, const key *k, const yaml_node_t *value)
{
    rf_words *list = (rf_words *)((char *)r->out + k->field);
    if (value->type != YAML_SEQUENCE_NODE)
        return complain(r, value->start_mark, "a list is expected here");
    for (yaml_node_item_t *i = value->data.sequence.items.start;
         i < value->data.sequence.items.top; i++) {
        const yaml_node_t *item = yaml_document_get_node(&r->document, *i);
        if (!scalar(item))
            return complain(r, item->start_mark, "a text is expected here");
        RF_PUSH(list->list, rf_arena_strdup(r->arena, scalar(item)));
    }
    return 0;
}

static int unknown_key(reader *r, yaml_mark_t at, const char *name)
{
    const char *near = NULL;
    unsigned least = 5;
    for (size_t i = 0; i < RF_COUNTOF(keys); i++) {
        unsigned d = rf_word_distance(name, keys[i].name);
        if (d < least) {
            least = d;
            near = keys[i].name;
        }
    }
    return complain(r, at,
                    near ? rf_arena_printf(r->arena,
                                           "unknown key '%s'; did you mean "
                                           "'%s'?",
                                           name, near)
                         : rf_arena_printf(r->arena, "unknown key '%s'", name));
}

static int take_pair(reader *r, const yaml_node_pair_t *pair)
{
    const yaml_node_t *name = yaml_document_get_node(&r->document, pair->key);
    const yaml_node_t *value =
        yaml_document_get_node(&r->document, pair->value);
    if (!scalar(name))
        return complain(r, name->start_mark, "a key is expected here");
    for (size_t i = 0; i < RF_COUNTOF(keys); i++) {
        if (strcmp(keys[i].name, scalar(name)))
            continue;
        return keys[i].kind == LIST ? take_list(r, &keys[i], value)
                                    : take_text(r, &keys[i], value);
    }
    return unknown_key(r, name->start_mark, scalar(name));
}

static int take_document(reader *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    if (!root)
        return 0;
    if (root->type != YAML_MAPPING_NODE)
        return complain(r, root->start_mark, "'Key: value' is expected here");
    for (yaml_node_pair_t *p = root->data.mapping.pairs.start;
         p < root->data.mapping.pairs.top; p++)
        if (take_pair(r, p))
            return -1;
    return 0;
}

static int read_text(rf_arena *arena, const char *path, const char *text,
                     size_t len, rf_config *out, const char **why)
{
    yaml_parser_t parser;
    reader r = { .arena = arena, .path = path, .out = out, .why = why };
    int rc;
    if (!yaml_parser_initialize(&parser))
        return complain(&r, (yaml_mark_t){ 0 }, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    if (yaml_parser_load(&parser, &r.document)) {
        rc = take_document(&r);
        yaml_document_delete(&r.document);
    } else {
        rc = complain(&r, parser.problem_mark,
                      parser.problem ? parser.problem : "it is not YAML");
    }
    yaml_parser_delete(&parser);
    return rc;
}

static int read_file(rf_arena *arena, const char *path, rf_config *out,
                     const char **why)
{
    rf_file file;
    if (rf_file_read(arena, path, &file, why)) {
        *why = rf_arena_printf(arena, "%s: error: %s", path, *why);
        return -1;
    }
    int rc = read_text(arena, path, file.bytes, file.len, out, why);
    rf_file_free(&file);
    return rc;
}

/* ---- Folders -------------------------------------------------------- */

static void put_first(rf_words *own, const rf_words *parents)
{
    rf_words all = { 0 };
    for (size_t i = 0; i < parents->list.len; i++)
        RF_PUSH(all.list, parents->list.data[i]);
    for (size_t i = 0; i < own->list.len; i++)
        RF_PUSH(all.list, own->list.data[i]);
    RF_CLEAR(own->list);
    *own = all;
}

/* Take from "parent" what "own" leaves open. */
static void inherit(rf_arena *arena, rf_config *own, const rf_config *parent)
{
    for (size_t i = 0; i < RF_COUNTOF(keys); i++) {
        void *to = (char *)own + keys[i].field;
        const void *from = (const char *)parent + keys[i].field;
        if (keys[i].kind == LIST)
            put_first(to, from);
        else if (keys[i].kind == TEXT && !*(const char **)to)
            *(const char **)to = *(const char *const *)from;
    }
    if (own->checks != parent->checks && own->checks && parent->checks)
        own->checks =
            rf_arena_printf(arena, "%s,%s", parent->checks, own->checks);
    if (!own->strict_set) {
        own->strict = parent->strict;
        own->strict_set = parent->strict_set;
    }
}

/* The nearest .rf-rewrite above "dir", whose folder goes to "at". */
static const char *search(rf_arena *arena, const char *dir, char *at)
{
    snprintf(at, PATH_MAX, "%s", dir);
    for (char *slash; (slash = strrchr(at, '/')); *slash = 0) {
        *slash = 0;
        const char *path = rf_arena_printf(arena, "%s/.rf-rewrite", at);
        FILE *f = fopen(path, "r");
        if (f) {
            fclose(f);
            return path;
        }
    }
    return NULL;
}

static int read_above(rf_arena *arena, const char *path, rf_config *out,
                      const char **why)
{
    char at[PATH_MAX];
    const char *file = search(arena, path, at);
    *out = (rf_config){ 0 };
    if (!file)
        return 0;
    if (read_file(arena, file, out, why))
        return -1;
    if (!out->inherit || !*at)
        return 0;
    rf_config parent;
    int rc = read_above(arena, at, &parent, why);
    if (!rc)
        inherit(arena, out, &parent);
    rf_config_free(&parent);
    return rc;
}

int rf_config_read(rf_arena *arena, const rf_options *o, const char *path,
                   rf_config *out, const char **why)
{
    char real[PATH_MAX];
    *out = (rf_config){ 0 };
    if (o->config)
        return read_text(arena, "<command line>", o->config, strlen(o->config),
                         out, why);
    if (o->config_file)
        return read_file(arena, o->config_file, out, why);
    if (!realpath(strcmp(path, "-") && strcmp(path, "<stdin>") ? path : ".",
                  real))
        return 0;
    if (!strcmp(path, "-") || !strcmp(path, "<stdin>"))
        strncat(real, "/-", sizeof real - strlen(real) - 1);
    return read_above(arena, real, out, why);
}

void rf_config_free(rf_config *config)
{
    RF_CLEAR(config->extra.list);
    RF_CLEAR(config->extra_before.list);
    RF_CLEAR(config->removed.list);
}

void rf_config_apply(const rf_config *c, rf_arena *arena, rf_options *o)
{
    const char **const texts[][2] = {
        { &o->warnings_as_errors, (const char **)&c->warnings_as_errors },
        { &o->header_filter, (const char **)&c->header_filter },
        { &o->level, (const char **)&c->level },
        { &o->arch, (const char **)&c->arch },
        { &o->cuda_path, (const char **)&c->cuda_path },
    };
    for (size_t i = 0; i < RF_COUNTOF(texts); i++)
        if (!*texts[i][0])
            *texts[i][0] = *texts[i][1];
    if (c->checks && o->checks)
        o->checks = rf_arena_printf(arena, "%s,%s", c->checks, o->checks);
    else if (c->checks)
        o->checks = c->checks;
    if (c->form && !strcmp(c->form, "replace") && !o->keep)
        o->replace = true;
    o->strict |= c->strict;
    put_first(&o->extra, &c->extra);
    put_first(&o->extra_before, &c->extra_before);
    put_first(&o->removed, &c->removed);
}

static void dump_list(const char *name, const rf_words *list, FILE *out)
{
    fprintf(out, "%s: [", name);
    for (size_t i = 0; i < list->list.len; i++) {
        rf_buf text = { 0 };
        rf_yaml_scalar(&text, list->list.data[i], strlen(list->list.data[i]));
        fprintf(out, "%s%s", i ? ", " : "", rf_buf_text(&text));
        rf_buf_free(&text);
    }
    fprintf(out, "]\n");
}

void rf_config_dump(const rf_config *c, FILE *out)
{
    fprintf(out, "---\n");
    for (size_t i = 0; i < RF_COUNTOF(keys); i++) {
        const void *at = (const char *)c + keys[i].field;
        if (keys[i].kind == LIST) {
            dump_list(keys[i].name, at, out);
        } else if (keys[i].kind != TEXT) {
            fprintf(out, "%s: %s\n", keys[i].name,
                    *(const bool *)at ? "true" : "false");
        } else if (*(const char *const *)at) {
            rf_buf text = { 0 };
            const char *value = *(const char *const *)at;
            rf_yaml_scalar(&text, value, strlen(value));
            fprintf(out, "%s: %s\n", keys[i].name, rf_buf_text(&text));
            rf_buf_free(&text);
        }
    }
    fprintf(out, "...\n");
}
