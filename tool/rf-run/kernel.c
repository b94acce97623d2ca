#include "rf_run.h"

int rf_run_kernel(const rf_run_options *o)
{
    return rf_run_plain(o);
}
