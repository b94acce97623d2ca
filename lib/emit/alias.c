/* using Reduce = cub::BlockReduce<float, 128>; among the replaced statements:
 * kept where the new ones, or what follows them, still use the name. */
#include "emit/emitting.h"
#include "support/word.h"

#include <string.h>

static bool says(const char *text, size_t size, const char *name)
{
    return rf_find_word(text, size, name, strlen(name));
}

static bool is_needed(const rf_emitter *em, const rf_stmt *alias,
                      const char *text, const rf_stmts *kept)
{
    const rf_plan *p = em->plan;
    const char *bytes = em->unit->bytes;
    uint32_t rest = p->block->list[p->last]->at.end;
    bool needed = says(text, strlen(text), alias->text) ||
                  says(bytes + rest, p->func->at.end - rest, alias->text);
    for (size_t i = 0; i < kept->len && !needed; i++) {
        rf_range at = kept->data[i]->at;
        needed = says(bytes + at.begin, at.end - at.begin, alias->text);
    }
    return needed;
}

bool rf_emit_keep_aliases(rf_emitter *em, const char *text, rf_stmts *list)
{
    const rf_plan *p = em->plan;
    rf_stmts kept = { 0 };
    for (unsigned i = p->last + 1; i-- > p->first;) {
        rf_stmt *s = p->block->list[i];
        if (s->kind == RF_STMT_ALIAS && is_needed(em, s, text, &kept))
            RF_PUSH(kept, s);
    }
    rf_stmts rest = *list;
    *list = (rf_stmts){ 0 };
    for (size_t i = kept.len; i-- > 0;)
        RF_PUSH(*list, kept.data[i]);
    for (size_t i = 0; i < rest.len; i++)
        RF_PUSH(*list, rest.data[i]);
    bool any = kept.len > 0;
    RF_CLEAR(rest);
    RF_CLEAR(kept);
    return any;
}
