/* Atomic operations on bytes of memory. */
#ifndef RF_EXEC_ATOMIC_H
#define RF_EXEC_ATOMIC_H

#include "exec/machine.h"

/* Combine the cell of "type" at "p" with b (and c); return its old value and
 * say whether it changed. Atomic with respect to other host threads. */
uint64_t rf_atomic_do(rf_atomic op, rf_type type, uint8_t *p, uint64_t b,
                      uint64_t c, rf_round round, bool *changed);

#endif
