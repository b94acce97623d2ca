/* Filling buffers: random numbers, special values.
 *
 * Specials are the rows that reductions stumble over: nothing but -inf, a NaN
 * or an infinity somewhere, signed zeros, subnormal numbers, large negative
 * numbers that stand for -inf, equal values. */
#include "spec.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const rf_fill_specials[] = { "random", "normal",   "edge",
                                         "-inf",   "nan",      "+inf",
                                         "zeros",  "denormal", "-1e9",
                                         "equal",  "-max",     NULL };

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double u = uniform(state), v = uniform(state);
    return sqrt(-2 * log(u + 0x1p-60)) * cos(2 * M_PI * v);
}

static double edge(uint64_t *state)
{
    static const double values[] = { 0.0,      -0.0,      1,        -1,
                                     INFINITY, -INFINITY, NAN,      FLT_MAX,
                                     -FLT_MAX, FLT_MIN,   -FLT_MIN, 1e-41,
                                     -1e-41,   -1e9,      1e9,      88.8,
                                     -88.8,    65504 };
    uint64_t k = next(state);
    if (k % 4)
        return normal(state);
    return values[k / 4 % RF_COUNTOF(values)];
}

/* Element "i" of "n" of the fill "kind"; false: no such fill. */
static bool element(const char *kind, size_t i, size_t n, uint64_t *state,
                    double *x)
{
    size_t place = n ? next(&(uint64_t){ n }) % n : 0;
    if (!strcmp(kind, "random"))
        *x = uniform(state);
    else if (!strcmp(kind, "normal"))
        *x = normal(state);
    else if (!strcmp(kind, "edge"))
        *x = edge(state);
    else if (!strcmp(kind, "ramp"))
        *x = (double)i;
    else if (!strcmp(kind, "zero"))
        *x = 0;
    else if (!strcmp(kind, "-inf"))
        *x = -INFINITY;
    else if (!strcmp(kind, "nan"))
        *x = i == place ? NAN : normal(state);
    else if (!strcmp(kind, "+inf"))
        *x = i == place ? INFINITY : normal(state);
    else if (!strcmp(kind, "zeros"))
        *x = next(state) & 1 ? 0.0 : -0.0;
    else if (!strcmp(kind, "denormal"))
        *x = normal(state) * 1e-41;
    else if (!strcmp(kind, "-1e9"))
        *x = next(state) % 3 ? -1e9 : normal(state);
    else if (!strcmp(kind, "equal"))
        *x = 0.75;
    else if (!strcmp(kind, "-max"))
        *x = i % 2 ? -FLT_MAX : normal(state);
    else
        return false;
    return true;
}

static bool format_of(rf_type type, rf_ftype *f)
{
    static const struct {
        rf_type type;
        rf_ftype format;
    } table[] = { { RF_T_F64, RF_F64 },   { RF_T_F32, RF_F32 },
                  { RF_T_F16, RF_F16 },   { RF_T_BF16, RF_BF16 },
                  { RF_T_E4M3, RF_E4M3 }, { RF_T_E5M2, RF_E5M2 } };
    for (size_t i = 0; i < RF_COUNTOF(table); i++)
        if (table[i].type == type) {
            *f = table[i].format;
            return true;
        }
    return false;
}

uint64_t rf_fill_number(rf_type type, double number)
{
    rf_ftype f;
    if (format_of(type, &f))
        return rf_float_encode(f, number, RF_RN, 0);
    return (uint64_t)(int64_t)number;
}

double rf_fill_value(rf_type type, uint64_t bits)
{
    rf_ftype f;
    return format_of(type, &f) ? rf_float_decode(f, bits) : (double)bits;
}

/* Integers take a range of small numbers instead of [0, 1). */
static double for_integer(rf_type type, double x)
{
    rf_ftype f;
    if (format_of(type, &f))
        return x;
    if (!isfinite(x) || fabs(x) > 100)
        return 100;
    return rf_type_class(type) == 's' ? trunc(x * 100) : trunc(fabs(x) * 100);
}

static bool is_random(const char *fill)
{
    return !strcmp(fill, "random") || !strcmp(fill, "normal") ||
           !strcmp(fill, "edge");
}

bool rf_fill(void *to, rf_type type, size_t n, const char *fill,
             const char *special, uint64_t seed)
{
    uint32_t size = rf_type_bytes(type);
    uint64_t state = seed;
    bool exact = !strcmp(fill, "ramp") || !strcmp(fill, "zero");
    if (special && is_random(fill))
        fill = special;
    for (size_t i = 0; i < n; i++) {
        double x;
        char *end;
        if (!element(fill, i, n, &state, &x)) {
            x = strtod(fill, &end);
            if (*end || end == fill) {
                fprintf(stderr, "rf-run: error: unknown fill %s\n", fill);
                return false;
            }
        } else if (!exact) {
            x = for_integer(type, x);
        }
        uint64_t bits = rf_fill_number(type, x);
        memcpy((uint8_t *)to + i * size, &bits, size);
    }
    return true;
}
