/* Many files, several at a time, results in the order given. */
#ifndef RF_TOOL_BATCH_H
#define RF_TOOL_BATCH_H

#include "analysis.h"

/* Handle every file of the options (each once, whatever its name). What the
 * files print goes to "out". Return their results; the caller owns them. */
json_t *rf_batch_run(const rf_run *run, rf_buf *out);

#endif
