/* Mappings in YAML: libyaml's documents, walked with complaints. */
#include "yaml_text.h"

#include "edit/edit.h"
#include "options.h"

int rf_yaml_complain(rf_yaml *y, yaml_mark_t at, const char *text)
{
    *y->why = rf_arena_printf(y->arena, "%s:%zu:%zu: error: %s", y->path,
                              at.line + 1, at.column + 1, text);
    return -1;
}

int rf_yaml_unknown(rf_yaml *y, const yaml_node_t *name, const char *what,
                    const void *names, size_t stride, size_t n)
{
    const char *word = rf_yaml_scalar_of(name), *near = NULL;
    const char *text = rf_arena_printf(y->arena, "unknown %s '%s'", what, word);
    unsigned least = 5;
    for (size_t i = 0; i < n; i++) {
        const char *like =
            *(const char *const *)((const char *)names + i * stride);
        unsigned d = rf_word_distance(word, like);
        near = d < least ? like : near;
        least = d < least ? d : least;
    }
    if (near)
        text = rf_arena_printf(y->arena, "%s; did you mean '%s'?", text, near);
    return rf_yaml_complain(y, name->start_mark, text);
}

const char *rf_yaml_scalar_of(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE
               ? (const char *)node->data.scalar.value
               : NULL;
}

const yaml_node_t *rf_yaml_node(rf_yaml *y, int id)
{
    return yaml_document_get_node(&y->document, id);
}

int rf_yaml_pairs(rf_yaml *y, const yaml_node_t *map, rf_yaml_take *take,
                  void *user)
{
    if (map->type != YAML_MAPPING_NODE)
        return rf_yaml_complain(y, map->start_mark,
                                "'Key: value' is expected here");
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start;
         p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *name = rf_yaml_node(y, p->key);
        if (!rf_yaml_scalar_of(name))
            return rf_yaml_complain(y, name->start_mark,
                                    "a key is expected here");
        if (take(y, name, rf_yaml_node(y, p->value), user))
            return -1;
    }
    return 0;
}

int rf_yaml_read(rf_yaml *y, const char *text, size_t len, rf_yaml_take *take,
                 void *user)
{
    yaml_parser_t parser;
    int rc;
    if (!yaml_parser_initialize(&parser))
        return rf_yaml_complain(y, (yaml_mark_t){ 0 }, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    if (yaml_parser_load(&parser, &y->document)) {
        const yaml_node_t *root = yaml_document_get_root_node(&y->document);
        rc = root ? rf_yaml_pairs(y, root, take, user) : 0;
        yaml_document_delete(&y->document);
    } else {
        rc = rf_yaml_complain(y, parser.problem_mark,
                              parser.problem ? parser.problem
                                             : "it is not YAML");
    }
    yaml_parser_delete(&parser);
    return rc;
}

int rf_yaml_read_file(rf_yaml *y, rf_yaml_take *take, void *user)
{
    rf_file file;
    if (rf_file_read(y->arena, y->path, &file, y->why)) {
        *y->why = rf_arena_printf(y->arena, "%s: error: %s", y->path, *y->why);
        return -1;
    }
    int rc = rf_yaml_read(y, file.bytes, file.len, take, user);
    rf_file_free(&file);
    return rc;
}
