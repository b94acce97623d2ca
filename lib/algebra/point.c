/* Points at which expressions are compared: a fixed sequence of pseudo-random
 * values, small whole numbers first because ties and signs show there. */
#include "algebra/internal.h"

#include <math.h>
#include <stdlib.h>

void rf_point_init(rf_point *p, unsigned n, const rf_sym *const *e)
{
    *p = (rf_point){ .random = 0x853c49e6748fea9bu };
    for (unsigned i = 0; i < n; i++)
        rf_collect_atoms(&p->atoms, e[i]);
    p->value = calloc(p->atoms.len + 1, sizeof *p->value);
}

void rf_point_clear(rf_point *p)
{
    RF_CLEAR(p->atoms);
    free(p->value);
}

static uint64_t next_random(rf_point *p)
{
    uint64_t z = p->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double draw_real(rf_point *p)
{
    uint64_t r = next_random(p), v = next_random(p);
    if (r % 4 < 2)
        return (double)(int)(v % 7) - 3;
    if (r % 4 == 2)
        return ((double)(int)(v % 33) - 16) / 4;
    return ((double)(int)(v % (1 << 20)) - (1 << 19)) / (1 << 17);
}

double rf_point_draw(rf_point *p, const rf_atom *atom)
{
    double v = draw_real(p);
    if (atom->is_integer)
        v = round(v);
    if (atom->sign != RF_SIGN_ANY)
        v = fabs(v);
    if (atom->sign == RF_SIGN_POSITIVE && v == 0)
        v = 1;
    return v;
}

void rf_point_next(rf_point *p)
{
    for (size_t i = 0; i < p->atoms.len; i++)
        p->value[i] = rf_point_draw(p, p->atoms.data[i]->atom);
}

bool rf_point_allowed(const rf_algebra *alg, const rf_point *p)
{
    for (size_t i = 0; i < alg->facts.len; i++) {
        const rf_fact *f = &alg->facts.data[i];
        double v = rf_sym_value(f->e, p->atoms.len, p->atoms.data, p->value);
        if ((v < 0 && f->kind != RF_FACT_NONZERO) ||
            (v == 0 && f->kind != RF_FACT_NONNEG))
            return false;
    }
    return true;
}
