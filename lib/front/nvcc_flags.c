/* nvcc's options, told apart by a table: what a row's kind says is done with
 * the option and its value. A value is joined by '=', comes as the next word,
 * or (for one-letter options) is written against the letter.
 *
 *     -gencode arch=compute_90,code=sm_90   ->  --cuda-gpu-arch=sm_90
 *     -Xcompiler -DX,-fopenmp               ->  -DX
 *     --options-file list                   ->  the words in list
 *     -isystem dir, --define-macro X        ->  -isystem FOLDER/dir, -DX
 *     -rdc=true, -lineinfo, -ccbin g++      ->  nothing
 *
 * Of several architectures the highest is taken. */
#include "front/nvcc_flags.h"

#include "support/buf.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum {
    KEEP,    /* value kept, spelled as "as" says */
    FOLDER,  /* the same; it is a path, from the folder of the command */
    FILE_OF, /* the same, unless it is found on the include path */
    DROP,    /* has a value; neither matters */
    ALONE,   /* no value, does not matter */
    DEFINE,  /* no value; defines the macro "as" */
    ARCH,    /* sm_90, compute_90 */
    GENCODE, /* arch=...,code=... */
    HOST,    /* words with commas for the host compiler */
    OPTIONS  /* names a file of options */
} kind;

typedef struct {
    const char *name;
    kind kind;
    const char *as; /* clang's spelling; with a blank: two words */
} row;

static const row rows[] = {
    { "-I", FOLDER, "-I" },
    { "--include-path", FOLDER, "-I" },
    { "-isystem", FOLDER, "-isystem " },
    { "--system-include", FOLDER, "-isystem " },
    { "-iquote", FOLDER, "-iquote " },
    { "-idirafter", FOLDER, "-idirafter " },
    { "-D", KEEP, "-D" },
    { "--define-macro", KEEP, "-D" },
    { "-U", KEEP, "-U" },
    { "--undefine-macro", KEEP, "-U" },
    { "-include", FILE_OF, "-include " },
    { "--pre-include", FILE_OF, "-include " },
    { "-imacros", FILE_OF, "-imacros " },
    { "-std", KEEP, "-std=" },
    { "--std", KEEP, "-std=" },
    { "--sysroot", FOLDER, "--sysroot=" },
    { "--cuda-path", FOLDER, "--cuda-path=" },
    { "-arch", ARCH, NULL },
    { "--gpu-architecture", ARCH, NULL },
    { "--cuda-gpu-arch", ARCH, NULL },
    { "--offload-arch", ARCH, NULL },
    { "-gencode", GENCODE, NULL },
    { "--generate-code", GENCODE, NULL },
    { "-Xcompiler", HOST, NULL },
    { "--compiler-options", HOST, NULL },
    { "-optf", OPTIONS, NULL },
    { "--options-file", OPTIONS, NULL },
    { "--extended-lambda", DEFINE, "-D__CUDACC_EXTENDED_LAMBDA__" },
    { "-extended-lambda", DEFINE, "-D__CUDACC_EXTENDED_LAMBDA__" },
    { "--expt-extended-lambda", DEFINE, "-D__CUDACC_EXTENDED_LAMBDA__" },
    { "-expt-extended-lambda", DEFINE, "-D__CUDACC_EXTENDED_LAMBDA__" },
    { "-x", DROP, NULL },
    { "--x", DROP, NULL },
    { "-o", DROP, NULL },
    { "--output-file", DROP, NULL },
    { "-odir", DROP, NULL },
    { "--output-directory", DROP, NULL },
    { "-MF", DROP, NULL },
    { "-MT", DROP, NULL },
    { "-MQ", DROP, NULL },
    { "--dependency-output", DROP, NULL },
    { "--dependency-target-name", DROP, NULL },
    { "-ccbin", DROP, NULL },
    { "--compiler-bindir", DROP, NULL },
    { "-code", DROP, NULL },
    { "--gpu-code", DROP, NULL },
    { "-Xptxas", DROP, NULL },
    { "--ptxas-options", DROP, NULL },
    { "-Xlinker", DROP, NULL },
    { "--linker-options", DROP, NULL },
    { "-Xnvlink", DROP, NULL },
    { "--nvlink-options", DROP, NULL },
    { "-Xarchive", DROP, NULL },
    { "--archive-options", DROP, NULL },
    { "-Xfatbin", DROP, NULL },
    { "--fatbin-options", DROP, NULL },
    { "-Xcudafe", DROP, NULL },
    { "-maxrregcount", DROP, NULL },
    { "--maxrregcount", DROP, NULL },
    { "-t", DROP, NULL },
    { "--threads", DROP, NULL },
    { "-split-compile", DROP, NULL },
    { "--split-compile", DROP, NULL },
    { "-cudart", DROP, NULL },
    { "--cudart", DROP, NULL },
    { "-diag-suppress", DROP, NULL },
    { "--diag-suppress", DROP, NULL },
    { "-diag-error", DROP, NULL },
    { "--diag-error", DROP, NULL },
    { "-diag-warn", DROP, NULL },
    { "--diag-warn", DROP, NULL },
    { "-Werror", DROP, NULL },
    { "--Werror", DROP, NULL },
    { "-L", DROP, NULL },
    { "--library-path", DROP, NULL },
    { "-l", DROP, NULL },
    { "--library", DROP, NULL },
    { "--keep-dir", DROP, NULL },
    { "-keep-dir", DROP, NULL },
    { "-time", DROP, NULL },
    { "--time", DROP, NULL },
    { "-lto", ALONE, NULL },
    { "-default-stream", DROP, NULL },
    { "--default-stream", DROP, NULL },
    { "-rdc", ALONE, NULL },
    { "-fmad", ALONE, NULL },
    { "-ftz", ALONE, NULL },
};

/* Options whose value may follow without anything between. */
static bool joins(const char *name)
{
    return name[0] == '-' && name[1] && !name[2] && strchr("IDULlxto", name[1]);
}

/* Options whose value is never the next word but only behind '='. */
static bool only_joined(const char *word)
{
    return !strcmp(word, "-Werror") || !strcmp(word, "--Werror");
}

/* ---- Words ---------------------------------------------------------- */

static const char *take_quoted(rf_buf *word, const char *at)
{
    char quote = *at++;
    while (*at && *at != quote) {
        bool escape =
            quote == '"' && *at == '\\' && at[1] && strchr("\"\\$`\n", at[1]);
        at += escape;
        rf_buf_putc(word, *at++);
    }
    return *at ? at + 1 : at;
}

static const char *take_word(rf_buf *word, const char *at)
{
    while (*at && !isspace((unsigned char)*at)) {
        if (*at == '\'' || *at == '"') {
            at = take_quoted(word, at);
        } else {
            at += *at == '\\' && at[1];
            rf_buf_putc(word, *at++);
        }
    }
    return at;
}

void rf_command_split(rf_arena *arena, const char *text, rf_command *out)
{
    for (;;) {
        rf_buf word = { 0 };
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            return;
        text = take_word(&word, text);
        RF_PUSH(out->list,
                rf_arena_strndup(arena, rf_buf_text(&word), word.len));
        rf_buf_free(&word);
    }
}

/* ---- Translation ---------------------------------------------------- */

typedef struct {
    rf_arena *arena;
    const char *folder;
    rf_command *out;
    int arch;          /* the highest so far */
    const char *named; /* its spelling */
    int depth;         /* of options files */
    bool host;         /* words of the host compiler */
} translator;

static void translate(translator *t, const rf_command *args, size_t from);

/* Note the architectures in "text": sm_90a, compute_80 in any list. */
static void take_arch(translator *t, const char *text)
{
    while ((text = strpbrk(text, "0123456789"))) {
        size_t n = strspn(text, "0123456789");
        size_t suffix = n + (text[n] == 'a' || text[n] == 'f');
        int arch = atoi(text);
        if (arch > t->arch && n < 4) {
            t->arch = arch;
            t->named = rf_arena_printf(t->arena, "--cuda-gpu-arch=sm_%.*s",
                                       (int)suffix, text);
        }
        text += n;
    }
}

static void keep(translator *t, const char *as, const char *value)
{
    size_t n = strlen(as);
    if (n && as[n - 1] == ' ') {
        RF_PUSH(t->out->list, rf_arena_strndup(t->arena, as, n - 1));
        RF_PUSH(t->out->list, value);
    } else {
        RF_PUSH(t->out->list, rf_arena_printf(t->arena, "%s%s", as, value));
    }
}

static void take_host(translator *t, const char *value)
{
    rf_command words = { 0 };
    bool before = t->host;
    while (*value) {
        size_t n = strcspn(value, ",");
        RF_PUSH(words.list, rf_arena_strndup(t->arena, value, n));
        value += n + (value[n] == ',');
    }
    t->host = true;
    translate(t, &words, 0);
    t->host = before;
    RF_CLEAR(words.list);
}

/* "path" as it is found from here. */
static const char *from_here(const translator *t, const char *path)
{
    return *path == '/' || !*path || !t->folder || !*t->folder
               ? path
               : rf_arena_printf(t->arena, "%s/%s", t->folder, path);
}

static void take_file(translator *t, const char *name)
{
    const char *path = from_here(t, name);
    FILE *f = t->depth < 8 ? fopen(path, "r") : NULL;
    rf_command words = { 0 };
    rf_buf text = { 0 };
    int c;
    if (!f)
        return;
    while ((c = getc(f)) != EOF)
        rf_buf_putc(&text, (char)c);
    fclose(f);
    rf_command_split(t->arena, rf_buf_text(&text), &words);
    t->depth++;
    translate(t, &words, 0);
    t->depth--;
    RF_CLEAR(words.list);
    rf_buf_free(&text);
}

static void take(translator *t, const row *r, const char *value)
{
    switch (r->kind) {
    case KEEP:
        keep(t, r->as, value);
        break;
    case FOLDER:
        keep(t, r->as, from_here(t, value));
        break;
    case FILE_OF:
        keep(t, r->as,
             access(from_here(t, value), R_OK) ? value : from_here(t, value));
        break;
    case DEFINE:
        RF_PUSH(t->out->list, r->as);
        break;
    case ARCH:
    case GENCODE:
        take_arch(t, value);
        break;
    case HOST:
        take_host(t, value);
        break;
    case OPTIONS:
        for (const char *at = value; *at;) {
            size_t n = strcspn(at, ",");
            take_file(t, rf_arena_strndup(t->arena, at, n));
            at += n + (at[n] == ',');
        }
        break;
    default:
        break;
    }
}

/* The row of "word"; its value goes to "value" if it is joined. */
static const row *row_of(const char *word, const char **value)
{
    const row *joined = NULL;
    *value = NULL;
    for (size_t i = 0; i < RF_COUNTOF(rows); i++) {
        size_t n = strlen(rows[i].name);
        if (strncmp(word, rows[i].name, n))
            continue;
        if (!word[n])
            return &rows[i];
        if (word[n] == '=') {
            *value = word + n + 1;
            return &rows[i];
        }
        if (joins(rows[i].name))
            joined = &rows[i];
    }
    if (joined)
        *value = word + 2;
    return joined;
}

static bool has_value(const row *r, const char *word)
{
    return r->kind != ALONE && r->kind != DEFINE && !only_joined(word);
}

static void translate(translator *t, const rf_command *args, size_t from)
{
    for (size_t i = from; i < args->list.len; i++) {
        const char *word = args->list.data[i], *value;
        const row *r = row_of(word, &value);
        if (*word == '@' && word[1]) {
            take_file(t, word + 1);
            continue;
        }
        if (!r)
            continue;
        if (!value && has_value(r, word) && i + 1 < args->list.len)
            value = args->list.data[++i];
        if (value || !has_value(r, word))
            take(t, r, value ? value : "");
    }
}

static bool is_launcher(const char *word)
{
    static const char *const names[] = { "ccache", "sccache", "distcc", "icecc",
                                         "env" };
    const char *slash = strrchr(word, '/');
    const char *name = slash ? slash + 1 : word;
    for (size_t i = 0; i < RF_COUNTOF(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

void rf_command_translate(rf_arena *arena, const rf_command *args,
                          const char *folder, rf_command *flags)
{
    translator t = { .arena = arena, .folder = folder, .out = flags };
    size_t first = 0;
    while (first + 1 < args->list.len && is_launcher(args->list.data[first]))
        first++;
    translate(&t, args, first + 1);
    if (t.named)
        RF_PUSH(flags->list, t.named);
}
