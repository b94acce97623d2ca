/* The command line of rf-rewrite: one table gives the parser, --help, the
 * completions and the manual page. */
#ifndef RF_TOOL_OPTIONS_H
#define RF_TOOL_OPTIONS_H

#include "support/array.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    RF_ARRAY(const char *) list;
} rf_words;

/* What the user asked for. The texts belong to argv and to "arena". */
typedef struct {
    /* what to do; none of the first group: rewrite in place */
    bool diff, check, revert, apply, explain, suggest, lsp;
    const char *output, *dump;
    bool fix;  /* write although findings were asked for */
    bool tidy; /* called as clang-tidy is: findings unless --fix */
    bool force, keep, replace, strict, proven;
    /* compiling */
    rf_words flags; /* -I, -D, -std, and all after "--", in order */
    rf_words extra, extra_before, removed; /* --extra-arg and its kin */
    const char *database, *cuda_path, *arch;
    /* planning and proving */
    const char *level, *proof, *proof_check, *device_table;
    const struct rf_devices *devices; /* not on the command line: its rows */
    bool verify;
    bool quick; /* not on the command line: leave the proofs out */
    /* findings */
    const char *checks, *warnings_as_errors, *line_filter, *header_filter;
    const char *export_fixes, *sarif, *remarks, *summary;
    const char *color;
    bool werror, quiet;
    /* configuration */
    const char *config, *config_file;
    bool dump_config, verify_config;
    /* about the tool */
    bool help, version, list_checks;
    const char *completion;
    bool man;
    int jobs;
    rf_words files;
    rf_arena *arena; /* of the texts that are not argv's */
} rf_options;

/* Parse the command line. Return -1 after a message on stderr. */
int rf_options_parse(rf_options *options, int argc, char **argv);
void rf_options_free(rf_options *options);

/* Whether the options ask for files to be rewritten in place. */
bool rf_options_write(const rf_options *options);

/* Whether the options ask for something that needs no file. */
bool rf_options_idle(const rf_options *options);

/* "sm_90", "sm_90a", "compute_80" or "90". */
bool rf_is_arch(const char *text);
/* True if "word" is one of "words", which blanks separate; NULL: any is. */
bool rf_word_among(const char *words, const char *word);
extern const char rf_level_words[];

/* How many letters tell two words apart (Levenshtein). */
unsigned rf_word_distance(const char *a, const char *b);

void rf_options_help(FILE *out);
/* Print the completions for "bash", "zsh" or "fish"; -1 for another shell. */
int rf_options_completion(FILE *out, const char *shell);
void rf_options_man(FILE *out);

#endif
