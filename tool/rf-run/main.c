/* rf-run: executes CUDA programs on the CPU.
 *
 *     rf-run [options] PROGRAM.cu [nvcc flags] [-- arguments]
 *
 * Exit codes: the program's own; 1 if a check fired; 2 for a wrong command. */
#include "rf_run.h"

#include "exec/exec.h"

#include <string.h>

/* ---- options ---- */

static void runtime_option(rf_run_options *o, const char *name,
                           const char *value)
{
    rf_buf_printf(&o->options, "%s%s=%s", o->options.len ? "," : "", name,
                  value);
}

static void on_compare(rf_run_options *o, const char *value)
{
    (void)value;
    o->compare = true;
}

static void on_edges(rf_run_options *o, const char *value)
{
    (void)value;
    o->edges = true;
}

static void on_keep(rf_run_options *o, const char *value)
{
    (void)value;
    o->keep = true;
}

static void on_verbose(rf_run_options *o, const char *value)
{
    (void)value;
    o->verbose = true;
}

static void on_report(rf_run_options *o, const char *value)
{
    o->report = value && *value ? value : "text";
}

static void on_tolerance(rf_run_options *o, const char *value)
{
    char *end = NULL;
    o->has_tolerance = true;
    o->measured = value && !strcmp(value, "rounding");
    o->relative = value ? strtod(value, &end) : 0;
    o->absolute = end && *end == ',' ? strtod(end + 1, NULL) : 0;
}

static void on_kernel(rf_run_options *o, const char *value)
{
    o->kernel = value;
}

static void on_args(rf_run_options *o, const char *value)
{
    o->args = value;
}

static void on_launch(rf_run_options *o, const char *value)
{
    o->launch = value;
}

static void on_set(rf_run_options *o, const char *value)
{
    o->set = value;
}

static void on_no_check(rf_run_options *o, const char *value)
{
    runtime_option(o, "no-check", value);
}

static void on_schedule(rf_run_options *o, const char *value)
{
    runtime_option(o, "schedule", value);
}

static void on_seed(rf_run_options *o, const char *value)
{
    o->seed = strtoull(value, NULL, 0);
    runtime_option(o, "seed", value);
}

static void on_threads(rf_run_options *o, const char *value)
{
    runtime_option(o, "threads", value);
}

static void on_latency(rf_run_options *o, const char *value)
{
    runtime_option(o, "latency", value);
}

static void on_room(rf_run_options *o, const char *value)
{
    runtime_option(o, "room", value);
}

static void on_poison(rf_run_options *o, const char *value)
{
    runtime_option(o, "poison", value);
}

static void on_help(rf_run_options *o, const char *value);

typedef enum { NONE, WORD, MAYBE } takes;

static const struct {
    const char *name, *metavar, *help;
    takes takes;
    void (*set)(rf_run_options *o, const char *value);
} table[] = {
    { "compare", "", "run with and without -DRF_REFERENCE, compare memory",
      NONE, on_compare },
    { "tolerance", "REL[,ABS]",
      "what --compare accepts, or `rounding`: what rounding explains", WORD,
      on_tolerance },
    { "report", "[=json]", "print traffic and instruction counts", MAYBE,
      on_report },
    { "kernel", "NAME", "launch one kernel of a file without main()", WORD,
      on_kernel },
    { "args", "SPEC", "its arguments: f32[1024]=random,i32=1024,...", WORD,
      on_args },
    { "launch", "SPEC", "its shape: grid=4,block=32:8[,shared=N,cluster=N]",
      WORD, on_launch },
    { "set", "NAME=N,...", "names for the expressions in SPEC", WORD, on_set },
    { "edges", "", "a campaign of special values and awkward sizes", NONE,
      on_edges },
    { "no-check", "NAME", "switch a check off (race, uninit, ..., all)", WORD,
      on_no_check },
    { "schedule", "KIND", "round, run, reverse or random", WORD, on_schedule },
    { "seed", "N", "of the random schedule and of random fills", WORD,
      on_seed },
    { "threads", "N", "host threads (one a core)", WORD, on_threads },
    { "latency", "N", "turns before an asynchronous copy lands", WORD,
      on_latency },
    { "room", "N", "blocks of the largest cluster that fits (16)", WORD,
      on_room },
    { "poison", "BYTE", "fill of fresh memory (255)", WORD, on_poison },
    { "keep", "", "keep the temporary folder", NONE, on_keep },
    { "verbose", "", "print the commands", NONE, on_verbose },
    { "help", "", "print this", NONE, on_help },
};

static void usage(FILE *out)
{
    fputs("usage: rf-run [options] PROGRAM.cu [nvcc flags] [-- arguments]\n\n"
          "Builds a CUDA program and executes it on the CPU.\n\n",
          out);
    for (size_t i = 0; i < RF_COUNTOF(table); i++) {
        const char *sign = table[i].takes == WORD ? "=" : "";
        int n =
            fprintf(out, "  --%s%s%s", table[i].name, sign, table[i].metavar);
        fprintf(out, "%*s%s\n", n < 28 ? 28 - n : 1, "", table[i].help);
    }
    fputs("\nchecks:\n", out);
    for (int c = 0; c < RF_CHECK_COUNT; c++)
        fprintf(out, "  %-26s%s\n", rf_check_spelling((rf_check)c),
                rf_check_help((rf_check)c));
}

static void on_help(rf_run_options *o, const char *value)
{
    (void)o, (void)value;
    usage(stdout);
    exit(0);
}

/* "--name", "--name=value" or, for WORD, "--name value". How many words of
 * argv it took, 0: it is not our option, -1: its value is missing. */
static int own_option(rf_run_options *o, char **argv)
{
    if (strncmp(argv[0], "--", 2) || !argv[0][2])
        return 0;
    const char *name = argv[0] + 2, *value = strchr(name, '=');
    size_t n = value ? (size_t)(value - name) : strlen(name);
    for (size_t i = 0; i < RF_COUNTOF(table); i++) {
        if (strlen(table[i].name) != n || strncmp(table[i].name, name, n))
            continue;
        bool next = table[i].takes == WORD && !value;
        if (next && !argv[1])
            return -1;
        table[i].set(o, next ? argv[1] : value ? value + 1 : NULL);
        return next ? 2 : 1;
    }
    return 0;
}

static bool is_source(const char *word)
{
    const char *dot = strrchr(word, '.');
    return word[0] != '-' && dot && !strcmp(dot, ".cu");
}

static void parse(rf_run_options *o, char **argv)
{
    while (*argv) {
        if (!strcmp(*argv, "--")) {
            for (argv++; *argv; argv++)
                RF_PUSH(o->program, *argv);
            return;
        }
        int n = own_option(o, argv);
        if (n < 0) {
            fprintf(stderr, "rf-run: error: %s needs a value\n", *argv);
            exit(2);
        }
        if (n == 0 && !o->file && is_source(*argv))
            o->file = *argv;
        else if (n == 0)
            RF_PUSH(o->nvcc, *argv);
        argv += n ? n : 1;
    }
}

int main(int argc, char **argv)
{
    rf_run_options o = { 0 };
    (void)argc;
    parse(&o, argv + 1);
    if (!o.file) {
        usage(stderr);
        return 2;
    }
    int code = o.kernel    ? rf_run_kernel(&o)
               : o.compare ? rf_run_compare(&o)
                           : rf_run_plain(&o);
    RF_CLEAR(o.nvcc);
    RF_CLEAR(o.program);
    rf_buf_free(&o.options);
    return code;
}
