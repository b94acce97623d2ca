/* Loading a module: declarations, variables and their initial values,
 * functions; then what is known only when all text is read: which functions a
 * kernel reaches, where its shared variables lie, literals. */
#include "exec/device.h"
#include "exec/ptx.h"

#include <string.h>

enum { MAX_FILES = 100000 };

/* ---- lookups ---- */

rf_function *rf_module_function(rf_module *m, const char *name)
{
    for (size_t i = 0; i < m->functions.len; i++)
        if (!strcmp(m->functions.data[i]->name, name))
            return m->functions.data[i];
    return NULL;
}

rf_variable *rf_module_variable(rf_module *m, const char *name)
{
    for (size_t i = m->variables.len; i-- > 0;)
        if (!strcmp(m->variables.data[i].name, name))
            return &m->variables.data[i];
    return NULL;
}

rf_kernel *rf_module_kernel(rf_module *m, const char *name)
{
    for (size_t i = 0; i < m->kernels.len; i++)
        if (!strcmp(m->kernels.data[i]->f->name, name))
            return m->kernels.data[i];
    return NULL;
}

rf_kernel *rf_module_kernel_at(rf_module *m, size_t n)
{
    return n < m->kernels.len ? m->kernels.data[n] : NULL;
}

uint64_t rf_module_symbol(rf_module *m, const char *name, size_t *size)
{
    const rf_variable *v = rf_module_variable(m, name);
    if (!v || v->space == RF_SPACE_SHARED)
        return 0;
    if (size)
        *size = v->size;
    return v->address;
}

/* ---- initial values ---- */

/* A value that names a variable or function, filled in at the end. */
typedef struct {
    uint8_t *at;
    uint32_t bytes, shift;
    const char *name;
    int64_t offset;
} relocation;

typedef struct {
    rf_reader *r;
    RF_ARRAY(relocation) relocations;
    rf_type type;
    uint8_t *at;
    size_t left;
} initializer;

static void put(initializer *n, const void *bytes, uint32_t size)
{
    if (size > n->left)
        rf_reader_fail(n->r, "too many initial values");
    memcpy(n->at, bytes, size);
    n->at += size;
    n->left -= size;
}

static uint64_t number_bits(const rf_token *t, rf_type type, bool minus)
{
    union {
        double d;
        uint64_t u;
    } wide = { .u = t->value };
    union {
        float f;
        uint32_t u;
    } narrow;
    if (t->literal == RF_LIT_F64 && rf_type_bytes(type) == 4) {
        narrow.f = (float)(minus ? -wide.d : wide.d);
        return narrow.u;
    }
    if (t->literal == RF_LIT_F64 && minus)
        return t->value ^ 1ull << 63;
    if (t->literal == RF_LIT_F32 && minus)
        return t->value ^ 0x80000000u;
    return minus ? 0 - t->value : t->value;
}

/* name, generic(name), mask(name), each perhaps with + offset */
static void name_value(initializer *n, uint32_t shift)
{
    rf_reader *r = n->r;
    uint64_t zero = 0;
    relocation x = { .at = n->at,
                     .bytes = rf_type_bytes(n->type),
                     .shift = shift,
                     .name = rf_parse_word(r) };
    if (rf_parse_accept(r, '(')) {
        x.name = rf_parse_word(r);
        if (rf_parse_accept(r, '+'))
            x.offset = rf_parse_number(r);
        rf_parse_expect(r, ')');
    }
    if (rf_parse_accept(r, '+'))
        x.offset += rf_parse_number(r);
    put(n, &zero, x.bytes);
    RF_PUSH(n->relocations, x);
}

static void value(initializer *n)
{
    rf_reader *r = n->r;
    if (rf_parse_accept(r, '{')) {
        rf_parse_enter(r);
        while (!rf_lex_at(&r->lexer, '}')) {
            value(n);
            if (!rf_parse_accept(r, ','))
                break;
        }
        r->nesting--;
        rf_parse_expect(r, '}');
        return;
    }
    bool minus = rf_parse_accept(r, '-');
    const rf_token t = r->lexer.token;
    rf_lexer ahead = r->lexer;
    rf_lex_next(&ahead);
    if (t.kind == RF_TOK_NUMBER && rf_lex_at(&ahead, '(')) {
        uint32_t shift = 0; /* 0xFF00(name): one byte of an address */
        while (t.value >> shift && !(t.value >> shift & 1))
            shift++;
        r->lexer = ahead;
        rf_parse_expect(r, '(');
        name_value(n, shift);
        rf_parse_expect(r, ')');
    } else if (t.kind == RF_TOK_NUMBER) {
        uint64_t bits = number_bits(&t, n->type, minus);
        rf_lex_next(&r->lexer);
        put(n, &bits, rf_type_bytes(n->type));
    } else {
        name_value(n, 0);
    }
}

static void resolve(rf_module *m, const initializer *n)
{
    for (size_t i = 0; i < n->relocations.len; i++) {
        const relocation *x = &n->relocations.data[i];
        const rf_variable *v = rf_module_variable(m, x->name);
        rf_function *f = v ? NULL : rf_module_function(m, x->name);
        uint64_t a = v   ? v->address + (uint64_t)x->offset
                     : f ? RF_HANDLE | f->index
                         : 0;
        if (f)
            f->address_taken = true;
        a >>= x->shift;
        memcpy(x->at, &a, x->bytes > 8 ? 8 : x->bytes);
    }
}

/* ---- variables ---- */

static void define_global(initializer *n, rf_variable *v)
{
    rf_machine *machine = n->r->module->machine;
    v->address = rf_machine_alloc(machine, v->size ? v->size : 1);
    if (!v->address)
        rf_reader_fail(n->r, "out of device memory for %s", v->name);
    rf_heap_at(&machine->heap, v->address)->module = true;
    machine->n_buffers--;
    rf_machine_name(machine, v->address, v->name);
    memset((void *)v->address, 0, v->size);
    rf_machine_wrote(machine, v->address, v->size);
}

static void variable(initializer *n, rf_space space, bool external)
{
    rf_reader *r = n->r;
    rf_module *m = r->module;
    rf_lex_next(&r->lexer);
    rf_declaration d = rf_parse_declaration(r);
    bool known = (external || r->linked) && rf_module_variable(m, d.name);
    bool later = r->variables_only && external && space != RF_SPACE_SHARED;
    if (known || later) {
        rf_parse_skip_past(r, ';');
        return;
    }
    if (r->linked && external && space != RF_SPACE_SHARED)
        rf_reader_fail(r, "%s is not defined in any file", d.name);
    rf_variable v = {
        .name = d.name, .space = space, .size = d.size, .align = d.align
    };
    if (space == RF_SPACE_SHARED)
        v.column = m->n_shared++;
    else
        define_global(n, &v);
    if (rf_parse_accept(r, '=')) {
        n->type = d.type;
        n->at = (uint8_t *)v.address;
        n->left = v.size;
        value(n);
    }
    RF_PUSH(m->variables, v);
    rf_parse_expect(r, ';');
}

/* ---- functions ---- */

static rf_function *declare(rf_reader *r, const char *name)
{
    rf_module *m = r->module;
    rf_function *f = rf_module_function(m, name);
    if (f)
        return f;
    f = RF_NEW(m->arena, rf_function);
    f->name = name;
    f->module = m;
    f->index = (uint32_t)m->functions.len;
    RF_PUSH(m->functions, f);
    return f;
}

/* (.param .b64 a, .param .align 8 .b8 b[16]) */
static rf_param *parameters(rf_reader *r, uint32_t *n)
{
    r->params.len = 0;
    *n = 0;
    if (!rf_parse_accept(r, '('))
        return NULL;
    while (!rf_lex_at(&r->lexer, ')')) {
        rf_parse_word(r);
        rf_declaration d = rf_parse_declaration(r);
        RF_PUSH(r->params, (rf_param){ d.name, 0, d.size, d.align });
        if (!rf_parse_accept(r, ','))
            break;
    }
    rf_parse_expect(r, ')');
    *n = (uint32_t)r->params.len;
    rf_param *p = RF_NEW_ARRAY(r->arena, *n, rf_param);
    if (*n)
        memcpy(p, r->params.data, *n * sizeof *p);
    return p;
}

static void place_kernel_params(rf_function *f)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        rf_param *p = &f->params[i];
        at = (at + p->align - 1) / p->align * p->align;
        p->offset = at;
        at += p->size;
    }
    f->param_bytes = at;
}

static void add_params(rf_reader *r, rf_param *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!r->f->entry)
            p[i].offset = rf_frame_local(r, p[i].size, p[i].align);
        rf_symbol_add(
            r, (rf_symbol){ .name = p[i].name,
                            .class = r->f->entry ? RF_SYM_PARAM : RF_SYM_FRAME,
                            .size = p[i].size,
                            .offset = p[i].offset });
    }
}

static rf_dim3 dimensions(rf_reader *r)
{
    uint32_t d[3] = { 1, 1, 1 };
    int n = 0;
    rf_lex_next(&r->lexer);
    do
        d[n++] = (uint32_t)rf_parse_number(r);
    while (n < 3 && rf_parse_accept(r, ','));
    return (rf_dim3){ d[0], d[1], d[2] };
}

/* .maxntid 256 .reqnctapercluster 2, 1, 1 ... */
static void performance(rf_reader *r, rf_kernel *k)
{
    rf_lexer *x = &r->lexer;
    while (x->token.kind == RF_TOK_WORD && *x->token.at == '.') {
        if (rf_lex_is(x, ".maxntid") || rf_lex_is(x, ".reqntid")) {
            rf_dim3 d = dimensions(r);
            k->max_threads = d.x * d.y * d.z;
        } else if (rf_lex_is(x, ".reqnctapercluster")) {
            k->cluster = dimensions(r);
        } else if (rf_lex_is(x, ".explicitcluster")) {
            k->explicit_cluster = true;
            rf_lex_next(x);
        } else if (rf_lex_is(x, ".pragma")) {
            rf_parse_skip_past(r, ';');
        } else if (rf_lex_is(x, ".attribute")) {
            rf_parse_skip_past(r, ')');
        } else {
            rf_lex_next(x);
            if (x->token.kind == RF_TOK_NUMBER)
                rf_lex_next(x);
        }
    }
}

/* A body that is not wanted, from its '{' on. */
static void skip_body(rf_reader *r)
{
    uint32_t depth = 0;
    do {
        depth += rf_lex_at(&r->lexer, '{');
        depth -= rf_lex_at(&r->lexer, '}');
        rf_lex_next(&r->lexer);
    } while (depth && r->lexer.token.kind != RF_TOK_END);
}

static void function(rf_reader *r, bool entry)
{
    rf_module *m = r->module;
    uint32_t n_results = 0, n_params = 0;
    rf_lex_next(&r->lexer);
    rf_param *results = entry ? NULL : parameters(r, &n_results);
    rf_function *f = declare(r, rf_parse_word(r));
    rf_param *params = parameters(r, &n_params);
    rf_kernel k = { .f = f, .module = m };
    performance(r, &k);
    if (rf_parse_accept(r, ';'))
        return;
    if (r->variables_only || (r->linked && f->defined)) {
        skip_body(r);
        return;
    }
    f->entry = entry;
    f->params = params;
    f->n_params = n_params;
    f->results = results;
    f->n_results = n_results;
    r->f = f;
    r->symbols.len = r->flow.len = 0;
    if (entry)
        place_kernel_params(f);
    add_params(r, params, n_params);
    add_params(r, results, n_results);
    rf_parse_body(r);
    if (entry) {
        RF_PUSH(m->kernels, RF_NEW(m->arena, rf_kernel));
        *RF_LAST(m->kernels) = k;
    }
}

/* ---- what a kernel reaches ---- */

static void reach(rf_module *m, rf_function *f, bool *seen)
{
    if (seen[f->index])
        return;
    seen[f->index] = true;
    for (size_t i = 0; i < f->callees.len; i++)
        reach(m, f->callees.data[i], seen);
    for (size_t i = 0; f->calls_indirectly && i < m->functions.len; i++)
        if (m->functions.data[i]->address_taken)
            reach(m, m->functions.data[i], seen);
}

static uint32_t align_up(uint32_t x, uint32_t align)
{
    return align ? (x + align - 1) / align * align : x;
}

/* Static variables first; those of open size share the place behind them. */
static void place_shared(rf_kernel *k, const bool *used)
{
    const rf_module *m = k->module;
    uint32_t at = 0, open = 16;
    for (size_t i = 0; i < m->variables.len; i++) {
        const rf_variable *v = &m->variables.data[i];
        if (v->space != RF_SPACE_SHARED || !used[i])
            continue;
        if (!v->size && v->align > open)
            open = v->align;
        if (!v->size)
            continue;
        at = align_up(at, v->align);
        k->shared_offset[v->column] = at;
        at += v->size;
    }
    k->static_shared = at;
    k->dynamic_start = align_up(at, open);
    for (size_t i = 0; i < m->variables.len; i++) {
        const rf_variable *v = &m->variables.data[i];
        if (v->space == RF_SPACE_SHARED && !v->size)
            k->shared_offset[v->column] = k->dynamic_start;
    }
}

static void link_kernel(rf_kernel *k)
{
    rf_module *m = k->module;
    bool *seen = calloc(m->functions.len + 1, sizeof *seen);
    bool *used = calloc(m->variables.len + 1, sizeof *used);
    k->shared_offset = RF_NEW_ARRAY(m->arena, m->n_shared, uint32_t);
    reach(m, k->f, seen);
    for (size_t i = 0; i < m->functions.len; i++) {
        const rf_function *f = m->functions.data[i];
        if (!seen[i])
            continue;
        k->ordered |= f->ordered;
        for (size_t j = 0; j < f->shared.len; j++)
            used[f->shared.data[j]] = true;
    }
    place_shared(k, used);
    free(seen);
    free(used);
}

static void fill_literals(rf_module *m)
{
    size_t n = m->literal_values.len;
    m->literals = aligned_alloc(64, (n + 1) * sizeof(rf_column));
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < RF_LANES; i++)
            m->literals[k * RF_LANES + (size_t)i] = m->literal_values.data[k];
}

/* ---- places in the source ---- */

/* Files of the toolkit say little: the call that was inlined says more. */
static bool of_toolkit(const rf_module *m, uint32_t file)
{
    const char *name = file < m->files.len ? m->files.data[file] : NULL;
    return name && (strstr(name, "/targets/x86_64-linux/include/") ||
                    strstr(name, "/targets/sbsa-linux/include/") ||
                    strstr(name, "/cuda/include/"));
}

/* The last line that inlined into "loc", if there is one. */
static const rf_loc *caller_of(const rf_module *m, const rf_loc *loc)
{
    for (size_t i = (size_t)(loc - m->locs.data); i-- > 0;) {
        const rf_loc *c = &m->locs.data[i];
        if (c->file == loc->from_file && c->line == loc->from_line)
            return c;
    }
    return NULL;
}

static void place_instr(const rf_module *m, rf_instr *in)
{
    const rf_loc *loc = in->file ? &m->locs.data[in->file - 1] : &(rf_loc){ 0 };
    in->file = loc->file;
    in->line = loc->line;
    while (of_toolkit(m, in->file) && loc && loc->from_line) {
        in->file = loc->from_file;
        in->line = loc->from_line;
        loc = caller_of(m, loc);
    }
}

/* ---- the module ---- */

/* .file 1 "path" ... */
static void file(rf_reader *r)
{
    rf_module *m = r->module;
    rf_lex_next(&r->lexer);
    int64_t n = r->first_file + rf_parse_number(r);
    rf_token t = r->lexer.token;
    if (n < 0 || n > MAX_FILES)
        rf_reader_fail(r, "file number %lld", (long long)n);
    while (m->files.len <= (size_t)n)
        RF_PUSH(m->files, NULL);
    if (t.kind == RF_TOK_STRING && t.length >= 2)
        m->files.data[n] = rf_arena_strndup(r->arena, t.at + 1, t.length - 2);
    while (r->lexer.token.kind != RF_TOK_END && r->lexer.token.line == t.line)
        rf_lex_next(&r->lexer);
}

static void skip_line(rf_reader *r)
{
    uint32_t line = r->lexer.token.line;
    while (r->lexer.token.kind != RF_TOK_END && r->lexer.token.line == line)
        rf_lex_next(&r->lexer);
}

static void directive(initializer *n, bool external)
{
    rf_reader *r = n->r;
    rf_lexer *x = &r->lexer;
    if (rf_lex_is(x, ".version"))
        r->first_file = r->linked ? (uint32_t)r->module->files.len : 0;
    if (rf_lex_is(x, ".version") || rf_lex_is(x, ".target") ||
        rf_lex_is(x, ".address_size"))
        skip_line(r);
    else if (rf_lex_is(x, ".entry") || rf_lex_is(x, ".func"))
        function(r, rf_lex_is(x, ".entry"));
    else if (rf_lex_is(x, ".global"))
        variable(n, RF_SPACE_GLOBAL, external);
    else if (rf_lex_is(x, ".const"))
        variable(n, RF_SPACE_CONST, external);
    else if (rf_lex_is(x, ".shared"))
        variable(n, RF_SPACE_SHARED, external);
    else if (rf_lex_is(x, ".file"))
        file(r);
    else if (rf_lex_is(x, ".section"))
        rf_parse_skip_past(r, '}');
    else if (rf_lex_is(x, ".alias") || rf_lex_is(x, ".pragma"))
        rf_parse_skip_past(r, ';');
    else
        rf_reader_fail(r, "unknown directive");
}

static void read_module(initializer *n)
{
    rf_lexer *x = &n->r->lexer;
    bool external = false;
    while (x->token.kind != RF_TOK_END) {
        if (rf_lex_is(x, ".visible") || rf_lex_is(x, ".weak") ||
            rf_lex_is(x, ".common") || rf_lex_is(x, ".extern")) {
            external |= rf_lex_is(x, ".extern");
            rf_lex_next(x);
            continue;
        }
        directive(n, external);
        external = false;
    }
}

static void reader_free(rf_reader *r)
{
    for (size_t i = 0; i < r->tables.len; i++)
        RF_CLEAR(r->tables.data[i].labels);
    RF_CLEAR(r->symbols);
    RF_CLEAR(r->scope_parent);
    RF_CLEAR(r->labels);
    RF_CLEAR(r->fixups);
    RF_CLEAR(r->tables);
    RF_CLEAR(r->flow);
    RF_CLEAR(r->stack);
    RF_CLEAR(r->params);
}

/* Linked texts are read twice, so that every variable is known before the
 * first function that uses it. */
static void read_texts(initializer *n)
{
    rf_reader *r = n->r;
    rf_lex_start(&r->lexer, r->module->text);
    r->variables_only = r->linked;
    read_module(n);
    if (!r->linked)
        return;
    r->variables_only = false;
    r->module->files.len = 0;
    rf_lex_start(&r->lexer, r->module->text);
    read_module(n);
}

static char *joined(rf_arena *arena, const char *const *ptx, size_t n)
{
    rf_buf text = { 0 };
    for (size_t i = 0; i < n; i++)
        rf_buf_printf(&text, "%s\n", ptx[i]);
    char *copy = rf_arena_strdup(arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}

rf_module *rf_module_load(rf_machine *machine, const char *ptx, char **error)
{
    return rf_module_link(machine, &ptx, 1, error);
}

rf_module *rf_module_link(rf_machine *machine, const char *const *ptx, size_t n,
                          char **error)
{
    rf_arena *arena = rf_arena_new();
    rf_module *m = RF_NEW(arena, rf_module);
    m->arena = arena;
    m->machine = machine;
    m->text = joined(arena, ptx, n);
    static const rf_round rounds[] = { [RF_ROUNDING_UP] = RF_RP,
                                       [RF_ROUNDING_DOWN] = RF_RM,
                                       [RF_ROUNDING_SCATTERED] = RF_RS,
                                       [RF_ROUNDING_OPPOSITE] = RF_RT };
    rf_reader r = { .module = m,
                    .arena = arena,
                    .linked = n > 1,
                    .nearest = rounds[machine->options.rounding] };
    initializer init = { .r = &r };
    r.steps = rf_steps_index(arena);
    RF_PUSH(machine->modules, m);
    if (setjmp(r.error)) {
        *error = r.message;
        m = NULL;
    } else {
        read_texts(&init);
        resolve(m, &init);
        for (size_t i = 0; i < m->kernels.len; i++)
            link_kernel(m->kernels.data[i]);
        for (size_t i = 0; i < m->code.len; i++)
            place_instr(m, &m->code.data[i]);
        fill_literals(m);
    }
    RF_CLEAR(init.relocations);
    reader_free(&r);
    return m;
}
