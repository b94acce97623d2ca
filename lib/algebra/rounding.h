/* What fusing does to the rounding of a result, from nothing to most (THEORY
 * 8). */
#ifndef RF_ALGEBRA_ROUNDING_H
#define RF_ALGEBRA_ROUNDING_H

typedef enum {
    RF_ROUNDING_EXACT,        /* bit-identical */
    RF_ROUNDING_REASSOCIATED, /* same terms, other order */
    RF_ROUNDING_RESCALED      /* extra factors, extra roundings */
} rf_rounding_class;
const char *rf_rounding_name(rf_rounding_class c);

#endif
