/* The batch driver.
 *
 * With one job the files are handled here, one after the other. With more,
 * each file has a process of its own, which writes its result and its output
 * into a pipe:
 *
 *     <length of the result>\n<result><output>
 *
 * Results are kept in the order of the files. A process that ends in another
 * way has met a defect of the tool: its file is reported as an error, and the
 * others go on. */
#include "batch.h"

#include "handle.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *path;
    pid_t pid; /* 0: not started or done */
    int fd;
    rf_buf answer;
    json_t *result; /* of a file that was handled here */
    rf_buf out;
} worker;

typedef struct {
    const rf_run *run;
    rf_arena *arena;
    RF_ARRAY(worker) files;
    size_t next, running, done;
    bool progress;
} batch;

/* Append a path unless it is a file that was given before. */
static void add_path(batch *b, const char *path, json_t *seen)
{
    char *real = strcmp(path, "-") ? realpath(path, NULL) : NULL;
    json_t *key = rf_json_text(real ? real : path, strlen(real ? real : path));
    if (!json_object_get(seen, json_string_value(key))) {
        worker w = { .path = path, .fd = -1 };
        RF_PUSH(b->files, w);
        json_object_set_new(seen, json_string_value(key), json_true());
    }
    json_decref(key);
    free(real);
}

static size_t jobs(const rf_options *o)
{
    long n = o->jobs ? o->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

static void show_progress(batch *b)
{
    b->done++;
    if (b->progress && b->files.len > 1)
        fprintf(stderr, "\r[%zu/%zu]%s", b->done, b->files.len,
                b->done == b->files.len ? "\r\033[K" : " ");
}

static void send_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);
        if (n <= 0)
            _exit(1);
        bytes += n;
        len -= (size_t)n;
    }
}

/* The child: handle the file, send the answer, leave. */
static void child(const rf_run *run, const char *path, int fd)
{
    rf_buf out = { 0 };
    char head[32];
    json_t *result = rf_handle(run, path, &out);
    char *text = json_dumps(result, JSON_COMPACT);
    snprintf(head, sizeof head, "%zu\n", strlen(text));
    send_all(fd, head, strlen(head));
    send_all(fd, text, strlen(text));
    send_all(fd, rf_buf_text(&out), out.len);
    free(text);
    json_decref(result);
    rf_buf_free(&out);
    _exit(0);
}

/* Whether "path" holds anything to analyse; a file that cannot be read has
 * none. Such files are not worth a process. */
static bool worth_it(const rf_run *run, const char *path)
{
    rf_arena *arena = rf_arena_new();
    rf_file file;
    const char *why;
    bool worth = false;
    if (strcmp(path, "-") && !rf_file_read(arena, path, &file, &why)) {
        worth = rf_run_searches(run) || rf_has_mark(file.bytes, file.len) ||
                memmem(file.bytes, file.len, "RF_REFERENCE", 12);
        rf_file_free(&file);
    }
    rf_arena_free(arena);
    return worth;
}

/* Handle the file here; its answer is as if it had come from a process. */
static void handle_here(batch *b, worker *w)
{
    w->result = rf_handle(b->run, w->path, &w->out);
    show_progress(b);
}

static int start(batch *b, worker *w)
{
    int ends[2];
    if (pipe(ends))
        return -1;
    w->pid = fork();
    if (!w->pid) {
        close(ends[0]);
        child(b->run, w->path, ends[1]);
    }
    close(ends[1]);
    if (w->pid < 0) {
        close(ends[0]);
        return -1;
    }
    w->fd = ends[0];
    b->running++;
    return 0;
}

/* Read what a worker sent; close it at its end. */
static void receive(batch *b, worker *w)
{
    char block[1 << 16];
    ssize_t n = read(w->fd, block, sizeof block);
    if (n < 0 && errno == EINTR)
        return;
    if (n > 0) {
        rf_buf_add(&w->answer, block, (size_t)n);
        return;
    }
    close(w->fd);
    w->fd = -1;
    waitpid(w->pid, NULL, 0);
    b->running--;
    show_progress(b);
}

static void wait_for_some(batch *b)
{
    RF_ARRAY(struct pollfd) polls = { 0 };
    RF_ARRAY(worker *) polled = { 0 };
    for (size_t i = 0; i < b->next; i++) {
        worker *w = &b->files.data[i];
        if (w->fd < 0)
            continue;
        struct pollfd p = { .fd = w->fd, .events = POLLIN };
        RF_PUSH(polls, p);
        RF_PUSH(polled, w);
    }
    if (poll(polls.data, polls.len, -1) > 0)
        for (size_t i = 0; i < polls.len; i++)
            if (polls.data[i].revents)
                receive(b, polled.data[i]);
    RF_CLEAR(polls);
    RF_CLEAR(polled);
}

static void run_workers(batch *b)
{
    while (b->next < b->files.len || b->running) {
        bool room = b->running < jobs(b->run->options);
        if (b->next < b->files.len &&
            !worth_it(b->run, b->files.data[b->next].path)) {
            handle_here(b, &b->files.data[b->next++]);
            continue;
        }
        if (b->next < b->files.len && room &&
            (!start(b, &b->files.data[b->next]) || !b->running))
            b->next++;
        else
            wait_for_some(b);
    }
}

static json_t *broken(const batch *b, const worker *w)
{
    const char *path = rf_path_absolute(b->arena, w->path);
    rf_report_file file = { path, "", 0 };
    rf_finding f = { .name = RF_DIAG_ERROR,
                     .severity = RF_ERROR,
                     .at = { .file = path },
                     .text = "the analysis ended unexpectedly; the file was "
                             "left as it was" };
    return json_pack("{s:o, s:s, s:b, s:{s:i}, s:[], s:[o]}", "path",
                     rf_json_text(path, strlen(path)), "hash", "", "written", 0,
                     "counts", "errors", 1, "regions", "findings",
                     rf_finding_json(&file, &f, b->run->color));
}

/* Take the answer apart. */
static json_t *answer(const batch *b, const worker *w, rf_buf *out)
{
    char *end = NULL;
    if (w->result) {
        rf_buf_add(out, rf_buf_text(&w->out), w->out.len);
        return json_incref(w->result);
    }
    size_t len = w->answer.len ? strtoul(w->answer.data, &end, 10) : 0;
    size_t head = end ? (size_t)(end - w->answer.data) + 1 : 0;
    json_t *result = NULL;
    if (len && head + len <= w->answer.len)
        result = json_loadb(w->answer.data + head, len, 0, NULL);
    if (!result)
        return broken(b, w);
    rf_buf_add(out, w->answer.data + head + len, w->answer.len - head - len);
    return result;
}

static void run_here(batch *b, json_t *results, rf_buf *out)
{
    for (size_t i = 0; i < b->files.len; i++) {
        json_array_append_new(results,
                              rf_handle(b->run, b->files.data[i].path, out));
        show_progress(b);
    }
}

json_t *rf_batch_run(const rf_run *run, rf_buf *out)
{
    batch b = { .run = run, .arena = rf_arena_new() };
    json_t *results = json_array(), *seen = json_object();
    for (size_t i = 0; i < run->options->files.list.len; i++)
        add_path(&b, run->options->files.list.data[i], seen);
    b.progress = isatty(2) && !run->options->quiet;
    if (jobs(run->options) == 1 || b.files.len < 2)
        run_here(&b, results, out);
    else
        run_workers(&b);
    for (size_t i = json_array_size(results); i < b.files.len; i++) {
        json_array_append_new(results, answer(&b, &b.files.data[i], out));
        rf_buf_free(&b.files.data[i].answer);
        rf_buf_free(&b.files.data[i].out);
        json_decref(b.files.data[i].result);
    }
    json_decref(seen);
    RF_CLEAR(b.files);
    rf_arena_free(b.arena);
    return results;
}
