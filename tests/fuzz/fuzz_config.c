/* Any text as a configuration, a line filter and a compile command. */
#include "config.h"
#include "front/nvcc_flags.h"
#include "report/report.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rf_arena *arena = rf_arena_new();
    rf_options options = { .config = rf_arena_strndup(arena, (const char *)data,
                                                      size) };
    rf_config config;
    rf_command words = { 0 }, flags = { 0 };
    const char *why;
    if (!rf_config_read(arena, &options, "a.cu", &config, &why)) {
        options.arena = rf_arena_new();
        rf_config_apply(&config, arena, &options);
        rf_options_free(&options);
    }
    rf_config_free(&config);
    rf_line_filter_free(rf_line_filter_read(arena, options.config, &why));
    rf_command_split(arena, options.config, &words);
    rf_command_translate(arena, &words, "/nonexistent", &flags);
    RF_CLEAR(words.list);
    RF_CLEAR(flags.list);
    rf_arena_free(arena);
    return 0;
}
