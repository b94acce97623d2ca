/* Building: nvcc makes a program that carries its kernels as PTX and links to
 * our runtime instead of libcudart. */
#include "rf_run.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- commands ---- */

static void silence(void)
{
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
}

int rf_run_command(char *const *argv, bool quiet)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (quiet)
            silence();
        execvp(argv[0], argv);
        fprintf(stderr, "rf-run: error: cannot run %s\n", argv[0]);
        _exit(127);
    }
    /* An interrupt ends the child; what it leaves is still cleaned up. */
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    int status = 0;
    bool waited = pid > 0 && waitpid(pid, &status, 0) == pid;
    signal(SIGINT, before);
    if (!waited)
        return 127;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

char *rf_run_folder(void)
{
    const char *base = getenv("TMPDIR");
    rf_buf name = { 0 };
    rf_buf_printf(&name, "%s/rf-run-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(name.data)) {
        perror("rf-run: error: cannot make a temporary folder");
        exit(1);
    }
    return name.data;
}

void rf_run_remove(const rf_run_options *o, const char *folder)
{
    if (o->keep) {
        fprintf(stderr, "rf-run: files are in %s\n", folder);
        return;
    }
    char *argv[] = { "rm", "-rf", (char *)folder, NULL };
    rf_run_command(argv, false);
}

/* ---- where the runtime lies ---- */

/* Beside the program: build/tool/rf-run and build/librf_exec.a, or
 * bin/rf-run and lib/rf-rewrite/librf_exec.a. */
static bool find_library(const char *name, char *path, size_t size)
{
    static const char *const places[] = { "../%s", "../lib/rf-rewrite/%s",
                                          "../lib64/rf-rewrite/%s", "%s" };
    char self[PATH_MAX], file[64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < RF_COUNTOF(places); i++) {
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(file, sizeof file, places[i], name);
        if ((size_t)snprintf(path, size, "%s/%s", self, file) < size &&
            !access(path, R_OK))
            return true;
    }
    fprintf(stderr, "rf-run: error: %s is not beside %s\n", name, self);
    return false;
}

/* ---- nvcc ---- */

static const char *nvcc_path(void)
{
    static const char *const usual = "/usr/local/cuda/bin/nvcc";
    const char *given = getenv("NVCC");
    if (given)
        return given;
    return access(usual, X_OK) ? "nvcc" : usual;
}

/* Flags that choose a target or a library that the runtime replaces. */
static bool dropped(const char *flag)
{
    static const char *const prefixes[] = {
        "-arch",    "--gpu-architecture", "-gencode", "--generate-code",
        "-code=",   "-lcudart",           "-lcuda",   "-cudart",
        "--cudart",
    };
    for (size_t i = 0; i < RF_COUNTOF(prefixes); i++)
        if (!strncmp(flag, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

/* Such a flag's value is a word of its own. */
static bool takes_word(const char *flag)
{
    return !strcmp(flag, "-arch") || !strcmp(flag, "--gpu-architecture") ||
           !strcmp(flag, "-gencode") || !strcmp(flag, "--generate-code") ||
           !strcmp(flag, "-cudart") || !strcmp(flag, "--cudart");
}

/* The architecture that the flags ask for, as in compute_90a: newer code may
 * use everything, older code is compiled as it was meant. */
static const char *architecture(const rf_run_options *o)
{
    static const char *const older[] = { "75", "80", "86", "87", "89" };
    for (size_t i = 0; i < o->nvcc.len; i++) {
        const char *flag = o->nvcc.data[i];
        const char *name = strstr(flag, "compute_");
        if (!name)
            name = strstr(flag, "sm_");
        for (size_t k = 0; name && k < RF_COUNTOF(older); k++)
            if (!strncmp(strchr(name, '_') + 1, older[k], 2))
                return older[k];
    }
    return "90a";
}

static void add_user_flags(rf_words *argv, const rf_run_options *o)
{
    for (size_t i = 0; i < o->nvcc.len; i++) {
        if (dropped(o->nvcc.data[i]))
            i += takes_word(o->nvcc.data[i]);
        else
            RF_PUSH(*argv, o->nvcc.data[i]);
    }
}

static bool has_flag(const rf_run_options *o, const char *flag)
{
    for (size_t i = 0; i < o->nvcc.len; i++)
        if (!strcmp(o->nvcc.data[i], flag))
            return true;
    return false;
}

/* Lines are in the PTX; -G brings its own. */
static void add_lineinfo(rf_words *argv, const rf_run_options *o)
{
    if (!has_flag(o, "-G") && !has_flag(o, "--device-debug"))
        RF_PUSH(*argv, "-lineinfo");
}

static void print_command(const rf_words *argv)
{
    for (size_t i = 0; i < argv->len; i++)
        fprintf(stderr, "%s%s", i ? " " : "+ ", argv->data[i]);
    fputc('\n', stderr);
}

/* Run the command and free it. */
static bool run_nvcc(const rf_run_options *o, rf_words *argv)
{
    RF_PUSH(*argv, NULL);
    argv->len--;
    if (o->verbose)
        print_command(argv);
    int code = rf_run_command((char *const *)argv->data, false);
    RF_CLEAR(*argv);
    return code == 0;
}

static bool has_suffix(const char *word, const char *suffix)
{
    size_t n = strlen(word), m = strlen(suffix);
    return *word != '-' && n > m && !strcmp(word + n - m, suffix);
}

/* Which words of the user go to nvcc. */
typedef enum { ALL, WITHOUT_CUDA, ONLY_FLAGS } words;

static bool is_wanted(const char *word, words which)
{
    static const char *const inputs[] = { ".cu", ".cpp", ".cc", ".cxx",
                                          ".c",  ".o",   ".a" };
    size_t n = which == ONLY_FLAGS     ? RF_COUNTOF(inputs)
               : which == WITHOUT_CUDA ? 1
                                       : 0;
    for (size_t i = 0; i < n; i++)
        if (has_suffix(word, inputs[i]))
            return false;
    return which == ALL || !rf_run_is_rdc_flag(word);
}

/* nvcc, its target and the user's flags and files. */
static void start_build(rf_words *argv, const rf_run_options *o,
                        const char *target, const char *extra, words which)
{
    const char *fixed[] = { nvcc_path(),    "-gencode", target,
                            "-no-compress", "-cudart",  "none" };
    for (size_t i = 0; i < RF_COUNTOF(fixed); i++)
        RF_PUSH(*argv, fixed[i]);
    add_lineinfo(argv, o);
    if (extra)
        RF_PUSH(*argv, extra);
    size_t from = argv->len, to = from;
    add_user_flags(argv, o);
    for (size_t i = from; i < argv->len; i++) {
        const char *word = argv->data[i];
        if (which != ALL && !strcmp(word, "-rdc"))
            i++;
        else if (is_wanted(word, which))
            argv->data[to++] = word;
    }
    argv->len = to;
}

/* Compile one source to an object whose device code is linked later. */
static bool compile(const rf_run_options *o, const char *target,
                    const char *extra, const char *source, const char *object)
{
    rf_words argv = { 0 };
    start_build(&argv, o, target, extra, ONLY_FLAGS);
    const char *rest[] = { "-rdc=true", "-c", source, "-o", object };
    for (size_t i = 0; i < RF_COUNTOF(rest); i++)
        RF_PUSH(argv, rest[i]);
    return run_nvcc(o, &argv);
}

/* The objects of all sources and the code that links them, owned by
 * "objects". */
static bool compile_apart(const rf_run_options *o, const char *target,
                          const char *extra, const char *output,
                          rf_words *objects)
{
    rf_words sources = { 0 };
    rf_buf name = { 0 };
    bool ok = true;
    RF_PUSH(sources, o->file);
    for (size_t i = 0; i < o->nvcc.len; i++)
        if (has_suffix(o->nvcc.data[i], ".cu"))
            RF_PUSH(sources, o->nvcc.data[i]);
    for (size_t i = 0; ok && i < sources.len; i++) {
        name.len = 0;
        rf_buf_printf(&name, "%s.%zu.o", output, i);
        RF_PUSH(*objects, rf_strdup(rf_buf_text(&name)));
        ok = compile(o, target, extra, sources.data[i], RF_LAST(*objects));
    }
    name.len = 0;
    rf_buf_printf(&name, "%s.link.c", output);
    ok = ok && rf_run_write_link(objects, rf_buf_text(&name));
    RF_PUSH(*objects, rf_strdup(rf_buf_text(&name)));
    RF_CLEAR(sources);
    rf_buf_free(&name);
    return ok;
}

bool rf_run_build(const rf_run_options *o, const char *extra,
                  const char *output)
{
    char exec[PATH_MAX], support[PATH_MAX], target[64];
    rf_words argv = { 0 }, objects = { 0 };
    if (!find_library("librf_exec.a", exec, sizeof exec) ||
        !find_library("librf_support.a", support, sizeof support))
        return false;
    snprintf(target, sizeof target, "arch=compute_%s,code=compute_%s",
             architecture(o), architecture(o));
    bool apart = rf_run_is_relocatable(o);
    bool ok = !apart || compile_apart(o, target, extra, output, &objects);
    start_build(&argv, o, target, extra, apart ? WITHOUT_CUDA : ALL);
    for (size_t i = 0; i < objects.len; i++)
        RF_PUSH(argv, objects.data[i]);
    if (!apart)
        RF_PUSH(argv, o->file);
    const char *rest[] = { "-o", output, exec, support, "-lpthread", "-lm" };
    for (size_t i = 0; i < RF_COUNTOF(rest); i++)
        RF_PUSH(argv, rest[i]);
#ifdef __SANITIZE_ADDRESS__
    RF_PUSH(argv, "-Xcompiler");
    RF_PUSH(argv, "-fsanitize=address,-fsanitize=undefined");
#endif
    if (ok)
        ok = run_nvcc(o, &argv);
    else
        RF_CLEAR(argv);
    for (size_t i = 0; i < objects.len; i++)
        free((char *)objects.data[i]);
    RF_CLEAR(objects);
    return ok;
}

char *rf_run_ptx(const rf_run_options *o, const char *extra, const char *folder)
{
    rf_buf path = { 0 };
    rf_words argv = { 0 };
    size_t size;
    rf_buf_printf(&path, "%s/kernel.ptx", folder);
    char target[64];
    snprintf(target, sizeof target, "-arch=compute_%s", architecture(o));
    const char *fixed[] = { nvcc_path(), "-ptx", target };
    for (size_t i = 0; i < RF_COUNTOF(fixed); i++)
        RF_PUSH(argv, fixed[i]);
    add_lineinfo(&argv, o);
    if (extra)
        RF_PUSH(argv, extra);
    add_user_flags(&argv, o);
    RF_PUSH(argv, o->file);
    RF_PUSH(argv, "-o");
    RF_PUSH(argv, path.data);
    char *text = run_nvcc(o, &argv) ? rf_run_read(path.data, &size) : NULL;
    rf_buf_free(&path);
    return text;
}
