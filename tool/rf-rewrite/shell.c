/* Completions and the manual page, from the option table. */
#include "option_table.h"

#include <ctype.h>
#include <string.h>

static bool is_option(const rf_option *o)
{
    return o->kind != RF_OPT_TITLE;
}

static const char *dashes(const char *name)
{
    return name[1] ? "--" : "-";
}

static bool takes_file(const rf_option *o)
{
    return o->value && (!strcmp(o->value, "FILE") || !strcmp(o->value, "DIR"));
}

static void bash(FILE *out)
{
    fprintf(out, "_rf_rewrite()\n{\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]}\n"
                 "    if [[ $word == -* ]]; then\n"
                 "        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < rf_option_count; i++) {
        const rf_option *o = &rf_option_table[i];
        if (is_option(o))
            fprintf(out, "%s%s%s ", dashes(o->name), o->name,
                    o->value && o->name[1] ? "=" : "");
    }
    fprintf(out, "' -- \"$word\"))\n"
                 "        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
                 "    else\n"
                 "        COMPREPLY=($(compgen -f -X '!*.cu*' -- \"$word\")\n"
                 "                   $(compgen -d -- \"$word\"))\n"
                 "    fi\n}\n"
                 "complete -o filenames -F _rf_rewrite rf-rewrite\n");
}

/* Print "text" for a single-quoted word, with "special" escaped. */
static void quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void zsh(FILE *out)
{
    fprintf(out, "#compdef rf-rewrite\n_arguments \\\n");
    for (size_t i = 0; i < rf_option_count; i++) {
        const rf_option *o = &rf_option_table[i];
        if (!is_option(o))
            continue;
        fprintf(out, "  '%s%s%s[", dashes(o->name), o->name,
                o->value && o->name[1] ? "=-" : "");
        quoted(out, o->help, "[]:");
        fprintf(out, "]");
        if (o->value) {
            fprintf(out, ":");
            quoted(out, o->value, "[]:");
            fprintf(out, ":%s", takes_file(o) ? "_files" : "");
        }
        fprintf(out, "' \\\n");
    }
    fprintf(out, "  '*:file:_files -g \"*.cu *.cuh\"'\n");
}

static void fish(FILE *out)
{
    for (size_t i = 0; i < rf_option_count; i++) {
        const rf_option *o = &rf_option_table[i];
        if (!is_option(o))
            continue;
        fprintf(out, "complete -c rf-rewrite ");
        if (o->alias)
            fprintf(out, "-s %s ", o->alias);
        fprintf(out, "-%c %s %s-d '", o->name[1] ? 'l' : 's', o->name,
                !o->value       ? ""
                : takes_file(o) ? "-r "
                                : "-x ");
        quoted(out, o->help, "");
        fprintf(out, "'\n");
    }
}

int rf_options_completion(FILE *out, const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(FILE *);
    } shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
    for (size_t i = 0; i < RF_COUNTOF(shells); i++) {
        if (!strcmp(shells[i].name, shell)) {
            shells[i].print(out);
            return 0;
        }
    }
    fprintf(stderr,
            "rf-rewrite: error: no completion for '%s'; there is bash, "
            "zsh and fish\n",
            shell);
    return -1;
}

/* ---- Manual page ---------------------------------------------------- */

static void roff(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void man_option(FILE *out, const rf_option *o)
{
    char left[80];
    if (!is_option(o)) {
        fprintf(out, ".SS %s\n", o->name);
        return;
    }
    rf_option_spell(o, left, sizeof left);
    fprintf(out, ".TP\n.B ");
    roff(out, left);
    fprintf(out, "\n");
    roff(out, o->help);
    fprintf(out, "\n");
}

void rf_options_man(FILE *out)
{
    fprintf(out, ".TH RF-REWRITE 1 \"\" \"rf-rewrite %s\"\n", RF_VERSION);
    fprintf(out, ".SH NAME\nrf\\-rewrite \\- fuse marked loops of CUDA "
                 "sources, proven legal\n"
                 ".SH SYNOPSIS\n.B rf\\-rewrite\n[options] FILE... "
                 "[\\-\\- compiler flags]\n"
                 ".SH DESCRIPTION\n"
                 "Loops marked with\n.B #pragma rf cascade\nor\n"
                 ".B #pragma rf gemm_chain\nare fused in place where the "
                 "fusion is proven legal. The author's code is kept under\n"
                 ".BR RF_REFERENCE .\n"
                 "Every marked region ends as fused, refused with a reason, "
                 "or an error.\n.SH OPTIONS\n");
    for (size_t i = 0; i < rf_option_count; i++)
        man_option(out, &rf_option_table[i]);
    fprintf(out, ".SH EXIT STATUS\n"
                 "0: done, nothing to do, or only warnings. 1: "
                 ".B \\-\\-check\nfound something, or "
                 ".B \\-\\-werror\nand a warning, or a file could not be "
                 "read, parsed or written. 2: wrong usage.\n");
}
