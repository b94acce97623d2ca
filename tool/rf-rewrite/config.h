/* .rf-rewrite: the options of a folder, in YAML. */
#ifndef RF_TOOL_CONFIG_H
#define RF_TOOL_CONFIG_H

#include "options.h"

/* What the configuration says; NULL or empty: nothing. Lists are complete,
 * those of parent folders in front. */
typedef struct {
    const char *checks, *warnings_as_errors, *header_filter;
    const char *level, *arch, *cuda_path, *form, *color;
    const char *device_table;
    const struct rf_devices *devices; /* of that table, or NULL */
    rf_words extra, extra_before, removed;
    bool strict, strict_set;
    bool inherit;
} rf_config;

/* Read the configuration of the file "path": that of --config or
 * --config-file, else the nearest .rf-rewrite above it and, where that says
 * InheritParentConfig, those above it. Return -1 with a message at "*why",
 * "FILE:LINE:COLUMN: error: ...", when one is wrong. Texts belong to "arena";
 * lists are cleared with rf_config_free. */
int rf_config_read(rf_arena *arena, const rf_options *options, const char *path,
                   rf_config *out, const char **why);
void rf_config_free(rf_config *config);

/* Fill in what the command line left open. Lists go in front of its own. */
void rf_config_apply(const rf_config *config, rf_arena *arena,
                     rf_options *options);
/* Print it as YAML. */
void rf_config_dump(const rf_config *config, FILE *out);

#endif
