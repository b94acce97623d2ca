/* Verification by execution: the new text goes into a temporary file beside
 * the source, and rf-run, which knows nothing of the rewriter, builds it with
 * and without -DRF_REFERENCE, runs both and compares. */
#include "verify.h"

#include <errno.h>
#include <libgen.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The folder of "path" with a template for a name in it. */
static char *temporary_name(rf_arena *arena, const char *path)
{
    char *copy = rf_arena_strdup(arena, path);
    return rf_arena_printf(arena, "%s/.rf-verify-XXXXXX.cu", dirname(copy));
}

static int write_all(int fd, const char *text, size_t len)
{
    while (len) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

/* rf-run beside this program, else the one on PATH. */
static const char *find_runner(rf_arena *arena)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = 0;
        const char *beside = rf_arena_printf(arena, "%s/rf-run", dirname(self));
        if (!access(beside, X_OK))
            return beside;
    }
    return "rf-run";
}

/* Run rf-run --compare FILE flags, silently unless it fails. */
static int compare(rf_arena *arena, const rf_options *o, const char *file)
{
    size_t n = o->flags.list.len;
    const char **argv = RF_NEW_ARRAY(arena, n + 9, const char *);
    size_t k = 0;
    argv[k++] = find_runner(arena);
    argv[k++] = "--compare";
    argv[k++] = file;
    argv[k++] = "-diag-suppress";
    argv[k++] = "20199";
    for (size_t i = 0; i < n; i++)
        argv[k++] = o->flags.list.data[i];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t pid;
    int rc = posix_spawnp(&pid, argv[0], &actions, NULL,
                          (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (rc)
        return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int rf_verify(rf_arena *arena, const rf_options *o, const char *path,
              const char *text, size_t len, const char **why)
{
    char *name = temporary_name(arena, path);
    int fd = mkstemps(name, 3);
    if (fd < 0) {
        *why = rf_arena_printf(arena, "'%s': %s", name, strerror(errno));
        return -1;
    }
    int rc = write_all(fd, text, len);
    close(fd);
    rc = rc ? rc : compare(arena, o, name);
    unlink(name);
    if (!rc)
        return 0;
    *why = rc < 0 ? "--verify: rf-run could not be started"
                  : "--verify: the two builds differ or do not run; nothing "
                    "is written";
    return -1;
}
