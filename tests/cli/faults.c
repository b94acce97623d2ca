/* Faults for the file writer, preloaded: RF_FAULT is a list of
 *
 *     CALL:NUMBER     CALL fails with this errno
 *     kill:N          the process is killed before the N-th call of any kind
 *
 * with commas in between. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number behind "word:" in the list, or 0. */
static long number(const char *word)
{
    size_t n = strlen(word);
    const char *item = getenv("RF_FAULT");
    while (item && *item) {
        if (!strncmp(item, word, n) && item[n] == ':')
            return strtol(item + n + 1, NULL, 10);
        item = strchr(item, ',');
        item = item ? item + 1 : NULL;
    }
    return 0;
}

static int fault(const char *call)
{
    static long calls;
    long error = number(call);
    if (++calls == number("kill"))
        kill(getpid(), SIGKILL);
    if (!error)
        return 0;
    errno = (int)error;
    return -1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if ((flags & __O_TMPFILE) && fault("tmpfile"))
        return -1;
    if ((flags & O_ACCMODE) != O_RDONLY && fault("open"))
        return -1;
    return REAL(open)(path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (fd > 2 && fault("write"))
        return -1;
    return REAL(write)(fd, bytes, n);
}

int fsync(int fd)
{
    return fault("fsync") ? -1 : REAL(fsync)(fd);
}

int fchmod(int fd, mode_t mode)
{
    return fault("fchmod") ? -1 : REAL(fchmod)(fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
    return fault("fchown") ? -1 : REAL(fchown)(fd, user, group);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    return fault("linkat") ? -1 : REAL(linkat)(from, old, to, new, flags);
}

int rename(const char *old, const char *new)
{
    return fault("rename") ? -1 : REAL(rename)(old, new);
}

int unlink(const char *path)
{
    return fault("unlink") ? -1 : REAL(unlink)(path);
}

int close(int fd)
{
    return fault("close") ? -1 : REAL(close)(fd);
}
