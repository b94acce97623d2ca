/* The option table and what is made of it: the parser and --help. */
#include "option_table.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(rf_options, field)

const rf_option rf_option_table[] = {
    { "Actions", NULL, 0, RF_OPT_TITLE, NULL, 0, NULL },
    { "diff", NULL, 0, RF_OPT_FLAG, NULL, AT(diff),
      "print the change as a patch for git apply; write nothing" },
    { "check", NULL, 0, RF_OPT_FLAG, NULL, AT(check),
      "write nothing; exit 1 if a region is stale, edited by hand or not "
      "proven" },
    { "revert", NULL, 0, RF_OPT_FLAG, NULL, AT(revert),
      "take the guards away: the author's files come back byte for byte" },
    { "fix", NULL, 0, RF_OPT_FLAG, NULL, AT(fix),
      "rewrite in place even where findings or a filter were asked for" },
    { "output", "o", 'o', RF_OPT_TEXT, "FILE", AT(output),
      "write the result to FILE ('-': stdout) and leave the input alone" },
    { "apply", NULL, 0, RF_OPT_FLAG, NULL, AT(apply),
      "apply exported fixes: the files are *.yaml from --export-fixes" },
    { "explain", NULL, 0, RF_OPT_FLAG, NULL, AT(explain),
      "explain every region, and the online form, in Markdown; write nothing" },
    { "suggest", NULL, 0, RF_OPT_FLAG, NULL, AT(suggest),
      "list unmarked loops that would fuse, the most rewarding first; write "
      "nothing" },
    { "dump", NULL, 0, RF_OPT_TEXT, "STAGE", AT(dump),
      "print what front, ir, depend, algebra, plan, emit or proof hands on" },
    { "lsp", NULL, 0, RF_OPT_FLAG, NULL, AT(lsp),
      "serve an editor: language server protocol on stdin and stdout" },

    { "Rewriting", NULL, 0, RF_OPT_TITLE, NULL, 0, NULL },
    { "keep", NULL, 0, RF_OPT_FLAG, NULL, AT(keep),
      "keep the author's code under RF_REFERENCE (the default)" },
    { "replace", NULL, 0, RF_OPT_FLAG, NULL, AT(replace),
      "put the generated code in place of the author's" },
    { "force", NULL, 0, RF_OPT_FLAG, NULL, AT(force),
      "overwrite generated code that was edited by hand" },
    { "strict", NULL, 0, RF_OPT_FLAG, NULL, AT(strict),
      "only bit-identical rewrites" },
    { "proven", NULL, 0, RF_OPT_FLAG, NULL, AT(proven),
      "only rewrites whose emitted text is proven" },
    { "level", NULL, 0, RF_OPT_TEXT, "LEVEL", AT(level),
      "auto, thread, warp, block, cluster or grid, where no mark says" },
    { "arch", NULL, 0, RF_OPT_TEXT, "SM", AT(arch),
      "device to plan for, such as sm_90" },
    { "device-table", NULL, 0, RF_OPT_TEXT, "FILE", AT(device_table),
      "figures of devices in YAML, in place of those that are built in" },
    { "verify", NULL, 0, RF_OPT_FLAG, NULL, AT(verify),
      "have z3 and cvc5 check the certificates" },
    { "proof", NULL, 0, RF_OPT_TEXT, "DIR", AT(proof),
      "leave the certificates (SMT-LIB 2) in DIR" },
    { "proof-check", NULL, 0, RF_OPT_TEXT, "DIR", AT(proof_check),
      "have z3 and cvc5 decide the certificates in DIR" },

    { "Compiling", NULL, 0, RF_OPT_TITLE, NULL, 0, NULL },
    { "p", NULL, 'p', RF_OPT_TEXT, "DIR", AT(database),
      "folder of compile_commands.json (default: above the first file); "
      "without a FILE, all of its files" },
    { "I", NULL, 'I', RF_OPT_COMPILER, "DIR", AT(flags),
      "folder for include files" },
    { "D", NULL, 'D', RF_OPT_COMPILER, "NAME[=TEXT]", AT(flags),
      "define a macro" },
    { "std", NULL, 0, RF_OPT_COMPILER, "LANGUAGE", AT(flags),
      "C++ standard, such as c++17" },
    { "cuda-path", NULL, 0, RF_OPT_TEXT, "DIR", AT(cuda_path),
      "CUDA toolkit (default: CUDA_PATH, nvcc, /usr/local/cuda, or none)" },
    { "extra-arg", NULL, 0, RF_OPT_LIST, "FLAG", AT(extra),
      "add a compiler flag at the end" },
    { "extra-arg-before", NULL, 0, RF_OPT_LIST, "FLAG", AT(extra_before),
      "add a compiler flag at the front" },
    { "removed-arg", NULL, 0, RF_OPT_LIST, "FLAG", AT(removed),
      "drop a compiler flag of the database" },

    { "Findings", NULL, 0, RF_OPT_TITLE, NULL, 0, NULL },
    { "checks", NULL, 0, RF_OPT_TEXT, "GLOBS", AT(checks),
      "findings to report: globs with commas, '-' in front excludes" },
    { "warnings-as-errors", NULL, 0, RF_OPT_TEXT, "GLOBS",
      AT(warnings_as_errors), "findings that are errors" },
    { "werror", NULL, 0, RF_OPT_FLAG, NULL, AT(werror),
      "every warning is an error" },
    { "line-filter", NULL, 0, RF_OPT_TEXT, "JSON", AT(line_filter),
      "only these lines: [{\"name\":\"a.cu\",\"lines\":[[1,9]]}]" },
    { "header-filter", NULL, 0, RF_OPT_TEXT, "REGEX", AT(header_filter),
      "headers whose findings are shown" },
    { "export-fixes", NULL, 0, RF_OPT_TEXT, "FILE", AT(export_fixes),
      "findings and fixes as YAML" },
    { "sarif", NULL, 0, RF_OPT_TEXT, "FILE", AT(sarif),
      "findings and fixes as SARIF 2.1.0" },
    { "remarks", NULL, 0, RF_OPT_TEXT, "FILE", AT(remarks),
      "optimisation remarks as YAML" },
    { "summary", NULL, 0, RF_OPT_TEXT, "FILE", AT(summary),
      "counts and regions as JSON" },
    { "list-checks", NULL, 0, RF_OPT_FLAG, NULL, AT(list_checks),
      "list the findings that are enabled" },
    { "use-color", NULL, 0, RF_OPT_MAYBE, "yes|no|auto", AT(color),
      "colours (default: on a terminal)" },
    { "quiet", NULL, 0, RF_OPT_FLAG, NULL, AT(quiet),
      "no summary, no remarks" },

    { "Configuration", NULL, 0, RF_OPT_TITLE, NULL, 0, NULL },
    { "config", NULL, 0, RF_OPT_TEXT, "YAML", AT(config),
      "use this text in place of .rf-rewrite files" },
    { "config-file", NULL, 0, RF_OPT_TEXT, "FILE", AT(config_file),
      "use this file in place of .rf-rewrite files" },
    { "dump-config", NULL, 0, RF_OPT_FLAG, NULL, AT(dump_config),
      "print the configuration in force" },
    { "verify-config", NULL, 0, RF_OPT_FLAG, NULL, AT(verify_config),
      "read the configuration and stop" },

    { "About", NULL, 0, RF_OPT_TITLE, NULL, 0, NULL },
    { "jobs", "j", 'j', RF_OPT_NUMBER, "N", AT(jobs),
      "files handled at the same time (0: one a processor)" },
    { "help", "h", 'h', RF_OPT_FLAG, NULL, AT(help), "this text" },
    { "version", NULL, 0, RF_OPT_FLAG, NULL, AT(version),
      "the version of the tool" },
    { "completion", NULL, 0, RF_OPT_TEXT, "SHELL", AT(completion),
      "print completions for bash, zsh or fish" },
    { "man", NULL, 0, RF_OPT_FLAG, NULL, AT(man), "print the manual page" },
};

const size_t rf_option_count = RF_COUNTOF(rf_option_table);

/* ---- Parsing -------------------------------------------------------- */

enum { LONG_BASE = 1000 };

/* The table in getopt's form; a long name and, behind it, its short form. */
static struct option *getopt_table(char *shorts)
{
    struct option *table = rf_malloc((2 * rf_option_count + 1) * sizeof *table);
    size_t n = 0;
    *shorts++ = ':';
    for (size_t i = 0; i < rf_option_count; i++) {
        const rf_option *o = &rf_option_table[i];
        if (o->kind == RF_OPT_TITLE)
            continue;
        int arg = o->kind == RF_OPT_FLAG    ? no_argument
                  : o->kind == RF_OPT_MAYBE ? optional_argument
                                            : required_argument;
        table[n++] = (struct option){ o->name, arg, NULL, LONG_BASE + (int)i };
        if (o->alias)
            table[n++] =
                (struct option){ o->alias, arg, NULL, LONG_BASE + (int)i };
        if (o->letter) {
            *shorts++ = o->letter;
            if (arg == required_argument)
                *shorts++ = ':';
        }
    }
    table[n] = (struct option){ 0 };
    *shorts = 0;
    return table;
}

static const rf_option *option_of(int code)
{
    if (code >= LONG_BASE)
        return &rf_option_table[code - LONG_BASE];
    for (size_t i = 0; code && i < rf_option_count; i++)
        if (rf_option_table[i].letter == code)
            return &rf_option_table[i];
    return NULL;
}

static int set_number(int *where, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (!*text || *end || n < 0 || n > 4096)
        return -1;
    *where = (int)n;
    return 0;
}

static int set(rf_options *options, const rf_option *o, const char *text)
{
    void *where = (char *)options + o->field;
    switch (o->kind) {
    case RF_OPT_FLAG:
        *(bool *)where = true;
        return 0;
    case RF_OPT_TEXT:
        *(const char **)where = text;
        return 0;
    case RF_OPT_MAYBE:
        *(const char **)where = text ? text : "yes";
        return 0;
    case RF_OPT_NUMBER:
        return set_number(where, text);
    case RF_OPT_LIST:
        RF_PUSH(((rf_words *)where)->list, text);
        return 0;
    case RF_OPT_COMPILER:
        RF_PUSH(((rf_words *)where)->list,
                rf_arena_printf(options->arena, "-%s%s%s", o->name,
                                o->name[1] ? "=" : "", text));
        return 0;
    default:
        return -1;
    }
}

bool rf_word_among(const char *words, const char *word)
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

bool rf_is_arch(const char *text)
{
    static const char *const prefixes[] = { "sm_", "compute_" };
    for (size_t i = 0; i < RF_COUNTOF(prefixes); i++)
        if (!strncmp(text, prefixes[i], strlen(prefixes[i])))
            text += strlen(prefixes[i]);
    size_t n = strspn(text, "0123456789");
    return n > 0 && n < 5 &&
           (!text[n] || (strchr("af", text[n]) && !text[n + 1]));
}

unsigned rf_word_distance(const char *a, const char *b)
{
    unsigned row[64];
    size_t n = strlen(b);
    if (n > 63)
        return 99;
    for (unsigned k = 0; k <= n; k++)
        row[k] = k;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            unsigned swap = corner + (a[i - 1] != b[k - 1]);
            corner = row[k];
            unsigned step = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            row[k] = swap < step ? swap : step;
        }
    }
    return row[n];
}

const char *rf_option_nearest(const char *word)
{
    const char *best = NULL;
    unsigned least = 4;
    for (size_t i = 0; i < rf_option_count; i++) {
        const rf_option *o = &rf_option_table[i];
        unsigned d =
            o->kind == RF_OPT_TITLE ? 99 : rf_word_distance(word, o->name);
        if (d < least && d < strlen(o->name)) {
            least = d;
            best = o->name;
        }
    }
    return best;
}

static int unknown(const char *arg)
{
    char name[64];
    while (*arg == '-')
        arg++;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
    const char *near = rf_option_nearest(name);
    fprintf(stderr, "rf-rewrite: error: unknown option '-%s%s'",
            arg[1] ? "-" : "", name);
    if (near)
        fprintf(stderr, "; did you mean '--%s'?\n", near);
    else
        fprintf(stderr, "; compiler flags come after '--'\n");
    return -1;
}

static int complain(const rf_option *o, const char *problem)
{
    fprintf(stderr, "rf-rewrite: error: option '%s%s' %s\n",
            o->name[1] ? "--" : "-", o->name, problem);
    return -1;
}

static int parse_words(rf_options *options, int argc, char **argv)
{
    char shorts[64];
    struct option *table = getopt_table(shorts);
    int rc = 0, code;
    optind = 0;
    opterr = 0;
    while (!rc &&
           (code = getopt_long_only(argc, argv, shorts, table, NULL)) != -1) {
        const rf_option *o = option_of(code == ':' ? optopt : code);
        if (code == ':' && o)
            rc = complain(o, "needs a value");
        else if (code == '?' && option_of(optopt))
            rc = complain(option_of(optopt), "takes no value");
        else if (code == '?' || !o)
            rc = unknown(argv[optind - 1]);
        else if (set(options, o, optarg))
            rc = complain(o, "needs a number from 0 to 4096");
    }
    for (int i = optind; !rc && i < argc; i++)
        RF_PUSH(options->files.list, argv[i]);
    free(table);
    return rc;
}

typedef struct {
    bool chosen;
    const char *name;
} choice;

/* Complain when two of "choices" were made. */
static int check_one(const choice *choices, size_t n)
{
    const char *first = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!choices[i].chosen)
            continue;
        if (first) {
            fprintf(stderr,
                    "rf-rewrite: error: '%s' and '%s' exclude each other\n",
                    first, choices[i].name);
            return -1;
        }
        first = choices[i].name;
    }
    return 0;
}

static int check_actions(const rf_options *o)
{
    const choice actions[] = {
        { o->diff && !o->revert, "--diff" },
        { o->check, "--check" },
        { o->revert, "--revert" },
        { o->apply, "--apply" },
        { o->explain, "--explain" },
        { o->suggest, "--suggest" },
        { o->lsp, "--lsp" },
        { o->dump, "--dump" },
        { o->fix, "--fix" },
    };
    const choice forms[] = { { o->keep, "--keep" },
                             { o->replace, "--replace" } };
    return check_one(actions, RF_COUNTOF(actions)) ||
                   check_one(forms, RF_COUNTOF(forms))
               ? -1
               : 0;
}

const char rf_level_words[] = "auto thread warp block cluster grid";

static int check_values(const rf_options *o)
{
    const struct {
        const char *name, *value, *words;
    } sets[] = {
        { "--level", o->level, rf_level_words },
        { "--use-color", o->color, "auto yes no true false 1 0" },
    };
    for (size_t i = 0; i < RF_COUNTOF(sets); i++)
        if (sets[i].value && !rf_word_among(sets[i].words, sets[i].value)) {
            fprintf(stderr, "rf-rewrite: error: %s: '%s' is not one of: %s\n",
                    sets[i].name, sets[i].value, sets[i].words);
            return -1;
        }
    if (!o->arch || rf_is_arch(o->arch))
        return 0;
    fprintf(stderr,
            "rf-rewrite: error: --arch: '%s' is no architecture such as "
            "sm_90\n",
            o->arch);
    return -1;
}

bool rf_options_idle(const rf_options *o)
{
    return o->help || o->version || o->list_checks || o->lsp || o->completion ||
           o->man || o->dump_config || o->verify_config || o->proof_check;
}

static int check_files(const rf_options *o)
{
    if (!o->files.list.len && !rf_options_idle(o) && !o->database) {
        fprintf(stderr, "rf-rewrite: error: no file given; try --help\n");
        return -1;
    }
    if (o->output && o->files.list.len > 1) {
        fprintf(stderr, "rf-rewrite: error: '-o' takes one input\n");
        return -1;
    }
    if (o->output && (o->check || o->fix || o->apply)) {
        fprintf(stderr, "rf-rewrite: error: '-o' excludes '%s'\n",
                o->check ? "--check"
                : o->fix ? "--fix"
                         : "--apply");
        return -1;
    }
    return 0;
}

/* Under a name such as rf-tidy the tool is a stand-in for clang-tidy. */
static bool called_tidy(const char *program)
{
    const char *slash = strrchr(program, '/');
    return strstr(slash ? slash + 1 : program, "tidy") != NULL;
}

int rf_options_parse(rf_options *options, int argc, char **argv)
{
    int split = 1;
    *options = (rf_options){ .jobs = 1, .arena = rf_arena_new() };
    options->tidy = argc && called_tidy(argv[0]);
    while (split < argc && strcmp(argv[split], "--"))
        split++;
    if (parse_words(options, split, argv))
        return -1;
    for (int i = split + 1; i < argc; i++)
        RF_PUSH(options->flags.list, argv[i]);
    return check_actions(options) || check_values(options) ||
                   check_files(options)
               ? -1
               : 0;
}

void rf_options_free(rf_options *options)
{
    RF_CLEAR(options->flags.list);
    RF_CLEAR(options->extra.list);
    RF_CLEAR(options->extra_before.list);
    RF_CLEAR(options->removed.list);
    RF_CLEAR(options->files.list);
    rf_arena_free(options->arena);
}

bool rf_options_write(const rf_options *o)
{
    if (o->fix || o->revert)
        return !o->diff && !o->output;
    return !o->tidy && !o->diff && !o->check && !o->output && !o->explain &&
           !o->suggest && !o->dump && !o->checks && !o->line_filter &&
           !o->export_fixes && !o->sarif;
}

/* ---- Help ----------------------------------------------------------- */

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* Print "text" from the help column on, broken at blanks. */
static void print_wrapped(FILE *out, const char *text)
{
    size_t room = HELP_WIDTH - HELP_COLUMN;
    while (strlen(text) > room) {
        size_t n = room;
        while (n && text[n] != ' ')
            n--;
        fprintf(out, "%.*s\n%*s", (int)n, text, HELP_COLUMN, "");
        text += n + 1;
    }
    fprintf(out, "%s\n", text);
}

int rf_option_spell(const rf_option *o, char *out, size_t size)
{
    const char *dash = o->name[1] ? "--" : "-";
    int n = o->alias ? snprintf(out, size, "-%s, ", o->alias) : 0;
    n += snprintf(out + n, size - (size_t)n, "%s%s", dash, o->name);
    if (!o->value)
        return n;
    const char *open = o->kind == RF_OPT_MAYBE ? "[="
                       : o->name[1]            ? "="
                       : o->letter == 'p'      ? " "
                                               : "";
    return n + snprintf(out + n, size - (size_t)n, "%s%s%s", open, o->value,
                        o->kind == RF_OPT_MAYBE ? "]" : "");
}

void rf_options_help(FILE *out)
{
    fprintf(out, "Usage: rf-rewrite [options] FILE... [-- compiler flags]\n\n"
                 "Fuses the loops that are marked with #pragma rf, in place, "
                 "where the fusion is\nproven legal. '-' is stdin, written to "
                 "stdout. One dash or two.\n");
    for (size_t i = 0; i < rf_option_count; i++) {
        const rf_option *o = &rf_option_table[i];
        if (o->kind == RF_OPT_TITLE) {
            fprintf(out, "\n%s\n", o->name);
            continue;
        }
        char left[80];
        int n = rf_option_spell(o, left, sizeof left);
        fprintf(out, "  %s", left);
        if (n + 3 > HELP_COLUMN)
            fprintf(out, "\n%*s", HELP_COLUMN, "");
        else
            fprintf(out, "%*s", HELP_COLUMN - n - 2, "");
        print_wrapped(out, o->help);
    }
    fprintf(out, "\nExit codes: 0 done, nothing to do, or only warnings; 1 "
                 "--check found something,\n--werror and a warning, or a file "
                 "could not be read, parsed or written; 2 wrong\nusage.\n");
}
