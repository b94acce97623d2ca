/* -rdc=true: every source becomes an object of its own; their device code is
 * linked when the program starts (exec/cudart_link.c). An object calls
 * __cudaRegisterLinkedBinary_ID, a function that nvlink would make; this file
 * finds the names in the objects and makes the functions. */
#include "rf_run.h"

#include <string.h>

bool rf_run_is_relocatable(const rf_run_options *o)
{
    static const char *const flags[] = {
        "-rdc=true",  "-rdc",
        "--rdc=true", "--relocatable-device-code=true",
        "-dc",        "--device-c"
    };
    for (size_t i = 0; i < o->nvcc.len; i++)
        for (size_t k = 0; k < RF_COUNTOF(flags); k++)
            if (!strcmp(o->nvcc.data[i], flags[k]))
                return true;
    return false;
}

bool rf_run_is_rdc_flag(const char *flag)
{
    return !strncmp(flag, "-rdc", 4) || !strncmp(flag, "--rdc", 5) ||
           !strncmp(flag, "--relocatable-device-code", 25) ||
           !strcmp(flag, "-dc") || !strcmp(flag, "--device-c");
}

static bool is_new(const rf_words *names, const char *name)
{
    for (size_t i = 0; i < names->len; i++)
        if (!strcmp(names->data[i], name))
            return false;
    return true;
}

/* Symbols stand in an object's string table, each ended by a NUL. */
static void find_names(const char *path, rf_words *names)
{
    static const char prefix[] = "__cudaRegisterLinkedBinary_";
    size_t size;
    char *bytes = rf_run_read(path, &size);
    const char *end = bytes + size;
    for (const char *p = bytes; p && p + sizeof prefix < end; p++) {
        p = memchr(p, '_', (size_t)(end - p));
        if (!p || p + sizeof prefix >= end)
            break;
        if (!memcmp(p, prefix, sizeof prefix - 1) && is_new(names, p))
            RF_PUSH(*names, rf_strdup(p));
    }
    free(bytes);
}

bool rf_run_write_link(const rf_words *objects, const char *path)
{
    rf_words names = { 0 };
    FILE *f = fopen(path, "w");
    for (size_t i = 0; i < objects->len; i++)
        find_names(objects->data[i], &names);
    if (f)
        fputs("void rf_cudart_link(void (*)(void **), const void *, "
              "unsigned long);\n",
              f);
    for (size_t i = 0; f && i < names.len; i++)
        fprintf(f,
                "void %s(void (*enter)(void **), void *binary, void *id,\n"
                "    void (*unused)(void *))\n"
                "{\n    (void)id, (void)unused;\n"
                "    rf_cudart_link(enter, binary, %zu);\n}\n",
                names.data[i], names.len);
    for (size_t i = 0; i < names.len; i++)
        free((char *)names.data[i]);
    RF_CLEAR(names);
    return f && !fclose(f);
}
