/* From regions to edits.
 *
 * Parts are sorted; those that share lines or a guard form a unit, which gets
 * one guard. A unit's guard covers whole lines: what stands beside a part on
 * its lines is in both branches. The unit's input hash is that of its region
 * (of all its regions, where several share a line):
 *
 *     INPUT = H(version, hash_input, author's tokens of part 1, 2, ...)
 *
 * A region is changed in all its units or in none. */
#include "edit/edit.h"

#include "support/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const rf_edit_part *part;
    rf_edit_region *region;
} placed;

typedef struct {
    size_t first, n;   /* its parts among the placed */
    size_t begin, end; /* the author's lines */
    const rf_guard *guard;
    uint64_t input;
    bool borrowed_end; /* the last line has no line end */
    rf_buf body;       /* the generated lines */
} unit;

typedef struct {
    rf_arena *arena;
    const char *bytes;
    size_t len;
    rf_edit_rules rules;
    rf_lines lines;
    rf_guards guards;
    RF_ARRAY(placed) parts;
    RF_ARRAY(unit) units;
    rf_edits *out;
} planner;

static void impossible(rf_edit_region *region, size_t at, const char *why)
{
    region->state = RF_EDIT_IMPOSSIBLE;
    if (!region->problem) {
        region->problem = why;
        region->problem_at = at;
    }
}

/* ---- Hashes --------------------------------------------------------- */

static bool part_in_file(const planner *p, const rf_edit_part *part)
{
    return part->begin <= part->end && part->end <= p->len;
}

static uint64_t region_hash(const planner *p, const rf_edit_region *region)
{
    rf_buf text = { 0 };
    rf_buf_printf(&text, "%s\n%s\n", RF_VERSION,
                  region->hash_input ? region->hash_input : "");
    for (size_t i = 0; i < region->n_parts; i++) {
        const rf_edit_part *part = &region->parts[i];
        if (!part_in_file(p, part))
            continue;
        rf_buf_printf(&text, "%016llx\n",
                      (unsigned long long)rf_text_hash(
                          p->bytes + part->begin, part->end - part->begin));
    }
    uint64_t hash = rf_hash64(text.data, text.len);
    rf_buf_free(&text);
    return hash & 0xffffffffffff;
}

static uint64_t unit_hash(const planner *p, const unit *u)
{
    uint64_t hash = 0;
    rf_edit_region *last = NULL;
    for (size_t i = u->first; i < u->first + u->n; i++) {
        rf_edit_region *region = p->parts.data[i].region;
        if (region == last)
            continue;
        uint64_t pair[2] = { hash, region_hash(p, region) };
        hash = last ? rf_hash64(pair, sizeof pair) & 0xffffffffffff : pair[1];
        last = region;
    }
    return hash;
}

/* ---- Units ---------------------------------------------------------- */

static int placed_order(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->part->begin != y->part->begin)
        return x->part->begin < y->part->begin ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

static void place_parts(planner *p, rf_edit_region *regions, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        regions[r].state = RF_EDIT_NEW;
        for (size_t i = 0; i < regions[r].n_parts; i++) {
            placed one = { &regions[r].parts[i], &regions[r] };
            if (part_in_file(p, one.part))
                RF_PUSH(p->parts, one);
            else
                impossible(&regions[r], 0, "a part lies outside the file");
        }
    }
    if (p->parts.len)
        qsort(p->parts.data, p->parts.len, sizeof *p->parts.data, placed_order);
}

static const rf_guard *guard_around(const planner *p, size_t begin, size_t end)
{
    for (size_t i = 0; i < p->guards.list.len; i++) {
        const rf_guard *g = &p->guards.list.data[i];
        if (begin < g->end && end > g->begin)
            return g;
    }
    return NULL;
}

/* The whole lines, outside comments and literals, that hold a part. */
static void unit_lines(const planner *p, unit *u)
{
    const rf_line *lines = p->lines.list.data;
    size_t first = rf_lines_find(&p->lines, u->begin);
    while (first > 0 && !lines[first].clean)
        first--;
    size_t last =
        rf_lines_find(&p->lines, u->end > u->begin ? u->end - 1 : u->end);
    while (last + 1 < p->lines.list.len && !lines[last + 1].clean)
        last++;
    u->begin = lines[first].begin;
    u->end = lines[last].end;
}

static unit unit_of(const planner *p, size_t i)
{
    const rf_edit_part *part = p->parts.data[i].part;
    unit u = { .first = i, .n = 1, .begin = part->begin, .end = part->end };
    u.guard = guard_around(p, part->begin, part->end);
    if (u.guard) {
        u.begin = u.guard->reference;
        u.end = rf_guard_author_end(u.guard, p->bytes, p->len);
        u.borrowed_end = u.end < u.guard->reference_end;
    } else {
        unit_lines(p, &u);
        u.borrowed_end =
            u.end == p->len && (!p->len || p->bytes[p->len - 1] != '\n');
    }
    return u;
}

static void make_units(planner *p)
{
    for (size_t i = 0; i < p->parts.len; i++) {
        unit u = unit_of(p, i);
        unit *before = p->units.len ? &RF_LAST(p->units) : NULL;
        bool meets =
            before && (u.begin < before->end || u.begin == before->begin);
        if (meets && u.guard == before->guard) {
            before->n++;
            if (u.end > before->end)
                before->end = u.end;
            before->borrowed_end |= u.borrowed_end;
        } else {
            RF_PUSH(p->units, u);
        }
    }
}

/* ---- Texts ---------------------------------------------------------- */

/* The line end that the unit's place in the file uses. */
static const char *line_end(const planner *p, const unit *u)
{
    const char *s = p->bytes;
    const char *nl = memchr(s + u->begin, '\n', p->len - u->begin);
    if (!nl && u->begin > 0)
        nl = memrchr(s, '\n', u->begin);
    return nl && nl > s && nl[-1] == '\r' ? "\r\n" : "\n";
}

static void add_lines(rf_buf *out, const char *text, size_t n, const char *eol)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n')
            rf_buf_puts(out, eol);
        else if (text[i] != '\r')
            rf_buf_putc(out, text[i]);
    }
}

static bool only_blanks(const char *text, size_t n)
{
    while (n && (*text == ' ' || *text == '\t'))
        text++, n--;
    return !n;
}

/* Append the author's bytes [from, to) that stand beside parts, without the
 * marks in them. */
static void add_beside(const planner *p, const unit *u, size_t from, size_t to,
                       rf_buf *out)
{
    for (size_t i = 0; i < u->n; i++) {
        const rf_edit_region *r = p->parts.data[u->first + i].region;
        if (r->mark_end > r->mark_begin && r->mark_begin >= from &&
            r->mark_end <= to) {
            rf_buf_add(out, p->bytes + from, r->mark_begin - from);
            from = r->mark_end;
        }
    }
    rf_buf_add(out, p->bytes + from, to - from);
}

static void add_part(const planner *p, const rf_edit_part *part, rf_buf *out,
                     size_t line_start, const char *eol)
{
    size_t n = strlen(part->text);
    bool indented = n && (*part->text == ' ' || *part->text == '\t');
    if (indented &&
        only_blanks(rf_buf_text(out) + line_start, out->len - line_start))
        out->len = line_start;
    bool line_follows = part->end == p->len || p->bytes[part->end] == '\n' ||
                        p->bytes[part->end] == '\r';
    if (n && part->text[n - 1] == '\n' && line_follows)
        n--;
    add_lines(out, part->text, n, eol);
}

static size_t last_line_start(const rf_buf *out)
{
    const char *nl = out->len ? memrchr(out->data, '\n', out->len) : NULL;
    return nl ? (size_t)(nl - out->data) + 1 : 0;
}

/* The unit's lines with every part replaced. */
static void unit_body(const planner *p, unit *u)
{
    rf_buf *out = &u->body;
    const char *eol = line_end(p, u);
    size_t at = u->begin;
    for (size_t i = 0; i < u->n; i++) {
        const rf_edit_part *part = p->parts.data[u->first + i].part;
        add_beside(p, u, at, part->begin, out);
        add_part(p, part, out, last_line_start(out), eol);
        at = part->end;
    }
    add_beside(p, u, at, u->end, out);
    bool ended = out->len && out->data[out->len - 1] == '\n';
    if (!ended && p->parts.data[u->first].region->keep)
        rf_buf_puts(out, eol);
}

static uint32_t unit_output(const unit *u)
{
    return (uint32_t)rf_text_hash(rf_buf_text(&u->body), u->body.len);
}

/* One line of words: nothing in it may end the comment or the line. */
static const char *plain_words(rf_arena *arena, const char *words)
{
    char *copy = rf_arena_strdup(arena, words ? words : "");
    for (char *c = copy; *c; c++)
        if (strchr("\r\n\\;?", *c))
            *c = ' ';
    return copy;
}

static const char *part_words(const placed *one)
{
    return one->part->words ? one->part->words : one->region->words;
}

static void add_else(const planner *p, const unit *u, rf_buf *out)
{
    rf_buf_puts(out, "#else  // rf: ");
    for (size_t i = 0; i < u->n; i++)
        rf_buf_printf(
            out, "%s, ",
            plain_words(p->arena, part_words(&p->parts.data[u->first + i])));
    rf_buf_printf(out, "%012llx-%08x; do not edit%s",
                  (unsigned long long)u->input, unit_output(u), line_end(p, u));
    rf_buf_add(out, u->body.data, u->body.len);
}

/* ---- What stands in the way ----------------------------------------- */

/* Whether "text" can stand between directives of ours: it closes what it
 * opens (comments, literals, joined lines) and its own conditionals. */
static bool self_contained(const char *text, size_t len)
{
    rf_buf b = { 0 };
    rf_buf_add(&b, text, len);
    rf_buf_puts(&b, len && text[len - 1] == '\n' ? "#else\n" : "\n#else\n");
    rf_lines lines = rf_lines_read(b.data, b.len);
    const rf_line *last = &RF_LAST(lines.list);
    size_t depth = 0;
    bool good = last->kind == RF_LINE_ELSE;
    for (const rf_line *l = lines.list.data; good && l < last; l++) {
        good = depth || l->kind < RF_LINE_ELIF || l->kind > RF_LINE_ENDIF;
        depth += l->kind == RF_LINE_IF;
        depth -= good && l->kind == RF_LINE_ENDIF;
    }
    RF_CLEAR(lines.list);
    rf_buf_free(&b);
    return good && !depth;
}

static bool bare_returns(const planner *p, const unit *u)
{
    for (size_t i = u->begin; i < u->end; i++)
        if (p->bytes[i] == '\r' && (i + 1 == p->len || p->bytes[i + 1] != '\n'))
            return true;
    return false;
}

static const char *unit_problem(const planner *p, const unit *u)
{
    const placed *parts = &p->parts.data[u->first];
    for (size_t i = 0; i < u->n; i++) {
        if (parts[i].part->begin < u->begin || parts[i].part->end > u->end)
            return "the region crosses the edge of a guard";
        if (i && parts[i].part->begin < parts[i - 1].part->end)
            return "two regions overlap";
        if (parts[i].region->keep != parts[0].region->keep)
            return "'keep' and 'replace' meet on one line";
    }
    if (u->guard && u->guard->damaged)
        return "the guard around this region has lost a directive";
    if (!self_contained(p->bytes + u->begin, u->end - u->begin))
        return "a comment, a literal or an #if begins or ends inside the "
               "region";
    if (bare_returns(p, u))
        return "a line ends in a bare carriage return";
    return NULL;
}

/* Whether the guard holds the unit's text, in whatever style. */
static bool same_text(const planner *p, const unit *u)
{
    const rf_guard *g = u->guard;
    return rf_text_hash_loose(p->bytes + g->generated,
                              g->generated_end - g->generated) ==
           rf_text_hash_loose(rf_buf_text(&u->body), u->body.len);
}

static bool unit_current(const planner *p, const unit *u)
{
    return u->guard && !u->guard->edited && u->guard->input == u->input &&
           p->parts.data[u->first].region->keep && same_text(p, u);
}

static rf_edit_state unit_state(const planner *p, const unit *u)
{
    if (!u->guard)
        return RF_EDIT_NEW;
    if (u->guard->edited && !p->rules.force)
        return RF_EDIT_BY_HAND;
    return unit_current(p, u) ? RF_EDIT_CURRENT : RF_EDIT_STALE;
}

static void unit_judge(planner *p, unit *u)
{
    const placed *parts = &p->parts.data[u->first];
    const char *why = unit_problem(p, u);
    rf_edit_state state = RF_EDIT_IMPOSSIBLE;
    if (!why)
        unit_body(p, u);
    if (!why && !self_contained(rf_buf_text(&u->body), u->body.len))
        why = "the generated code would not be closed in itself";
    if (!why) {
        u->input = unit_hash(p, u);
        state = unit_state(p, u);
    }
    for (size_t i = 0; i < u->n; i++) {
        rf_edit_region *region = parts[i].region;
        if (why)
            impossible(region, parts[i].part->begin, why);
        else if (region->state != RF_EDIT_IMPOSSIBLE && state > region->state)
            region->state = state;
    }
}

/* A region of which one guard is there and another is missing is stale. */
static void note_missing(planner *p, const unit *u)
{
    for (size_t i = 0; i < u->n; i++) {
        rf_edit_region *region = p->parts.data[u->first + i].region;
        if (!u->guard && region->state == RF_EDIT_CURRENT)
            region->state = RF_EDIT_STALE;
    }
}

static bool left_alone(rf_edit_state state)
{
    return state == RF_EDIT_BY_HAND || state == RF_EDIT_IMPOSSIBLE;
}

static bool unit_left_alone(const planner *p, const unit *u)
{
    for (size_t i = 0; i < u->n; i++)
        if (left_alone(p->parts.data[u->first + i].region->state))
            return true;
    return false;
}

/* Regions that share a unit with one that is left alone are left alone. */
static void settle(planner *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < p->units.len; i++) {
            const unit *u = &p->units.data[i];
            if (!unit_left_alone(p, u))
                continue;
            for (size_t k = 0; k < u->n; k++) {
                const placed *one = &p->parts.data[u->first + k];
                if (left_alone(one->region->state))
                    continue;
                impossible(one->region, one->part->begin,
                           "it shares a line with a region left alone");
                changed = true;
            }
        }
    }
}

/* ---- Edits ---------------------------------------------------------- */

/* Append an edit; insertions at one place become one, in their order. */
static void add_edit(planner *p, size_t begin, size_t end, const rf_buf *text)
{
    rf_edit *last = p->out->list.len ? &RF_LAST(p->out->list) : NULL;
    rf_buf all = { 0 };
    bool joins =
        last && begin == end && last->begin == begin && last->end == end;
    if (joins)
        rf_buf_add(&all, last->text, last->len);
    rf_buf_add(&all, rf_buf_text(text), text->len);
    rf_edit e = { begin, end,
                  rf_arena_strndup(p->arena, rf_buf_text(&all), all.len),
                  all.len };
    if (joins)
        *last = e;
    else
        RF_PUSH(p->out->list, e);
    rf_buf_free(&all);
}

static void guard_insert(planner *p, const unit *u)
{
    rf_buf head = { 0 }, tail = { 0 };
    rf_buf_printf(&head, "#ifdef RF_REFERENCE%s", line_end(p, u));
    add_edit(p, u->begin, u->begin, &head);
    if (u->borrowed_end)
        rf_buf_puts(&tail, line_end(p, u));
    add_else(p, u, &tail);
    rf_buf_printf(&tail, "#endif // rf%s",
                  u->borrowed_end ? "" : line_end(p, u));
    add_edit(p, u->end, u->end, &tail);
    rf_buf_free(&head);
    rf_buf_free(&tail);
}

static void guard_renew(planner *p, const unit *u)
{
    rf_buf text = { 0 };
    add_else(p, u, &text);
    add_edit(p, u->guard->reference_end, u->guard->generated_end, &text);
    rf_buf_free(&text);
}

static bool mark_inside(const planner *p, const rf_edit_region *region)
{
    for (size_t i = 0; i < p->units.len; i++)
        if (region->mark_begin >= p->units.data[i].begin &&
            region->mark_end <= p->units.data[i].end)
            return true;
    return false;
}

/* A replaced region keeps a comment where its mark was. */
static void mark_replace(planner *p, const rf_edit_region *region)
{
    if (region->keep || left_alone(region->state) ||
        region->mark_end == region->mark_begin || mark_inside(p, region))
        return;
    rf_buf text = { 0 };
    rf_buf_printf(&text, "// rf: %s", plain_words(p->arena, region->words));
    add_edit(p, region->mark_begin, region->mark_end, &text);
    rf_buf_free(&text);
}

static void unit_edit(planner *p, const unit *u)
{
    bool keep = p->parts.data[u->first].region->keep;
    if (unit_left_alone(p, u) || unit_current(p, u))
        return;
    if (!keep)
        add_edit(p, u->guard ? u->guard->begin : u->begin,
                 u->guard ? u->guard->end : u->end, &u->body);
    else if (u->guard)
        guard_renew(p, u);
    else
        guard_insert(p, u);
}

static bool guard_has_unit(const planner *p, const rf_guard *g)
{
    for (size_t i = 0; i < p->units.len; i++)
        if (p->units.data[i].guard == g)
            return true;
    return false;
}

static void drop_orphans(planner *p, rf_guards *orphans)
{
    for (size_t i = 0; i < p->guards.list.len; i++) {
        const rf_guard *g = &p->guards.list.data[i];
        if (guard_has_unit(p, g))
            continue;
        if (orphans)
            RF_PUSH(orphans->list, *g);
        bool left = g->damaged || (g->edited && !p->rules.force);
        if (!p->rules.keep_orphans && !left)
            rf_guard_remove(g, p->bytes, p->len, p->out);
    }
}

void rf_edit_plan(rf_arena *arena, const char *bytes, size_t len,
                  rf_edit_region *regions, size_t n, rf_edit_rules rules,
                  rf_edits *out, rf_guards *orphans)
{
    planner p = { .arena = arena,
                  .bytes = bytes,
                  .len = len,
                  .rules = rules,
                  .lines = rf_lines_read(bytes, len),
                  .guards = rf_guards_find(arena, bytes, len),
                  .out = out };
    place_parts(&p, regions, n);
    make_units(&p);
    for (size_t i = 0; i < p.units.len; i++)
        unit_judge(&p, &p.units.data[i]);
    for (size_t i = 0; i < p.units.len; i++)
        note_missing(&p, &p.units.data[i]);
    settle(&p);
    for (size_t i = 0; i < p.units.len; i++)
        unit_edit(&p, &p.units.data[i]);
    for (size_t i = 0; i < n; i++)
        mark_replace(&p, &regions[i]);
    drop_orphans(&p, orphans);
    rf_edits_sort(out);
    for (size_t i = 0; i < p.units.len; i++)
        rf_buf_free(&p.units.data[i].body);
    RF_CLEAR(p.parts);
    RF_CLEAR(p.units);
    RF_CLEAR(p.lines.list);
    RF_CLEAR(p.guards.list);
}
