/* Sort edits by their places; apply sorted edits to bytes in one pass. */
#include "edit/edit.h"

#include <stdlib.h>

typedef struct {
    rf_edit edit;
    size_t index;
} ranked;

static int by_place(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->edit.begin != y->edit.begin)
        return x->edit.begin < y->edit.begin ? -1 : 1;
    if (x->edit.end != y->edit.end)
        return x->edit.end < y->edit.end ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void rf_edits_sort(rf_edits *edits)
{
    size_t n = edits->list.len;
    ranked *all = n ? rf_malloc(n * sizeof *all) : NULL;
    for (size_t i = 0; i < n; i++)
        all[i] = (ranked){ edits->list.data[i], i };
    if (n)
        qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i++)
        edits->list.data[i] = all[i].edit;
    free(all);
}

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
