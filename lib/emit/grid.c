/* Rows that several blocks of a grid share, one launch a pass (T-3).
 *
 *     if (team.turn == 0) {
 *         for (int i = lane; i < width; i += 4096) ...    its part of the row
 *     } else {
 *         for (unsigned block = threadIdx.x; block < 16; block += blockDim.x)
 *             ...                                what the blocks have left
 *     }
 *     ...                                        one combine for the block
 *     if (team.turn == 0) {
 *         if (threadIdx.x == 0) ...              leave the state
 *         return;
 *     } */
#include "emit/combining.h"
#include "plan/widen.h"

#include <string.h>

/* ---- small pieces of text ---- */

bool rf_emit_is_grid(const rf_emitter *em)
{
    return em->plan->wide && em->plan->wide->is_grid;
}

rf_expr *rf_emit_is_turn(rf_emitter *em, unsigned turn)
{
    return rf_emit_op(em, RF_OP_EQ, rf_emit_use(em, em->plan->wide->turn),
                      rf_emit_number(em, turn));
}

static rf_expr *text(rf_emitter *em, const char *t, const rf_type *type)
{
    return rf_expr_var(em->arena, rf_new_var(em, t, type, true));
}

static rf_expr *thread(rf_emitter *em)
{
    return rf_emit_builtin(em, "threadIdx", "x");
}

/* acc.x is acc_x in the state. */
static const char *field_name(rf_emitter *em, const rf_part *p)
{
    char *name =
        rf_arena_strndup(em->arena, p->var->name, strlen(p->var->name));
    for (char *c = name; *c; c++)
        *c = *c == '.' ? '_' : *c;
    return name;
}

/* team.of_row(16)[...].m */
static rf_expr *field(rf_emitter *em, const rf_part *p, const char *block)
{
    const rf_widening *w = em->plan->wide;
    return text(em,
                rf_arena_printf(em->arena, "%s.of_row(%u)[%s].%s", w->grid_team,
                                w->cluster, block, field_name(em, p)),
                p->type);
}

/* ---- the states of the blocks ---- */

/* Thread k merges what blocks k, k + threads ... left. */
static void fold_states(rf_combine *c)
{
    rf_emitter *em = c->em;
    rf_counted loop;
    rf_var *block = rf_counted_begin(c, &loop, "block", thread(em));
    for (size_t i = 0; i < c->n; i++)
        rf_combine_declare_other(c, &c->parts[i],
                                 field(em, &c->parts[i], block->name));
    rf_combine_merge(c);
    loop.stmt->text = "what the blocks of the row left";
    rf_counted_end(c, &loop,
                   rf_emit_op(em, RF_OP_LT, rf_expr_var(em->arena, block),
                              rf_emit_number(em, em->plan->wide->cluster)),
                   rf_assign_op(em, rf_expr_var(em->arena, block), RF_OP_ADD,
                                rf_emit_builtin(em, "blockDim", "x"))
                       ->expr);
}

static void add_field(rf_emitter *em, const rf_part *p)
{
    rf_widening *w = em->plan->wide;
    w->fields =
        rf_arena_printf(em->arena, "%s    %s %s;\n", w->fields ? w->fields : "",
                        p->type->spelling, field_name(em, p));
}

void rf_emit_turn(rf_emitter *em, unsigned pass)
{
    rf_combine c = { .em = em, .pass = pass };
    rf_open_block own, left;
    rf_block_begin(em, &own);
    rf_emit_pass(em, pass);
    rf_block_end(em, &own);
    rf_combine_collect(&c);
    if (em->refused)
        return;
    rf_block_begin(em, &left);
    fold_states(&c);
    rf_block_end(em, &left);
    rf_stmt *s = rf_if(em, rf_emit_is_turn(em, pass), &own.body);
    s->orelse = rf_block(em, &left.body);
    rf_emit_append(em, s);
}

void rf_emit_leave_state(const rf_combine *c)
{
    rf_emitter *em = c->em;
    rf_open_block first, leave;
    const char *own =
        rf_arena_printf(em->arena, "blockIdx.x %% %u", em->plan->wide->cluster);
    rf_block_begin(em, &leave);
    rf_block_begin(em, &first);
    for (size_t i = 0; i < c->n; i++) {
        add_field(em, &c->parts[i]);
        rf_emit_append(em, rf_assign(em, field(em, &c->parts[i], own),
                                     rf_emit_use(em, c->parts[i].var)));
    }
    rf_block_end(em, &first);
    rf_emit_append(
        em,
        rf_if(em, rf_emit_op(em, RF_OP_EQ, thread(em), rf_emit_number(em, 0)),
              &first.body));
    rf_emit_append(em, rf_stmt_new(em->arena, RF_STMT_RETURN));
    rf_block_end(em, &leave);
    rf_stmt *s = rf_if(em, rf_emit_is_turn(em, c->pass), &leave.body);
    s->text = "the next launch goes on";
    rf_emit_append(em, s);
}

/* ---- what a file needs once ---- */

static const char as_it_is[] =
    "// The type of an argument that is not to be guessed.\n"
    "template <class T> struct rf_as_it_is {\n"
    "    typedef T type;\n"
    "};\n"
    "\n";

const char *rf_emit_as_it_is(void)
{
    return as_it_is;
}

static const char functions[] =
    "// Rows that several blocks of a grid share. A turn is a launch: in it "
    "the\n"
    "// blocks fold their parts of the row and leave their states; in the "
    "next\n"
    "// all of them merge these and go on. No block waits for another.\n"
    "template <class State> struct rf_grid_team {\n"
    "    State *states; // one for each block of the grid\n"
    "    unsigned turn;\n"
    "\n"
    "    // Those of the blocks that share the row of this one.\n"
    "    __device__ State *of_row(unsigned blocks) const\n"
    "    {\n"
    "        const size_t y = (size_t)blockIdx.z * gridDim.y + blockIdx.y;\n"
    "        const unsigned first = blockIdx.x - blockIdx.x % blocks;\n"
    "        return states + (y * gridDim.x + first);\n"
    "    }\n"
    "};\n"
    "\n"
    "template <class State, class... P>\n"
    "static void rf_grid_launch(void (*kernel)(rf_grid_team<State>, P...),\n"
    "                           unsigned turns, dim3 grid, dim3 block,\n"
    "                           size_t shared, cudaStream_t stream,\n"
    "                           typename rf_as_it_is<P>::type... args)\n"
    "{\n"
    "    rf_grid_team<State> team = { nullptr, 0 };\n"
    "    const size_t blocks = (size_t)grid.x * grid.y * grid.z;\n"
    "    void *states = nullptr;\n"
    "    if (cudaMallocAsync(&states, blocks * sizeof(State), stream) !=\n"
    "        cudaSuccess)\n"
    "        return; // cudaGetLastError says so, as after a failed launch\n"
    "    team.states = static_cast<State *>(states);\n"
    "    for (; team.turn < turns; team.turn++)\n"
    "        kernel<<<grid, block, shared, stream>>>(team, args...);\n"
    "    cudaFreeAsync(states, stream);\n"
    "}\n"
    "\n";

const char *rf_emit_grid_functions(void)
{
    return functions;
}
