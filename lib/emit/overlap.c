/* Two versions of the statements (D4), where pointers may overlap:
 *
 *     // unless x and out overlap
 *     if (x + i * n + n <= out + i * n || out + i * n + n <= x + i * n) {
 *         the fused statements
 *     } else {
 *         the author's
 *     } */
#include "emit/combining.h"
#include "emit/print.h"

#include <string.h>

/* ---- the test ---- */

/* place + v: sums become steps of the pointer, which cannot overflow. */
static rf_expr *step(rf_emitter *em, rf_expr *place, const rf_val *v)
{
    if (v->kind == RF_VAL_OP && v->op == RF_OP_ADD && v->n == 2)
        return step(em, step(em, place, v->arg[0]), v->arg[1]);
    bool plain = v->kind == RF_VAL_CAST && v->type->is_unsigned &&
                 v->arg[0]->type->kind == RF_TYPE_INT &&
                 !v->arg[0]->type->is_unsigned;
    v = plain ? v->arg[0] : v;
    if (rf_val_is_number(v, 0))
        return place;
    return rf_binary(em, RF_OP_ADD, place->type, place, rf_express(em, v));
}

/* base + v + more */
static rf_expr *place_of(rf_emitter *em, const rf_val *base, const rf_val *v,
                         int64_t more)
{
    rf_expr *place = rf_express(em, base);
    place = v ? step(em, place, v) : place;
    return more ? rf_binary(em, more > 0 ? RF_OP_ADD : RF_OP_SUB, place->type,
                            place, rf_emit_number(em, more > 0 ? more : -more))
                : place;
}

static const rf_type *pointed(const rf_val *base)
{
    return base->type->elem;
}

/* "place" as an address of whatever it is. */
static rf_expr *as_address(rf_emitter *em, rf_expr *place)
{
    static const rf_type nothing = { .kind = RF_TYPE_VOID,
                                     .is_const = true,
                                     .spelling = "const void" };
    static const rf_type address = { .kind = RF_TYPE_POINTER,
                                     .elem = &nothing,
                                     .spelling = "const void *" };
    rf_expr *e = rf_expr_new(em->arena, RF_OP_CAST, &address, 1, &place);
    return e;
}

/* All of "a" comes before "b". */
static rf_expr *comes_before(rf_emitter *em, const rf_extent *a,
                             const rf_extent *b)
{
    rf_expr *end = place_of(em, a->base, a->high, a->high_more);
    rf_expr *begin = place_of(em, b->base, b->low, b->low_more);
    if (!rf_type_same(pointed(a->base), pointed(b->base)))
        end = as_address(em, end);
    return rf_emit_op(em, RF_OP_LE, end, begin);
}

static rf_expr *condition(rf_emitter *em)
{
    rf_expr *all = NULL;
    for (size_t i = 0; i < em->plan->signs.len; i++) {
        rf_expr *one = rf_express(em, em->plan->signs.data[i]);
        all = all ? rf_emit_op(em, RF_OP_AND, all, one) : one;
    }
    for (size_t i = 0; i < em->plan->tests.len; i++) {
        const rf_overlap_test *t = &em->plan->tests.data[i];
        rf_expr *one = rf_emit_op(em, RF_OP_OR, comes_before(em, &t->a, &t->b),
                                  comes_before(em, &t->b, &t->a));
        all = all ? rf_emit_op(em, RF_OP_AND, all, one) : one;
    }
    return all;
}

/* unless x and out overlap, w and out overlap */
static const char *words(const rf_emitter *em)
{
    rf_buf text = { 0 };
    for (size_t i = 0; i < em->plan->apart.len; i++) {
        const rf_apart *x = &em->plan->apart.data[i];
        if (x->why == RF_APART_TESTED)
            rf_buf_printf(&text, "%s%s and %s", text.len ? ", " : "unless ",
                          x->a->var->name, x->b->var->name);
    }
    rf_buf_puts(&text, " overlap");
    const char *copy = rf_arena_strdup(em->arena, rf_buf_text(&text));
    rf_buf_free(&text);
    return copy;
}

rf_stmt *rf_emit_overlap_test(rf_emitter *em)
{
    rf_stmts none = { 0 };
    if (!em->plan->tests.len)
        return NULL;
    rf_stmt *s = rf_if(em, condition(em), &none);
    s->text = words(em);
    return s;
}

/* ---- the text ---- */

/* The author's statements, one level further in. */
static void add_authors(rf_buf *out, const rf_emitter *em, rf_range at,
                        const rf_print_style *style)
{
    const char *c = em->unit->bytes + at.begin, *end = em->unit->bytes + at.end;
    rf_buf_printf(out, "%s%s", style->base, style->indent);
    for (; c < end; c++) {
        rf_buf_putc(out, *c);
        if (*c == '\n' && c + 1 < end && !strchr("\r\n#", c[1]))
            rf_buf_puts(out, style->indent);
    }
}

rf_emitted rf_emit_two_versions(rf_emitter *em, rf_stmt *test,
                                const rf_stmts *fused, rf_range authors,
                                const rf_print_style *style)
{
    rf_buf text = { 0 };
    test->body = rf_block(em, (rf_stmts *)(uintptr_t)fused);
    rf_print_stmt(&text, test, style);
    size_t skip = strlen(style->base), tail = skip + strlen("}\n");
    rf_emitted out = { .begin = authors.begin, .end = authors.end };
    out.inner_begin = (size_t)(strstr(text.data, "{\n") + 2 - text.data) - skip;
    out.inner_end = text.len - tail - skip;
    text.len -= strlen("\n");
    rf_buf_puts(&text, " else {\n");
    add_authors(&text, em, authors, style);
    rf_buf_printf(&text, "\n%s}", style->base);
    out.text = rf_arena_strdup(em->arena, rf_buf_text(&text) + skip);
    rf_buf_free(&text);
    return out;
}
