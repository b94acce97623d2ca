/* Devices that users describe: figures in place of those of the table. */
#ifndef RF_TOOL_DEVICES_H
#define RF_TOOL_DEVICES_H

#include "plan/devices.h"
#include "support/arena.h"
#include "support/array.h"

/* Devices of a file, in its order. */
typedef struct rf_devices {
    RF_ARRAY(rf_device) list;
} rf_devices;

/* Read the devices of the file "path" into "arena". Return -1 with a message
 * at "*why", "FILE:LINE:COLUMN: error: ...". */
int rf_devices_read(rf_arena *arena, const char *path, const rf_devices **out,
                    const char **why);
/* The device for "arch": the user's if there is one of that name, else the
 * table's. "own" may be NULL. */
const rf_device *rf_devices_find(const rf_devices *own, const char *arch);

#endif
