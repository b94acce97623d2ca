/* A pipeline that reads marks and refuses them all. */
#include "pipeline.h"

#include "report/report.h"

#include <string.h>

static size_t mark_end(const rf_source *s, size_t at)
{
    const char *nl = memchr(s->bytes + at, '\n', s->len - at);
    size_t end = nl ? (size_t)(nl - s->bytes) : s->len;
    return end > at && s->bytes[end - 1] == '\r' ? end - 1 : end;
}

int rf_pipeline_run(const rf_options *options, const rf_source *source,
                    rf_outcomes *out, rf_diags *diags)
{
    const char *at = source->bytes;
    rf_report_file file = { source->path, source->bytes, source->len };
    (void)options;
    while ((at = strstr(at, "#pragma rf "))) {
        size_t begin = (size_t)(at - source->bytes);
        rf_outcome r = { .status = RF_REGION_REFUSED,
                        .reason = RF_DIAG_UNSUPPORTED,
                        .at = { .file = source->path,
                                .offset = (uint32_t)begin },
                        .finding = (ptrdiff_t)diags->list.len };
        rf_place_complete(&file, &r.at);
        r.edit.mark_begin = begin;
        r.edit.mark_end = mark_end(source, begin);
        rf_diag_add(diags, RF_WARNING, RF_DIAG_UNSUPPORTED, r.at,
                    "not fused: this build analyses nothing");
        RF_PUSH(out->list, r);
        at++;
    }
    return 0;
}
