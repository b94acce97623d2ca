/* --apply: exported fixes, checked and written. */
#ifndef RF_TOOL_APPLY_H
#define RF_TOOL_APPLY_H

#include "options.h"

/* Apply the fixes of the YAML files in "options". A file whose content is not
 * the one that was analysed, or whose fixes overlap, is left as it is; so is
 * everything if one of the YAML files cannot be read. Return the exit code. */
int rf_apply(const rf_options *options);

#endif
