#include "exec/decode.h"
bool rf_decode_st_async(rf_reader *r, const rf_statement *s)
{
    (void)r, (void)s;
    return false;
}
