/* Matrix fragments and products: mma.sync, wmma, ldmatrix.
 *
 * One rule places every fragment of PTX. A fragment is a matrix of "rows" by
 * "cols" elements cut into blocks of 8 rows by 4 * per columns, numbered down
 * the rows first. Register group r of a lane belongs to block r; in it lane l
 * owns row l / 4 and the "per" neighbouring columns from (l mod 4) * per on.
 * "per" is the number of elements in 32 bits, 1 for wider ones, and 2 for
 * accumulators. B is kept transposed, as n rows of k columns. Where a fragment
 * has more elements than the matrix (f16 operands of wmma), blocks repeat. */
#ifndef RF_EXEC_MMA_H
#define RF_EXEC_MMA_H

#include "exec/machine.h"

typedef struct {
    rf_type type;
    int rows, cols, per;
    int regs; /* registers a lane holds */
} rf_fragment;

typedef enum { RF_OPERAND_A, RF_OPERAND_B, RF_OPERAND_C } rf_operand_role;

typedef struct {
    int m, n, k;
} rf_mma_shape;

/* Describe the fragment that a lane holds in "regs" registers; 0: as many as
 * the matrix needs. */
rf_fragment rf_fragment_of(rf_operand_role role, rf_mma_shape shape,
                           rf_type type, int regs);
/* Elements that a lane holds. */
int rf_fragment_elements(const rf_fragment *fragment);

typedef struct {
    int row, col;
} rf_element;

/* Return which element of the matrix is number "i" of "lane". */
rf_element rf_fragment_place(const rf_fragment *fragment, int lane, int i);

/* Registers of a warp are given as pointers to their columns. */

/* Element "i" of "lane" in its registers. */
uint64_t rf_fragment_get(const rf_fragment *fragment, uint64_t *const *regs,
                         int lane, int i);
void rf_fragment_set(const rf_fragment *fragment, uint64_t *const *regs,
                     int lane, int i, uint64_t bits);

/* A matrix of doubles: element (r, c) is at[r * row + c * col]. */
typedef struct {
    double *at;
    int row, col;
} rf_matrix;

double rf_matrix_decode(rf_type type, uint64_t bits);
void rf_fragment_unpack(const rf_fragment *fragment, uint64_t *const *regs,
                        rf_matrix to);
/* "satfinite": integers are clamped instead of wrapping. */
void rf_fragment_pack(const rf_fragment *fragment, rf_matrix from,
                      bool satfinite, rf_round round, uint64_t *const *regs);

typedef enum { RF_MMA_SUM, RF_MMA_FUSED, RF_MMA_XOR } rf_mma_kind;

/* d[m][n] += sum over k of a[m][k] * b[k][n], all three row by row without
 * gaps. FUSED rounds after every step (f64), XOR counts differing bits. */
void rf_matrix_multiply(rf_mma_shape shape, rf_mma_kind kind, const double *a,
                        const double *b, double *d);

typedef struct {
    rf_mma_shape shape;
    rf_type a, b, c, d;
    bool satfinite, exclusive_or; /* b1: .xor.popc instead of .and.popc */
    rf_round round;
    int a_regs, b_regs; /* 0: as many as the matrix needs (mma.sync) */
} rf_mma;

/* Compute D = A * B + C on the registers of a full warp. */
void rf_mma_run(const rf_mma *mma, uint64_t *const *a, uint64_t *const *b,
                uint64_t *const *c, uint64_t *const *d);

/* Bit offset from the base address of element "at" of a fragment that
 * wmma.load or wmma.store moves; "ld" is the leading dimension. */
uint64_t rf_wmma_offset(const rf_fragment *fragment, rf_operand_role role,
                        bool row_major, uint64_t ld, rf_element at);

typedef struct {
    int lane, half;
} rf_matrix_slot;

/* Return who holds the 16-bit element (row, col) of an 8x8 matrix moved by
 * ldmatrix or stmatrix; its row address comes from lane 8 * matrix + row. */
rf_matrix_slot rf_ldmatrix_slot(int row, int col, bool trans);

#endif
