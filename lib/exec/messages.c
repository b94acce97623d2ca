/* Messages of checks:
 *
 *     file.cu:12: error: text [rf-run-race]
 *       kernel name, block (0,0,0), thread (3,0,0): `ld.global.f32 ...`
 *
 * At most max_lines messages are printed for one instruction and check; all
 * are counted. */
#include "exec/device.h"

#include <string.h>

/* In a program that nvcc linked, the C++ library is at hand. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *size,
                            int *status) __attribute__((weak));

/* The name as it is written in the source, if it can be told. */
void rf_name_add(rf_buf *text, const char *name)
{
    char *plain =
        __cxa_demangle ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
    rf_buf_puts(text, plain ? plain : name);
    free(plain);
}

void rf_place_add(rf_buf *text, const rf_module *m, const rf_instr *in)
{
    const char *file = NULL;
    if (in->line && in->file < m->files.len)
        file = m->files.data[in->file];
    if (file)
        rf_buf_printf(text, "%s:%u", file, in->line);
    else
        rf_buf_printf(text, "<ptx>:%u", in->ptx_line);
}

void rf_thread_add(rf_buf *text, const rf_warp *w, int lane)
{
    rf_dim3 b = w->block->index, d = w->worker->grid->block;
    uint32_t t = w->id * RF_LANES + (uint32_t)lane;
    rf_buf_printf(text, "block (%u,%u,%u), thread (%u,%u,%u)", b.x, b.y, b.z,
                  t % d.x, t / d.x % d.y, t / d.x / d.y);
}

void rf_alloc_add(rf_buf *text, const rf_alloc *a)
{
    if (a->name)
        rf_buf_printf(text, "%s (%zu bytes)", a->name, a->size);
    else
        rf_buf_printf(text, "buffer %u (%zu bytes)", a->serial, a->size);
}

static bool first_here(rf_machine *m, const rf_instr *in, rf_check c)
{
    for (size_t i = 0; i < m->seen.len; i++)
        if (m->seen.data[i].in == in && m->seen.data[i].check == c)
            return ++m->seen.data[i].count <= m->options.max_lines;
    RF_PUSH(m->seen, (rf_seen){ in, c, 1 });
    return true;
}

static void report(const rf_warp *w, const rf_instr *in, int lane, rf_check c,
                   const char *format, va_list args)
{
    rf_grid *g = w->worker->grid;
    rf_machine *m = g->machine;
    pthread_mutex_lock(&m->lock);
    m->reports[c]++;
    if (first_here(m, in, c)) {
        rf_buf text = { 0 };
        rf_place_add(&text, g->kernel->module, in);
        rf_buf_puts(&text, ": error: ");
        rf_buf_vprintf(&text, format, args);
        rf_buf_printf(&text, " [%s]\n  kernel ", rf_check_spelling(c));
        rf_name_add(&text, g->kernel->f->name);
        rf_buf_puts(&text, ", ");
        rf_thread_add(&text, w, lane);
        rf_buf_printf(&text, ": `%.*s`\n", (int)strcspn(in->text, ";\n"),
                      in->text);
        fflush(stdout);
        fputs(rf_buf_text(&text),
              m->options.messages ? m->options.messages : stderr);
        rf_buf_free(&text);
    }
    pthread_mutex_unlock(&m->lock);
}

void rf_report(const rf_warp *w, const rf_instr *in, int lane, rf_check c,
               const char *format, ...)
{
    if (!rf_checks(w, c))
        return;
    va_list args;
    va_start(args, format);
    report(w, in, lane, c, format, args);
    va_end(args);
}

void rf_fault(const rf_warp *w, const rf_instr *in, int lane, rf_check c,
              rf_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(w, in, lane, c, format, args);
    va_end(args);
    w->worker->status = status;
    longjmp(w->worker->fault, 1);
}
