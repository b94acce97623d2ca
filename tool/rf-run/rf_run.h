/* rf-run: what its files share. */
#ifndef RF_RUN_H
#define RF_RUN_H

#include "exec/compare.h"
#include "support/array.h"
#include "support/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef RF_ARRAY(const char *) rf_words;

typedef struct {
    const char *file; /* PROGRAM.cu */
    rf_words nvcc;    /* flags passed to nvcc, other sources */
    rf_words program; /* arguments after -- */
    bool compare, edges, keep, verbose;
    const char *report; /* "text", "json" or NULL */
    const char *kernel, *args, *launch, *set;
    uint64_t seed;
    double relative, absolute;
    bool has_tolerance; /* given by the user, not by the guards */
    bool measured;      /* --tolerance=rounding */
    bool quiet;         /* what the program prints is not shown */
    rf_buf options;     /* RF_RUN_OPTIONS of the runtime */
} rf_run_options;

/* build.c: compile the program with "extra" (may be NULL) as one more flag to
 * "output"; false if nvcc failed. */
bool rf_run_build(const rf_run_options *o, const char *extra,
                  const char *output);
/* Compile to PTX and return its text; NULL if nvcc failed. The caller frees
 * it. */
char *rf_run_ptx(const rf_run_options *o, const char *extra,
                 const char *folder);
/* The bytes of a file and a NUL, NULL if it is empty. The caller frees them. */
char *rf_run_read(const char *path, size_t *size);
/* Run a command and wait; its exit code, 128 + n for signal n. "quiet": what
 * it prints goes nowhere. */
int rf_run_command(char *const *argv, bool quiet);
/* Make a folder for temporary files; the caller frees the name. */
char *rf_run_folder(void);
void rf_run_remove(const rf_run_options *o, const char *folder);

/* Run an executable with the program's arguments; "log" (may be NULL) takes
 * the payloads. "*reports" is how many checks fired. Returns its exit code. */
int rf_run_program(const rf_run_options *o, const char *executable,
                   const char *folder, const char *log, size_t *reports);

/* link.c: does a flag ask for relocatable device code, is it such a flag? */
bool rf_run_is_relocatable(const rf_run_options *o);
bool rf_run_is_rdc_flag(const char *flag);
/* Write to "path" the C code that links the device code of the objects. */
bool rf_run_write_link(const rf_words *objects, const char *path);

/* tolerance.c: two logs, the reference's and the fused program's, and a way to
 * get them in another rounding: the caller frees the bytes, NULL if that run
 * failed. */
typedef struct {
    const char *bytes[2];
    size_t size[2];
    void *context; /* of both functions */
    char *(*again)(void *context, bool fused, rf_rounding rounding,
                   size_t *size);
    void (*report)(void *context, const rf_difference *difference);
} rf_run_logs;

/* Compare them as the user or the guards of the file say; texts of the result
 * live in "arena". */
rf_comparison rf_run_compare_logs(const rf_run_options *o, rf_arena *arena,
                                  const rf_run_logs *logs);
/* Say what the comparison cannot tell; true if it then counts as failed. */
bool rf_run_undecided(const rf_run_options *o, const rf_comparison *c);

/* The modes; each returns the exit code of rf-run. */
int rf_run_plain(const rf_run_options *o);
int rf_run_compare(const rf_run_options *o);
int rf_run_kernel(const rf_run_options *o);

#endif
