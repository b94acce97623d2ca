/* A team for each row: the statements, the row's index, the launches.
 *
 *     k<<<G, B>>>        G * B rows, one thread each
 *     k<<<G * 32, B>>>   a warp each, B a multiple of 32
 *     k<<<G * B, T>>>    a block of T threads each
 *
 * As many rows as there were threads: no row is lost and none is new. */
#include "teams.h"

#include "certify.h"
#include "edit/edit.h"
#include "plan/resident.h"
#include "plan/widen.h"
#include "region.h"
#include "support/word.h"

#include <string.h>

typedef struct {
    const rf_unit *unit;
    const rf_region *region;
    rf_outcomes *out;
    rf_outcome *o;
    rf_diags *diags;
    rf_arena *arena;
    const rf_front_options *front;
    rf_plan *plan;
    rf_launches launches;
    bool asks_device; /* launches ask whether clusters can run */
    rf_emitted loops; /* the statements of the plan */
    RF_ARRAY(rf_edit_part) parts;
    size_t n_kernel; /* of "parts": the others are launches */
} team_run;

static bool refuse(team_run *r, rf_diag_name name, rf_place at, const char *why)
{
    return rf_region_refuse(r->o, r->diags, name, at, why);
}

static bool refuse_plan(team_run *r, const rf_refusal *why)
{
    refuse(r, why->name, rf_unit_place(r->unit, why->at.begin), why->text);
    if (why->note && why->note_at.begin != UINT32_MAX)
        rf_diag_note_add(r->diags, rf_unit_place(r->unit, why->note_at.begin),
                         "%s", why->note);
    return false;
}

/* ---- launches ---- */

static const rf_kernel_launch *known_launch(team_run *r, const rf_launch *l)
{
    for (size_t i = 0; i < r->unit->launches.len; i++) {
        const rf_kernel_launch *k = &r->unit->launches.data[i];
        if (k->at.begin <= l->grid.begin && l->block.end <= k->at.end)
            return k;
    }
    return NULL;
}

/* The end of the first argument in "text", which follows "dim3(". */
static size_t first_argument(const char *text)
{
    int depth = 0;
    for (size_t i = 0; text[i]; i++) {
        if (!depth && (text[i] == ',' || text[i] == ')'))
            return i;
        depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
        depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
    }
    return 0;
}

/* "grid" with its x times "by". */
static const char *times(team_run *r, const char *grid, const char *by)
{
    if (strncmp(grid, "dim3(", 5))
        return rf_arena_printf(r->arena, "%s * %s",
                               rf_region_factor(r->arena, grid), by);
    const char *x = grid + 5;
    size_t n = first_argument(x);
    const char *first = rf_arena_strndup(r->arena, x, n);
    return rf_arena_printf(r->arena, "dim3(%s * %s%s",
                           rf_region_factor(r->arena, first), by, x + n);
}

static const char *threads_of(team_run *r, const rf_launch *l,
                              const rf_kernel_launch *k)
{
    if (k->block_is_number)
        return rf_region_factor(r->arena,
                                rf_region_copy(r->arena, r->unit, l->block));
    return rf_arena_printf(r->arena, "%lld", (long long)k->block[0]);
}

/* grid.x as rf_team_grid(kernel, x) */
static const char *with_consent(team_run *r, const char *grid,
                                const rf_kernel_launch *k)
{
    const char *call = r->unit->bytes + k->at.begin;
    int name = (int)(strstr(call, "<<<") - call);
    while (name > 0 && strchr(" \t\r\n", call[name - 1]))
        name--;
    bool is_dim3 = !strncmp(grid, "dim3(", 5);
    const char *x = is_dim3 ? grid + 5 : grid;
    size_t n = is_dim3 ? first_argument(x) : strlen(x);
    return rf_arena_printf(r->arena, "%srf_team_grid(%.*s, %.*s)%s",
                           is_dim3 ? "dim3(" : "", name, call, (int)n, x,
                           x + n);
}

static const char *configuration(team_run *r, const rf_launch *l,
                                 const rf_kernel_launch *k)
{
    const rf_widening *w = r->plan->wide;
    const char *grid = rf_region_copy(r->arena, r->unit, l->grid);
    const char *block = rf_region_copy(r->arena, r->unit, l->block);
    const char *cluster = rf_arena_printf(r->arena, "%u", w->cluster);
    bool whole_warps = k->block[0] > 0 && k->block[0] % 32 == 0;
    if (!w->threads && whole_warps)
        return rf_arena_printf(r->arena, "%s, %s", times(r, grid, "32"), block);
    const char *by = w->one_thread_blocks ? NULL : threads_of(r, l, k);
    if (by && w->cluster > 1)
        by = rf_arena_printf(r->arena, "%s * %s", by, cluster);
    else if (w->cluster > 1)
        by = cluster;
    if (by)
        grid = times(r, grid, by);
    if (w->cluster > 8 && !w->is_grid && !r->asks_device)
        grid = with_consent(r, grid, k);
    return rf_arena_printf(r->arena, "%s, %u", grid,
                           w->threads ? w->threads : 32);
}

/* Why a function of ours cannot make the launch; NULL: it can. */
static const char *not_handed_on(team_run *r, const rf_launch *l,
                                 const rf_kernel_launch *k)
{
    const rf_func *f = r->plan->func;
    if (l->args.len != f->n_params || !f->n_params)
        return "a launch with the blocks' states needs an argument for each "
               "parameter, and one at least";
    if (k->at.begin < f->at.begin)
        return "the kernel is launched here before its definition, which gets "
               "one more parameter";
    const char *call = r->unit->bytes + k->at.begin;
    size_t name = (size_t)(strstr(call, "<<<") - call);
    if ((f->n_template || f->has_template_types) && !memchr(call, '<', name))
        return "the template arguments are not written at this launch";
    return NULL;
}

/* FUNCTION(k, NUMBER, grid, block, shared, stream, ... for k<<<...>>>(... */
static void hand_on(team_run *r, const rf_launch *l, const rf_kernel_launch *k,
                    const char *function, unsigned number, rf_edit_part *part)
{
    part->begin = k->at.begin;
    part->end = l->args.data[0].begin;
    const char *call = r->unit->bytes + part->begin;
    int name = (int)(strstr(call, "<<<") - call);
    const char *shared = rf_region_copy(r->arena, r->unit, l->shared);
    const char *stream = rf_region_copy(r->arena, r->unit, l->stream);
    part->text = rf_arena_printf(
        r->arena, "%s(%.*s, %u, %s, %s, %s, ", function, name, call, number,
        part->text, *shared ? shared : "0", *stream ? stream : "0");
}

static bool turns_of(team_run *r, const rf_launch *l, const rf_kernel_launch *k,
                     rf_edit_part *part)
{
    const char *why = not_handed_on(r, l, k);
    if (why)
        return refuse(r, RF_DIAG_LAUNCH, rf_unit_place(r->unit, k->at.begin),
                      why);
    hand_on(r, l, k, "rf_grid_launch", r->plan->n_loops + 1, part);
    return true;
}

/* Clusters that may be missing: a row that is not kept needs no more than one
 * block, so each launch may ask the device first. */
static bool asks_device(team_run *r)
{
    const rf_widening *w = r->plan->wide;
    bool all = w->cluster > 1 && !w->is_grid && !r->plan->resident &&
               !*r->plan->func->scope; /* launches see our function */
    for (size_t i = 0; all && i < r->launches.list.len; i++) {
        const rf_launch *l = &r->launches.list.data[i];
        const rf_kernel_launch *k = known_launch(r, l);
        all = k && !not_handed_on(r, l, k);
    }
    return all;
}

static bool add_launch(team_run *r, const rf_launch *l)
{
    rf_place at = rf_unit_place(r->unit, (uint32_t)l->grid.begin);
    const rf_kernel_launch *k = known_launch(r, l);
    const char *grid = rf_region_copy(r->arena, r->unit, l->grid);
    bool column = k && k->block[0] > 0 && k->block[1] == 1 && k->block[2] == 1;
    if (!k || !(k->block_is_number || column))
        return refuse(r, RF_DIAG_LAUNCH, at,
                      "the threads of a block are not a number at this launch");
    if (!k->grid_is_number && strncmp(grid, "dim3(", 5))
        return refuse(r, RF_DIAG_LAUNCH, at,
                      "the blocks are not a number at this launch");
    if (r->plan->wide->one_thread_blocks && !(column && k->block[0] == 1))
        return refuse(r, RF_DIAG_LAUNCH, at,
                      "the rows are blocks, and blocks of this launch have "
                      "more than one thread");
    if (r->plan->wide->one_block && strcmp(grid, "1") &&
        strcmp(grid, "dim3(1)"))
        return refuse(r, RF_DIAG_LAUNCH, at,
                      "the rows are the threads of one block, and this launch "
                      "may have more than one");
    rf_edit_part part = { .begin = l->grid.begin,
                          .end = l->block.end,
                          .text = configuration(r, l, k),
                          .words = "a team for each row" };
    if (r->plan->wide->is_grid && !turns_of(r, l, k, &part))
        return false;
    if (r->asks_device)
        hand_on(r, l, k, "rf_team_launch", r->plan->wide->cluster, &part);
    RF_PUSH(r->parts, part);
    return true;
}

static bool find_launches(team_run *r)
{
    if (!rf_region_launches(r->arena, r->unit, r->plan->func, &r->launches,
                            r->o, r->diags))
        return false;
    r->asks_device = asks_device(r);
    return true;
}

static bool add_launches(team_run *r)
{
    for (size_t i = 0; i < r->launches.list.len; i++)
        if (!add_launch(r, &r->launches.list.data[i]))
            return false;
    return true;
}

/* ---- the kernel ---- */

/* An edit outside the region; neighbours in one line share a guard. */
static void add_outside(team_run *r, const rf_row_edit *e)
{
    const char *bytes = r->unit->bytes;
    rf_edit_part *last = r->parts.len ? &RF_LAST(r->parts) : NULL;
    if (last && last->end <= e->at.begin &&
        !memchr(bytes + last->end, '\n', e->at.begin - last->end)) {
        last->text = rf_arena_printf(r->arena, "%s%.*s%s", last->text,
                                     (int)(e->at.begin - last->end),
                                     bytes + last->end, e->text);
        last->end = e->at.end;
        return;
    }
    rf_edit_part part = { .begin = e->at.begin,
                          .end = e->at.end,
                          .text = e->text,
                          .words = e->words };
    RF_PUSH(r->parts, part);
}

static int compare_edits(const void *a, const void *b)
{
    const rf_row_edit *x = a, *y = b;
    return (x->at.begin > y->at.begin) - (x->at.begin < y->at.begin);
}

/* ---- rows that the blocks of a grid share ---- */

/* Does the author, not an earlier run, use "word"? */
static bool is_used_word(team_run *r, const char *word)
{
    const char *bytes = r->unit->bytes, *p = bytes;
    const char *end = bytes + r->unit->size;
    size_t n = strlen(word);
    rf_guards guards = rf_guards_find(r->arena, bytes, r->unit->size);
    bool own = false;
    while (!own && (p = rf_find_word(p, (size_t)(end - p), word, n))) {
        own = true;
        for (size_t i = 0; i < guards.list.len; i++) {
            const rf_guard *g = &guards.list.data[i];
            size_t at = (size_t)(p - bytes);
            own &= g->damaged || at < g->reference_end || at >= g->end;
        }
        p += n;
    }
    RF_CLEAR(guards.list);
    return own;
}

/* A name for the state of a block that the file does not use. */
static const char *state_name(team_run *r)
{
    const char *like =
        rf_arena_printf(r->arena, "%s_state", r->plan->func->name);
    const char *name = like;
    for (int i = 2; is_used_word(r, name); i++)
        name = rf_arena_printf(r->arena, "%s_%d", like, i);
    return name;
}

static const char *grid_functions(team_run *r)
{
    return rf_arena_printf(
        r->arena, "%s%s",
        rf_region_needs(r->out, r->plan->func, rf_emit_as_it_is()),
        rf_region_needs(r->out, r->plan->func, rf_emit_grid_functions()));
}

/* `struct k_state { ... };` and `void k(rf_grid_team<k_state> team, `. */
static bool add_grid_head(team_run *r)
{
    const rf_func *f = r->plan->func;
    const char *head = r->unit->bytes + f->at.begin;
    const char *body = r->unit->bytes + f->body->at.begin;
    size_t n = strlen(f->name);
    const char *name = rf_find_word(head, (size_t)(body - head), f->name, n);
    const char *open = name ? name + n : NULL;
    while (open && strchr(" \t\r\n", *open))
        open++;
    if (!open || *open != '(')
        return refuse(r, RF_DIAG_MACRO, rf_unit_place(r->unit, f->at.begin),
                      "the head of this kernel comes from a macro");
    const char *functions = grid_functions(r);
    if (!rf_region_admits(r->arena, r->unit, functions, r->o, r->diags))
        return false;
    const char *state = state_name(r);
    rf_row_edit e = {
        .at = { f->at.begin, f->at.begin + (uint32_t)(open + 1 - head) },
        .text = rf_arena_printf(
            r->arena,
            "%s// What a block of %s leaves for the next launch.\n"
            "struct %s {\n%s};\n\n%.*srf_grid_team<%s> %s, ",
            functions, f->name, state, r->plan->wide->fields,
            (int)(open + 1 - head), head, state, r->plan->wide->grid_team),
        .words = "blocks of a grid share rows",
    };
    RF_PUSH(r->plan->wide->edits, e);
    return true;
}

/* ---- the kernel ---- */

/* The statements and the edits inside the region are one part. */
static bool add_kernel(team_run *r)
{
    const rf_widening *w = r->plan->wide;
    const rf_region *g = r->region;
    rf_range whole = rf_region_range(g);
    rf_emitted *inside = RF_NEW_ARRAY(r->arena, w->edits.len + 2, rf_emitted);
    rf_refusal why;
    size_t n = 1;
    rf_emitted_list loops = { 0 };
    if (rf_emit_plan(r->arena, r->unit, NULL, r->plan, &loops, &why) < 0)
        return refuse_plan(r, &why);
    inside[0] = r->loops = loops.data[0];
    RF_CLEAR(loops);
    if (w->is_grid && !add_grid_head(r))
        return false;
    if (w->edits.len)
        qsort(w->edits.data, w->edits.len, sizeof *w->edits.data,
              compare_edits);
    for (size_t i = 0; i < w->edits.len; i++) {
        const rf_row_edit *e = &w->edits.data[i];
        if (e->at.begin >= whole.begin && e->at.end <= whole.end) {
            inside[n++] = (rf_emitted){ .begin = e->at.begin,
                                        .end = e->at.end,
                                        .text = e->text };
            continue;
        }
        add_outside(r, e);
    }
    rf_emitted_sort(inside, n);
    rf_edit_part part = { .begin = whole.begin,
                          .end = whole.end,
                          .text =
                              rf_emit_region(r->arena, r->unit, g, inside, n) };
    RF_PUSH(r->parts, part);
    r->n_kernel = r->parts.len;
    return true;
}

/* ---- the proof ---- */

/* Every byte range that changes, with the statements first. */
static rf_emitted *list_pieces(team_run *r, size_t *n)
{
    const rf_widening *w = r->plan->wide;
    size_t launches = r->parts.len - r->n_kernel;
    rf_emitted *all =
        RF_NEW_ARRAY(r->arena, 1 + w->edits.len + launches, rf_emitted);
    all[0] = r->loops;
    *n = 1;
    for (size_t i = 0; i < w->edits.len; i++) {
        const rf_row_edit *e = &w->edits.data[i];
        all[(*n)++] = (rf_emitted){ .begin = e->at.begin,
                                    .end = e->at.end,
                                    .text = e->text };
    }
    for (size_t i = r->n_kernel; i < r->parts.len; i++) {
        const rf_edit_part *e = &r->parts.data[i];
        all[(*n)++] = (rf_emitted){ .begin = (uint32_t)e->begin,
                                    .end = (uint32_t)e->end,
                                    .text = e->text };
    }
    rf_emitted_sort(all, *n);
    return all;
}

static const char *splice(team_run *r, rf_proof_window *window)
{
    size_t n;
    const rf_emitted *all = list_pieces(r, &n);
    rf_buf text = { 0 };
    uint32_t at = 0;
    for (size_t i = 0; i < n; i++) {
        rf_buf_add(&text, r->unit->bytes + at, all[i].begin - at);
        uint32_t begin = (uint32_t)text.len;
        rf_buf_puts(&text, all[i].text);
        at = all[i].end;
        if (all[i].begin == r->loops.begin)
            *window =
                (rf_proof_window){ .source = { r->loops.begin, r->loops.end },
                                   .emitted = { begin, (uint32_t)text.len } };
    }
    rf_buf_puts(&text, r->unit->bytes + at);
    const char *copy = rf_arena_strdup(r->arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}

static const char NOT_FOLLOWED[] =
    "what several blocks make of a row is tested only, and --proven was given";

static bool refuse_unproven(team_run *r, const rf_certificate *c,
                            const char *why)
{
    bool is_placed = why && why != NOT_FOLLOWED;
    return refuse(r, RF_DIAG_UNSUPPORTED,
                  is_placed ? rf_unit_place(r->unit, c->at)
                            : r->region->mark.place,
                  why ? why : "there is no proof of this row's loops");
}

/* What is shown about the emitted text, in the words of the guard: all of it,
 * or what a thread does. False: it is known to be wrong. */
static bool prove(team_run *r, const rf_options *options, const char **words)
{
    rf_front_options front = *r->front;
    rf_proof_window window = { 0 };
    rf_certificate c = { .unit = r->unit,
                         .region = r->region,
                         .text = r->loops.text,
                         .bytes = splice(r, &window),
                         .window = &window,
                         .front = &front,
                         .folder = options->proof,
                         .bounds = r->o->bounds,
                         .n_bounds = r->o->n_bounds };
    const char *why = r->plan->wide->cluster > 1 || r->plan->wide->is_grid
                          ? NOT_FOLLOWED
                          : rf_certify(r->arena, &c);
    if (c.dump && options->dump && !strcmp(options->dump, "proof"))
        rf_buf_printf(&r->out->dump, "for a team:\n%s", c.dump);
    if (why && c.is_refuted)
        return refuse(r, c.name, rf_unit_place(r->unit, c.at), why);
    const char *proof = strstr(*words, ", proof ");
    if ((why || !proof) && options->proven)
        return refuse_unproven(r, &c, why);
    if (why || !proof)
        *words = rf_arena_printf(
            r->arena, "%s of a thread's steps, merge of %u threads tested only",
            *words, r->plan->wide->lanes);
    else
        *words = rf_arena_printf(r->arena, "%.*s, proof %zu/%zu",
                                 (int)(proof - *words), *words, c.n_items,
                                 c.n_items);
    return true;
}

/* ---- the head ---- */

/* The blanks before the first statement of the kernel. */
static const char *indent(team_run *r)
{
    uint32_t end = r->plan->func->body->list[0]->at.begin, begin = end;
    const char *bytes = r->unit->bytes;
    while (begin > 0 && (bytes[begin - 1] == ' ' || bytes[begin - 1] == '\t'))
        begin--;
    return rf_arena_strndup(r->arena, bytes + begin, end - begin);
}

/* A block of more than 256 threads may find too few registers. */
static bool needs_bounds(const team_run *r)
{
    return r->plan->resident && !r->plan->func->launch_bounds &&
           r->plan->wide->threads > 256;
}

/* " __launch_bounds__(512, 1)": all registers of an SM, not a half of them. */
static const char *bounds(team_run *r)
{
    return needs_bounds(r)
               ? rf_arena_printf(r->arena, " __launch_bounds__(%u, 1)",
                                 r->plan->wide->threads)
               : "";
}

/* " RF_TEAM(4)"; nothing where launches say it. */
static const char *dimensions(team_run *r)
{
    unsigned blocks = r->plan->wide->cluster;
    if (r->asks_device)
        return "";
    return rf_arena_printf(r->arena, " %s(%u)",
                           blocks > 8 ? "RF_LARGE_TEAM" : "RF_TEAM", blocks);
}

/* The functions that a kernel of clusters and its launches use. */
static const char *team_functions(team_run *r)
{
    const char *const all[] = {
        r->asks_device ? NULL : rf_emit_team_dimensions(),
        rf_emit_team_functions(),
        r->asks_device ? rf_emit_as_it_is() : NULL,
        r->asks_device ? rf_emit_team_launch() : NULL,
        !r->asks_device && r->plan->wide->cluster > 8 ? rf_emit_team_consent()
                                                      : NULL,
    };
    const char *text = "";
    for (size_t i = 0; i < RF_COUNTOF(all); i++)
        if (all[i])
            text =
                rf_arena_printf(r->arena, "%s%s", text,
                                rf_region_needs(r->out, r->plan->func, all[i]));
    return text;
}

/* `__global__ RF_TEAM(4) void k(...) {`, after the functions; blocks that have
 * no cluster to work in leave. */
static bool add_head(team_run *r)
{
    static const char word[] = "__global__";
    const rf_func *f = r->plan->func;
    const char *head = r->unit->bytes + f->at.begin;
    const char *body = r->unit->bytes + f->body->at.begin;
    const char *global = strstr(head, word);
    if (!global || global > body || *body != '{')
        return refuse(r, RF_DIAG_MACRO, rf_unit_place(r->unit, f->at.begin),
                      "the head of this kernel comes from a macro");
    const char *functions = team_functions(r);
    if (!rf_region_admits(r->arena, r->unit, functions, r->o, r->diags))
        return false;
    int before = (int)(global - head) + (int)strlen(word);
    rf_row_edit e = {
        .at = { f->at.begin, f->body->at.begin + 1 },
        .text =
            rf_arena_printf(r->arena,
                            "%s%.*s%s%s%.*s\n%sif (rf_team_blocks() == 1 && "
                            "blockIdx.x %% %u != 0)\n%s    return;",
                            functions, before, head, dimensions(r), bounds(r),
                            (int)(body + 1 - head) - before, head + before,
                            indent(r), r->plan->wide->cluster, indent(r)),
        .words = "clusters of blocks",
    };
    RF_PUSH(r->plan->wide->edits, e);
    return true;
}

static bool add_bounds(team_run *r)
{
    const rf_func *f = r->plan->func;
    const char *head = r->unit->bytes + f->at.begin;
    const char *global = strstr(head, "__global__");
    if (!needs_bounds(r) || r->plan->wide->cluster > 1)
        return true;
    if (!global || global > r->unit->bytes + f->body->at.begin)
        return refuse(r, RF_DIAG_MACRO, rf_unit_place(r->unit, f->at.begin),
                      "the head of this kernel comes from a macro");
    uint32_t begin = f->at.begin + (uint32_t)(global - head);
    rf_row_edit e = { .at = { begin, begin + 10 },
                      .text =
                          rf_arena_printf(r->arena, "__global__%s", bounds(r)),
                      .words = "registers for all threads of a block" };
    RF_PUSH(r->plan->wide->edits, e);
    return true;
}

/* ---- the whole ---- */

bool rf_is_widened(const rf_region *region, const rf_plans *plans)
{
    rf_level level = region->mark.level;
    bool asked = level == RF_LEVEL_WARP || level == RF_LEVEL_BLOCK ||
                 level == RF_LEVEL_CLUSTER || level == RF_LEVEL_GRID;
    for (size_t i = 0; i < plans->len; i++)
        asked &= !plans->data[i]->trace->team;
    return asked;
}

/* All rows of the kernel are folded by the same team: one region, one plan. */
static bool is_alone(team_run *r, const rf_plans *plans)
{
    unsigned n = 0;
    for (size_t i = 0; i < r->unit->regions.len; i++)
        n += r->unit->regions.data[i].func == r->region->func &&
             r->unit->regions.data[i].mark.kind != RF_MARK_OFF;
    if (plans->len == 1 && n == 1)
        return true;
    return refuse(r, RF_DIAG_UNSUPPORTED, r->o->at,
                  "only a kernel with one cascade can have teams for its rows "
                  "yet");
}

/* "words" with the rounding of the team, which adds in another order. */
static const char *with_rounding(team_run *r, const char *words,
                                 const char *before)
{
    const char *at = strstr(words, before);
    if (!at)
        return words;
    return rf_arena_printf(r->arena, "%.*s%s%s", (int)(at - words), words,
                           rf_rounding_name(r->plan->rounding),
                           at + strlen(before));
}

static bool run(team_run *r, const rf_options *options, const rf_plans *plans)
{
    rf_refusal why;
    const char *before = rf_rounding_name(r->plan->rounding);
    if (!is_alone(r, plans))
        return false;
    if (!rf_plan_widen(r->arena, r->unit, r->region, r->plan, &why))
        return refuse_plan(r, &why);
    if (!find_launches(r) ||
        (r->plan->wide->cluster > 1 && !r->plan->wide->is_grid &&
         !add_head(r)) ||
        !add_bounds(r) || !add_kernel(r) || !add_launches(r))
        return false;
    rf_outcome *o = r->o;
    bool strict = r->region->mark.strict || options->strict;
    if (strict && r->plan->rounding != RF_ROUNDING_EXACT)
        return refuse(r, RF_DIAG_STRICT, r->region->mark.place,
                      "strict, and a team adds in another order");
    o->edit.words = with_rounding(r, o->edit.words, before);
    rf_region_set_bounds(r->arena, plans, o);
    if (!options->quick && !prove(r, options, &o->edit.words))
        return false;
    o->edit.n_parts = r->parts.len;
    o->edit.parts = RF_NEW_ARRAY(r->arena, r->parts.len, rf_edit_part);
    memcpy(o->edit.parts, r->parts.data, r->parts.len * sizeof(rf_edit_part));
    return true;
}

bool rf_widen_region(const rf_options *options, const rf_unit *unit,
                     const rf_region *region, const rf_plans *plans,
                     const rf_front_options *front, rf_outcomes *out,
                     rf_outcome *outcome, rf_diags *diags)
{
    team_run r = { .unit = unit,
                   .region = region,
                   .out = out,
                   .o = outcome,
                   .diags = diags,
                   .arena = out->arena,
                   .front = front,
                   .plan = plans->data[0] };
    bool ok = run(&r, options, plans);
    rf_launches_free(&r.launches);
    RF_CLEAR(r.parts);
    if (r.plan->wide)
        RF_CLEAR(r.plan->wide->edits);
    return ok;
}
