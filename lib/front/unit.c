/* One file: read its bytes, parse, collect the functions, bind the marks.
 *
 * An error of the compiler refuses the regions of the function it stands in;
 * errors elsewhere do not matter, except a missing header of the author's. */
#include "front/reader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- bytes ---- */

static rf_place whole_file(const char *path)
{
    return (rf_place){ .file = path };
}

static void cannot_read(rf_diags *diags, const char *path, const char *why)
{
    rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR, whole_file(path),
                "cannot read: %s", why);
}

/* Read all of "file" into "arena"; NULL on an error of the device. */
static char *read_all(rf_arena *arena, FILE *file, size_t *size)
{
    rf_buf buf = { 0 };
    char part[65536];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0)
        rf_buf_add(&buf, part, n);
    char *bytes = NULL;
    if (!ferror(file))
        bytes = rf_arena_strndup(arena, rf_buf_text(&buf), buf.len);
    *size = buf.len;
    rf_buf_free(&buf);
    return bytes;
}

static char *read_disk(rf_arena *arena, const char *path, size_t *size,
                       rf_diags *diags)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file) {
        cannot_read(diags, path, strerror(errno));
        return NULL;
    }
    char *bytes = NULL;
    if (fstat(fileno(file), &info) || S_ISDIR(info.st_mode))
        cannot_read(diags, path, "it is a folder");
    else if (!(bytes = read_all(arena, file, size)))
        cannot_read(diags, path, strerror(errno));
    fclose(file);
    return bytes;
}

/* The length of the UTF-8 sequence at "b", 0 if there is none. */
static size_t sequence(const unsigned char *b, size_t left)
{
    size_t n = b[0] < 0x80             ? 1
               : (b[0] & 0xe0) == 0xc0 ? 2
               : (b[0] & 0xf0) == 0xe0 ? 3
               : (b[0] & 0xf8) == 0xf0 ? 4
                                       : 0;
    if (n > left || b[0] == 0)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static bool is_text(const rf_unit *unit, rf_diags *diags)
{
    if (unit->size >= INT32_MAX) {
        cannot_read(diags, unit->path, "it is larger than 2 GB");
        return false;
    }
    size_t i = 0, n;
    const unsigned char *b = (const unsigned char *)unit->bytes;
    while (i < unit->size && (n = sequence(b + i, unit->size - i)))
        i += n;
    if (i < unit->size)
        rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR,
                    rf_unit_place(unit, (uint32_t)i), "not UTF-8 text");
    return i == unit->size;
}

static const char *absolute(rf_arena *arena, const char *path)
{
    char real[PATH_MAX];
    if (path[0] == '/')
        return rf_arena_strdup(arena, path);
    if (!realpath(".", real))
        return rf_arena_strdup(arena, path);
    return rf_arena_printf(arena, "%s/%s", real, path);
}

static rf_unit *make_unit(rf_arena *arena, const char *path, const char *bytes,
                          size_t size, rf_diags *diags)
{
    rf_unit *unit = RF_NEW(arena, rf_unit);
    unit->arena = arena;
    unit->path = absolute(arena, path);
    unit->size = size;
    unit->bytes = bytes ? rf_arena_strndup(arena, bytes, size)
                        : read_disk(arena, path, &unit->size, diags);
    return unit->bytes && is_text(unit, diags) ? unit : NULL;
}

bool rf_front_may_have_marks(const char *bytes, size_t size)
{
    const char *p = bytes, *end = bytes + size;
    while ((p = memmem(p, (size_t)(end - p), "ragma", 5))) {
        const char *stop = p + 200 < end ? p + 200 : end;
        if (memmem(p, (size_t)(stop - p), "rf", 2))
            return true;
        p += 5;
    }
    return false;
}

/* ---- parsing ---- */

const char *rf_front_clang_version(rf_arena *arena)
{
    CXString text = clang_getClangVersion();
    const char *copy = rf_arena_strdup(arena, clang_getCString(text));
    clang_disposeString(text);
    return copy;
}

static CXTranslationUnit parse(CXIndex index, const rf_unit *unit,
                               const rf_flags *flags)
{
    struct CXUnsavedFile file = { unit->path, unit->bytes,
                                  (unsigned long)unit->size };
    CXTranslationUnit tu = NULL;
    unsigned options = CXTranslationUnit_DetailedPreprocessingRecord |
                       CXTranslationUnit_KeepGoing;
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, unit->path, flags->list.data, (int)flags->list.len, &file, 1,
        options, &tu);
    return code == CXError_Success ? tu : NULL;
}

/* ---- errors of the compiler ---- */

static bool is_missing_header(const char *text)
{
    return strstr(text, "file not found") != NULL;
}

static void add_error(rf_reader *r, CXDiagnostic d)
{
    CXFile file;
    rf_error e = { 0 };
    clang_getFileLocation(clang_getDiagnosticLocation(d), &file, NULL, NULL,
                          &e.offset);
    e.file = file;
    e.text = rf_string(r, clang_getDiagnosticSpelling(d));
    e.is_missing_header = is_missing_header(e.text);
    RF_PUSH(r->errors, e);
}

static void read_errors(rf_reader *r)
{
    unsigned n = clang_getNumDiagnostics(r->tu);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(r->tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            add_error(r, d);
        clang_disposeDiagnostic(d);
    }
}

bool rf_has_error(const rf_reader *r, CXFile file, rf_range at)
{
    for (size_t i = 0; i < r->errors.len; i++) {
        const rf_error *e = &r->errors.data[i];
        if (e->file && clang_File_isEqual(e->file, file) &&
            at.begin <= e->offset && e->offset <= at.end)
            return true;
    }
    return false;
}

bool rf_report_errors(rf_reader *r, rf_range at)
{
    bool any = false;
    for (size_t i = 0; i < r->errors.len; i++) {
        rf_error *e = &r->errors.data[i];
        if (!e->file || !clang_File_isEqual(e->file, r->source->file) ||
            e->offset < at.begin || e->offset > at.end)
            continue;
        any = true;
        r->n_broken += !e->is_reported;
        bool again =
            i > 0 && e[-1].offset == e->offset && !strcmp(e[-1].text, e->text);
        if (!e->is_reported && !again)
            rf_diag_add(r->diags, RF_ERROR, RF_DIAG_ERROR,
                        rf_unit_place(r->unit, e->offset), "%s", e->text);
        e->is_reported = true;
    }
    return any;
}

/* A missing `#include "x.h"` of the main file is an error; a missing library
 * header is one only where its names are used. */
static bool misses_own_header(rf_reader *r)
{
    bool missing = false;
    for (size_t i = 0; i < r->errors.len; i++) {
        rf_error *e = &r->errors.data[i];
        if (!e->is_missing_header || !e->file ||
            !clang_File_isEqual(e->file, r->source->file) ||
            e->offset >= r->unit->size || r->unit->bytes[e->offset] != '"')
            continue;
        missing |= rf_report_errors(r, (rf_range){ e->offset, e->offset });
    }
    return missing;
}

/* ---- functions ---- */

/* Constructors are left out: their initialisers are no statements. */
static bool is_function_kind(enum CXCursorKind kind)
{
    return kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
           kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction;
}

typedef struct {
    rf_reader *r;
    const rf_mark *marks;
    size_t n;
} visit_data;

static bool holds_mark(const visit_data *v, rf_range at)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->marks[i].at.begin >= at.begin && v->marks[i].at.end <= at.end)
            return true;
    return false;
}

/* True for what the compiler made from a template on its own. */
static bool is_instance(CXCursor c)
{
    CXCursor from = clang_getSpecializedCursorTemplate(c);
    return !clang_Cursor_isNull(from) &&
           clang_equalLocations(clang_getCursorLocation(from),
                                clang_getCursorLocation(c));
}

static bool is_wanted(const visit_data *v, CXCursor c)
{
    return rf_cursor_has_child(c, CXCursor_CUDAGlobalAttr) ||
           rf_cursor_has_child(c, CXCursor_CUDADeviceAttr) ||
           holds_mark(v, rf_cursor_range(v->r, c));
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent,
                                     CXClientData data)
{
    (void)parent;
    visit_data *v = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    if (!clang_Location_isFromMainFile(clang_getCursorLocation(c)) ||
        clang_isPreprocessing(kind))
        return CXChildVisit_Continue;
    if (!is_function_kind(kind))
        return clang_isDeclaration(kind) ? CXChildVisit_Recurse
                                         : CXChildVisit_Continue;
    if (clang_isCursorDefinition(c) && !is_instance(c) && is_wanted(v, c)) {
        rf_func *f = rf_read_func(v->r, c);
        if (f)
            RF_PUSH(v->r->funcs_found, f);
    }
    return CXChildVisit_Continue;
}

/* ---- the whole ---- */

static void drop_broken_regions(rf_reader *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->regions.len; i++) {
        rf_region region = r->regions.data[i];
        if (!rf_report_errors(r, region.func->at))
            r->regions.data[n++] = region;
    }
    r->regions.len = n;
}

static void publish(rf_reader *r)
{
    rf_unit *u = r->unit;
    u->regions.len = u->regions.cap = r->regions.len;
    u->regions.data = RF_NEW_ARRAY(r->arena, r->regions.len, rf_region);
    for (size_t i = 0; i < r->regions.len; i++)
        u->regions.data[i] = r->regions.data[i];
    u->funcs.len = u->funcs.cap = r->funcs_found.len;
    u->funcs.data = RF_NEW_ARRAY(r->arena, r->funcs_found.len, rf_func *);
    for (size_t i = 0; i < r->funcs_found.len; i++)
        u->funcs.data[i] = r->funcs_found.data[i];
}

static void reader_free(rf_reader *r)
{
    rf_sources_free(r);
    rf_map_free(&r->vars);
    rf_map_free(&r->funcs);
    RF_CLEAR(r->builtins);
    RF_CLEAR(r->types);
    RF_CLEAR(r->stack);
    RF_CLEAR(r->funcs_found);
    RF_CLEAR(r->regions);
    RF_CLEAR(r->errors);
}

static int read_unit(rf_reader *r)
{
    r->outer_macro = RF_NOWHERE;
    r->source = rf_source_of(r, clang_getFile(r->tu, r->unit->path));
    read_errors(r);
    if (misses_own_header(r))
        return -1;
    visit_data v = { .r = r };
    rf_mark *marks;
    rf_read_marks(r, &marks, &v.n);
    v.marks = marks;
    clang_visitChildren(clang_getTranslationUnitCursor(r->tu), visit, &v);
    for (size_t i = 0; i < v.n; i++)
        rf_bind_mark(r, &marks[i]);
    drop_broken_regions(r);
    publish(r);
    return 0;
}

typedef struct {
    const rf_front_options *options;
    const char *toolkit, *include;
} setting;

/* True if the parse failed on the precompiled header rather than the text. */
static bool is_stale(CXTranslationUnit tu)
{
    if (!tu)
        return true;
    bool stale = false;
    unsigned n = clang_getNumDiagnostics(tu);
    for (unsigned i = 0; i < n && !stale; i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        CXString text = clang_getDiagnosticSpelling(d);
        const char *words = clang_getCString(text);
        stale = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && words &&
                (strstr(words, "precompiled") || strstr(words, "PCH file"));
        clang_disposeString(text);
        clang_disposeDiagnostic(d);
    }
    return stale;
}

/* Parse with the precompiled header if there is one, else without. */
static CXTranslationUnit parse_with(CXIndex index, rf_unit *unit,
                                    const setting *s, rf_headers headers,
                                    bool use_cache)
{
    rf_flags flags = { 0 };
    rf_flags_make(&flags, unit->arena, s->options, headers, s->toolkit,
                  s->include);
    bool cached = rf_flags_add_header(&flags, unit->arena, headers, s->include,
                                      use_cache);
    CXTranslationUnit tu = parse(index, unit, &flags);
    if (cached && is_stale(tu)) {
        clang_disposeTranslationUnit(tu);
        rf_pch_drop(&flags);
        tu = parse_with(index, unit, s, headers, false);
    }
    rf_flags_free(&flags);
    return tu;
}

/* Read "unit" with one kind of headers; "n_broken" counts what failed. */
static int attempt(rf_unit *unit, const setting *s, rf_headers headers,
                   rf_diags *diags, unsigned *n_broken)
{
    CXIndex index = clang_createIndex(1, 0);
    rf_reader r = { .arena = unit->arena,
                    .unit = unit,
                    .diags = diags,
                    .options = s->options,
                    .tu = parse_with(index, unit, s, headers,
                                     s->options->use_cache) };
    int status = -1;
    if (r.tu) {
        status = read_unit(&r);
        clang_disposeTranslationUnit(r.tu);
    } else {
        rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR, whole_file(unit->path),
                    "libclang could not parse the file");
        r.n_broken++;
    }
    *n_broken = r.n_broken;
    reader_free(&r);
    clang_disposeIndex(index);
    return status;
}

static void append(rf_diags *to, const rf_diags *from)
{
    for (size_t i = 0; i < from->list.len; i++) {
        const rf_diag *d = &from->list.data[i];
        rf_diag_add(to, d->severity, d->name, d->at, "%s", d->text);
        for (size_t k = 0; k < d->notes.len; k++)
            rf_diag_note_add(to, d->notes.data[k].at, "%s",
                             d->notes.data[k].text);
    }
}

static int read_with(rf_unit *unit, const setting *s, rf_diags *diags)
{
    rf_headers first = s->options->headers == RF_HEADERS_TOOLKIT || !s->include
                           ? RF_HEADERS_TOOLKIT
                           : RF_HEADERS_OWN;
    unsigned n_broken = 0;
    rf_diags *found = rf_diags_new();
    int status = attempt(unit, s, first, found, &n_broken);
    if (n_broken && s->toolkit && first == RF_HEADERS_OWN &&
        s->options->headers == RF_HEADERS_AUTO) {
        rf_diags_free(found);
        found = rf_diags_new();
        status = attempt(unit, s, RF_HEADERS_TOOLKIT, found, &n_broken);
    }
    append(diags, found);
    rf_diags_free(found);
    return status;
}

int rf_front_parse(rf_unit **out, rf_arena *arena, const char *path,
                   const char *bytes, size_t size,
                   const rf_front_options *options, rf_diags *diags)
{
    static const rf_front_options none = { 0 };
    setting s = { .options = options ? options : &none };
    *out = NULL;
    rf_unit *unit = make_unit(arena, path, bytes, size, diags);
    if (!unit)
        return -1;
    s.include = rf_include_find(arena, s.options->include);
    if (s.options->headers != RF_HEADERS_OWN)
        s.toolkit = rf_toolkit_find(arena, s.options->cuda_path);
    if (!s.include ||
        (s.options->headers == RF_HEADERS_TOOLKIT && !s.toolkit)) {
        rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR, whole_file(unit->path),
                    s.include ? "no CUDA toolkit was found"
                              : "the header folder of rf-rewrite is lost");
        return -1;
    }
    if (read_with(unit, &s, diags))
        return -1;
    *out = unit;
    return 0;
}
