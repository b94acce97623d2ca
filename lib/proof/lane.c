/* Integers as the lanes of a team compute them: threadIdx.x is the lane,
 * blockDim.x the size of the block. */
#include "proof/lane.h"

#include <string.h>

rf_place_in_team rf_lane_at(const rf_team *team, unsigned size, unsigned t)
{
    rf_place_in_team at = { .x = team->sizes[size] >> 16,
                            .threads = team->sizes[size] & 0xffff,
                            .t = t };
    at.lanes = team->width ? team->width : at.threads;
    return at;
}

bool rf_is_builtin(const rf_val *v, const char *record)
{
    return v->kind == RF_VAL_ENTRY && v->var->storage == RF_VAR_BUILTIN &&
           !strcmp(v->var->name, record);
}

static bool field_number(const rf_val *v, const rf_place_in_team *at,
                         int64_t *n)
{
    char axis = v->name[0];
    if (rf_is_builtin(v->arg[0], "threadIdx"))
        *n = axis == 'x' ? at->t % at->x : axis == 'y' ? at->t / at->x : 0;
    else if (rf_is_builtin(v->arg[0], "blockDim"))
        *n = axis == 'x' ? at->x : axis == 'y' ? at->threads / at->x : 1;
    else
        return false;
    return true;
}

bool rf_lane_number(const rf_val *v, const rf_place_in_team *at, int64_t *n)
{
    int64_t a, b = 0, c;
    if (rf_val_is_int(v, n))
        return true;
    if (v->kind == RF_VAL_INDEX && v->loop == at->loop) {
        *n = at->turn;
        return true;
    }
    if (v->kind == RF_VAL_CAST)
        return v->type->kind != RF_TYPE_FLOAT &&
               rf_lane_number(v->arg[0], at, n);
    if (v->kind != RF_VAL_OP)
        return false;
    if (v->op == RF_OP_FIELD)
        return field_number(v, at, n);
    if (v->op == RF_OP_SELECT)
        return rf_lane_number(v->arg[0], at, &c) &&
               rf_lane_number(v->arg[c ? 1 : 2], at, n);
    return rf_lane_number(v->arg[0], at, &a) &&
           (v->n < 2 || rf_lane_number(v->arg[1], at, &b)) &&
           rf_lane_compute(v->op, a, b, n);
}

bool rf_lane_compute(rf_op op, int64_t a, int64_t b, int64_t *n)
{
    bool divides = op == RF_OP_DIV || op == RF_OP_REM;
    if ((divides && !b) ||
        ((op == RF_OP_SHL || op == RF_OP_SHR) && (a < 0 || b < 0 || b > 31)))
        return false;
    switch (op) {
#define CASE(id, value)                                                        \
    case RF_OP_##id:                                                           \
        *n = value;                                                            \
        return true
        CASE(ADD, a + b);
        CASE(SUB, a - b);
        CASE(MUL, a * b);
        CASE(DIV, a / b);
        CASE(REM, a % b);
        CASE(SHL, a << b);
        CASE(SHR, a >> b);
        CASE(BIT_AND, a & b);
        CASE(LT, a < b);
        CASE(LE, a <= b);
        CASE(GT, a > b);
        CASE(GE, a >= b);
        CASE(EQ, a == b);
        CASE(NE, a != b);
        CASE(AND, a && b);
        CASE(OR, a || b);
        CASE(NOT, !a);
        CASE(NEG, -a);
#undef CASE
    default:
        return false;
    }
}

static bool is_lane(const rf_val *v, const void *data)
{
    (void)data;
    return rf_is_builtin(v, "threadIdx");
}

bool rf_mentions_lane(const rf_val *v)
{
    return v && rf_val_find(v, is_lane, NULL);
}

/* Does "condition" hold in exactly one lane of each team? */
bool rf_selects_one_lane(const rf_team *team, const rf_val *condition)
{
    for (unsigned i = 0; i < team->n_sizes; i++) {
        rf_place_in_team at = rf_lane_at(team, i, 0);
        unsigned found = 0;
        for (; at.t < at.threads; at.t++) {
            int64_t n;
            if (!rf_lane_number(condition, &at, &n))
                return false;
            found = (at.t % at.lanes ? found : 0) + (n != 0);
            if (at.t % at.lanes == at.lanes - 1 && found != 1)
                return false;
        }
    }
    return true;
}
