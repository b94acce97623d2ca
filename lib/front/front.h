/* From a .cu file to program text: libclang reads, rf_unit is what remains.
 *
 * No other stage sees libclang. A file is read with our own declaration
 * header (lib/front/include, fast, needs no CUDA installation) and, when that
 * leaves an error inside a marked function, once more with the toolkit's
 * headers if there is a toolkit. */
#ifndef RF_FRONT_FRONT_H
#define RF_FRONT_FRONT_H

#include "ir/ast.h"

typedef enum {
    RF_HEADERS_AUTO,    /* declarations first, the toolkit if they fall short */
    RF_HEADERS_OWN,     /* only the declaration header */
    RF_HEADERS_TOOLKIT, /* only the toolkit's headers */
} rf_headers;

/* What is kept of a file that is read again and again, while it is edited or
 * while its rewritten text is examined: the headers that it includes are read
 * once. It serves one file at a time and belongs to one process; what is read
 * with it is the same as without. */
typedef struct rf_session rf_session;
/* "keeps_headers": what a file includes before anything else is precompiled in
 * the cache folder, for the next process; not for files that are edited. */
rf_session *rf_session_new(bool keeps_headers);
void rf_session_free(rf_session *session);
/* Other files may have changed: what is read next is read anew. */
void rf_session_refresh(rf_session *session);

typedef struct {
    const char *cuda_path;    /* --cuda-path; NULL: searched for */
    const char *arch;         /* sm_90; NULL: from the flags, else sm_90 */
    const char *const *flags; /* the user's compiler flags, nvcc's allowed */
    size_t n_flags;
    bool use_cache;      /* keep a precompiled header in the cache folder */
    bool reference;      /* define RF_REFERENCE: read the author's bytes */
    rf_headers headers;  /* which declarations of CUDA */
    const char *include; /* our header folder; NULL: found (RF_DATA_DIR) */
    rf_session *session; /* or NULL */
} rf_front_options;

/* Read "path", or the "size" bytes at "bytes" under that name, into "out".
 * Everything lives in "arena"; diagnostics name "path". Returns 0, or -1 when
 * there is no unit, with rf-error diagnostics. A region with a compiler error
 * inside its function is reported (rf-error) and left out of the unit. */
int rf_front_parse(rf_unit **out, rf_arena *arena, const char *path,
                   const char *bytes, size_t size,
                   const rf_front_options *options, rf_diags *diags);

/* True if "bytes" may hold a mark: cheap, may err on the side of true. A file
 * without one need not be parsed. */
bool rf_front_may_have_marks(const char *bytes, size_t size);

/* Find the CUDA toolkit: "wanted" (--cuda-path), CUDA_PATH, CUDA_HOME, nvcc on
 * PATH, the usual folders. Returns its root in "arena", or NULL. */
const char *rf_toolkit_find(rf_arena *arena, const char *wanted);

/* The folder of our header files in "arena", or NULL if it is lost. */
const char *rf_include_find(rf_arena *arena, const char *wanted);

/* Version text of the libclang in use, in "arena". */
const char *rf_front_clang_version(rf_arena *arena);

#endif
