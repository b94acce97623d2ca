/* The configuration file: a mapping of the keys in the table below. */
#include "config.h"

#include "devices.h"
#include "report/report.h"
#include "yaml_text.h"

#include <limits.h>
#include <string.h>

typedef enum { TEXT, FILE_NAME, ARCH, LIST, FLAG, INHERIT } kind;

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
    { "Level", TEXT, AT(level), rf_level_words },
    { "Arch", ARCH, AT(arch), NULL },
    { "DeviceTable", FILE_NAME, AT(device_table), NULL },
    { "CudaPath", TEXT, AT(cuda_path), NULL },
    { "Form", TEXT, AT(form), "keep replace" },
    { "Strict", FLAG, AT(strict), "true false" },
};

/* A file's name is about the folder of the file that it is written in. */
static const char *beside(rf_yaml *y, const char *name)
{
    const char *slash = strrchr(y->path, '/');
    if (*name == '/' || !slash)
        return rf_arena_strdup(y->arena, name);
    return rf_arena_printf(y->arena, "%.*s%s", (int)(slash + 1 - y->path),
                           y->path, name);
}

static bool is_text(const key *k)
{
    return k->kind == TEXT || k->kind == FILE_NAME || k->kind == ARCH;
}

static int take_text(rf_yaml *y, const key *k, const yaml_node_t *value,
                     rf_config *out)
{
    void *where = (char *)out + k->field;
    const char *text = rf_yaml_scalar_of(value);
    if (!text)
        return rf_yaml_complain(y, value->start_mark,
                                "a text is expected here");
    if (!rf_word_among(k->words, text))
        return rf_yaml_complain(y, value->start_mark,
                                rf_arena_printf(y->arena,
                                                "'%s' is not one of: %s", text,
                                                k->words));
    if (k->kind == ARCH && !rf_is_arch(text))
        return rf_yaml_complain(
            y, value->start_mark,
            rf_arena_printf(y->arena, "'%s' is no architecture such as sm_90",
                            text));
    if (k->kind == FILE_NAME)
        *(const char **)where = beside(y, text);
    else if (is_text(k))
        *(const char **)where = rf_arena_strdup(y->arena, text);
    else
        *(bool *)where = !strcmp(text, "true");
    out->strict_set |= k->kind == FLAG;
    return 0;
}

static int take_list(rf_yaml *y, const key *k, const yaml_node_t *value,
                     rf_config *out)
{
    rf_words *list = (rf_words *)((char *)out + k->field);
    if (value->type != YAML_SEQUENCE_NODE)
        return rf_yaml_complain(y, value->start_mark,
                                "a list is expected here");
    for (yaml_node_item_t *i = value->data.sequence.items.start;
         i < value->data.sequence.items.top; i++) {
        const yaml_node_t *item = rf_yaml_node(y, *i);
        if (!rf_yaml_scalar_of(item))
            return rf_yaml_complain(y, item->start_mark,
                                    "a text is expected here");
        RF_PUSH(list->list, rf_arena_strdup(y->arena, rf_yaml_scalar_of(item)));
    }
    return 0;
}

static int take_pair(rf_yaml *y, const yaml_node_t *name,
                     const yaml_node_t *value, void *user)
{
    for (size_t i = 0; i < RF_COUNTOF(keys); i++) {
        if (strcmp(keys[i].name, rf_yaml_scalar_of(name)))
            continue;
        return keys[i].kind == LIST ? take_list(y, &keys[i], value, user)
                                    : take_text(y, &keys[i], value, user);
    }
    return rf_yaml_unknown(y, name, "key", &keys[0].name, sizeof *keys,
                           RF_COUNTOF(keys));
}

static int read_words(rf_arena *arena, const char *text, rf_config *out,
                      const char **why)
{
    rf_yaml y = { .arena = arena, .path = "<command line>", .why = why };
    return rf_yaml_read(&y, text, strlen(text), take_pair, out);
}

static int read_file(rf_arena *arena, const char *path, rf_config *out,
                     const char **why)
{
    rf_yaml y = { .arena = arena, .path = path, .why = why };
    return rf_yaml_read_file(&y, take_pair, out);
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
        else if (is_text(&keys[i]) && !*(const char **)to)
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

/* The configuration of the file "path". */
static int read_for(rf_arena *arena, const rf_options *o, const char *path,
                    rf_config *out, const char **why)
{
    char real[PATH_MAX];
    if (o->config)
        return read_words(arena, o->config, out, why);
    if (o->config_file)
        return read_file(arena, o->config_file, out, why);
    if (!realpath(strcmp(path, "-") && strcmp(path, "<stdin>") ? path : ".",
                  real))
        return 0;
    if (!strcmp(path, "-") || !strcmp(path, "<stdin>"))
        strncat(real, "/-", sizeof real - strlen(real) - 1);
    return read_above(arena, real, out, why);
}

int rf_config_read(rf_arena *arena, const rf_options *o, const char *path,
                   rf_config *out, const char **why)
{
    *out = (rf_config){ 0 };
    if (read_for(arena, o, path, out, why))
        return -1;
    const char *table = o->device_table ? o->device_table : out->device_table;
    return table ? rf_devices_read(arena, table, &out->devices, why) : 0;
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
    o->devices = c->devices;
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
        } else if (!is_text(&keys[i])) {
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
