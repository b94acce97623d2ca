/* A parsed file as text, for goldens. */
#ifndef RF_TESTS_FRONT_RENDER_H
#define RF_TESTS_FRONT_RENDER_H

#include "front/front.h"

/* Append diagnostics, functions and regions of "unit" (NULL: none) to "out". */
void render(rf_buf *out, const rf_unit *unit, const rf_diags *diags);

#endif
