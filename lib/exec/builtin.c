/* Functions that CUDA programs call and no module defines: printf, assert,
 * malloc. Their arguments lie in the caller's local memory. */
#include "exec/device.h"

#include <string.h>

typedef struct {
    rf_warp *w;
    const rf_instr *in;
    int lane;
} call;

static uint8_t *place(const call *c, uint32_t offset)
{
    rf_warp *w = c->w;
    uint32_t base = w->depth[rf_call_depth(w, c->lane)].local[c->lane];
    return w->local + (size_t)c->lane * w->local_size + base + offset;
}

static uint64_t argument(const call *c, uint32_t n)
{
    const rf_extra *x = c->in->extra;
    uint64_t v = 0;
    if (n < x->n_args)
        memcpy(&v, place(c, x->arg_offset[n]),
               x->arg_size[n] > 8 ? 8 : x->arg_size[n]);
    return v;
}

static void give(const call *c, uint64_t v)
{
    const rf_extra *x = c->in->extra;
    if (x->n_results)
        memcpy(place(c, x->result_offset[0]), &v,
               x->result_size[0] > 8 ? 8 : x->result_size[0]);
}

/* ---- memory of the device, as the host reads it ---- */

static void fetch(const call *c, uint64_t address, void *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ((uint8_t *)to)[i] =
            *rf_resolve_one(c->w, c->in, c->lane, RF_SPACE_GENERIC, address + i,
                            1, RF_LOAD, NULL);
}

static void fetch_string(const call *c, uint64_t address, rf_buf *to)
{
    char ch;
    rf_buf_puts(to, "");
    for (;; address++) {
        fetch(c, address, &ch, 1);
        if (!ch)
            return;
        rf_buf_putc(to, ch);
    }
}

/* ---- vprintf(format, arguments) ---- */

typedef struct {
    const call *c;
    uint64_t at; /* the next argument */
    rf_buf *out;
} printer;

static uint64_t next(printer *p, uint32_t size)
{
    uint64_t v = 0;
    p->at = (p->at + size - 1) & ~(uint64_t)(size - 1);
    fetch(p->c, p->at, &v, size);
    p->at += size;
    return v;
}

/* Copy a conversion to "spec", '*' replaced by its argument; return the
 * character that ends it. "wide" tells of 64-bit integers. */
static const char *conversion(printer *p, const char *f, rf_buf *spec,
                              bool *wide)
{
    rf_buf_putc(spec, '%');
    for (f++; *f && strchr("-+ #0123456789.*hlLzjt", *f); f++) {
        if (*f == '*')
            rf_buf_printf(spec, "%d", (int)next(p, 4));
        else if (!strchr("hlLzjt", *f))
            rf_buf_putc(spec, *f);
        *wide |= strchr("lzjt", *f) && *f;
    }
    return f;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_one(printer *p, rf_buf *spec, char kind, bool wide)
{
    if (kind == 's') {
        rf_buf text = { 0 };
        fetch_string(p->c, next(p, 8), &text);
        rf_buf_putc(spec, 's');
        rf_buf_printf(p->out, spec->data, rf_buf_text(&text));
        rf_buf_free(&text);
    } else if (strchr("feEgGaAF", kind)) {
        rf_buf_putc(spec, kind);
        rf_buf_printf(p->out, spec->data, rf_f64(next(p, 8)));
    } else if (kind == 'p') {
        rf_buf_putc(spec, kind);
        rf_buf_printf(p->out, spec->data, (void *)next(p, 8));
    } else if (wide) {
        rf_buf_puts(spec, "ll");
        rf_buf_putc(spec, kind);
        rf_buf_printf(p->out, spec->data, (long long)next(p, 8));
    } else {
        rf_buf_putc(spec, kind);
        rf_buf_printf(p->out, spec->data, (int)next(p, 4));
    }
}

static void print(const call *c, uint64_t format, uint64_t arguments)
{
    rf_buf text = { 0 }, out = { 0 };
    printer p = { c, arguments, &out };
    fetch_string(c, format, &text);
    for (const char *f = rf_buf_text(&text); *f; f++) {
        if (*f != '%') {
            rf_buf_putc(&out, *f);
            continue;
        }
        if (f[1] == '%') {
            rf_buf_putc(&out, *f++);
            continue;
        }
        rf_buf spec = { 0 };
        bool wide = false;
        f = conversion(&p, f, &spec, &wide);
        if (*f)
            print_one(&p, &spec, *f, wide);
        rf_buf_free(&spec);
        if (!*f)
            break;
    }
    fwrite(rf_buf_text(&out), 1, out.len, stdout);
    give(c, out.len);
    rf_buf_free(&text);
    rf_buf_free(&out);
}

static void fail_assertion(const call *c)
{
    rf_buf text = { 0 };
    fetch_string(c, argument(c, 0), &text);
    char message[200];
    snprintf(message, sizeof message, "%s", rf_buf_text(&text));
    rf_buf_free(&text);
    rf_fault(c->w, c->in, c->lane, RF_CHECK_ASSERT, RF_ASSERT,
             "assertion failed: %s", message);
}

static void device_malloc(const call *c)
{
    give(c, rf_machine_alloc(c->w->worker->machine, argument(c, 0)));
}

static void device_free(const call *c)
{
    uint64_t a = argument(c, 0);
    if (a && !rf_machine_release(c->w->worker->machine, a))
        rf_fault(c->w, c->in, c->lane, RF_CHECK_FREED, RF_ILLEGAL_ADDRESS,
                 "free of 0x%llx, which is not the start of a buffer",
                 (unsigned long long)a);
}

static void vprintf_call(const call *c)
{
    print(c, argument(c, 0), argument(c, 1));
}

static const struct {
    const char *name;
    void (*run)(const call *);
} builtins[] = { { "vprintf", vprintf_call },
                 { "__assertfail", fail_assertion },
                 { "malloc", device_malloc },
                 { "free", device_free } };

void rf_builtin_run(rf_warp *w, const rf_instr *in, const char *name,
                    uint32_t mask)
{
    for (size_t b = 0; b < RF_COUNTOF(builtins); b++) {
        if (strcmp(builtins[b].name, name))
            continue;
        RF_EACH_LANE(i, mask)
        {
            builtins[b].run(&(call){ w, in, i });
        }
        w->worker->progress++;
        return;
    }
    rf_fault(w, in, __builtin_ctz(mask), RF_CHECK_UNKNOWN, RF_NOT_SUPPORTED,
             "call of %s, which no module defines", name);
}
