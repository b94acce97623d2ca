/* A process that keeps a file parsed, and the analyses that it forks.
 *
 * The server sends a byte and two descriptors: the text, in memory, and the
 * pipe for the answer. A byte alone ends the analysis in progress; the end of
 * the socket ends the keeper. Neither ever waits for the other. */
#include "lsp.h"

#include "handle.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Messages ------------------------------------------------------- */

typedef union {
    struct cmsghdr head;
    char room[CMSG_SPACE(2 * sizeof(int))];
} ancillary;

static void close_both(const int fds[2])
{
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* Send a byte, and "fds" unless they are NULL; never waits. */
static bool post(int socket, const int *fds)
{
    char byte = 0;
    ancillary extra = { 0 };
    struct iovec body = { &byte, 1 };
    struct msghdr message = { .msg_iov = &body, .msg_iovlen = 1 };
    if (fds) {
        message.msg_control = extra.room;
        message.msg_controllen = sizeof extra.room;
        extra.head.cmsg_level = SOL_SOCKET;
        extra.head.cmsg_type = SCM_RIGHTS;
        extra.head.cmsg_len = CMSG_LEN(2 * sizeof(int));
        memcpy(CMSG_DATA(&extra.head), fds, 2 * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

/* Take one message; "fds" become -1 where none came. Returns what recvmsg
 * does. */
static ssize_t take(int socket, int fds[2], int flags)
{
    char byte;
    ancillary extra = { 0 };
    struct iovec body = { &byte, 1 };
    struct msghdr message = { .msg_iov = &body,
                              .msg_iovlen = 1,
                              .msg_control = extra.room,
                              .msg_controllen = sizeof extra.room };
    fds[0] = fds[1] = -1;
    ssize_t n = recvmsg(socket, &message, flags);
    if (n == 1 && message.msg_controllen >= CMSG_LEN(2 * sizeof(int)))
        memcpy(fds, CMSG_DATA(&extra.head), 2 * sizeof(int));
    return n;
}

/* Wait for a message and take the last of those that are there. False: the
 * server is gone. */
static bool take_last(int socket, int fds[2])
{
    int next[2];
    if (take(socket, fds, 0) != 1)
        return false;
    while (take(socket, next, MSG_DONTWAIT) == 1) {
        close_both(fds);
        memcpy(fds, next, sizeof next);
    }
    return true;
}

/* ---- The analysis --------------------------------------------------- */

static void send_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);
        if (n <= 0)
            return;
        bytes += n;
        len -= (size_t)n;
    }
}

/* Send what "run" says of the text, on a line. */
static void examine(const rf_run *run, const char *path, const rf_file *file,
                    int fd)
{
    json_t *result = rf_examine(run, path, file);
    char *text = json_dumps(result, JSON_COMPACT);
    send_all(fd, text, strlen(text));
    send_all(fd, "\n", 1);
    free(text);
    json_decref(result);
}

/* First what there is to say, then everything. */
static void analyse(const rf_run *run, const char *path, const rf_file *file,
                    int fd)
{
    rf_options options = *run->options;
    rf_run first = *run;
    options.quick = true;
    options.explain = false;
    first.options = &options;
    first.candidates = false;
    examine(&first, path, file, fd);
    examine(run, path, file, fd);
}

/* ---- The keeper ----------------------------------------------------- */

static bool read_text(int fd, rf_buf *text)
{
    struct stat info;
    if (fd < 0 || fstat(fd, &info))
        return false;
    text->len = 0;
    rf_buf_puts(text, "");
    char block[1 << 16];
    for (off_t at = 0; at < info.st_size;) {
        ssize_t n = pread(fd, block, sizeof block, at);
        if (n <= 0)
            return false;
        rf_buf_add(text, block, (size_t)n);
        at += n;
    }
    return true;
}

/* Whether the next message is there already. */
static bool is_stale(int socket)
{
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

static pid_t fork_analysis(const rf_run *run, const char *path,
                           const rf_file *file, int fd)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    analyse(run, path, file, fd);
    _exit(0);
}

static void end(pid_t *child)
{
    if (*child > 0) {
        kill(*child, SIGKILL);
        waitpid(*child, NULL, 0);
    }
    *child = 0;
}

static void keep(const rf_run *given, const char *path, int socket)
{
    rf_run run = *given;
    rf_buf text = { 0 };
    pid_t child = 0;
    int fds[2];
    run.session = rf_session_new(false);
    while (take_last(socket, fds)) {
        end(&child);
        if (read_text(fds[0], &text)) {
            rf_file file = { text.data, text.len };
            rf_session_refresh(run.session);
            rf_read_ahead(&run, path, &file);
            if (!is_stale(socket))
                child = fork_analysis(&run, path, &file, fds[1]);
        }
        close_both(fds);
    }
    end(&child);
    rf_session_free(run.session);
    rf_buf_free(&text);
}

/* Leave the server's descriptors alone, but for "socket". */
static int only(int socket)
{
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(socket, 3);
    close_range(4, ~0u, 0);
    return 3;
}

bool rf_lsp_keeper_start(rf_lsp_keeper *keeper, const rf_run *run,
                         const char *path)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return false;
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        keep(run, path, only(ends[1]));
        _exit(0);
    }
    close(ends[1]);
    if (pid < 0)
        close(ends[0]);
    *keeper = (rf_lsp_keeper){ pid < 0 ? 0 : pid, pid < 0 ? -1 : ends[0] };
    return pid > 0;
}

/* ---- The server's side ---------------------------------------------- */

static int text_in_memory(const rf_buf *text)
{
    int fd = memfd_create("text", MFD_CLOEXEC);
    if (fd >= 0)
        send_all(fd, rf_buf_text(text), text->len);
    return fd;
}

int rf_lsp_keeper_ask(const rf_lsp_keeper *keeper, const rf_buf *text)
{
    int ends[2];
    if (pipe(ends))
        return -1;
    int fds[2] = { text_in_memory(text), ends[1] };
    bool sent = fds[0] >= 0 && post(keeper->socket, fds);
    close_both(fds);
    if (sent)
        return ends[0];
    close(ends[0]);
    return -1;
}

void rf_lsp_keeper_cancel(const rf_lsp_keeper *keeper)
{
    if (keeper->pid)
        post(keeper->socket, NULL);
}

void rf_lsp_keeper_stop(rf_lsp_keeper *keeper)
{
    if (!keeper->pid)
        return;
    kill(keeper->pid, SIGKILL);
    waitpid(keeper->pid, NULL, 0);
    close(keeper->socket);
    *keeper = (rf_lsp_keeper){ 0, -1 };
}
