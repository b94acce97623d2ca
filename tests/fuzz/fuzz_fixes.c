/* Any text as exported fixes: --apply writes nothing but what fits. */
#include "apply.h"

#include "edit/edit.h"
#include "support/hash.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/rf-fuzz-XXXXXX";
static const char source[] = "void f()\n{\n    loop();\n}\n";

static void clean_up(void)
{
    static const char *const names[] = { "f.yaml", "a.cu" };
    char path[64];
    for (size_t i = 0; i < RF_COUNTOF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* FILE and HASH in the input stand for the file and its hash. */
static void put_export(rf_buf *out, const uint8_t *data, size_t size)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx",
             (unsigned long long)rf_hash64(source, sizeof source - 1));
    for (size_t i = 0; i < size; i++) {
        if (size - i >= 4 && !memcmp(data + i, "FILE", 4)) {
            rf_buf_printf(out, "%s/a.cu", folder);
            i += 3;
        } else if (size - i >= 4 && !memcmp(data + i, "HASH", 4)) {
            rf_buf_puts(out, hash);
            i += 3;
        } else {
            rf_buf_putc(out, (char)data[i]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    if (!made) {
        made = mkdtemp(folder) != NULL;
        atexit(clean_up);
    }
    const char *why;
    rf_arena *arena = rf_arena_new();
    rf_buf text = { 0 };
    put_export(&text, data, size);
    const char *file = rf_arena_printf(arena, "%s/a.cu", folder);
    const char *yaml = rf_arena_printf(arena, "%s/f.yaml", folder);
    rf_file_write(arena, file, source, sizeof source - 1, &why);
    rf_file_write(arena, yaml, rf_buf_text(&text), text.len, &why);
    rf_options options = { .quiet = true };
    RF_PUSH(options.files.list, yaml);
    rf_apply(&options);
    RF_CLEAR(options.files.list);
    rf_buf_free(&text);
    rf_arena_free(arena);
    return 0;
}
