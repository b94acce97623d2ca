/* Apply sorted edits to bytes in one pass. */
#include "edit/edit.h"

void rf_edits_apply(const rf_edits *edits, const char *bytes, size_t len,
                    rf_buf *out)
{
    size_t done = 0;
    for (size_t i = 0; i < edits->list.len; i++) {
        const rf_edit *e = &edits->list.data[i];
        rf_buf_add(out, bytes + done, e->begin - done);
        rf_buf_add(out, e->text, e->len);
        done = e->end;
    }
    rf_buf_add(out, bytes + done, len - done);
}
