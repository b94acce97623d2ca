/* Relocatable device code (-rdc=true): what nvlink does for a device.
 *
 * Each object calls __cudaRegisterLinkedBinary_ID with its PTX and a function
 * that registers its kernels. rf-run makes these functions; all of them call
 * rf_cudart_link, which waits for the last and then loads the texts as one
 * module. */
#include "exec/cudart.h"
#ifdef RF_HAVE_CUDA

typedef void registration(void **handle);

typedef struct {
    registration *enter;
    const void *binary;
} object;

static RF_ARRAY(object) objects;

static rf_fatbin *load(void)
{
    size_t n = objects.len;
    char **ptx = rf_malloc(n * sizeof *ptx), *error = NULL;
    for (size_t i = 0; i < n; i++)
        if (!(ptx[i] = rf_cudart_ptx(objects.data[i].binary)))
            error = "an object has no readable PTX";
    rf_fatbin *f = rf_malloc(sizeof *f);
    f->module = error ? NULL
                      : rf_module_link(rf_cudart_get()->machine,
                                       (const char *const *)ptx, n, &error);
    if (!f->module) {
        fprintf(stderr, "rf-run: error: device link: %s\n", error);
        exit(1);
    }
    for (size_t i = 0; i < n; i++)
        free(ptx[i]);
    free(ptx);
    return f;
}

/* Called by generated code: one of "total" objects. */
void rf_cudart_link(registration *enter, const void *binary, size_t total);
void rf_cudart_link(registration *enter, const void *binary, size_t total)
{
    RF_PUSH(objects, (object){ enter, binary });
    if (objects.len < total)
        return;
    void **handle = (void **)load();
    for (size_t i = 0; i < objects.len; i++)
        objects.data[i].enter(handle);
    RF_CLEAR(objects);
}

#endif
