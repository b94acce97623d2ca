/* Statements to instructions: operands, modifiers, and the plain instructions,
 * whose key ("mul.lo.s32") is looked up in the tables of steps. Mnemonics with
 * a shape of their own have decoders (decode_*.c). */
#include "exec/decode.h"
#include "exec/steps.h"

#include <string.h>

/* ---- parts ---- */

bool rf_has(const rf_statement *s, const char *part)
{
    for (uint32_t i = 1; i < s->n_parts; i++)
        if (!strcmp(s->part[i], part))
            return true;
    return false;
}

rf_type rf_nth_type(const rf_statement *s, uint32_t n)
{
    for (uint32_t i = 1; i < s->n_parts; i++) {
        rf_type t = rf_type_find(s->part[i]);
        if (t && n-- == 0)
            return t;
    }
    return RF_T_NONE;
}

rf_type rf_last_type(const rf_statement *s)
{
    for (uint32_t i = s->n_parts; i-- > 1;)
        if (rf_type_find(s->part[i]))
            return rf_type_find(s->part[i]);
    return RF_T_NONE;
}

rf_round rf_round_of(const rf_statement *s)
{
    static const struct {
        const char *part;
        rf_round round;
    } table[] = { { "rz", RF_RZ },  { "rzi", RF_RZ }, { "rm", RF_RM },
                  { "rmi", RF_RM }, { "rp", RF_RP },  { "rpi", RF_RP },
                  { "rna", RF_RNA } };
    for (size_t i = 0; i < RF_COUNTOF(table); i++)
        if (rf_has(s, table[i].part))
            return table[i].round;
    return RF_RN;
}

rf_round rf_result_round_of(const rf_reader *r, const rf_statement *s)
{
    rf_round round = rf_round_of(s);
    return round == RF_RN ? r->nearest : round;
}

static bool space_find(const char *part, rf_space *space)
{
    static const struct {
        const char *part;
        rf_space space;
    } table[] = { { "global", RF_SPACE_GLOBAL },
                  { "shared", RF_SPACE_SHARED },
                  { "shared::cta", RF_SPACE_SHARED },
                  { "shared::cluster", RF_SPACE_CLUSTER },
                  { "local", RF_SPACE_LOCAL },
                  { "param", RF_SPACE_PARAM },
                  { "param::entry", RF_SPACE_PARAM },
                  { "param::func", RF_SPACE_PARAM },
                  { "const", RF_SPACE_CONST } };
    for (size_t i = 0; i < RF_COUNTOF(table); i++)
        if (!strcmp(part, table[i].part)) {
            *space = table[i].space;
            return true;
        }
    return false;
}

rf_space rf_nth_space(const rf_statement *s, uint32_t n)
{
    rf_space space;
    for (uint32_t i = 1; i < s->n_parts; i++)
        if (space_find(s->part[i], &space) && n-- == 0)
            return space;
    return RF_SPACE_GENERIC;
}

rf_space rf_space_of(const rf_statement *s)
{
    return rf_nth_space(s, 0);
}

rf_atomic rf_atomic_of(const rf_statement *s)
{
    static const char *const names[] = {
#define X(id, spelling) spelling,
        RF_ATOMICS(X)
#undef X
    };
    for (uint32_t i = 1; i < s->n_parts; i++)
        for (int a = 0; a < RF_ATOM_COUNT; a++)
            if (!strcmp(s->part[i], names[a]))
                return (rf_atomic)a;
    return RF_ATOM_COUNT;
}

/* ---- instructions ---- */

static rf_operand guard_of(rf_reader *r, const rf_statement *s)
{
    if (!s->guard)
        return rf_operand_none();
    rf_arg arg = { .name = s->guard, .negated = s->guard_negated };
    rf_operand guard = rf_operand_of(r, s, &arg, RF_T_PRED);
    if (!guard.predicate)
        rf_reader_fail(r, "%s is not a predicate", s->guard);
    return guard;
}

rf_instr *rf_emit(rf_reader *r, const rf_statement *s, rf_step *step,
                  rf_kind kind, rf_class class)
{
    rf_module *m = r->module;
    rf_instr in = { .step = step,
                    .kind = (uint8_t)kind,
                    .class = (uint8_t) class,
                    .guard = guard_of(r, s),
                    .function = r->f,
                    .index = (uint32_t)m->code.len,
                    .file = s->file,
                    .ptx_line = s->ptx_line,
                    .text = s->text };
    for (size_t i = 0; i < RF_COUNTOF(in.o); i++)
        in.o[i] = rf_operand_none();
    RF_PUSH(m->code, in);
    return &RF_LAST(m->code);
}

/* An instruction that fills a temporary; it runs for every lane at hand. */
static rf_operand emit_temporary(rf_reader *r, const rf_statement *s,
                                 rf_step *step, uint64_t imm)
{
    rf_statement plain = *s;
    plain.guard = NULL;
    rf_operand t = { .bank = RF_BANK_FRAME,
                     .word = rf_frame_words(r, RF_LANES) };
    rf_instr *in = rf_emit(r, &plain, step, RF_KIND_STEP, RF_CLASS_MOVE);
    in->o[0] = t;
    in->n = 1;
    in->imm[0] = imm;
    return t;
}

/* ---- operands ---- */

static uint64_t literal_bits(const rf_arg *arg, rf_type type)
{
    union {
        double d;
        uint64_t u;
    } wide = { .u = arg->value };
    union {
        float f;
        uint32_t u;
    } narrow = { .u = (uint32_t)arg->value };
    if (arg->literal == RF_LIT_F64 && rf_type_bytes(type) == 4) {
        narrow.f = (float)wide.d;
        return narrow.u;
    }
    if (arg->literal == RF_LIT_F32 && rf_type_bytes(type) == 8) {
        wide.d = narrow.f;
        return wide.u;
    }
    if (rf_type_bytes(type) == 4)
        return (uint32_t)arg->value;
    return arg->value;
}

static rf_operand number(rf_reader *r, const rf_arg *arg, rf_type type)
{
    if (type != RF_T_PRED)
        return rf_operand_literal(r, literal_bits(arg, type));
    rf_operand p = rf_operand_literal(r, arg->value ? RF_FULL_MASK : 0);
    p.predicate = true;
    return p;
}

static rf_operand shared_address(rf_reader *r, const rf_statement *s,
                                 uint32_t variable, int64_t offset)
{
    RF_PUSH(r->f->shared, variable);
    uint32_t column = r->module->variables.data[variable].column;
    rf_operand base = { .bank = RF_BANK_SPECIAL,
                        .word = (RF_SPECIAL_COUNT + column) * RF_LANES };
    if (!offset)
        return base;
    rf_operand sum = emit_temporary(r, s, rf_step_offset, (uint64_t)offset);
    RF_LAST(r->module->code).o[1] = base;
    return sum;
}

static rf_operand symbol_address(rf_reader *r, const rf_statement *s,
                                 const rf_symbol *y, int64_t offset)
{
    uint64_t at = y->offset + (uint64_t)offset;
    switch (y->class) {
    case RF_SYM_PARAM:
        return emit_temporary(r, s, rf_step_param_address, at);
    case RF_SYM_SHARED:
        return shared_address(r, s, y->offset, offset);
    default:
        return emit_temporary(r, s, rf_step_local_address, at);
    }
}

static rf_operand global_address(rf_reader *r, const rf_statement *s,
                                 const rf_arg *arg)
{
    rf_module *m = r->module;
    const rf_variable *v = rf_module_variable(m, arg->name);
    if (v && v->space == RF_SPACE_SHARED)
        return shared_address(r, s, (uint32_t)(v - m->variables.data),
                              arg->offset);
    if (v)
        return rf_operand_literal(r, v->address + (uint64_t)arg->offset);
    rf_function *f = rf_module_function(m, arg->name);
    if (!f)
        rf_reader_fail(r, "unknown name %s", arg->name);
    f->address_taken = true;
    return rf_operand_literal(r, RF_HANDLE | f->index);
}

static rf_operand register_of(const rf_symbol *y, uint32_t index,
                              const rf_arg *arg)
{
    return (rf_operand){ .bank = RF_BANK_FRAME,
                         .predicate = y->type == RF_T_PRED,
                         .negated = arg->negated,
                         .word = y->offset + index * y->size };
}

static rf_operand special_of(rf_reader *r, const rf_statement *s,
                             const rf_arg *arg)
{
    static const char *const clocks[] = {
        "%clock",       "%clock64",        "%clock_hi",
        "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"
    };
    for (uint32_t i = 0; i < RF_COUNTOF(clocks); i++)
        if (!strcmp(arg->name, clocks[i]))
            return emit_temporary(r, s, rf_step_clock, i);
    bool predicate;
    uint32_t word = rf_special_find(arg->name, &predicate);
    if (word == UINT32_MAX && strncmp(arg->name, "%envreg", 7))
        rf_reader_fail(r, "unknown register %s", arg->name);
    if (word == UINT32_MAX)
        return rf_operand_literal(r, 0);
    return (rf_operand){ .bank = RF_BANK_SPECIAL,
                         .predicate = predicate,
                         .negated = arg->negated,
                         .word = word };
}

rf_operand rf_operand_of(rf_reader *r, const rf_statement *s, const rf_arg *arg,
                         rf_type type)
{
    uint32_t index;
    if (arg->kind == RF_ARG_NUMBER)
        return number(r, arg, type);
    if (arg->kind != RF_ARG_NAME)
        rf_reader_fail(r, "expected a register in `%.40s`", s->text);
    if (!strcmp(arg->name, "_"))
        return rf_operand_none();
    const rf_symbol *y = rf_symbol_find(r, arg->name, &index);
    if (y && y->class == RF_SYM_REGISTER)
        return register_of(y, index, arg);
    if (y)
        return symbol_address(r, s, y, arg->offset);
    if (*arg->name == '%')
        return special_of(r, s, arg);
    if (!strcmp(arg->name, "WARP_SZ"))
        return rf_operand_literal(r, RF_LANES);
    return global_address(r, s, arg);
}

rf_operand rf_operand_pair(rf_reader *r, const rf_statement *s,
                           const rf_arg *arg, rf_type type)
{
    if (!arg->pair)
        return rf_operand_none();
    rf_arg second = { .kind = RF_ARG_NAME, .name = arg->pair };
    return rf_operand_of(r, s, &second, type);
}

rf_operand rf_operand_base(rf_reader *r, const rf_statement *s,
                           const rf_arg *arg, int64_t *offset)
{
    uint32_t index;
    const rf_arg *base = arg->kind == RF_ARG_ADDRESS ? &arg->at[0] : arg;
    *offset = arg->offset;
    if (base->kind == RF_ARG_NAME) {
        const rf_symbol *y = rf_symbol_find(r, base->name, &index);
        if (!(y && y->class == RF_SYM_REGISTER) && *base->name != '%' &&
            !(y && y->class == RF_SYM_SHARED)) {
            rf_arg sum = *base;
            sum.offset = arg->offset;
            *offset = 0;
            return rf_operand_of(r, s, &sum, RF_T_B64);
        }
    }
    rf_arg plain = *base;
    plain.offset = 0;
    return rf_operand_of(r, s, &plain, RF_T_B64);
}

rf_operands rf_operands_of(rf_reader *r, const rf_statement *s,
                           const rf_arg *arg, rf_type type)
{
    const rf_arg *list = arg->kind == RF_ARG_VECTOR ? arg->at : arg;
    rf_operands v = { .n = arg->kind == RF_ARG_VECTOR ? arg->n : 1 };
    v.at = RF_NEW_ARRAY(r->arena, v.n, rf_operand);
    for (uint32_t i = 0; i < v.n; i++)
        v.at[i] = rf_operand_of(r, s, &list[i], type);
    return v;
}

/* ---- tables of steps ---- */

enum { INDEX_SIZE = 4096 };

struct rf_step_index {
    const rf_step_row *slot[INDEX_SIZE];
};

static uint32_t hash(const char *key)
{
    uint32_t h = 2166136261u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 16777619u;
    return h % INDEX_SIZE;
}

rf_step_index *rf_steps_index(rf_arena *arena)
{
    static const rf_step_row *const tables[] = { rf_steps_int,  rf_steps_float,
                                                 rf_steps_move, rf_steps_packed,
                                                 rf_steps_half, rf_steps_ftz };
    rf_step_index *index = RF_NEW(arena, rf_step_index);
    for (size_t t = 0; t < RF_COUNTOF(tables); t++)
        for (const rf_step_row *row = tables[t]; row->key; row++) {
            uint32_t h = hash(row->key);
            while (index->slot[h])
                h = (h + 1) % INDEX_SIZE;
            index->slot[h] = row;
        }
    return index;
}

const rf_step_row *rf_steps_find(const rf_step_index *index, const char *key)
{
    for (uint32_t h = hash(key); index->slot[h]; h = (h + 1) % INDEX_SIZE)
        if (!strcmp(index->slot[h]->key, key))
            return index->slot[h];
    return NULL;
}

/* ---- plain instructions ---- */

/* Modifiers that change how a step runs, not which step it is. */
static const struct {
    const char *part;
    uint16_t flag;
} modifiers[] = { { "rn", 0 },
                  { "rz", 0 },
                  { "rm", 0 },
                  { "rp", 0 },
                  { "rna", 0 },
                  { "approx", RF_APPROX },
                  { "full", 0 },
                  { "sync", 0 },
                  { "aligned", 0 },
                  { "uni", 0 },
                  { "ftz", RF_FTZ },
                  { "sat", RF_SAT },
                  { "satfinite", RF_SATFINITE },
                  { "relu", RF_RELU },
                  { "xorsign", RF_XORSIGN } };

/* The flag of a modifier, -1 for a part of the key. */
static int modifier(const char *part)
{
    for (size_t i = 0; i < RF_COUNTOF(modifiers); i++)
        if (!strcmp(modifiers[i].part, part))
            return modifiers[i].flag;
    return -1;
}

uint16_t rf_flags_of(const rf_statement *s)
{
    int flags = 0;
    for (uint32_t i = 1; i < s->n_parts; i++) {
        int flag = modifier(s->part[i]);
        flags |= flag > 0 ? flag : 0;
    }
    return (uint16_t)flags;
}

/* "add.rn.ftz.f32" has the key "add.f32". With "bits" the last type is given
 * by its size alone: b32. */
static const char *key_of(rf_reader *r, const rf_statement *s, bool bits)
{
    rf_buf key = { 0 };
    rf_buf_puts(&key, s->part[0]);
    for (uint32_t i = 1; i < s->n_parts; i++) {
        if (modifier(s->part[i]) >= 0)
            continue;
        rf_type t = rf_type_find(s->part[i]);
        if (bits && t && i + 1 == s->n_parts)
            rf_buf_printf(&key, ".b%u", rf_type_bytes(t) * 8);
        else
            rf_buf_printf(&key, ".%s", s->part[i]);
    }
    char *text = rf_arena_strdup(r->arena, rf_buf_text(&key));
    rf_buf_free(&key);
    return text;
}

static bool decode_plain(rf_reader *r, const rf_statement *s)
{
    const rf_step_row *row = rf_steps_find(r->steps, key_of(r, s, false));
    if (!row)
        row = rf_steps_find(r->steps, key_of(r, s, true));
    if (!row || s->n > 5)
        return false;
    rf_type type = rf_last_type(s);
    rf_operand o[5];
    for (uint32_t i = 0; i < s->n; i++)
        o[i] = rf_operand_of(r, s, &s->arg[i], type);
    rf_instr *in = rf_emit(r, s, row->step, RF_KIND_STEP, row->class);
    memcpy(in->o, o, s->n * sizeof *o);
    in->n = (uint8_t)s->n;
    in->type = (uint8_t)type;
    in->type2 = (uint8_t)rf_nth_type(s, 0);
    in->round = (uint8_t)rf_round_of(s);
    in->flags = rf_flags_of(s);
    return true;
}

static rf_decoder *decoder_of(const char *mnemonic)
{
    for (const rf_decoder_row *row = rf_decoders; row->mnemonic; row++)
        if (!strcmp(row->mnemonic, mnemonic))
            return row->decode;
    return NULL;
}

/* What is not known is an error only when it runs. */
static void decode_unknown(rf_reader *r, const rf_statement *s)
{
    rf_instr *in = rf_emit(r, s, rf_step_unknown, RF_KIND_STEP, RF_CLASS_OTHER);
    in->n = 0;
}

void rf_decode(rf_reader *r, const rf_statement *s)
{
    rf_decoder *decode = decoder_of(s->part[0]);
    if (!(decode && decode(r, s)) && !decode_plain(r, s))
        decode_unknown(r, s);
    rf_flow_note(r, &RF_LAST(r->module->code));
}
