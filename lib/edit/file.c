/* Files: read whole, replaced in one step.
 *
 * The new content goes to an unnamed file (O_TMPFILE) or, where the file
 * system has none, to ".NAME.rf-tmp" in the same folder; it is forced to
 * disk, given the old mode and owner, and renamed over the old file. Whoever
 * stops the process at any moment finds the old file or the new one. The
 * temporary name is always the same, so that one left by a power cut is taken
 * over by the next run; writers of one file wait for each other (flock). */
#include "edit/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(rf_arena *arena, const char **why, const char *doing)
{
    *why = rf_arena_printf(arena, "%s: %s", doing, strerror(errno));
    return -1;
}

static int refuse(const char **why, const char *reason)
{
    *why = reason;
    return -1;
}

/* ---- Reading -------------------------------------------------------- */

static int read_all(int fd, rf_buf *out)
{
    char block[1 << 16];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        rf_buf_add(out, block, (size_t)n);
    }
}

static int open_readable(rf_arena *arena, const char *path, const char **why)
{
    struct stat st;
    if (!strcmp(path, "-"))
        return dup(0);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(arena, why, "cannot open it");
    if (!fstat(fd, &st) && S_ISREG(st.st_mode))
        return fd;
    bool folder = S_ISDIR(st.st_mode);
    close(fd);
    return refuse(why, folder ? "it is a folder" : "it is not a regular file");
}

int rf_file_read(rf_arena *arena, const char *path, rf_file *file,
                 const char **why)
{
    rf_buf all = { 0 };
    int fd = open_readable(arena, path, why);
    if (fd < 0)
        return -1;
    rf_buf_add(&all, "", 0);
    int rc = read_all(fd, &all);
    if (rc < 0)
        fail(arena, why, "cannot read it");
    close(fd);
    *file = (rf_file){ all.data, all.len };
    if (rc < 0)
        rf_file_free(file);
    return rc < 0 ? -1 : 0;
}

void rf_file_free(rf_file *file)
{
    free(file->bytes);
    *file = (rf_file){ 0 };
}

/* ---- Writing -------------------------------------------------------- */

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

typedef struct {
    char folder[PATH_MAX], temp[PATH_MAX];
    int fd;     /* of the temporary file */
    bool named; /* it has a name that must be removed on failure */
} writer;

static int writer_names(writer *w, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    const char *name = path + n;
    int folder = n ? snprintf(w->folder, sizeof w->folder, "%.*s", (int)n, path)
                   : snprintf(w->folder, sizeof w->folder, "./");
    int temp =
        snprintf(w->temp, sizeof w->temp, "%.*s.%s.rf-tmp", (int)n, path, name);
    if (folder < PATH_MAX && temp < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

static int writer_open_named(writer *w)
{
    unlink(w->temp);
    w->fd = open(w->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    w->named = w->fd >= 0;
    return w->named ? 0 : -1;
}

static int writer_open(writer *w)
{
    w->named = false;
    w->fd = open(w->folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (w->fd >= 0)
        return 0;
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT ||
        errno == EINVAL)
        return writer_open_named(w);
    return -1;
}

/* Give the unnamed file its name; where that is not possible, copy it. */
static int writer_name(writer *w, const char *bytes, size_t len)
{
    char self[64];
    if (w->named)
        return 0;
    snprintf(self, sizeof self, "/proc/self/fd/%d", w->fd);
    unlink(w->temp);
    if (!linkat(AT_FDCWD, self, AT_FDCWD, w->temp, AT_SYMLINK_FOLLOW)) {
        w->named = true;
        return 0;
    }
    struct stat st;
    if (errno != ENOENT || fstat(w->fd, &st))
        return -1;
    close(w->fd);
    if (writer_open_named(w) || write_all(w->fd, bytes, len))
        return -1;
    return fchmod(w->fd, st.st_mode & 07777) || fsync(w->fd) ? -1 : 0;
}

static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* Name and rename with signals held back, so that none of them comes between
 * the two. */
static int writer_rename(writer *w, const char *path, const char *bytes,
                         size_t len)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int rc = writer_name(w, bytes, len) || rename(w->temp, path) ? -1 : 0;
    int saved = errno;
    if (rc && w->named)
        unlink(w->temp);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return rc;
}

static int writer_fill(writer *w, const struct stat *st, const char *bytes,
                       size_t len)
{
    if (write_all(w->fd, bytes, len))
        return -1;
    if (fchown(w->fd, st->st_uid, st->st_gid) && errno != EPERM)
        return -1;
    return fchmod(w->fd, st->st_mode & 07777) || fsync(w->fd) ? -1 : 0;
}

static int replace_with(rf_arena *arena, const char *path,
                        const struct stat *st, const char *bytes, size_t len,
                        const char **why)
{
    writer w;
    if (writer_names(&w, path) || writer_open(&w))
        return fail(arena, why, "cannot write beside it");
    int rc = writer_fill(&w, st, bytes, len);
    if (rc) {
        fail(arena, why, "cannot write it");
        if (w.named)
            unlink(w.temp);
    } else {
        rc = writer_rename(&w, path, bytes, len);
        if (rc)
            fail(arena, why, "cannot replace it");
    }
    close(w.fd);
    if (!rc)
        sync_folder(w.folder);
    return rc;
}

/* Whether "fd", locked, is still "path" and still holds "old". */
static int still_holds(int fd, const char *path, const rf_file *old,
                       struct stat *st, const char **why)
{
    struct stat now;
    rf_buf all = { 0 };
    if (fstat(fd, st) || stat(path, &now) || now.st_ino != st->st_ino ||
        now.st_dev != st->st_dev)
        return refuse(why, "it was replaced meanwhile; run again");
    if (!(st->st_mode & 0222))
        return refuse(why, "it is read-only");
    bool same = !read_all(fd, &all) && all.len == old->len &&
                (!all.len || !memcmp(all.data, old->bytes, all.len));
    rf_buf_free(&all);
    return same ? 0 : refuse(why, "it was changed meanwhile; run again");
}

int rf_file_replace(rf_arena *arena, const char *path, const rf_file *old,
                    const char *bytes, size_t len, const char **why)
{
    struct stat st;
    char *real = realpath(path, NULL);
    int fd = real ? open(real, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        free(real);
        return fail(arena, why, "cannot open it");
    }
    flock(fd, LOCK_EX);
    int rc = still_holds(fd, real, old, &st, why);
    if (!rc && access(real, W_OK))
        rc = fail(arena, why, "cannot write it");
    if (!rc)
        rc = replace_with(arena, real, &st, bytes, len, why);
    close(fd);
    free(real);
    return rc;
}

static int write_to(int fd, const char *bytes, size_t len)
{
    int rc = fd < 0 ? -1 : write_all(fd, bytes, len);
    int saved = errno;
    if (fd >= 0 && close(fd) && !rc)
        return -1;
    errno = saved;
    return rc;
}

int rf_file_write(rf_arena *arena, const char *path, const char *bytes,
                  size_t len, const char **why)
{
    struct stat st;
    char *real = realpath(path, NULL);
    bool exists = real && !stat(real, &st);
    int rc = 0;
    if (exists && S_ISREG(st.st_mode)) {
        rc = replace_with(arena, real, &st, bytes, len, why);
    } else if (exists && !S_ISDIR(st.st_mode)) {
        if (write_to(open(real, O_WRONLY | O_CLOEXEC), bytes, len))
            rc = fail(arena, why, "cannot write it");
    } else if (exists) {
        rc = refuse(why, "it is a folder");
    } else {
        mode_t mask = umask(0);
        umask(mask);
        st = (struct stat){ .st_mode = 0666 & ~mask,
                            .st_uid = getuid(),
                            .st_gid = getgid() };
        rc = replace_with(arena, path, &st, bytes, len, why);
    }
    free(real);
    return rc;
}
