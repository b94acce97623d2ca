/* One file: read its bytes, parse, collect the functions, bind the marks.
 *
 * An error of the compiler refuses the regions of the function it stands in;
 * errors elsewhere do not matter, except a missing header of the author's. */
#include "front/reader.h"

#include <string.h>

/* ---- parsing ---- */

const char *rf_front_clang_version(rf_arena *arena)
{
    CXString text = clang_getClangVersion();
    const char *copy = rf_arena_strdup(arena, clang_getCString(text));
    clang_disposeString(text);
    return copy;
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
        else
            RF_PUSH(r->lost, (rf_lost_mark){ region.mark, region.func->at.end,
                                             RF_DIAG_ERROR, true });
    }
    r->regions.len = n;
}

static void publish_macros(rf_reader *r)
{
    RF_ARRAY(rf_macro_use) uses = { 0 };
    for (size_t i = 0; i < r->source->expansions.len; i++) {
        const rf_expansion *e = &r->source->expansions.data[i];
        if (e->definition.line)
            RF_PUSH(uses, (rf_macro_use){ e->at, e->name, e->definition });
    }
    RF_PUBLISH(r->arena, r->unit->macros, uses);
    RF_CLEAR(uses);
}

static void publish(rf_reader *r)
{
    rf_unit *u = r->unit;
    RF_PUBLISH(r->arena, u->regions, r->regions);
    RF_PUBLISH(r->arena, u->lost, r->lost);
    RF_PUBLISH(r->arena, u->funcs, r->funcs_found);
    publish_macros(r);
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
    RF_CLEAR(r->lost);
    RF_CLEAR(r->errors);
}

static int read_unit(rf_reader *r)
{
    r->outer_macro = RF_NOWHERE;
    r->source = rf_source_of(r, clang_getFile(r->tu, r->unit->path));
    rf_read_errors(r);
    if (rf_misses_own_header(r))
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
    rf_read_launches(r);
    rf_read_outer_names(r);
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

/* Parse with precompiled headers if there are any. One that turns out to be
 * stale is made anew, and after "tries" the text is read instead. */
static CXTranslationUnit parse_anew(rf_session *session, rf_unit *unit,
                                    const setting *s, rf_headers headers,
                                    unsigned tries)
{
    rf_flags flags = { 0 };
    rf_flags_make(&flags, unit->arena, s->options, headers, s->toolkit,
                  s->include);
    bool cached = rf_flags_add_header(&flags, unit->arena, headers, s->include,
                                      tries > 0);
    size_t known = cached && rf_session_keeps_headers(session)
                       ? rf_flags_add_own_headers(&flags, unit->arena, unit)
                       : 0;
    CXTranslationUnit tu = rf_session_parse(session, headers, unit, &flags,
                                            known, s->options->session != NULL);
    if (cached && is_stale(tu)) {
        rf_pch_drop(&flags);
        tu = parse_anew(session, unit, s, headers, tries - 1);
    }
    rf_flags_free(&flags);
    return tu;
}

static CXTranslationUnit parse(rf_session *session, rf_unit *unit,
                               const setting *s, rf_headers headers)
{
    rf_flags flags = { 0 };
    rf_flags_make(&flags, unit->arena, s->options, headers, s->toolkit,
                  s->include);
    CXTranslationUnit tu = rf_session_again(session, headers, unit, &flags);
    rf_flags_free(&flags);
    return tu && !is_stale(tu) ? tu
                               : parse_anew(session, unit, s, headers,
                                            s->options->use_cache ? 3 : 0);
}

/* Read "unit" with one kind of headers; "n_broken" counts what failed. */
static int attempt(rf_unit *unit, const setting *s, rf_headers headers,
                   rf_diags *diags, unsigned *n_broken)
{
    rf_session *own = s->options->session ? NULL : rf_session_new(false);
    rf_session *session = own ? own : s->options->session;
    rf_reader r = { .arena = unit->arena,
                    .unit = unit,
                    .diags = diags,
                    .options = s->options,
                    .tu = parse(session, unit, s, headers) };
    int status = -1;
    if (r.tu) {
        status = read_unit(&r);
    } else {
        rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR,
                    (rf_place){ .file = unit->path },
                    "libclang could not parse the file");
        r.n_broken++;
    }
    *n_broken = r.n_broken;
    reader_free(&r);
    rf_session_free(own);
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

/* The toolkit folder that the caller or the flags name, or NULL. */
static const char *wanted_toolkit(const rf_front_options *o)
{
    static const char name[] = "--cuda-path=";
    for (size_t i = 0; !o->cuda_path && i < o->n_flags; i++)
        if (!strncmp(o->flags[i], name, sizeof name - 1))
            return o->flags[i] + sizeof name - 1;
    return o->cuda_path;
}

int rf_front_parse(rf_unit **out, rf_arena *arena, const char *path,
                   const char *bytes, size_t size,
                   const rf_front_options *options, rf_diags *diags)
{
    static const rf_front_options none = { 0 };
    setting s = { .options = options ? options : &none };
    *out = NULL;
    rf_unit *unit = rf_unit_make(arena, path, bytes, size, diags);
    if (!unit)
        return -1;
    s.include = rf_include_find(arena, s.options->include);
    if (s.options->headers != RF_HEADERS_OWN)
        s.toolkit = rf_toolkit_find(arena, wanted_toolkit(s.options));
    if (!s.include ||
        (s.options->headers == RF_HEADERS_TOOLKIT && !s.toolkit)) {
        rf_diag_add(diags, RF_ERROR, RF_DIAG_ERROR,
                    (rf_place){ .file = unit->path },
                    s.include ? "no CUDA toolkit was found"
                              : "the header folder of rf-rewrite is lost");
        return -1;
    }
    if (read_with(unit, &s, diags))
        return -1;
    *out = unit;
    return 0;
}
