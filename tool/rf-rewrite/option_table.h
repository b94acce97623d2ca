/* One row an option. */
#ifndef RF_TOOL_OPTION_TABLE_H
#define RF_TOOL_OPTION_TABLE_H

#include "options.h"

#include <stddef.h>

typedef enum {
    RF_OPT_TITLE,   /* not an option: the heading of a group */
    RF_OPT_FLAG,    /* bool */
    RF_OPT_TEXT,    /* const char * */
    RF_OPT_MAYBE,   /* const char *, "yes" when the value is left out */
    RF_OPT_NUMBER,  /* int */
    RF_OPT_LIST,    /* rf_words, one more each time */
    RF_OPT_COMPILER /* rf_words, handed on to the compiler as spelled */
} rf_option_kind;

typedef struct {
    const char *name;  /* "export-fixes" */
    const char *alias; /* one letter, or NULL */
    char letter;       /* takes its value attached: -Ifolder */
    rf_option_kind kind;
    const char *value; /* what --help calls the value, or NULL */
    size_t field;      /* in rf_options */
    const char *help;
} rf_option;

extern const rf_option rf_option_table[];
extern const size_t rf_option_count;

/* The option whose name is nearest to "word", or NULL. */
const char *rf_option_nearest(const char *word);
/* Write "-o, --output=FILE"; return its length. */
int rf_option_spell(const rf_option *o, char *out, size_t size);

#endif
