/* The compiler's arguments: ours, then the user's with nvcc's own spelling
 * translated or left out. */
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

static const char *const common[] = {
    "-xcuda",          "--cuda-device-only",  "-Wno-everything",
    "-ferror-limit=0", "-fno-spell-checking",
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

/* Flags of nvcc that say nothing about the text: with a value after them, or
 * alone. */
static const char *const ignored_with_value[] = {
    "-gencode",       "--generate-code",   "-Xcompiler",     "-Xptxas",
    "-Xlinker",       "-maxrregcount",     "--maxrregcount", "-o",
    "-ccbin",         "--compiler-bindir", "-code",          "-Xnvlink",
    "-diag-suppress", "--diag-suppress",   "-Werror",        "-t",
    "--threads",
};

static const char *const ignored[] = {
    "-c",
    "-dc",
    "-rdc",
    "-lineinfo",
    "-G",
    "-g",
    "--expt",
    "-expt",
    "-extended-lambda",
    "--extended-lambda",
    "-use_fast_math",
    "--use_fast_math",
    "-O",
    "-l",
    "-L",
    "-ptx",
    "-cubin",
    "-shared",
    "-W",
    "-Xcompiler=",
    "-Xptxas=",
    "-gencode=",
    "--generate-code=",
    "-maxrregcount=",
    "--maxrregcount=",
    "-diag-suppress=",
    "--diag-suppress=",
    "-code=",
    "-ccbin=",
    "-restrict",
    "--restrict",
    "-M",
    "-fmad",
    "--fmad",
    "-forward-unknown",
    "-x",
    "-cudart",
    "--cudart",
    "-arch=native",
    "--ptxas-options",
    "--compiler-options",
    "--relocatable-device-code",
    "-fPIC",
    "-keep",
    "--keep",
};

static bool starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static bool is_ignored(const char *flag)
{
    for (size_t i = 0; i < RF_COUNTOF(ignored); i++)
        if (starts(flag, ignored[i]))
            return true;
    return false;
}

static bool takes_ignored_value(const char *flag)
{
    for (size_t i = 0; i < RF_COUNTOF(ignored_with_value); i++)
        if (!strcmp(flag, ignored_with_value[i]))
            return true;
    return false;
}

/* The value of `-arch=sm_80`, `-arch sm_80` and their long forms, or NULL. */
static const char *arch_value(const char *const *flags, size_t n, size_t *i)
{
    static const char *const names[] = { "-arch", "--gpu-architecture",
                                         "--cuda-gpu-arch", "--offload-arch" };
    for (size_t k = 0; k < RF_COUNTOF(names); k++) {
        size_t length = strlen(names[k]);
        if (strncmp(flags[*i], names[k], length))
            continue;
        if (flags[*i][length] == '=')
            return flags[*i] + length + 1;
        if (!flags[*i][length] && *i + 1 < n)
            return flags[++*i];
    }
    return NULL;
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

/* Append the user's flags; returns the architecture they name, or NULL. */
static const char *add_user(rf_flags *out, const rf_front_options *o)
{
    const char *arch = NULL;
    for (size_t i = 0; i < o->n_flags; i++) {
        const char *flag = o->flags[i];
        const char *value = arch_value(o->flags, o->n_flags, &i);
        bool has_value;
        if (value)
            arch = value;
        else if (takes_ignored_value(flag))
            i++;
        else if (starts(flag, "--std"))
            add(out, flag + 1);
        else if (is_local(flag, &has_value)) {
            add_local(out, flag);
            if (has_value && i + 1 < o->n_flags)
                add_local(out, o->flags[++i]);
        } else if (!is_ignored(flag))
            add(out, flag);
    }
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
    const char *arch = add_user(flags, o);
    if (o->arch)
        arch = o->arch;
    if (!arch || !starts(arch, "sm_"))
        arch = "sm_90";
    add(flags, rf_arena_printf(arena, "--cuda-gpu-arch=%s", arch));
    if (o->reference)
        add_local(flags, "-DRF_REFERENCE");
    add_headers(flags, arena, headers, toolkit, include);
}
