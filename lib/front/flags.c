/* The compiler's arguments: ours, then the user's with nvcc's own spelling
 * translated or left out. */
#include "front/nvcc_flags.h"
#include "front/reader.h"

#include <string.h>
#include <unistd.h>

/* Append a flag that changes what our header means. */
static void add(rf_flags *flags, const char *flag)
{
    RF_PUSH(flags->list, flag);
    RF_PUSH(flags->language, flag);
}

/* Append a flag of the preprocessor: our header does not depend on it. */
static void add_local(rf_flags *flags, const char *flag)
{
    RF_PUSH(flags->list, flag);
}

void rf_flags_free(rf_flags *flags)
{
    RF_CLEAR(flags->list);
    RF_CLEAR(flags->language);
}

#define ARCH "--cuda-gpu-arch="

/* With -fpch-instantiate-templates, what headers use of templates is settled
 * when they are precompiled and not again for each file (30 ms each). */
static const char *const common[] = {
    "-DRF_PLAIN",
    "-xcuda",
    "--cuda-device-only",
    "-Wno-everything",
    "-ferror-limit=0",
    "-fno-spell-checking",
    "-fpch-instantiate-templates",
};

static const char *const without_toolkit[] = {
    "-nocudainc",
    "-nocudalib",
    "--cuda-path=/nonexistent",
};

static void add_all(rf_flags *flags, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(flags, list[i]);
}

static bool starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* Flags of the preprocessor: their value is joined, or comes next. */
static const char *const local[] = { "-I",         "-D",       "-U",
                                     "-include",   "-isystem", "-iquote",
                                     "-idirafter", "-imacros" };

static bool is_local(const char *flag, bool *has_value)
{
    for (size_t i = 0; i < RF_COUNTOF(local); i++)
        if (starts(flag, local[i])) {
            *has_value = flag[strlen(local[i])] == 0;
            return true;
        }
    return false;
}

/* Append the user's flags, nvcc's among them translated; returns the
 * architecture that they name, or NULL. */
static const char *add_user(rf_flags *out, rf_arena *arena,
                            const rf_front_options *o)
{
    rf_command given = { 0 }, flags = { 0 };
    const char *arch = NULL;
    RF_PUSH(given.list, "nvcc");
    for (size_t i = 0; i < o->n_flags; i++)
        RF_PUSH(given.list, o->flags[i]);
    rf_command_translate(arena, &given, NULL, &flags);
    for (size_t i = 0; i < flags.list.len; i++) {
        const char *flag = flags.list.data[i];
        bool has_value = false;
        if (starts(flag, ARCH))
            arch = flag + strlen(ARCH);
        else if (is_local(flag, &has_value))
            add_local(out, flag);
        else if (!starts(flag, "--cuda-path"))
            add(out, flag);
        if (has_value && i + 1 < flags.list.len)
            add_local(out, flags.list.data[++i]);
    }
    RF_CLEAR(given.list);
    RF_CLEAR(flags.list);
    return arch;
}

static const char *resource_folder(rf_arena *arena)
{
    const char *version = rf_front_clang_version(arena);
    const char *digits = version + strcspn(version, "0123456789");
    const char *folder =
        rf_arena_printf(arena, "%s/lib/clang/%d", RF_LLVM_DIR, atoi(digits));
    return access(folder, R_OK) ? NULL : folder;
}

static void add_headers(rf_flags *flags, rf_arena *arena, rf_headers headers,
                        const char *toolkit, const char *include)
{
    if (headers != RF_HEADERS_TOOLKIT) {
        add_all(flags, without_toolkit, RF_COUNTOF(without_toolkit));
        add(flags, "-isystem");
        add(flags, include);
        return;
    }
    add(flags, rf_arena_printf(arena, "--cuda-path=%s", toolkit));
    add(flags, "-Wno-unknown-cuda-version");
    add(flags, "-isystem");
    add(flags, rf_arena_printf(arena, "%s/include/cccl", toolkit));
}

void rf_flags_make(rf_flags *flags, rf_arena *arena, const rf_front_options *o,
                   rf_headers headers, const char *toolkit, const char *include)
{
    add_all(flags, common, RF_COUNTOF(common));
    const char *resources = resource_folder(arena);
    if (resources) {
        add(flags, "-resource-dir");
        add(flags, resources);
    }
    const char *arch = add_user(flags, arena, o);
    if (o->arch)
        arch = o->arch;
    if (!arch || !starts(arch, "sm_"))
        arch = "sm_90";
    add(flags, rf_arena_printf(arena, ARCH "%s", arch));
    if (o->reference)
        add_local(flags, "-DRF_REFERENCE");
    add_headers(flags, arena, headers, toolkit, include);
}
