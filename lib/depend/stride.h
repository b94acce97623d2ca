/* Indices with symbolic strides. Private to depend/. */
#ifndef RF_DEPEND_STRIDE_H
#define RF_DEPEND_STRIDE_H

#include "depend/inside.h"

/* A set where "form", with products of counters and sizes, is 0: all such
 * points if "exact", else only some. NULL: no strides could be found. */
isl_set *rf_stride_zero_set(rf_scope *scope, const rf_form *form, bool *exact);

#endif
