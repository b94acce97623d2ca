/* The declaration header, precompiled when that is possible. */
#include "front/reader.h"

void rf_flags_add_header(rf_flags *flags, rf_arena *arena,
                         const rf_front_options *options, rf_headers headers,
                         const char *include)
{
    (void)options;
    if (headers == RF_HEADERS_TOOLKIT)
        return;
    RF_PUSH(flags->list, "-include");
    RF_PUSH(flags->list, rf_arena_printf(arena, "%s/rf_cuda.h", include));
}
