/* Faults for the file writer, preloaded: RF_FAULT is
 *
 *     CALL:NUMBER     CALL fails with this errno
 *     kill:N          the process is killed before the N-th call of any kind
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fault(const char *call)
{
    static long calls;
    const char *spec = getenv("RF_FAULT");
    size_t n = strlen(call);
    if (!spec)
        return 0;
    if (!strncmp(spec, "kill:", 5) && ++calls == strtol(spec + 5, NULL, 10))
        kill(getpid(), SIGKILL);
    if (strncmp(spec, call, n) || spec[n] != ':')
        return 0;
    errno = atoi(spec + n + 1);
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
