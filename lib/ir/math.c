/* Names of CUDA's and C's mathematical functions, float and double, fast
 * intrinsics, half and bfloat16. */
#include "ir/math.h"

#include <math.h>
#include <string.h>

#define MATH_NAMES(X)                                                          \
    X(EXP, "exp expf __expf hexp")                                             \
    X(EXP2, "exp2 exp2f hexp2")                                                \
    X(EXP10, "exp10 exp10f __exp10f hexp10")                                   \
    X(LOG, "log logf __logf hlog")                                             \
    X(LOG2, "log2 log2f __log2f hlog2")                                        \
    X(LOG10, "log10 log10f __log10f hlog10")                                   \
    X(SQRT, "sqrt sqrtf __fsqrt_rn __dsqrt_rn hsqrt")                          \
    X(RSQRT, "rsqrt rsqrtf __frsqrt_rn hrsqrt")                                \
    X(RCP, "__frcp_rn __drcp_rn hrcp")                                         \
    X(ADD, "__fadd_rn __dadd_rn __hadd")                                       \
    X(SUB, "__fsub_rn __dsub_rn __hsub")                                       \
    X(MUL, "__fmul_rn __dmul_rn __hmul")                                       \
    X(DIV, "fdividef __fdividef __fdiv_rn __ddiv_rn __hdiv")                   \
    X(FMA, "fma fmaf __fmaf_rn __fma_rn __hfma")                               \
    X(MAX, "max fmax fmaxf __hmax umax llmax ullmax")                          \
    X(MIN, "min fmin fminf __hmin umin llmin ullmin")                          \
    X(ABS, "abs labs llabs fabs fabsf __habs")                                 \
    X(NEG, "__hneg")                                                           \
    X(POW, "pow powf __powf")                                                  \
    X(CONVERT, "__half2float __float2half __float2half_rn "                    \
               "__bfloat162float __float2bfloat16 __float2bfloat16_rn "        \
               "__double2half __double2bfloat16 __double2float_rn "            \
               "__float2int_rn __float2int_rz __float2int_rd __float2int_ru "  \
               "__int2float_rn __uint2float_rn __ll2float_rn __half2int_rn "   \
               "__double2int_rn __double2int_rz __int2double_rn rint rintf "   \
               "nearbyint nearbyintf lrintf lrint llrintf lroundf lround")     \
    X(LOAD, "__ldg __ldcg __ldca __ldcs __ldlu __ldcv")                        \
    X(STORE, "__stcs __stcg __stwb __stwt")                                    \
    X(PURE, "tanh tanhf sinh sinhf cosh coshf sin sinf cos cosf tan tanf "     \
            "__sinf __cosf __tanf asin asinf acos acosf atan atanf atan2 "     \
            "atan2f erf erff erfc erfcf normcdf normcdff expm1 expm1f log1p "  \
            "log1pf cbrt cbrtf rcbrt rcbrtf hypot hypotf floor floorf ceil "   \
            "ceilf round roundf trunc truncf fmod fmodf remainder "            \
            "remainderf copysign copysignf isnan isinf isfinite signbit "      \
            "__saturatef __isnan __hisnan clamp sigmoid htanh hsin hcos "      \
            "__float_as_int __int_as_float __float_as_uint "                   \
            "__uint_as_float __popc __clz tgamma lgamma lgammaf step")

static const struct {
    rf_math meaning;
    const char *names;
} table[] = {
#define X(id, names) { RF_MATH_##id, names },
    MATH_NAMES(X)
#undef X
};

/* True if "name" is one of the blank-separated words of "names". */
static bool is_word_of(const char *name, const char *names)
{
    size_t n = strlen(name);
    for (const char *p = names; (p = strstr(p, name)); p += n) {
        bool starts = p == names || p[-1] == ' ';
        if (starts && (p[n] == ' ' || !p[n]))
            return true;
    }
    return false;
}

rf_math rf_math_find(const char *name)
{
    if (!name || !*name)
        return RF_MATH_NONE;
    for (size_t i = 0; i < RF_COUNTOF(table); i++)
        if (is_word_of(name, table[i].names))
            return table[i].meaning;
    return RF_MATH_NONE;
}

/* ---- values ---- */

static bool value_of_one(rf_math meaning, double a, double *value)
{
    switch (meaning) {
    case RF_MATH_EXP:
        return *value = exp(a), true;
    case RF_MATH_EXP2:
        return *value = exp2(a), true;
    case RF_MATH_EXP10:
        return *value = pow(10, a), true;
    case RF_MATH_LOG:
        return *value = log(a), true;
    case RF_MATH_LOG2:
        return *value = log2(a), true;
    case RF_MATH_LOG10:
        return *value = log10(a), true;
    case RF_MATH_SQRT:
        return *value = sqrt(a), true;
    case RF_MATH_RSQRT:
        return *value = 1 / sqrt(a), true;
    case RF_MATH_RCP:
        return *value = 1 / a, true;
    case RF_MATH_ABS:
        return *value = fabs(a), true;
    case RF_MATH_NEG:
        return *value = -a, true;
    default:
        return false;
    }
}

static bool value_of_two(rf_math meaning, double a, double b, double *value)
{
    switch (meaning) {
    case RF_MATH_ADD:
        return *value = a + b, true;
    case RF_MATH_SUB:
        return *value = a - b, true;
    case RF_MATH_MUL:
        return *value = a * b, true;
    case RF_MATH_DIV:
        return *value = a / b, true;
    case RF_MATH_MAX:
        return *value = fmax(a, b), true;
    case RF_MATH_MIN:
        return *value = fmin(a, b), true;
    case RF_MATH_POW:
        return *value = pow(a, b), true;
    default:
        return false;
    }
}

const char *rf_math_extremum(bool max, const rf_type *type)
{
    bool is_wide = type->kind == RF_TYPE_DEPENDENT ||
                   (type->kind == RF_TYPE_FLOAT && type->format == RF_F64);
    if (type->kind != RF_TYPE_FLOAT && !is_wide)
        return max ? "max" : "min";
    return max ? (is_wide ? "fmax" : "fmaxf") : (is_wide ? "fmin" : "fminf");
}

bool rf_math_value(rf_math meaning, unsigned n, const double *a, double *value)
{
    if (n == 1)
        return value_of_one(meaning, a[0], value);
    if (n == 2)
        return value_of_two(meaning, a[0], a[1], value);
    if (n != 3 || meaning != RF_MATH_FMA)
        return false;
    *value = a[0] * a[1] + a[2];
    return true;
}

bool rf_relation_holds(rf_op op, double x, double y)
{
    switch (op) {
    case RF_OP_LT:
        return x < y;
    case RF_OP_LE:
        return x <= y;
    case RF_OP_GT:
        return x > y;
    case RF_OP_GE:
        return x >= y;
    case RF_OP_EQ:
        return x == y;
    default:
        return x != y;
    }
}
