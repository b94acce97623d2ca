/* Branches, calls, exits, and the table of decoders. */
#include "exec/decode.h"
#include "exec/device.h"
#include "exec/steps.h"

#include <string.h>
#include <time.h>

void rf_step_unknown(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    rf_fault(w, in, __builtin_ctz(mask), RF_CHECK_UNKNOWN, RF_NOT_SUPPORTED,
             "instruction is not known to the model: %.*s",
             (int)strcspn(in->text, ";\n"), in->text);
}

void rf_step_nop(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    (void)w, (void)in, (void)mask;
}

/* Clocks count executed warp instructions; the global timer is the host's. */
void rf_step_clock(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t v = in->imm[0] < 3
                     ? w->worker->executed
                     : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    if (in->imm[0] == 2 || in->imm[0] == 5)
        v >>= 32;
    if (in->imm[0] == 0 || in->imm[0] == 4)
        v = (uint32_t)v;
    RF_EACH_LANE(i, mask)
    {
        rf_set(w, &in->o[0], i, v);
    }
}

/* ---- jumps ---- */

bool rf_decode_bra(rf_reader *r, const rf_statement *s)
{
    if (s->n != 1 || s->arg[0].kind != RF_ARG_NAME)
        return false;
    rf_instr *in = rf_emit(r, s, NULL, RF_KIND_BRANCH, RF_CLASS_CONTROL);
    RF_PUSH(r->fixups, (rf_fixup){ s->arg[0].name, r->scope, in->index, NULL });
    return true;
}

static const rf_table *find_table(const rf_reader *r, const char *name)
{
    for (size_t i = r->tables.len; i-- > 0;)
        if (!strcmp(r->tables.data[i].name, name))
            return &r->tables.data[i];
    return NULL;
}

/* brx.idx index, table; */
bool rf_decode_brx(rf_reader *r, const rf_statement *s)
{
    const rf_table *t =
        s->n == 2 && s->arg[1].name ? find_table(r, s->arg[1].name) : NULL;
    if (!t)
        return false;
    rf_operand index = rf_operand_of(r, s, &s->arg[0], RF_T_U32);
    rf_instr *in = rf_emit(r, s, NULL, RF_KIND_BRANCH_TABLE, RF_CLASS_CONTROL);
    in->o[0] = index;
    in->extra = RF_NEW(r->arena, rf_extra);
    in->extra->n_targets = (uint32_t)t->labels.len;
    in->extra->targets = RF_NEW_ARRAY(r->arena, t->labels.len, uint32_t);
    for (size_t i = 0; i < t->labels.len; i++)
        RF_PUSH(r->fixups, (rf_fixup){ t->labels.data[i], t->scope, in->index,
                                       &in->extra->targets[i] });
    return true;
}

/* ---- calls ---- */

/* The places of the parameters in (a, b): local memory of the caller. */
static uint32_t places(rf_reader *r, const rf_arg *list, uint32_t **offset,
                       uint32_t **size)
{
    uint32_t index;
    *offset = RF_NEW_ARRAY(r->arena, list->n, uint32_t);
    *size = RF_NEW_ARRAY(r->arena, list->n, uint32_t);
    for (uint32_t i = 0; i < list->n; i++) {
        const rf_symbol *y = list->at[i].kind == RF_ARG_NAME
                                 ? rf_symbol_find(r, list->at[i].name, &index)
                                 : NULL;
        if (!y || y->class != RF_SYM_FRAME)
            rf_reader_fail(r, "the parameters of a call are .param names");
        (*offset)[i] = y->offset;
        (*size)[i] = y->size;
    }
    return list->n;
}

/* call (results), function, (arguments)[, prototype]; */
bool rf_decode_call(rf_reader *r, const rf_statement *s)
{
    uint32_t k = 0, index;
    rf_extra *x = RF_NEW(r->arena, rf_extra);
    if (s->arg[0].kind == RF_ARG_LIST)
        x->n_results =
            places(r, &s->arg[k++], &x->result_offset, &x->result_size);
    const rf_arg *callee = &s->arg[k++];
    if (k > s->n || callee->kind != RF_ARG_NAME)
        return false;
    if (k < s->n && s->arg[k].kind == RF_ARG_LIST)
        x->n_args = places(r, &s->arg[k], &x->arg_offset, &x->arg_size);
    const rf_symbol *y = rf_symbol_find(r, callee->name, &index);
    rf_operand target = rf_operand_none();
    if (y) {
        target = rf_operand_of(r, s, callee, RF_T_B64);
        r->f->calls_indirectly = true;
    } else {
        x->callee = rf_module_function(r->module, callee->name);
        if (!x->callee)
            return false;
        RF_PUSH(r->f->callees, x->callee);
        if (!strcmp(callee->name, "vprintf") || !strcmp(callee->name, "malloc"))
            rf_mark_ordered(r); /* output and addresses in block order */
    }
    rf_instr *in = rf_emit(r, s, NULL, RF_KIND_CALL, RF_CLASS_CONTROL);
    in->o[0] = target;
    in->extra = x;
    return true;
}

static bool decode_simple(rf_reader *r, const rf_statement *s, rf_kind kind)
{
    rf_emit(r, s, rf_step_nop, kind, RF_CLASS_CONTROL);
    return true;
}

bool rf_decode_ret(rf_reader *r, const rf_statement *s)
{
    return decode_simple(r, s, RF_KIND_RETURN);
}

bool rf_decode_exit(rf_reader *r, const rf_statement *s)
{
    return decode_simple(r, s, RF_KIND_EXIT);
}

bool rf_decode_trap(rf_reader *r, const rf_statement *s)
{
    return decode_simple(r, s, RF_KIND_TRAP);
}

/* nanosleep: the others get their turn. */
bool rf_decode_yield(rf_reader *r, const rf_statement *s)
{
    return decode_simple(r, s, RF_KIND_YIELD);
}

/* Hints change no result: prefetch, pragmas, register counts. */
bool rf_decode_hint(rf_reader *r, const rf_statement *s)
{
    return decode_simple(r, s, RF_KIND_STEP);
}

/* ---- alloca and the stack ---- */

static void step_alloca(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    uint32_t align = in->imm[0] ? (uint32_t)in->imm[0] : 16;
    RF_EACH_LANE(i, mask)
    {
        uint64_t size = rf_get(w, &in->o[1], i);
        uint32_t at = (w->local_top[i] + align - 1) & ~(align - 1);
        if (size > 1u << 28)
            rf_fault(w, in, i, RF_CHECK_FAULT, RF_LAUNCH_FAILURE,
                     "alloca of %llu bytes", (unsigned long long)size);
        w->local_top[i] = at + (uint32_t)size;
        rf_local_reserve(w, w->local_top[i]);
        rf_set(w, &in->o[0], i, at);
    }
}

static void step_stack_save(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        rf_set(w, &in->o[0], i, w->local_top[i]);
    }
}

static void step_stack_restore(rf_warp *w, const rf_instr *in, uint32_t mask)
{
    RF_EACH_LANE(i, mask)
    {
        w->local_top[i] = (uint32_t)rf_get(w, &in->o[0], i);
    }
}

bool rf_decode_alloca(rf_reader *r, const rf_statement *s)
{
    rf_operand o[2] = { rf_operand_none(), rf_operand_none() };
    for (uint32_t i = 0; i < s->n && i < 2; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], RF_T_U64);
    rf_step *step = s->part[0][0] == 'a'               ? step_alloca
                    : !strcmp(s->part[0], "stacksave") ? step_stack_save
                                                       : step_stack_restore;
    rf_instr *in = rf_emit(r, s, step, RF_KIND_STEP, RF_CLASS_OTHER);
    in->o[0] = o[0];
    in->o[1] = o[1];
    in->imm[0] = s->n > 2 ? s->arg[2].value : 0;
    return true;
}

const rf_decoder_row rf_decoders[] = {
    { "add", rf_decode_arithmetic },
    { "sub", rf_decode_arithmetic },
    { "mul", rf_decode_arithmetic },
    { "mad", rf_decode_arithmetic },
    { "fma", rf_decode_arithmetic },
    { "div", rf_decode_arithmetic },
    { "min", rf_decode_arithmetic },
    { "max", rf_decode_arithmetic },
    { "neg", rf_decode_arithmetic },
    { "abs", rf_decode_arithmetic },
    { "rcp", rf_decode_float },
    { "sqrt", rf_decode_float },
    { "rsqrt", rf_decode_float },
    { "ex2", rf_decode_float },
    { "lg2", rf_decode_float },
    { "sin", rf_decode_float },
    { "cos", rf_decode_float },
    { "tanh", rf_decode_float },
    { "addc", rf_decode_carry },
    { "subc", rf_decode_carry },
    { "madc", rf_decode_carry },
    { "and", rf_decode_pred },
    { "or", rf_decode_pred },
    { "xor", rf_decode_pred },
    { "not", rf_decode_pred },
    { "testp", rf_decode_testp },
    { "setp", rf_decode_setp },
    { "set", rf_decode_set },
    { "selp", rf_decode_selp },
    { "slct", rf_decode_slct },
    { "mov", rf_decode_mov },
    { "cvt", rf_decode_cvt },
    { "cvta", rf_decode_cvta },
    { "lop3", rf_decode_lop3 },
    { "ld", rf_decode_load },
    { "ldu", rf_decode_load },
    { "st", rf_decode_store },
    { "atom", rf_decode_atom },
    { "red", rf_decode_atom },
    { "bra", rf_decode_bra },
    { "brx", rf_decode_brx },
    { "call", rf_decode_call },
    { "ret", rf_decode_ret },
    { "exit", rf_decode_exit },
    { "trap", rf_decode_trap },
    { "brkpt", rf_decode_hint },
    { "nanosleep", rf_decode_yield },
    { "prefetch", rf_decode_hint },
    { "prefetchu", rf_decode_hint },
    { "discard", rf_decode_hint },
    { "applypriority", rf_decode_hint },
    { "createpolicy", rf_decode_hint },
    { "setmaxnreg", rf_decode_hint },
    { "griddepcontrol", rf_decode_hint },
    { "pmevent", rf_decode_hint },
    { "alloca", rf_decode_alloca },
    { "stacksave", rf_decode_alloca },
    { "stackrestore", rf_decode_alloca },
    { "bar", rf_decode_bar },
    { "barrier", rf_decode_bar },
    { "shfl", rf_decode_shfl },
    { "vote", rf_decode_vote },
    { "match", rf_decode_match },
    { "redux", rf_decode_redux },
    { "elect", rf_decode_elect },
    { "activemask", rf_decode_activemask },
    { "membar", rf_decode_fence },
    { "fence", rf_decode_fence },
    { "mma", rf_decode_mma },
    { "wgmma", rf_decode_wgmma },
    { "wmma", rf_decode_wmma },
    { "ldmatrix", rf_decode_matrix },
    { "stmatrix", rf_decode_matrix },
    { "movmatrix", rf_decode_matrix },
    { "vadd2", rf_decode_video },
    { "vadd4", rf_decode_video },
    { "vsub2", rf_decode_video },
    { "vsub4", rf_decode_video },
    { "vmin2", rf_decode_video },
    { "vmin4", rf_decode_video },
    { "vmax2", rf_decode_video },
    { "vmax4", rf_decode_video },
    { "vabsdiff2", rf_decode_video },
    { "vabsdiff4", rf_decode_video },
    { "vavrg2", rf_decode_video },
    { "vavrg4", rf_decode_video },
    { "mapa", rf_decode_mapa },
    { "getctarank", rf_decode_getctarank },
    { "isspacep", rf_decode_isspacep },
    { "mbarrier", rf_decode_mbarrier },
    { "cp", rf_decode_cp },
    { "tensormap", rf_decode_tensormap },
    { "ldmatrix", rf_decode_matrix },
    { "stmatrix", rf_decode_matrix },
    { "movmatrix", rf_decode_matrix },
    { "mma", rf_decode_mma },
    { "wmma", rf_decode_wmma },
    { "wgmma", rf_decode_wgmma },
    { NULL, NULL },
};
