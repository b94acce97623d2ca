/* Where things are on this machine: the CUDA toolkit and our own headers. */
#include "front/front.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static bool is_toolkit(rf_arena *arena, const char *root)
{
    return !access(rf_arena_printf(arena, "%s/include/cuda_runtime.h", root),
                   R_OK);
}

static const char *parent(rf_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? rf_arena_strndup(arena, path, (size_t)(slash - path)) : "";
}

/* The toolkit of the nvcc in folder "dir": two levels up, links followed. */
static const char *from_nvcc(rf_arena *arena, const char *dir)
{
    char real[PATH_MAX];
    if (!realpath(rf_arena_printf(arena, "%s/nvcc", dir), real))
        return NULL;
    const char *root = parent(arena, parent(arena, real));
    return is_toolkit(arena, root) ? root : NULL;
}

static const char *from_path(rf_arena *arena)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        const char *dir = rf_arena_strndup(arena, path, n);
        const char *root = n ? from_nvcc(arena, dir) : NULL;
        if (root)
            return root;
        path += n + (path[n] == ':');
    }
    return NULL;
}

const char *rf_toolkit_find(rf_arena *arena, const char *wanted)
{
    if (wanted)
        return is_toolkit(arena, wanted) ? rf_arena_strdup(arena, wanted)
                                         : NULL;
    static const char *const variables[] = { "CUDA_PATH", "CUDA_HOME" };
    for (size_t i = 0; i < RF_COUNTOF(variables); i++) {
        const char *root = getenv(variables[i]);
        if (root && *root && is_toolkit(arena, root))
            return rf_arena_strdup(arena, root);
    }
    const char *root = from_path(arena);
    if (root)
        return root;
    static const char *const folders[] = { "/usr/local/cuda", "/opt/cuda",
                                           "/usr/lib/cuda", "/usr" };
    for (size_t i = 0; i < RF_COUNTOF(folders); i++)
        if (is_toolkit(arena, folders[i]))
            return folders[i];
    return NULL;
}

static bool has_headers(rf_arena *arena, const char *folder)
{
    return !access(rf_arena_printf(arena, "%s/rf_cuda.h", folder), R_OK);
}

/* Beside an installed program: PREFIX/bin/rf-rewrite reads
 * PREFIX/share/rf-rewrite/include. */
static const char *beside_program(rf_arena *arena)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return NULL;
    path[n] = 0;
    const char *folder = rf_arena_printf(arena, "%s/share/rf-rewrite/include",
                                         parent(arena, parent(arena, path)));
    return has_headers(arena, folder) ? folder : NULL;
}

const char *rf_include_find(rf_arena *arena, const char *wanted)
{
    if (wanted)
        return has_headers(arena, wanted) ? wanted : NULL;
    const char *folder = beside_program(arena);
    if (folder)
        return folder;
#ifdef RF_DATA_DIR
    if (has_headers(arena, RF_DATA_DIR "/include"))
        return RF_DATA_DIR "/include";
#endif
    folder = RF_SOURCE_DIR "/lib/front/include";
    return has_headers(arena, folder) ? folder : NULL;
}
