/* What a CUDA source may name, as declarations without bodies, so that files
 * can be READ on a machine without the CUDA toolkit and faster on one with it.
 * Never compile with it: nothing here is defined.
 *
 * The types, names and overloads follow the CUDA documentation; where a choice
 * of overload decides how a program rounds (half operators, min and max, the
 * math functions), the declared result types are those of the toolkit. */
#pragma once
#pragma GCC system_header

#include "rf/qualifiers.h"

#include <assert.h>
#include <cmath>
#include <float.h>
#include <limits.h>
#include <limits>
#include <math.h>
#include <new>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#include <utility>

#include "rf/libc.h"
#include "rf/math.h"

#pragma clang force_cuda_host_device begin
#include "rf/vector.h"
#include "rf/intrinsics.h"
#include "rf/half.h"
#include "rf/threads.h"
#include "rf/groups.h"
#include "rf/runtime.h"
#pragma clang force_cuda_host_device end
