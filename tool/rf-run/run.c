/* Running the program that was built. */
#include "rf_run.h"

#include <string.h>

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

char *rf_run_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    rf_buf text = { 0 };
    char part[65536];
    size_t n;
    while (f && (n = fread(part, 1, sizeof part, f)))
        rf_buf_add(&text, part, n);
    if (f)
        fclose(f);
    *size = text.len;
    return text.data;
}

static size_t read_count(const char *path)
{
    size_t n = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%zu", &n) != 1)
        n = 0;
    fclose(f);
    return n;
}

int rf_run_program(const rf_run_options *o, const char *executable,
                   const char *folder, const char *log, size_t *reports)
{
    rf_buf result = { 0 };
    rf_words argv = { 0 };
    rf_buf_printf(&result, "%s/reports", folder);
    set("RF_RUN_RESULT", result.data);
    set("RF_RUN_LOG", log);
    set("RF_RUN_REPORT", o->report);
    set("RF_RUN_OPTIONS", rf_buf_text(&o->options));
#ifdef __SANITIZE_ADDRESS__
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* the program's own */
#endif
    RF_PUSH(argv, executable);
    for (size_t i = 0; i < o->program.len; i++)
        RF_PUSH(argv, o->program.data[i]);
    RF_PUSH(argv, NULL);
    int code = rf_run_command((char *const *)argv.data, o->quiet);
    *reports = read_count(result.data);
    if (code >= 128)
        fprintf(stderr, "rf-run: error: the program ended with signal %d\n",
                code - 128);
    RF_CLEAR(argv);
    rf_buf_free(&result);
    return code;
}

int rf_run_plain(const rf_run_options *o)
{
    char *folder = rf_run_folder();
    rf_buf executable = { 0 };
    size_t reports = 0;
    rf_buf_printf(&executable, "%s/program", folder);
    int code = 1;
    if (rf_run_build(o, NULL, executable.data))
        code = rf_run_program(o, executable.data, folder, NULL, &reports);
    if (reports) {
        fprintf(stderr, "rf-run: %zu report%s\n", reports,
                reports == 1 ? "" : "s");
        code = code ? code : 1;
    }
    rf_run_remove(o, folder);
    rf_buf_free(&executable);
    free(folder);
    return code;
}
