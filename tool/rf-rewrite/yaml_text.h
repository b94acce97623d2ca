/* YAML files of mappings, with the place of whatever is wrong. */
#ifndef RF_TOOL_YAML_TEXT_H
#define RF_TOOL_YAML_TEXT_H

#include "support/arena.h"

#include <stddef.h>
#include <yaml.h>

/* A text that is being read. */
typedef struct {
    rf_arena *arena;
    const char *path; /* for messages */
    const char **why; /* where the message goes: "FILE:LINE:COLUMN: error: " */
    yaml_document_t document;
} rf_yaml;

/* Handle "name: value" of a mapping; return -1 after rf_yaml_complain. */
typedef int rf_yaml_take(rf_yaml *y, const yaml_node_t *name,
                         const yaml_node_t *value, void *user);

/* Leave "text" as the message; return -1. */
int rf_yaml_complain(rf_yaml *y, yaml_mark_t at, const char *text);
/* Complain of "name", a `what`; the nearest of names[0..n-1] is told, which lie
 * "stride" bytes apart. */
int rf_yaml_unknown(rf_yaml *y, const yaml_node_t *name, const char *what,
                    const void *names, size_t stride, size_t n);
/* The text of "node"; NULL: it is none. */
const char *rf_yaml_scalar_of(const yaml_node_t *node);
const yaml_node_t *rf_yaml_node(rf_yaml *y, int id);
/* Hand every pair of "map" to "take". */
int rf_yaml_pairs(rf_yaml *y, const yaml_node_t *map, rf_yaml_take *take,
                  void *user);

/* Read "text", a mapping or nothing. */
int rf_yaml_read(rf_yaml *y, const char *text, size_t len, rf_yaml_take *take,
                 void *user);
/* Read the file y->path. */
int rf_yaml_read_file(rf_yaml *y, rf_yaml_take *take, void *user);

#endif
