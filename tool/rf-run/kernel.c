/* --kernel: one kernel of a file, launched on buffers that --args describes.
 *
 * The file is compiled to PTX and run in this process: once, or, with
 * --compare, with and without -DRF_REFERENCE on equal buffers. --edges repeats
 * that for special values and for awkward values of every name of --set. */
#include "rf_run.h"
#include "spec.h"

#include <math.h>
#include <string.h>

/* ---- one case ---- */

typedef struct {
    const rf_run_options *o;
    const rf_spec *spec;
    const char *ptx[2]; /* reference, fused; one may be NULL */
    rf_variables variables;
    const char *special; /* fill of this case, or NULL */
    size_t cases, failures;
} campaign;

typedef struct {
    rf_machine *machine;
    uint64_t *values; /* one an argument: address or bits */
    size_t n;
    char *log; /* owned */
    size_t log_size;
    rf_status status;
} run;

static bool make_buffer(campaign *c, run *r, size_t i, uint64_t *address)
{
    const rf_spec_arg *a = &c->spec->args.data[i];
    int64_t n;
    if (!rf_spec_value(a->size, &c->variables, &n) || n < 0)
        return false;
    size_t bytes = (size_t)n * rf_type_bytes(a->type);
    *address = rf_machine_alloc(r->machine, bytes ? bytes : 1);
    if (!*address)
        return false;
    if (!*a->value || !strcmp(a->value, "none"))
        return true;
    if (!rf_fill((void *)*address, a->type, (size_t)n, a->value, c->special,
                 c->o->seed * 1000 + i + 1))
        return false;
    rf_machine_wrote(r->machine, *address, bytes);
    return true;
}

static bool make_value(campaign *c, const rf_spec_arg *a, uint64_t *bits)
{
    char *end;
    double number = strtod(a->value, &end);
    if (end != a->value && !*end && rf_type_class(a->type) == 'f') {
        *bits = rf_fill_number(a->type, number);
        return true;
    }
    int64_t v;
    if (!rf_spec_value(a->value, &c->variables, &v))
        return false;
    *bits = rf_type_class(a->type) == 'f' ? rf_fill_number(a->type, (double)v)
                                          : (uint64_t)v;
    return true;
}

static bool make_args(campaign *c, run *r)
{
    r->n = c->spec->args.len;
    r->values = rf_malloc((r->n + 1) * sizeof *r->values);
    for (size_t i = 0; i < r->n; i++) {
        const rf_spec_arg *a = &c->spec->args.data[i];
        if (a->is_buffer ? !make_buffer(c, r, i, &r->values[i])
                         : !make_value(c, a, &r->values[i]))
            return false;
    }
    return true;
}

/* "scale" is _Z5scalePfi, or its mangled name itself. */
static bool has_name(const char *mangled, const char *name)
{
    char part[300];
    if (!strcmp(mangled, name))
        return true;
    snprintf(part, sizeof part, "%zu%s", strlen(name), name);
    const char *p = !strncmp(mangled, "_Z", 2) ? strstr(mangled, part) : NULL;
    return p && !strchr("0123456789", p[-1]);
}

static rf_kernel *find_kernel(rf_module *m, const char *name)
{
    rf_kernel *k;
    for (size_t i = 0; (k = rf_module_kernel_at(m, i)); i++)
        if (has_name(rf_kernel_get_info(k).name, name))
            return k;
    fprintf(stderr, "rf-run: error: no kernel %s; the file has:\n", name);
    for (size_t i = 0; (k = rf_module_kernel_at(m, i)); i++)
        fprintf(stderr, "  %s\n", rf_kernel_get_info(k).name);
    return NULL;
}

static bool launch(campaign *c, run *r, rf_kernel *k)
{
    const rf_spec *s = c->spec;
    int64_t shared = 0;
    rf_launch l = { .kernel = k, .cooperative = s->cooperative };
    if (rf_kernel_get_info(k).n_params != r->n) {
        fprintf(stderr,
                "rf-run: error: the kernel has %u parameters, --args "
                "gives %zu\n",
                rf_kernel_get_info(k).n_params, r->n);
        return false;
    }
    if (!rf_spec_shape(s->grid, &c->variables, &l.grid) ||
        !rf_spec_shape(s->block, &c->variables, &l.block) ||
        (s->cluster && !rf_spec_shape(s->cluster, &c->variables, &l.cluster)) ||
        (s->shared && !rf_spec_value(s->shared, &c->variables, &shared)))
        return false;
    void **args = rf_malloc((r->n + 1) * sizeof *args);
    for (size_t i = 0; i < r->n; i++)
        args[i] = &r->values[i];
    l.args = args;
    l.dynamic_shared = (uint32_t)shared;
    if (l.grid.x && l.grid.y && l.grid.z)
        r->status = rf_machine_launch(r->machine, &l);
    free(args);
    return true;
}

static void write_log(run *r)
{
    FILE *f = open_memstream(&r->log, &r->log_size);
    size_t n = rf_machine_buffers(r->machine, NULL, 0);
    rf_buffer *list = rf_malloc((n + 1) * sizeof *list);
    rf_machine_buffers(r->machine, list, n);
    for (size_t i = 0; i < n; i++)
        rf_machine_log(r->machine, f, "exit", NULL, list[i].address,
                       list[i].size, (void *)list[i].address);
    free(list);
    fclose(f);
}

static rf_exec_options options_of(const campaign *c)
{
    rf_exec_options options = rf_exec_defaults();
    rf_exec_options_parse(&options, rf_buf_text(&c->o->options));
    options.report = c->o->report != NULL;
    return options;
}

static bool run_one(campaign *c, const char *ptx, rf_exec_options options,
                    run *r)
{
    char *error = NULL;
    r->machine = rf_machine_new(&options);
    rf_module *m = rf_module_load(r->machine, ptx, &error);
    rf_kernel *k = m ? find_kernel(m, c->o->kernel) : NULL;
    if (error)
        fprintf(stderr, "rf-run: error: %s\n", error);
    free(error);
    if (!k || !make_args(c, r) || !launch(c, r, k))
        return false;
    write_log(r);
    return true;
}

static void run_free(run *r)
{
    rf_machine_free(r->machine);
    free(r->values);
    free(r->log);
}

/* ---- what a case shows ---- */

static void print_case(const campaign *c)
{
    for (size_t i = 0; i < c->variables.len; i++)
        printf(" %s=%lld", c->variables.data[i].name,
               (long long)c->variables.data[i].value);
    if (c->special)
        printf(" fill=%s", c->special);
}

static void print_element(rf_type type, const uint8_t *p)
{
    uint64_t bits = 0;
    memcpy(&bits, p, rf_type_bytes(type));
    if (rf_type_class(type) == 's')
        printf(" %lld",
               (long long)((int64_t)(bits << (64 - 8 * rf_type_bytes(type))) >>
                           (64 - 8 * rf_type_bytes(type))));
    else if (rf_type_class(type) == 'f')
        printf(" %.7g", rf_fill_value(type, bits));
    else
        printf(" %llu", (unsigned long long)bits);
}

static void print_buffers(const campaign *c, const run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const rf_spec_arg *a = &c->spec->args.data[i];
        uint64_t start;
        size_t size;
        if (!a->is_buffer ||
            !rf_machine_buffer(r->machine, r->values[i], &start, &size))
            continue;
        size_t n = size / rf_type_bytes(a->type);
        printf("argument %zu, %s[%zu]:", i, rf_type_spelling(a->type), n);
        for (size_t k = 0; k < n && k < 8; k++)
            print_element(a->type,
                          (uint8_t *)start + k * rf_type_bytes(a->type));
        puts(n > 8 ? " ..." : "");
    }
}

static void print_difference(void *context, const rf_difference *d)
{
    const campaign *c = context;
    printf("%s: error: kernel %s,", c->o->file, c->o->kernel);
    print_case(c);
    printf(": buffer %u, element %llu (%s): reference %.9g, fused %.9g, %.0f "
           "ulp; %llu of %llu elements differ [rf-run-compare]\n",
           d->buffer, (unsigned long long)d->index, d->element, d->reference,
           d->fused, d->ulps, (unsigned long long)d->differing,
           (unsigned long long)d->compared);
}

/* ---- cases ---- */

/* The log of one of the two in another rounding. */
static char *again(void *context, bool fused, rf_rounding rounding,
                   size_t *size)
{
    campaign *c = context;
    rf_exec_options options = options_of(c);
    run r = { 0 };
    options.rounding = rounding;
    options.disabled = ~0u;
    options.report = false;
    bool ok = run_one(c, c->ptx[fused], options, &r);
    char *log = ok ? r.log : NULL;
    *size = ok ? r.log_size : 0;
    if (ok)
        r.log = NULL;
    run_free(&r);
    return log;
}

static bool judge(campaign *c, const run *a, const run *b)
{
    rf_arena *arena = rf_arena_new();
    rf_comparison r = rf_run_compare_logs(
        c->o, arena,
        &(rf_run_logs){ .bytes = { a->log, b->log },
                        .size = { a->log_size, b->log_size },
                        .context = c,
                        .again = again,
                        .report = print_difference });
    bool ok = !r.differing && !r.mismatch && a->status == b->status &&
              !rf_run_undecided(c->o, &r);
    size_t before = rf_machine_reports(a->machine, RF_CHECK_COUNT);
    size_t after = rf_machine_reports(b->machine, RF_CHECK_COUNT);
    if (a->status != b->status)
        printf("%s: error: the launch of the fused kernel gives error %d, "
               "that of the reference %d [rf-run-compare]\n",
               c->o->file, b->status, a->status);
    if (after && !before) {
        printf("%s: error: checks fire only in the fused kernel "
               "[rf-run-compare]\n",
               c->o->file);
        ok = false;
    }
    rf_arena_free(arena);
    return ok;
}

/* Run the case that the campaign describes; false: it cannot be run. */
static bool run_case(campaign *c)
{
    run r[2] = { 0 };
    bool ok = true;
    for (int i = 0; i < 2; i++)
        ok = ok && (!c->ptx[i] || run_one(c, c->ptx[i], options_of(c), &r[i]));
    c->cases++;
    if (ok && c->ptx[0]) {
        c->failures += !judge(c, &r[0], &r[1]);
    } else if (ok) {
        size_t reports = rf_machine_reports(r[1].machine, RF_CHECK_COUNT);
        c->failures += reports != 0 || r[1].status != RF_OK;
        if (r[1].status)
            printf("rf-run: error: the launch gives error %d\n", r[1].status);
        if (!c->o->edges)
            print_buffers(c, &r[1]);
        if (c->o->report)
            rf_machine_print_report(r[1].machine, stdout,
                                    !strcmp(c->o->report, "json"));
    }
    run_free(&r[0]);
    run_free(&r[1]);
    return ok;
}

static bool all_fills(campaign *c)
{
    for (int i = 0; rf_fill_specials[i]; i++) {
        c->special = rf_fill_specials[i];
        if (!run_case(c))
            return false;
    }
    return true;
}

/* Every name takes every awkward size while the others keep their values. */
static bool all_edges(campaign *c)
{
    static const int64_t sizes[] = { 0,  1,  2,   31,  32,  33,
                                     61, 64, 127, 128, 129, 251 };
    if (!all_fills(c))
        return false;
    for (size_t v = 0; v < c->variables.len; v++) {
        int64_t kept = c->variables.data[v].value;
        for (size_t i = 0; i < RF_COUNTOF(sizes); i++) {
            c->variables.data[v].value = sizes[i];
            if (!all_fills(c))
                return false;
        }
        c->variables.data[v].value = kept;
    }
    return true;
}

/* ---- the mode ---- */

static int run_campaign(campaign *c)
{
    bool ok = rf_spec_variables(&c->variables, c->o->set) &&
              (c->o->edges ? all_edges(c) : run_case(c));
    RF_CLEAR(c->variables);
    if (!ok)
        return 1;
    if (c->o->edges || c->ptx[0])
        printf("rf-run: %zu of %zu cases fail\n", c->failures, c->cases);
    return c->failures ? 1 : 0;
}

int rf_run_kernel(const rf_run_options *o)
{
    rf_arena *arena = rf_arena_new();
    rf_spec spec = { .arena = arena };
    campaign c = { .o = o, .spec = &spec };
    char *folder = rf_run_folder(), *fused = NULL, *reference = NULL;
    int code = 1;
    if (rf_spec_parse(&spec, o->args, o->launch) &&
        (fused = rf_run_ptx(o, NULL, folder)) &&
        (!o->compare ||
         (reference = rf_run_ptx(o, "-DRF_REFERENCE", folder)))) {
        c.ptx[0] = reference;
        c.ptx[1] = fused;
        code = run_campaign(&c);
    }
    rf_run_remove(o, folder);
    free(folder);
    free(fused);
    free(reference);
    RF_CLEAR(spec.args);
    rf_arena_free(arena);
    return code;
}
