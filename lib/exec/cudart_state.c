/* The stand-in's process-wide object, registration of fat binaries, options.
 *
 * Options come in the environment, as rf-run sets them: RF_RUN_OPTIONS is a
 * list of name or name=value, separated by commas. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

#include <pthread.h>
#include <string.h>

/* ---- the object ---- */

static rf_cudart device;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void log_buffers(void)
{
    size_t n = rf_machine_buffers(device.machine, NULL, 0);
    rf_buffer *list = rf_malloc(n * sizeof *list);
    rf_machine_buffers(device.machine, list, n);
    for (size_t i = 0; i < n; i++)
        rf_cudart_log("exit", list[i].address, list[i].size,
                      (void *)list[i].address);
    free(list);
}

static void at_exit(void)
{
    fflush(stdout);
    if (device.log) {
        log_buffers();
        fclose(device.log);
    }
    if (device.report)
        rf_machine_print_report(device.machine, stdout,
                                !strcmp(device.report, "json"));
    FILE *result = device.result ? fopen(device.result, "w") : NULL;
    if (result) {
        fprintf(result, "%zu\n",
                rf_machine_reports(device.machine, RF_CHECK_COUNT));
        rf_machine_print_checks(device.machine, result);
        fclose(result);
    }
}

static void start(void)
{
    const char *text = getenv("RF_RUN_OPTIONS");
    rf_exec_options options = rf_exec_defaults();
    if (text)
        rf_exec_options_parse(&options, text);
    device.report = getenv("RF_RUN_REPORT");
    device.result = getenv("RF_RUN_RESULT");
    options.report = device.report != NULL;
    device.room = options.room;
    device.machine = rf_machine_new(&options);
    const char *log = getenv("RF_RUN_LOG");
    device.log = log ? fopen(log, "wb") : NULL;
    atexit(at_exit);
}

rf_cudart *rf_cudart_get(void)
{
    pthread_once(&once, start);
    return &device;
}

cudaError_t rf_cudart_return(cudaError_t error)
{
    rf_cudart *d = rf_cudart_get();
    if (error)
        d->last = error;
    return error ? error : d->sticky;
}

rf_cudart_function *rf_cudart_find(const void *stub)
{
    rf_cudart *d = rf_cudart_get();
    for (size_t i = 0; i < d->functions.len; i++) {
        rf_cudart_function *f = d->functions.data[i];
        if (f->host != stub && f != stub)
            continue;
        if (!f->kernel && f->fatbin->module)
            f->kernel = rf_module_kernel(f->fatbin->module, f->name);
        return f->kernel ? f : NULL;
    }
    return NULL;
}

uint64_t rf_cudart_symbol(const void *stub, size_t *size)
{
    rf_cudart *d = rf_cudart_get();
    for (size_t i = 0; i < d->variables.len; i++)
        if (d->variables.data[i].host == stub)
            return rf_module_symbol(d->variables.data[i].fatbin->module,
                                    d->variables.data[i].name, size);
    return 0;
}

/* ---- registration, called by code that nvcc generates ---- */

typedef struct {
    int magic, version;
    const uint8_t *data;
    void *file;
} wrapper;

enum { FATBIN_MAGIC = 0x466243b1, KIND_PTX = 1 };

/* An entry: kind u16, version u16, header u32, size u64, ..., flags at 40. */
static char *find_ptx(const uint8_t *header)
{
    uint16_t skip, kind;
    uint64_t total, size, flags;
    uint32_t head;
    memcpy(&skip, header + 6, 2);
    memcpy(&total, header + 8, 8);
    const uint8_t *e = header + skip, *end = e + total;
    for (; e < end; e += head + size) {
        memcpy(&kind, e, 2);
        memcpy(&head, e + 4, 4);
        memcpy(&size, e + 8, 8);
        memcpy(&flags, e + 40, 8);
        if (kind != KIND_PTX || flags & 0xf000) /* compressed */
            continue;
        char *text = rf_malloc(size + 1);
        memcpy(text, e + head, size);
        text[size] = 0;
        return text;
    }
    return NULL;
}

char *rf_cudart_ptx(const void *binary)
{
    const wrapper *w = binary;
    return w->magic == FATBIN_MAGIC ? find_ptx(w->data) : NULL;
}

_Noreturn static void give_up(const char *why)
{
    fprintf(stderr, "rf-run: error: %s\n", why);
    exit(1);
}

void **__cudaRegisterFatBinary(void *binary);
void **__cudaRegisterFatBinary(void *binary)
{
    char *error = NULL;
    char *ptx = rf_cudart_ptx(binary);
    if (!ptx)
        give_up("the program has no readable PTX: build it with -gencode "
                "arch=compute_90a,code=compute_90a -no-compress");
    rf_fatbin *f = rf_malloc(sizeof *f);
    f->module = rf_module_load(rf_cudart_get()->machine, ptx, &error);
    if (!f->module)
        give_up(error);
    free(ptx);
    return (void **)f;
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
    free(handle);
}

char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_name,
                            const char *name, int limit, void *tid, void *bid,
                            void *block, void *grid, int *size);
void __cudaRegisterFunction(void **handle, const char *host, char *device_name,
                            const char *name, int limit, void *tid, void *bid,
                            void *block, void *grid, int *size)
{
    (void)device_name, (void)limit, (void)tid, (void)bid, (void)block;
    (void)grid, (void)size;
    rf_cudart_function *f = rf_malloc(sizeof *f);
    *f = (rf_cudart_function){ .host = host,
                               .name = rf_strdup(name),
                               .fatbin = (rf_fatbin *)handle };
    RF_PUSH(rf_cudart_get()->functions, f);
}

void __cudaRegisterVar(void **handle, char *host, char *address,
                       const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *address,
                       const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)address, (void)external, (void)size, (void)constant, (void)global;
    RF_PUSH(rf_cudart_get()->variables,
            (rf_cudart_variable){ host, rf_strdup(name), (rf_fatbin *)handle });
}

void __cudaRegisterManagedVar(void **handle, void **host, char *address,
                              const char *name, int external, size_t size,
                              int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *address,
                              const char *name, int external, size_t size,
                              int constant, int global)
{
    __cudaRegisterVar(handle, (char *)host, address, name, external, size,
                      constant, global);
    *host = (void *)rf_module_symbol(((rf_fatbin *)handle)->module, name, NULL);
}

/* ---- the log of --compare: see tool/rf-run/compare.c ---- */

void rf_cudart_log(const char *kind, uint64_t address, size_t size,
                   const void *bytes)
{
    rf_cudart *d = rf_cudart_get();
    if (d->log)
        rf_machine_log(d->machine, d->log, kind, d->launched, address, size,
                       bytes);
}

#endif
