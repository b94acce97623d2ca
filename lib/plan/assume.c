/* The author's assumptions: assume(temperature > 0) gives the parameter a
 * sign. The grammar is name REL number. */
#include "plan/planning.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void read_predicate(rf_planner *p, rf_reals *reals, const char *text)
{
    const char *c = text;
    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    const rf_var *var = rf_plan_find_param(p, text, (size_t)(c - text));
    while (*c == ' ')
        c++;
    bool strict = c[0] == '>' && c[1] != '=';
    if (!var || *c != '>')
        return;
    c += strict ? 1 : 2;
    char *end;
    double bound = strtod(c, &end);
    if (end == c || bound < 0)
        return;
    rf_reals_set_sign(reals, var,
                      strict || bound > 0 ? RF_SIGN_POSITIVE : RF_SIGN_NONNEG);
}

void rf_plan_assume(rf_planner *p, rf_reals *reals)
{
    for (unsigned i = 0; i < p->mark->n_predicates; i++)
        read_predicate(p, reals, p->mark->predicates[i]);
}
