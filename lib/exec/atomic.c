/* Atomic operations: the new value is computed and swapped in until no other
 * host thread came between. */
#include "exec/atomic.h"

#include <string.h>

static uint64_t low(uint64_t x, rf_type type)
{
    uint32_t bits = rf_type_bytes(type) * 8;
    return bits > 63 ? x : x & ((1ull << bits) - 1);
}

static rf_ftype half_of(rf_type type)
{
    return type == RF_T_F16 || type == RF_T_F16X2 ? RF_F16 : RF_BF16;
}

static uint64_t float_op(rf_fop op, rf_type type, uint64_t a, uint64_t b,
                         rf_round round)
{
    switch (type) {
    case RF_T_F32:
        return rf_float_op(op, RF_F32, a, b, 0, round, 0);
    case RF_T_F64:
        return rf_float_op(op, RF_F64, a, b, 0, round, 0);
    case RF_T_F16:
    case RF_T_BF16:
        return rf_float_op(op, half_of(type), a, b, 0, round, 0);
    default:
        return rf_float_op_x2(op, half_of(type), (uint32_t)a, (uint32_t)b, 0,
                              round, 0);
    }
}

static bool less(rf_type type, uint64_t a, uint64_t b)
{
    if (type == RF_T_S32)
        return (int32_t)a < (int32_t)b;
    if (type == RF_T_S64)
        return (int64_t)a < (int64_t)b;
    return a < b;
}

uint64_t rf_atomic_apply(rf_atomic op, rf_type type, uint64_t old, uint64_t b,
                         uint64_t c, rf_round round)
{
    char class = rf_type_class(type);
    bool is_float = class == 'f' || class == 'x';
    switch (op) {
    case RF_ATOM_ADD:
        return is_float ? float_op(RF_FOP_ADD, type, old, b, round)
                        : low(old + b, type);
    case RF_ATOM_AND:
        return old & b;
    case RF_ATOM_OR:
        return old | b;
    case RF_ATOM_XOR:
        return old ^ b;
    case RF_ATOM_EXCH:
        return b;
    case RF_ATOM_CAS:
        return old == b ? c : old;
    case RF_ATOM_MIN:
        return is_float             ? float_op(RF_FOP_MIN, type, old, b, RF_RN)
               : less(type, b, old) ? b
                                    : old;
    case RF_ATOM_MAX:
        return is_float             ? float_op(RF_FOP_MAX, type, old, b, RF_RN)
               : less(type, old, b) ? b
                                    : old;
    case RF_ATOM_INC:
        return old >= b ? 0 : old + 1;
    case RF_ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    default:
        return old;
    }
}

#define SWAP(bits)                                                             \
    {                                                                          \
        uint##bits##_t *q = (uint##bits##_t *)p;                               \
        uint##bits##_t old = __atomic_load_n(q, __ATOMIC_RELAXED), new;        \
        do                                                                     \
            new = (uint##bits##_t)rf_atomic_apply(op, type, old, b, c, round); \
        while (!__atomic_compare_exchange_n(                                   \
            q, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));         \
        *changed = old != new;                                                 \
        return old;                                                            \
    }

uint64_t rf_atomic_do(rf_atomic op, rf_type type, uint8_t *p, uint64_t b,
                      uint64_t c, rf_round round, bool *changed)
{
    b = low(b, type);
    c = low(c, type);
    switch (rf_type_bytes(type)) {
    case 2:
        SWAP(16)
    case 4:
        SWAP(32)
    default:
        SWAP(64)
    }
}
